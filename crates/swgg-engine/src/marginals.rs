//! Whether a plan gives every point what its weight says, within the memory that there is.

use std::path::Path;

use arrow::array::AsArray;
use arrow::datatypes::{Float64Type, UInt64Type};

use crate::check::batches;
use crate::error::{Error, Result};
use crate::folder::manifest;
use crate::meter::Meter;
use crate::opened::Opened;
use crate::request::Request;
use crate::scan::scan;
use crate::survey::hashed;

/// How far the mass of a point may be from its weight, relatively: a sum of rounded shares.
const TOLERANCE: f64 = 1e-9;

/// Compares what every point gives and gets in a plan with its weight in the tables, and returns the largest relative difference.
///
/// Ids and masses are held in memory, a share of their hashes at a time: so many passes as shares.
///
/// # Errors
///
/// [`Error::NotAPlan`] with the first point that differs; tables that cannot be read, or have other sizes than the manifest says.
pub fn check_tables(folder: &Path, request: &Request, meter: &Meter) -> Result<f64> {
    let manifest = manifest(folder)?;
    let opened = Opened::open(request, meter)?;
    let not_a_plan = |problem: String| Error::NotAPlan { path: folder.display().to_string(), problem };
    for (side, name, expected) in [(0, "source", manifest.n), (1, "target", manifest.m)] {
        let table = &opened.tables[side];
        if table.rows != expected {
            let (path, rows) = (&table.path, table.rows);
            return Err(not_a_plan(format!(
                "the {name} of the plan has {expected} points, {path} has {rows}"
            )));
        }
        let ids =
            if table.has_ids { request.readings[side].id.as_deref().unwrap_or_default() } else { "row" };
        if ids != manifest.ids {
            let (found, expected) = (ids, &manifest.ids);
            return Err(Error::Setting(format!(
                "points of the plan are named by {expected}, here they are named by {found}; give --id as for solve"
            )));
        }
    }
    let points: u64 = opened.tables.iter().map(|table| table.rows).sum();
    // An id and a mass, from the table and from the entries, which may be as many again.
    let bytes = 16 * (points + 2 * manifest.entries);
    let shares = bytes.div_ceil((request.memory as u64 / 4).max(1 << 20));
    let mut largest = 0.0_f64;
    for share in 0..shares {
        let is_mine = |id: u64| hashed(id) % shares == share;
        let begin = || [Vec::new(), Vec::new()];
        let stage = ("reading weights", meter);
        let states = scan(
            opened.both(),
            request.threads(),
            stage,
            begin,
            |state: &mut [Masses; 2], side, _, rows| {
                for (row, &id) in rows.ids.iter().enumerate().filter(|(_, id)| is_mine(**id)) {
                    let weight = rows.weights.get(row).copied();
                    let units = opened.masses[side as usize].of(rows.first + row as u64, weight);
                    state[side as usize].push((id, units as f64 / opened.total as f64));
                }
                Ok(())
            },
        )?;
        let mut given: [Masses; 2] = Default::default();
        meter.begin("reading parts", manifest.entries);
        for part in &manifest.parts {
            batches(&folder.join(&part.file), |batch| {
                let masses = batch.column(2).as_primitive::<Float64Type>().values();
                for (side, given) in given.iter_mut().enumerate() {
                    let ids = batch.column(side).as_primitive::<UInt64Type>().values();
                    given.extend(
                        ids.iter().copied().zip(masses.iter().copied()).filter(|(id, _)| is_mine(*id)),
                    );
                }
                meter.advance(batch.num_rows() as u64)
            })?;
        }
        for (side, given) in given.into_iter().enumerate() {
            let weights = states.iter().flat_map(|state| state[side].iter().copied()).collect();
            let verb = ["gives", "gets"][side];
            let name = ["source", "target"][side];
            largest = largest.max(compare(weights, given).map_err(|(id, found, expected)| {
                not_a_plan(format!("the {name} {id} {verb} {found}, its weight is {expected}"))
            })?);
        }
    }
    Ok(largest)
}

/// Ids with masses.
type Masses = Vec<(u64, f64)>;

/// The largest relative difference of weights and sums of masses, or the first id where they differ.
fn compare(mut weights: Masses, mut given: Masses) -> std::result::Result<f64, (u64, f64, f64)> {
    weights.sort_unstable_by_key(|(id, _)| *id);
    given.sort_by_key(|(id, _)| *id);
    let (mut largest, mut given) = (0.0_f64, given.into_iter().peekable());
    for (id, weight) in weights {
        let mut sum = 0.0;
        while let Some((of, mass)) = given.next_if(|(of, _)| *of <= id) {
            if of < id {
                return Err((of, mass, 0.0));
            }
            sum += mass;
        }
        let difference = (sum - weight).abs();
        if difference > TOLERANCE * weight {
            return Err((id, sum, weight));
        }
        if weight > 0.0 {
            largest = largest.max(difference / weight);
        }
    }
    match given.next() {
        Some((id, mass)) => Err((id, mass, 0.0)),
        None => Ok(largest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_strangers() {
        let weights = || vec![(3, 0.5), (1, 0.25), (2, 0.25), (9, 0.0)];
        assert_eq!(compare(weights(), vec![(1, 0.25), (3, 0.25), (2, 0.25), (3, 0.25)]), Ok(0.0));
        assert_eq!(compare(weights(), vec![(1, 0.25), (3, 0.25), (2, 0.25)]), Err((3, 0.25, 0.5)));
        assert_eq!(compare(weights(), vec![(1, 0.25), (0, 0.5), (3, 0.5), (2, 0.25)]), Err((0, 0.5, 0.0)));
        let stranger = vec![(1, 0.25), (3, 0.5), (2, 0.25), (12, 0.1)];
        assert_eq!(compare(weights(), stranger), Err((12, 0.1, 0.0)));
    }
}
