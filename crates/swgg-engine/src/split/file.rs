//! The two files of a cell: its sources and its targets, as tables that anything reads.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Float32Array, Float64Array, RecordBatch, UInt64Array};
use arrow::datatypes::{DataType, Field, Float32Type, Float64Type, Schema, SchemaRef, UInt64Type};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use super::SplitCell;
use crate::aggregate::CellSolver;
use crate::cell::{Layout, Sums, word};
use crate::error::{Error, Result};
use crate::scan::Side;

/// Rows that are encoded at a time.
const ROWS_PER_BATCH: usize = 1 << 14;

/// The name of a file of a cell.
pub(super) fn name(cell: usize, side: Side) -> String {
    let side = ["source", "target"][side as usize];
    format!("cell-{cell:05}-{side}.parquet")
}

fn schema(layout: &Layout, side: Side) -> SchemaRef {
    let kind = if layout.is_single[side as usize] { DataType::Float32 } else { DataType::Float64 };
    let mut fields =
        vec![Field::new("id", DataType::UInt64, false), Field::new("units", DataType::UInt64, false)];
    fields.extend((0..layout.dim).map(|axis| Field::new(format!("x{axis}"), kind.clone(), false)));
    Arc::new(Schema::new(fields))
}

/// Writes cells instead of solving them.
#[derive(Debug)]
pub(super) struct CellWriter {
    pub folder: PathBuf,
    pub layout: Layout,
}

impl CellSolver for CellWriter {
    /// Entries are rows here.
    fn solve(&self, cell: usize, rows: [Vec<u8>; 2]) -> Result<Sums> {
        let mut sums = Sums::default();
        for side in Side::BOTH {
            let path = self.folder.join(name(cell, side));
            let (count, units) = write(&path, &self.layout, side, &rows[side as usize])?;
            sums.entries += count;
            if side == Side::Source {
                sums.units = units;
            } else if sums.units != units {
                return Err(Error::changed(path.display()));
            }
        }
        Ok(sums)
    }
}

/// Writes one side of a cell, in the order of its ids; rows and units of it.
fn write(path: &Path, layout: &Layout, side: Side, rows: &[u8]) -> Result<(u64, u64)> {
    let refuse = |error: String| {
        Error::place(path, format!("cannot be written ({error}); make room or name another place with --out"))
    };
    // Blocks come in any order, the file does not depend on it.
    let mut order: Vec<&[u8]> = rows.chunks_exact(layout.width(side)).collect();
    order.sort_unstable_by_key(|row| word(row, 0));
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let file = File::create(path).map_err(|error| refuse(error.to_string()))?;
    let mut writer = ArrowWriter::try_new(file, schema(layout, side), Some(properties))
        .map_err(|error| refuse(error.to_string()))?;
    let mut point = vec![0.0; layout.dim];
    let mut units = 0;
    for some in order.chunks(ROWS_PER_BATCH) {
        let mut points = vec![Vec::with_capacity(some.len()); layout.dim];
        let (mut ids, mut masses) = (Vec::with_capacity(some.len()), Vec::with_capacity(some.len()));
        for row in some {
            let (id, mass) = layout.row(side, row, &mut point);
            ids.push(id);
            masses.push(mass);
            units += mass;
            points.iter_mut().zip(&point).for_each(|(column, x)| column.push(*x));
        }
        let mut columns: Vec<ArrayRef> =
            vec![Arc::new(UInt64Array::from(ids)), Arc::new(UInt64Array::from(masses))];
        columns.extend(points.into_iter().map(|column| -> ArrayRef {
            if layout.is_single[side as usize] {
                Arc::new(Float32Array::from_iter_values(column.into_iter().map(|x| x as f32)))
            } else {
                Arc::new(Float64Array::from(column))
            }
        }));
        let batch = RecordBatch::try_new(schema(layout, side), columns);
        let batch = batch.map_err(|error| refuse(error.to_string()))?;
        writer.write(&batch).map_err(|error| refuse(error.to_string()))?;
    }
    writer.close().map_err(|error| refuse(error.to_string()))?;
    Ok((order.len() as u64, units))
}

/// The rows of a cell in bytes, if its files are what the manifest says.
pub(super) fn read(folder: &Path, layout: &Layout, cell: &SplitCell) -> Result<[Vec<u8>; 2]> {
    let mut rows = [Vec::new(), Vec::new()];
    let mut count = 0;
    for side in Side::BOTH {
        let path = folder.join(&cell.files[side as usize]);
        let units = read_side(&path, layout, side, &mut rows[side as usize], &mut count)?;
        if units != u128::from(cell.units) {
            let expected = cell.units;
            let problem = format!("its units come to {units}, split.json says {expected}; split again");
            return Err(Error::place(&path, problem));
        }
    }
    if count != cell.rows {
        let problem = format!("a cell of {count} rows, split.json says {}; split again", cell.rows);
        return Err(Error::place(&folder.join(&cell.files[0]), problem));
    }
    Ok(rows)
}

fn read_side(path: &Path, layout: &Layout, side: Side, rows: &mut Vec<u8>, count: &mut u64) -> Result<u128> {
    let refuse = |error: String| Error::place(path, format!("{error}; split again"));
    let file = File::open(path).map_err(|error| refuse(format!("cannot be opened ({error})")))?;
    let damaged = |error: &dyn std::fmt::Display| refuse(format!("cannot be read ({error})"));
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| damaged(&error))?;
    let kinds = |schema: &Schema| -> Vec<_> {
        schema.fields().iter().map(|field| (field.name().clone(), field.data_type().clone())).collect()
    };
    if kinds(builder.schema()) != kinds(&schema(layout, side)) {
        return Err(refuse("has other columns than a cell".to_string()));
    }
    let mut point = vec![0.0; layout.dim];
    let mut units = 0;
    for batch in builder.build().map_err(|error| damaged(&error))? {
        let batch = batch.map_err(|error| damaged(&error))?;
        let whole = |column: usize| batch.column(column).as_primitive::<UInt64Type>().values().clone();
        let (ids, masses) = (whole(0), whole(1));
        for row in 0..batch.num_rows() {
            for (axis, slot) in point.iter_mut().enumerate() {
                let column = batch.column(2 + axis);
                *slot = if layout.is_single[side as usize] {
                    f64::from(column.as_primitive::<Float32Type>().value(row))
                } else {
                    column.as_primitive::<Float64Type>().value(row)
                };
            }
            layout.push(rows, side, ids[row], masses[row], &point);
            units += u128::from(masses[row]);
        }
        *count += batch.num_rows() as u64;
    }
    Ok(units)
}
