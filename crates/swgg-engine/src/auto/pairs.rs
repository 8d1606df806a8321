//! Pairs between two passes: who goes where, with both points, in files of blocks.

use std::fs::File;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, BinaryArray, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use crate::cell::{Layout, Sums, word};
use crate::error::{Error, Result};
use crate::part::{SUMS, full};
use crate::scan::Side;
use crate::survey::hashed;

/// Bytes of a block in a file.
const BYTES_PER_BLOCK: usize = 1 << 16;
/// Blocks of a row group, which is what the encoder holds.
const BLOCKS_PER_GROUP: usize = 64;

/// Bytes of a pair: two ids, units, two points.
pub(super) fn width(layout: &Layout) -> usize {
    24 + layout.point_width(Side::Source) + layout.point_width(Side::Target)
}

/// A pair as it stands in a block.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a>(pub &'a [u8]);

impl Pair<'_> {
    pub fn source(self) -> u64 {
        word(self.0, 0)
    }

    pub fn target(self) -> u64 {
        word(self.0, 8)
    }

    pub fn units(self) -> u64 {
        word(self.0, 16)
    }

    /// A number that looks random but is that of its two ids.
    pub fn number(self) -> u64 {
        hashed(self.source() ^ hashed(self.target()))
    }

    pub fn points(self, layout: &Layout, into: &mut [Vec<f64>; 2]) {
        let middle = 24 + layout.point_width(Side::Source);
        layout.point(Side::Source, &self.0[24..middle], &mut into[0]);
        layout.point(Side::Target, &self.0[middle..], &mut into[1]);
    }

    pub fn midpoint(self, layout: &Layout, points: &mut [Vec<f64>; 2], into: &mut [f64]) {
        self.points(layout, points);
        let [x, y] = &*points;
        into.iter_mut().zip(x.iter().zip(y)).for_each(|(slot, (x, y))| *slot = 0.5 * x + 0.5 * y);
    }
}

/// The name of the pairs of a cell after a pass.
pub(super) fn file(folder: &Path, pass: usize, cell: usize) -> PathBuf {
    folder.join(format!("pairs-{pass}-{cell:05}.parquet"))
}

fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![Field::new("pairs", DataType::Binary, false)]))
}

/// Pairs that are being written. Only [`finish`](PairsWriter::finish) gives the file its name.
pub(super) struct PairsWriter {
    writer: ArrowWriter<File>,
    scratch: PathBuf,
    path: PathBuf,
    block: Vec<u8>,
}

impl PairsWriter {
    pub fn create(path: PathBuf) -> Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let scratch = path.with_file_name(format!(".{name}.tmp"));
        let out = File::create(&scratch).map_err(|error| full(&path, &error))?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_max_row_group_row_count(Some(BLOCKS_PER_GROUP))
            .set_dictionary_enabled(false)
            .build();
        let writer =
            ArrowWriter::try_new(out, schema(), Some(properties)).map_err(|error| full(&path, &error))?;
        Ok(PairsWriter { writer, scratch, path, block: Vec::with_capacity(BYTES_PER_BLOCK) })
    }

    pub fn push(&mut self, layout: &Layout, ids: [u64; 2], units: u64, points: [&[f64]; 2]) -> Result<()> {
        ids.iter().chain([&units]).for_each(|word| self.block.extend_from_slice(&word.to_le_bytes()));
        for side in Side::BOTH {
            layout.push_point(&mut self.block, side, points[side as usize]);
        }
        if self.block.len() + width(layout) > BYTES_PER_BLOCK { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        if self.block.is_empty() {
            return Ok(());
        }
        let blocks: ArrayRef = Arc::new(BinaryArray::from_vec(vec![self.block.as_slice()]));
        let batch = RecordBatch::try_new(schema(), vec![blocks]).map_err(|error| full(&self.path, &error))?;
        self.block.clear();
        self.writer.write(&batch).map_err(|error| full(&self.path, &error))
    }

    /// Writes the rest and the sums of the cell, and gives the file its name.
    pub fn finish(mut self, sums: &Sums) -> Result<()> {
        self.flush()?;
        self.writer.append_key_value_metadata(KeyValue::new(SUMS.to_string(), sums.to_text()));
        self.writer.close().map_err(|error| full(&self.path, &error))?;
        std::fs::rename(&self.scratch, &self.path).map_err(|error| full(&self.path, &error))
    }
}

/// Shows the pairs of a file, a block at a time, until told to break.
pub(super) fn read(
    path: &Path,
    layout: &Layout,
    mut show: impl FnMut(&mut dyn Iterator<Item = Pair<'_>>) -> Result<ControlFlow<()>>,
) -> Result<ControlFlow<()>> {
    let refuse = |error: String| Error::place(path, format!("cannot be read again ({error}); solve again"));
    let file = File::open(path).map_err(|error| refuse(error.to_string()))?;
    let reader = ParquetRecordBatchReaderBuilder::try_new(file)
        .and_then(|builder| builder.with_batch_size(8).build())
        .map_err(|error| refuse(error.to_string()))?;
    for batch in reader {
        let batch = batch.map_err(|error| refuse(error.to_string()))?;
        for block in batch.column(0).as_binary::<i32>().iter().flatten() {
            if show(&mut block.chunks_exact(width(layout)).map(Pair))?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
    }
    Ok(ControlFlow::Continue(()))
}
