//! What a reader returns.

use std::borrow::Cow;

use crate::format::Format;
use crate::mapped::Mapped;

/// Points as they were read: `rows` points of `columns` coordinates, row by row.
///
/// The values are `f32` when the file stores 32-bit floats and `f64` otherwise. They are what the file says, so
/// they may be infinite or not a number; a cloud has at least one row and one column.
#[derive(Debug)]
pub struct Cloud {
    pub(crate) values: Values,
    pub(crate) columns: usize,
    pub(crate) names: Option<Vec<String>>,
    pub(crate) ignored: Vec<String>,
    pub(crate) format: Format,
    pub(crate) dtype: &'static str,
    pub(crate) extra: Extra,
}

/// What few files have.
#[derive(Debug, Default)]
pub(crate) struct Extra {
    /// A weight for each point, from a column of its own.
    pub(crate) weights: Option<Vec<f64>>,
    /// Rows that were left out because a value is missing.
    pub(crate) skipped: usize,
    /// Rows and the lines where they stand, wherever the two do not go on side by side.
    pub(crate) lines: Vec<(usize, u64)>,
}

impl Cloud {
    /// Number of points.
    pub fn rows(&self) -> usize {
        self.values.len() / self.columns
    }

    /// Number of coordinates of a point.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Names of the columns, if the file has them.
    pub fn names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    /// Columns of the file that are not coordinates and were not asked for, such as the normals of a PLY file or
    /// the text of a parquet table. Empty when columns were picked.
    pub fn ignored(&self) -> &[String] {
        &self.ignored
    }

    /// The values, row by row, if they are 32-bit floats.
    pub fn as_f32(&self) -> Option<&[f32]> {
        match &self.values {
            Values::F32(values) => Some(values),
            Values::MappedF32(map) => Some(map.as_slice()),
            _ => None,
        }
    }

    /// The values, row by row, if they are 64-bit floats.
    pub fn as_f64(&self) -> Option<&[f64]> {
        match &self.values {
            Values::F64(values) => Some(values),
            Values::MappedF64(map) => Some(map.as_slice()),
            _ => None,
        }
    }

    /// The values, row by row, as 64-bit floats: borrowed if they are, converted (exactly) if not.
    pub fn to_f64(&self) -> Cow<'_, [f64]> {
        match self.as_f32() {
            Some(values) => values.iter().map(|&v| f64::from(v)).collect(),
            None => Cow::Borrowed(self.as_f64().unwrap_or_default()),
        }
    }

    /// The format of the file.
    pub fn format(&self) -> Format {
        self.format
    }

    /// What the file stores: `float32`, `int16`, ..., `text`, or `mixed` when columns differ.
    pub fn dtype(&self) -> &str {
        self.dtype
    }

    /// The weights of the points, if a column of weights was asked for.
    pub fn weights(&self) -> Option<&[f64]> {
        self.extra.weights.as_deref()
    }

    /// How many rows were left out because a value is missing.
    pub fn skipped(&self) -> usize {
        self.extra.skipped
    }

    /// The line of a text file where a row stands, from 1; `None` for files that are not text.
    pub fn line(&self, row: usize) -> Option<u64> {
        let before = self.extra.lines.partition_point(|(first, _)| *first <= row);
        let (first, line) = self.extra.lines.get(before.checked_sub(1)?)?;
        Some(line + (row - first) as u64)
    }

    /// Whether the values are the bytes of the file, mapped into memory, and not a copy.
    pub fn is_mapped(&self) -> bool {
        matches!(self.values, Values::MappedF32(_) | Values::MappedF64(_))
    }
}

#[derive(Debug)]
pub(crate) enum Values {
    F32(Vec<f32>),
    F64(Vec<f64>),
    MappedF32(Mapped<f32>),
    MappedF64(Mapped<f64>),
}

impl Values {
    /// The points for which `keep` holds.
    pub(crate) fn retained(&self, columns: usize, keep: &[bool]) -> Self {
        fn kept<T: Copy>(values: &[T], columns: usize, keep: &[bool]) -> Vec<T> {
            let rows = values.chunks_exact(columns).zip(keep).filter(|(_, keep)| **keep);
            rows.flat_map(|(row, _)| row).copied().collect()
        }
        match self {
            Self::F32(values) => Self::F32(kept(values, columns, keep)),
            Self::F64(values) => Self::F64(kept(values, columns, keep)),
            Self::MappedF32(map) => Self::F32(kept(map.as_slice(), columns, keep)),
            Self::MappedF64(map) => Self::F64(kept(map.as_slice(), columns, keep)),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::F32(values) => values.len(),
            Self::F64(values) => values.len(),
            Self::MappedF32(map) => map.as_slice().len(),
            Self::MappedF64(map) => map.as_slice().len(),
        }
    }
}
