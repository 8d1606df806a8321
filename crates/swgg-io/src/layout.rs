//! What goes into the columns of a file that is written.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::attributes::Attributes;
use crate::column::{Column, Data};
use crate::scalar::{Number, Scalar};

/// Points and what they carry, column by column.
pub(crate) struct Layout<'a> {
    pub(crate) rows: usize,
    pub(crate) d: usize,
    /// Coordinates, row by row.
    pub(crate) data: &'a [f64],
    pub(crate) fields: Vec<Field<'a>>,
    /// What the fields were made of; some formats look up what the file before said about the whole cloud.
    pub(crate) attributes: &'a Attributes,
}

/// A column of the file.
pub(crate) struct Field<'a> {
    pub(crate) name: String,
    pub(crate) source: Source<'a>,
}

pub(crate) enum Source<'a> {
    /// A coordinate, as a float of 32 or 64 bits.
    Coordinate {
        index: usize,
        single: bool,
    },
    Column(Cow<'a, Column>),
}

impl Field<'_> {
    pub(crate) fn scalar(&self) -> Scalar {
        match &self.source {
            Source::Coordinate { single: true, .. } => Scalar::F32,
            Source::Coordinate { single: false, .. } => Scalar::F64,
            Source::Column(column) => match column.data {
                Data::Numbers { scalar, .. } => scalar,
                // Text has no bytes; writers of types never see it.
                Data::Text { .. } => Scalar::U8,
            },
        }
    }

    /// Values per point.
    pub(crate) fn count(&self) -> usize {
        match &self.source {
            Source::Column(column) => match column.data {
                Data::Numbers { count, .. } => count,
                Data::Text { .. } => 1,
            },
            Source::Coordinate { .. } => 1,
        }
    }

    /// Bytes of a point.
    pub(crate) fn size(&self) -> usize {
        self.scalar().size() * self.count()
    }

    /// The column, if it is one of text.
    pub(crate) fn text(&self) -> Option<&Column> {
        match &self.source {
            Source::Column(column) if matches!(column.data, Data::Text { .. }) => Some(column),
            _ => None,
        }
    }
}

impl<'a> Layout<'a> {
    /// Coordinates and nothing else, as 64-bit floats.
    pub(crate) fn of_points(
        d: usize,
        data: &'a [f64],
        names: Vec<String>,
        attributes: &'a Attributes,
    ) -> Self {
        let field = |(index, name)| Field { name, source: Source::Coordinate { index, single: false } };
        let fields = names.into_iter().enumerate().map(field).collect();
        Self { rows: data.len() / d, d, data, fields, attributes }
    }

    /// Appends the bytes of a field of a point.
    pub(crate) fn push(&self, field: &Field<'_>, row: usize, bytes: &mut Vec<u8>) {
        match &field.source {
            Source::Coordinate { index, .. } => {
                field.scalar().push(Number::Float(self.data[row * self.d + index]), bytes);
            }
            Source::Column(column) => bytes.extend(column.bytes(row)),
        }
    }

    /// Writes points one after the other, as little-endian bytes.
    pub(crate) fn write_rows(&self, output: &mut impl Write) -> io::Result<()> {
        let mut bytes = Vec::new();
        for row in 0..self.rows {
            bytes.clear();
            self.fields.iter().for_each(|field| self.push(field, row, &mut bytes));
            output.write_all(&bytes)?;
        }
        Ok(())
    }
}

/// `x`, `y`, `z`, or `x0`, `x1`, ... beyond three.
pub(crate) fn usual_names(d: usize) -> Vec<String> {
    match d {
        0..=3 => ["x", "y", "z"][..d].iter().map(|&name| name.to_owned()).collect(),
        _ => (0..d).map(|column| format!("x{column}")).collect(),
    }
}
