//! Tables of points: files, folders and patterns, read a piece at a time.
//!
//! A table is a list of files in the order of their paths. Rows are numbered through all of them in that order, whatever reads them first,
//! so a row has the same number in every pass, on any number of threads.

mod arrow_file;
mod csv_file;
mod files;
mod numbers;
mod parquet_file;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, Schema};
use serde::{Deserialize, Serialize};
use swgg_io::ColumnSelection;

use crate::error::{Error, Result};

/// Rows that are handed on at a time.
pub(crate) const ROWS_PER_BATCH: usize = 8192;

/// Which columns of a table are what.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// Coordinates; all columns of numbers but the other two if none are named.
    pub columns: Option<ColumnSelection>,
    /// Weights; equal ones if no column is named.
    pub weights: Option<String>,
    /// Names of the points; numbers of rows if no column is named.
    pub id: Option<String>,
}

/// A table of points that was looked at but not read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Table {
    /// What was asked for, for messages.
    pub path: String,
    files: Vec<TableFile>,
    pieces: Vec<Piece>,
    /// Rows of all files.
    pub rows: u64,
    /// Number of coordinates.
    pub dim: usize,
    /// Whether all coordinates are stored in 32 bits.
    pub is_single: bool,
    /// Whether there is a column of weights.
    pub is_weighted: bool,
    /// Whether ids are those of a column.
    pub has_ids: bool,
}

/// A file of a table and which of its columns are what.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct TableFile {
    path: PathBuf,
    kind: Kind,
    picked: Picked,
    first_row: u64,
}

/// Where the columns stand in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Picked {
    points: Vec<usize>,
    weights: Option<usize>,
    id: Option<usize>,
}

/// How a file is read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Kind {
    Parquet,
    Csv(csv_file::Dialect),
    Arrow,
}

/// What is read by one thread at a time.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Piece {
    file: usize,
    /// Of a Parquet file.
    row_group: Option<usize>,
    first_row: u64,
}

/// What a pass needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    /// Coordinates, weights and ids.
    Everything,
    /// Weights alone.
    Weights,
}

/// Some rows of a table.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    /// Number of the first of them in the table.
    pub first: u64,
    pub len: usize,
    /// Row by row.
    pub points: Vec<f64>,
    /// One per row, or none if all weigh the same.
    pub weights: Vec<f64>,
    /// One per row.
    pub ids: Vec<u64>,
}

/// Columns of a file: names (if there are some) and types.
pub(crate) struct Columns {
    pub names: Option<Vec<String>>,
    pub types: Vec<DataType>,
    /// Whether types show only when the values are read.
    pub is_text: bool,
}

impl Columns {
    fn of(schema: &Schema) -> Self {
        Columns {
            names: Some(schema.fields().iter().map(|field| field.name().clone()).collect()),
            types: schema.fields().iter().map(|field| field.data_type().clone()).collect(),
            is_text: false,
        }
    }

    fn position(&self, name: &str, what: &str, path: &Path) -> Result<usize> {
        let selection: ColumnSelection = std::iter::once(name.to_string()).collect();
        match selection.positions(self.names.as_deref(), self.types.len()) {
            Ok(places) => Ok(places[0]),
            Err(error) => Err(Error::table(path.display(), format!("{error} ({what})"))),
        }
    }

    /// Which columns are what in this file.
    fn pick(&self, reading: &Reading, path: &Path) -> Result<Picked> {
        let weights =
            reading.weights.as_deref().map(|name| self.position(name, "the column of weights", path));
        let id = reading.id.as_deref().map(|name| self.position(name, "the column of --id", path));
        let (weights, id) = (weights.transpose()?, id.transpose()?);
        let points = match &reading.columns {
            Some(selection) => selection
                .positions(self.names.as_deref(), self.types.len())
                .map_err(|error| Error::table(path.display(), format!("{error} (--columns)")))?,
            None => {
                let is_label = |index: usize| {
                    self.names.as_ref().is_some_and(|names| {
                        names[index].starts_with("__index_level_") || names[index].is_empty() && index == 0
                    })
                };
                let is_coordinate = |&index: &usize| {
                    Some(index) != weights
                        && Some(index) != id
                        && numbers::is_number(&self.types[index])
                        && !is_label(index)
                };
                (0..self.types.len()).filter(is_coordinate).collect()
            }
        };
        if points.is_empty() {
            return Err(Error::table(
                path.display(),
                "no column of numbers; --columns names the coordinates",
            ));
        }
        for &index in points.iter().chain(&weights) {
            if !numbers::is_number(&self.types[index]) {
                return Err(self.refused(index, "numbers", path));
            }
        }
        if let Some(index) = id.filter(|&index| !self.is_text && !self.types[index].is_integer()) {
            return Err(self.refused(index, "whole numbers for --id", path));
        }
        Ok(Picked { points, weights, id })
    }

    fn refused(&self, index: usize, expected: &str, path: &Path) -> Error {
        let (label, found) = (self.label(index), &self.types[index]);
        Error::table(
            path.display(),
            format!("{label} holds {found}, expected {expected}; name other columns or convert it"),
        )
    }

    fn label(&self, index: usize) -> String {
        match &self.names {
            Some(names) => format!("column {:?}", names[index]),
            None => format!("column {index} (from 0)"),
        }
    }

    fn picked_names(&self, picked: &Picked) -> Vec<String> {
        picked.points.iter().map(|&index| self.label(index)).collect()
    }
}

impl Table {
    /// Looks at a file, a folder or a pattern: which files there are, their columns, and how many rows.
    ///
    /// # Errors
    ///
    /// No files, files that cannot be read, and columns that are missing or of another type in one of them: it is named.
    pub fn open(path: &str, reading: &Reading) -> Result<Table> {
        let paths = files::listed(path)?;
        let (mut files, mut pieces, mut rows) = (Vec::new(), Vec::new(), 0);
        let (mut is_single, mut names) = (true, Vec::new());
        for (index, path) in paths.into_iter().enumerate() {
            let first_row = rows;
            let (kind, columns) = files::look(&path)?;
            let picked = columns.pick(reading, &path)?;
            is_single &= picked.points.iter().all(|&place| columns.types[place] == DataType::Float32);
            let found = columns.picked_names(&picked);
            if index == 0 {
                names = found;
            } else if names != found {
                return Err(Error::table(
                    path.display(),
                    format!(
                        "its coordinates are {}, those of the first file {}; --columns names those that all files have",
                        found.join(", "),
                        names.join(", ")
                    ),
                ));
            }
            if let Kind::Parquet = kind {
                for (row_group, count) in parquet_file::row_groups(&path)?.into_iter().enumerate() {
                    pieces.push(Piece { file: index, row_group: Some(row_group), first_row: rows });
                    rows += count;
                }
            } else {
                pieces.push(Piece { file: index, row_group: None, first_row: rows });
                rows += files::count(&path, &kind, &picked)?;
            }
            files.push(TableFile { path, kind, picked, first_row });
        }
        if rows == 0 {
            return Err(Error::table(path, "holds no rows; expected at least one point"));
        }
        Ok(Table {
            path: path.to_string(),
            files,
            pieces,
            rows,
            dim: names.len(),
            is_single,
            is_weighted: reading.weights.is_some(),
            has_ids: reading.id.is_some(),
        })
    }

    /// How many pieces there are to read.
    pub(crate) fn pieces(&self) -> usize {
        self.pieces.len()
    }

    /// Files with their sizes and times, to know them again.
    pub(crate) fn fingerprint(&self) -> Vec<(String, u64, u64)> {
        let of = |file: &TableFile| {
            let about = std::fs::metadata(&file.path);
            let seconds = |time: std::time::SystemTime| {
                time.duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs())
            };
            let (size, time) =
                about.map(|about| (about.len(), about.modified().map_or(0, seconds))).unwrap_or_default();
            (file.path.display().to_string(), size, time)
        };
        self.files.iter().map(of).collect()
    }

    /// The same table by absolute paths, for programs that run in other folders.
    pub(crate) fn absolute(&self) -> Result<Table> {
        let mut table = self.clone();
        for file in &mut table.files {
            let path = std::path::absolute(&file.path);
            file.path = path.map_err(|error| files::damaged(&file.path, error))?;
        }
        Ok(table)
    }

    /// Shows the rows of a piece, in order, until told to break.
    pub(crate) fn read(
        &self,
        piece: usize,
        want: Want,
        mut show: impl FnMut(&Rows) -> Result<ControlFlow<()>>,
    ) -> Result<ControlFlow<()>> {
        let piece = self.pieces[piece];
        let file = &self.files[piece.file];
        let picked = match want {
            Want::Everything => file.picked.clone(),
            Want::Weights => Picked { points: Vec::new(), weights: file.picked.weights, id: None },
        };
        let mut rows = Rows { first: piece.first_row, ..Rows::default() };
        let mut each = |batch: RecordBatch| {
            rows.first += rows.len as u64;
            let place = || match piece.row_group {
                Some(group) => format!("row group {group}, "),
                None => String::new(),
            };
            let in_file = rows.first - file.first_row;
            numbers::fill(&batch, &picked, self.has_ids, &mut rows).map_err(|problem| {
                let row = in_file + problem.row as u64;
                let (name, what) = (batch.schema().field(problem.column).name().clone(), problem.what);
                Error::table(
                    file.path.display(),
                    format!("{}row {row} (from 0), column {name:?} {what}", place()),
                )
            })?;
            show(&rows)
        };
        match &file.kind {
            Kind::Parquet => parquet_file::read(&file.path, piece.row_group, &picked, &mut each),
            Kind::Csv(dialect) => csv_file::read(&file.path, dialect, &picked, &mut each),
            Kind::Arrow => arrow_file::read(&file.path, &picked, &mut each),
        }
    }
}

impl Picked {
    /// Every column that is read, in increasing order without repetition: what a projection of Arrow takes.
    fn all(&self) -> Vec<usize> {
        let mut all: Vec<usize> = self.points.iter().copied().chain(self.weights).chain(self.id).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Is shown batches until it breaks.
type Each<'a> = &'a mut dyn FnMut(RecordBatch) -> Result<ControlFlow<()>>;
