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
    fn len(&self) -> usize {
        match self {
            Self::F32(values) => values.len(),
            Self::F64(values) => values.len(),
            Self::MappedF32(map) => map.as_slice().len(),
            Self::MappedF64(map) => map.as_slice().len(),
        }
    }
}
