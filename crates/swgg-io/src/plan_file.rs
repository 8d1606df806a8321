//! Transport plans in.

use std::path::Path;

use crate::error::{Error, ErrorKind, Result};
use crate::format::PlanFormat;
use crate::input::{Input, open};
use crate::packing::unpacked;
use crate::read::{ReadOptions, read_cloud};
use crate::{Format, npz};

/// A plan as it was read: which source point sends how much mass to which target point.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanFile {
    /// Source, target and mass of every entry.
    pub entries: Vec<(u32, u32, f64)>,
    /// How many source and target points there are, if the file says so.
    pub shape: Option<(usize, usize)>,
}

impl PlanFile {
    /// Refuses masses that are none and entries outside the matrix.
    pub(crate) fn checked(
        entries: Vec<(u32, u32, f64)>,
        shape: Option<(usize, usize)>,
    ) -> std::result::Result<Self, ErrorKind> {
        for &(i, j, mass) in &entries {
            if !mass.is_finite() || mass < 0.0 {
                let reason =
                    format!("the mass from {i} to {j} is {mass}; masses are finite and not negative");
                return Err(ErrorKind::BadPlan { reason });
            }
            if let Some((n, m)) = shape
                && (i as usize >= n || j as usize >= m)
            {
                return Err(ErrorKind::PlanEntry { source_index: i, target_index: j, n, m });
            }
        }
        Ok(Self { entries, shape })
    }

    /// Sizes that the entries need at least: one more than the largest indices.
    pub fn extent(&self) -> (usize, usize) {
        let most = |index: fn(&(u32, u32, f64)) -> u32| {
            self.entries.iter().map(index).max().map_or(0, |most| most as usize + 1)
        };
        (most(|entry| entry.0), most(|entry| entry.1))
    }
}

/// Reads a plan that [`write_plan`](crate::write_plan) wrote, or another of the same form: `.csv` and `.parquet` with columns `source`,
/// `target` and `mass`, `.npz` with a matrix of `scipy.sparse`.
///
/// # Errors
///
/// A file that is missing, malformed, or holds something else.
pub fn read_plan(path: &Path) -> Result<PlanFile> {
    let format = PlanFormat::from_path(path)?;
    if format == PlanFormat::Npz {
        let read = || {
            let (file, size) = open(path, || ErrorKind::Empty)?;
            let (file, size) = unpacked(file, size)?;
            npz::read_plan(Input {
                file,
                size,
                format: Format::Npz,
                columns: None,
                keep: false,
                missing: false,
                decimal_comma: false,
                member: None,
            })
        };
        return read().map_err(|kind| Error::at(path, kind));
    }
    let columns = Some("source,target,mass".parse()?);
    let table =
        read_cloud(path, &ReadOptions { columns, ..ReadOptions::default() }).map_err(|error| match error
            .kind()
        {
            ErrorKind::UnknownColumn { item, .. } => {
                let reason =
                    format!("it has no column {item:?}; a plan has the columns source, target and mass");
                Error::at(path, ErrorKind::BadPlan { reason })
            }
            _ => error,
        })?;
    let index = |x: f64| (x >= 0.0 && x.fract() == 0.0 && x <= f64::from(u32::MAX)).then_some(x as u32);
    let entry = |(row, values): (usize, &[f64])| match (index(values[0]), index(values[1])) {
        (Some(i), Some(j)) => Ok((i, j, values[2])),
        _ => {
            let place =
                table.line(row).map_or_else(|| format!("row {row} (from 0)"), |line| format!("line {line}"));
            let reason = format!("{place} goes from {} to {}, which are no indices", values[0], values[1]);
            Err(Error::at(path, ErrorKind::BadPlan { reason }))
        }
    };
    let values = table.to_f64();
    let entries = values.chunks_exact(3).enumerate().map(entry).collect::<Result<_>>()?;
    PlanFile::checked(entries, None).map_err(|kind| Error::at(path, kind))
}
