//! Parts that were solved anywhere, checked and joined to a plan.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::{Split, split_of};
use crate::cell::Sums;
use crate::check::check_part;
use crate::error::{Error, Result};
use crate::folder::{self, Manifest, Part, PlanFolder};
use crate::meter::Meter;
use crate::part;
use crate::solve::total;

/// Numbers that a message lists at most.
const MOST_LISTED: usize = 10;

/// Checks the parts of a split and joins them to a plan; the folder of the split stays as it is.
///
/// # Errors
///
/// Cells that are not solved yet (which), parts of another split, and parts that are not what they say.
pub fn join(split_folder: &Path, plan: &Path, meter: &Arc<Meter>) -> Result<Manifest> {
    let split = split_of(split_folder)?;
    let sums = solved(split_folder, &split)?;
    let folder = PlanFolder::fresh(plan)?;
    meter.begin("reading parts", sums.iter().map(|sums| sums.entries).sum());
    let mut parts = Vec::with_capacity(sums.len());
    for (cell, sums) in split.cells.iter().zip(&sums) {
        let path = split_folder.join(&cell.part);
        let part = Part {
            file: cell.part.clone(),
            entries: sums.entries,
            mass: sums.units as f64 / split.units as f64,
            cost: sums.cost,
        };
        check_part(&path, &part, meter)?;
        let to = folder.parts().join(&cell.part);
        // A second name for the same bytes, or a copy where that cannot be.
        if fs::hard_link(&path, &to).is_err() {
            fs::copy(&path, &to).map_err(|error| part::full(&to, &error))?;
        }
        parts.push(part);
    }
    let whole = total(&sums, split.units)?;
    let along_line = split.along_line.unwrap_or(whole.along);
    let manifest = Manifest {
        format: folder::FORMAT.to_string(),
        version: folder::VERSION,
        swgg: split.swgg,
        datafusion: split.datafusion,
        method: split.method,
        source: split.source,
        target: split.target,
        n: split.n,
        m: split.m,
        d: split.d,
        ids: split.ids,
        seed: split.seed,
        direction: split.direction,
        effort: split.effort,
        passes: Vec::new(),
        cost: whole.cost,
        lower_bound: along_line.max(split.gelbrich).min(whole.cost),
        along_line,
        entries: whole.entries,
        parts,
    };
    folder.commit(&manifest)?;
    Ok(manifest)
}

/// What every cell came to, if all of them are solved.
fn solved(folder: &Path, split: &Split) -> Result<Vec<Sums>> {
    let (mut sums, mut missing) = (Vec::with_capacity(split.cells.len()), Vec::new());
    for (number, cell) in split.cells.iter().enumerate() {
        let path = folder.join(&cell.part);
        let Some(found) = part::finished(&path) else {
            missing.push(number);
            continue;
        };
        if part::split_of(&path).as_deref() != Some(split.key.as_str()) {
            let problem =
                format!("is of another split; remove it and run `swgg solve DIR --cell {number}` again");
            return Err(Error::place(&path, problem));
        }
        if found.units != cell.units {
            let problem = format!(
                "holds {} units of mass, split.json says {}; solve it again",
                found.units, cell.units
            );
            return Err(Error::place(&path, problem));
        }
        sums.push(found);
    }
    if missing.is_empty() {
        return Ok(sums);
    }
    let listed: Vec<String> = missing.iter().take(MOST_LISTED).map(ToString::to_string).collect();
    let more = if missing.len() > MOST_LISTED { ", ..." } else { "" };
    Err(Error::place(
        folder,
        format!(
            "{} of {} cells are not solved: {}{more}; run `swgg solve DIR --cell K` for each of them first",
            missing.len(),
            split.cells.len(),
            listed.join(", ")
        ),
    ))
}
