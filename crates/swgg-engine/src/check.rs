//! Whether a folder holds the plan that its manifest describes.

use std::fs::File;
use std::path::Path;

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::Float64Type;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::cell::Sum;
use crate::error::{Error, Result};
use crate::folder::{Manifest, Part, manifest};
use crate::meter::Meter;
use crate::part::schema;

/// How far sums may be from those of the manifest, relatively: they are sums of the same numbers in another order.
const TOLERANCE: f64 = 1e-9;

/// Reads every part of a plan and compares entries, mass and cost with the manifest, part by part and as a whole.
///
/// # Errors
///
/// The first part that is missing, damaged or different, with what was found and what the manifest says.
pub fn check(folder: &Path, meter: &Meter) -> Result<Manifest> {
    let manifest = manifest(folder)?;
    meter.begin("reading parts", manifest.entries);
    let [mut mass, mut cost] = [Sum::default(); 2];
    let mut entries = 0;
    for part in &manifest.parts {
        let path = folder.join(&part.file);
        let found = check_part(&path, part, meter)?;
        mass.add(found.mass);
        cost.add(found.cost);
        entries += found.entries;
    }
    compare(folder, "entries", entries as f64, manifest.entries as f64)?;
    compare(folder, "mass", mass.value(), 1.0)?;
    compare(folder, "cost", cost.value(), manifest.cost)?;
    Ok(manifest)
}

/// Reads a part and compares it with what the manifest says.
pub(crate) fn check_part(path: &Path, part: &Part, meter: &Meter) -> Result<PartTotals> {
    let found = read(path, meter)?;
    compare(path, "entries", found.entries as f64, part.entries as f64)?;
    compare(path, "mass", found.mass, part.mass)?;
    compare(path, "cost", found.cost, part.cost)?;
    Ok(found)
}

/// What a part comes to.
pub(crate) struct PartTotals {
    entries: u64,
    mass: f64,
    cost: f64,
}

fn read(path: &Path, meter: &Meter) -> Result<PartTotals> {
    let [mut mass, mut cost] = [Sum::default(); 2];
    let mut entries = 0;
    batches(path, |batch| {
        let column = |index: usize| batch.column(index).as_primitive::<Float64Type>().values();
        for (&share, &of_pair) in column(2).iter().zip(column(3)) {
            if !(share > 0.0 && of_pair >= 0.0) {
                return Err(damaged(path, &format!("holds an entry of mass {share} and cost {of_pair}")));
            }
            mass.add(share);
            cost.add(share * of_pair);
        }
        entries += batch.num_rows() as u64;
        meter.advance(batch.num_rows() as u64)
    })?;
    Ok(PartTotals { entries, mass: mass.value(), cost: cost.value() })
}

fn damaged(path: &Path, problem: &str) -> Error {
    Error::place(path, format!("{problem}; solve again"))
}

/// Shows every batch of entries of a part.
pub(crate) fn batches(path: &Path, mut show: impl FnMut(&RecordBatch) -> Result<()>) -> Result<()> {
    let unreadable = |error: &dyn std::fmt::Display| damaged(path, &format!("cannot be read ({error})"));
    let file = File::open(path).map_err(|error| damaged(path, &format!("cannot be opened ({error})")))?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| unreadable(&error))?;
    let kinds = |schema: &arrow::datatypes::Schema| -> Vec<_> {
        schema.fields().iter().map(|field| (field.name().clone(), field.data_type().clone())).collect()
    };
    if kinds(builder.schema()) != kinds(&schema()) {
        return Err(damaged(path, "has other columns than source, target, mass and cost"));
    }
    for batch in builder.build().map_err(|error| unreadable(&error))? {
        show(&batch.map_err(|error| unreadable(&error))?)?;
    }
    Ok(())
}

fn compare(path: &Path, what: &str, found: f64, expected: f64) -> Result<()> {
    if (found - expected).abs() <= TOLERANCE * expected.abs() {
        return Ok(());
    }
    let problem = format!("its {what} come to {found}, the manifest says {expected}; solve again");
    Err(Error::place(path, problem))
}
