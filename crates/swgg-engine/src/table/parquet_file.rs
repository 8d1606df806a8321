//! Parquet files, a row group at a time.

use std::ops::ControlFlow;
use std::path::Path;

use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::files::{damaged, open};
use super::{Columns, Each, Picked, ROWS_PER_BATCH};
use crate::error::Result;

fn builder(path: &Path) -> Result<ParquetRecordBatchReaderBuilder<std::fs::File>> {
    ParquetRecordBatchReaderBuilder::try_new(open(path)?).map_err(|error| damaged(path, error))
}

pub(super) fn columns(path: &Path) -> Result<Columns> {
    Ok(Columns::of(builder(path)?.schema()))
}

/// Rows of each row group.
pub(super) fn row_groups(path: &Path) -> Result<Vec<u64>> {
    let builder = builder(path)?;
    Ok(builder.metadata().row_groups().iter().map(|group| group.num_rows().max(0) as u64).collect())
}

pub(super) fn read(
    path: &Path,
    row_group: Option<usize>,
    picked: &Picked,
    each: Each<'_>,
) -> Result<ControlFlow<()>> {
    let builder = builder(path)?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), picked.all());
    let builder = builder.with_projection(mask).with_batch_size(ROWS_PER_BATCH);
    let builder = match row_group {
        Some(group) => builder.with_row_groups(vec![group]),
        None => builder,
    };
    for batch in builder.build().map_err(|error| damaged(path, error))? {
        if each(batch.map_err(|error| damaged(path, error))?)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}
