//! Parts of a plan: one Parquet file per cell.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, RecordBatch, UInt64Array};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::cell::{Entry, Sums};
use crate::error::{Error, Result};

/// Entries that are held before they are handed to the encoder.
const ENTRIES_PER_BATCH: usize = 1 << 14;
/// Entries of a row group, which is what the encoder holds.
const ENTRIES_PER_GROUP: usize = 1 << 18;
/// What the footer calls the sums of a cell.
pub(crate) const SUMS: &str = "swgg.cell";
/// What it calls the split that a cell is of.
const SPLIT: &str = "swgg.split";

/// The columns of a plan.
pub(crate) fn schema() -> SchemaRef {
    let field = |name, kind| Field::new(name, kind, false);
    Arc::new(Schema::new(vec![
        field("source", DataType::UInt64),
        field("target", DataType::UInt64),
        field("mass", DataType::Float64),
        field("cost", DataType::Float64),
    ]))
}

/// The name of the part of a cell.
pub(crate) fn file_name(cell: usize) -> String {
    format!("part-{cell:05}.parquet")
}

/// A part that is being written. Only [`finish`](PartWriter::finish) gives it its name.
pub(crate) struct PartWriter {
    writer: ArrowWriter<File>,
    scratch: PathBuf,
    path: PathBuf,
    entries: Vec<Entry>,
}

impl PartWriter {
    pub fn create(folder: &Path, cell: usize) -> Result<Self> {
        let path = folder.join(file_name(cell));
        let scratch = folder.join(format!(".{}.tmp", file_name(cell)));
        let file = File::create(&scratch).map_err(|error| full(&path, &error))?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_max_row_group_row_count(Some(ENTRIES_PER_GROUP))
            // Ids and distances hardly repeat, and a dictionary of them would be built in vain.
            .set_dictionary_enabled(false)
            .set_column_dictionary_enabled("mass".into(), true)
            .build();
        let writer =
            ArrowWriter::try_new(file, schema(), Some(properties)).map_err(|error| full(&path, &error))?;
        Ok(PartWriter { writer, scratch, path, entries: Vec::with_capacity(ENTRIES_PER_BATCH) })
    }

    pub fn push(&mut self, entry: Entry) -> Result<()> {
        self.entries.push(entry);
        if self.entries.len() == ENTRIES_PER_BATCH { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        let ids = |of: fn(&Entry) -> u64| -> ArrayRef {
            Arc::new(UInt64Array::from_iter_values(self.entries.iter().map(of)))
        };
        let numbers = |of: fn(&Entry) -> f64| -> ArrayRef {
            Arc::new(Float64Array::from_iter_values(self.entries.iter().map(of)))
        };
        let columns = vec![ids(|e| e.source), ids(|e| e.target), numbers(|e| e.mass), numbers(|e| e.cost)];
        let batch = RecordBatch::try_new(schema(), columns).map_err(|error| full(&self.path, &error))?;
        self.entries.clear();
        self.writer.write(&batch).map_err(|error| full(&self.path, &error))
    }

    /// Writes the rest and the sums of the cell, and gives the part its name. A cell that was a file says which split it was of.
    pub fn finish(mut self, sums: &Sums, split: Option<&str>) -> Result<()> {
        self.flush()?;
        if let Some(split) = split {
            self.writer.append_key_value_metadata(KeyValue::new(SPLIT.to_string(), split.to_string()));
        }
        self.writer.append_key_value_metadata(KeyValue::new(SUMS.to_string(), sums.to_text()));
        self.writer.close().map_err(|error| full(&self.path, &error))?;
        std::fs::rename(&self.scratch, &self.path).map_err(|error| full(&self.path, &error))
    }
}

/// The sums of a part that was finished; `None` if it is not there or not whole.
pub(crate) fn finished(path: &Path) -> Option<Sums> {
    Sums::from_text(&noted(path, SUMS)?)
}

/// The split that a part says it is of.
pub(crate) fn split_of(path: &Path) -> Option<String> {
    noted(path, SPLIT)
}

/// What the footer of a file has under a name.
fn noted(path: &Path, name: &str) -> Option<String> {
    let reader = SerializedFileReader::new(File::open(path).ok()?).ok()?;
    let about = reader.metadata().file_metadata().key_value_metadata()?;
    about.iter().find(|entry| entry.key == name)?.value.clone()
}

impl Sums {
    /// Whole numbers and the bits of the others, so that nothing is rounded.
    pub(crate) fn to_text(self) -> String {
        let Sums { entries, units, cost, along, along_power } = self;
        let [cost, along, along_power] = [cost, along, along_power].map(f64::to_bits);
        format!("{entries} {units} {cost:x} {along:x} {along_power:x}")
    }

    fn from_text(text: &str) -> Option<Sums> {
        let words: Vec<&str> = text.split(' ').collect();
        let [entries, units, cost, along, along_power] = words[..] else { return None };
        let bits = |word| u64::from_str_radix(word, 16).ok().map(f64::from_bits);
        Some(Sums {
            entries: entries.parse().ok()?,
            units: units.parse().ok()?,
            cost: bits(cost)?,
            along: bits(along)?,
            along_power: bits(along_power)?,
        })
    }
}

pub(crate) fn full(path: &Path, error: &dyn std::fmt::Display) -> Error {
    Error::place(path, format!("cannot be written ({error}); make room or name another place with --plan"))
}
