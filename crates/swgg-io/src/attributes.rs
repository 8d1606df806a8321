//! What points carry besides their coordinates.

use std::any::Any;
use std::sync::Arc;

use crate::column::{Column, Data};
use crate::format::Format;
use crate::scalar::{Number, Scalar, exact};
use crate::spec::Family;

/// The columns of a file that are not coordinates, such as colours, intensities and normals, in the types that the
/// file has them in.
///
/// Read by [`read_table`](crate::read_table) and written back, beside new coordinates, by
/// [`write_table`](crate::write_table). They also remember what the format says about the whole cloud: how
/// coordinates are stored, the grid of an organised PCD cloud, the header of a LAS file.
#[derive(Clone, Debug)]
pub struct Attributes {
    pub(crate) rows: usize,
    pub(crate) columns: Vec<Column>,
    /// Coordinates and columns in the order of the file.
    pub(crate) order: Vec<Slot>,
    /// Names of the coordinates, if the file has names.
    pub(crate) names: Option<Vec<String>>,
    /// Whether coordinates are 32-bit floats.
    pub(crate) single: bool,
    pub(crate) origin: Origin,
    pub(crate) unread: Vec<String>,
}

/// A place among the columns of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    Coordinate(usize),
    Attribute(usize),
}

/// The format that attributes come from, and what a file of it says about a whole cloud.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) format: Format,
    /// Of a type that only the format itself knows, so that a new format needs no place here.
    frame: Option<Arc<dyn Any + Send + Sync>>,
}

impl Origin {
    /// Of a format that says nothing about a whole cloud.
    pub(crate) fn plain(format: Format) -> Self {
        Self { format, frame: None }
    }

    pub(crate) fn with_frame(format: Format, frame: impl Any + Send + Sync) -> Self {
        Self { format, frame: Some(Arc::new(frame)) }
    }

    /// What the file says about the whole cloud, if it says it in this type.
    pub(crate) fn frame<T: Any>(&self) -> Option<&T> {
        self.frame.as_deref()?.downcast_ref()
    }

    pub(crate) fn family(&self) -> Family {
        self.format.spec().family
    }
}

impl Attributes {
    /// None yet, for a cloud of `rows` points.
    pub(crate) fn new(rows: usize, origin: Origin) -> Self {
        let (columns, order, unread) = Default::default();
        Self { rows, columns, order, names: None, single: false, origin, unread }
    }

    /// Notes the columns of a file: where each of the `count` goes among the coordinates, and which are kept.
    pub(crate) fn arrange(&mut self, coordinates: &[Option<usize>], kept: &[Option<usize>]) {
        let slot = |(&coordinate, &kept): (&Option<usize>, &Option<usize>)| {
            coordinate.map(Slot::Coordinate).or(kept.map(Slot::Attribute))
        };
        self.order = coordinates.iter().zip(kept).filter_map(slot).collect();
    }

    /// Takes what was read of the columns of a file beside the coordinates, whose places are given.
    pub(crate) fn keep(&mut self, coordinates: &[Option<usize>], read: Vec<Option<Column>>) {
        let mut kept = vec![None; read.len()];
        for (place, column) in kept.iter_mut().zip(read) {
            if let Some(column) = column {
                *place = Some(self.columns.len());
                self.columns.push(column);
            }
        }
        self.arrange(coordinates, &kept);
    }

    /// Number of points.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Names of the columns, in the order of the file; empty if there are none.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// What a column stores: `uint8`, `float32`, ..., `text`; `float32 x 33` for several values per point.
    pub fn type_name(&self, name: &str) -> Option<String> {
        self.find(name).map(Column::type_name)
    }

    /// The values of a column, if it has one number per point that a 64-bit float can hold.
    pub fn values(&self, name: &str) -> Option<Vec<f64>> {
        self.find(name)?.values()?.into_iter().map(|value| value.to_f64().ok()).collect()
    }

    /// The values of a column as words: text as it is, numbers as they are written; `None` if it has several values per point.
    pub fn words(&self, name: &str) -> Option<Vec<String>> {
        let column = self.find(name)?;
        if let Data::Text { .. } = column.data {
            return Some((0..column.rows()).map(|row| column.field(row).to_owned()).collect());
        }
        let word = |number: Number| match number {
            Number::Integer(value) => value.to_string(),
            Number::Float(value) => value.to_string(),
        };
        Some(column.values()?.into_iter().map(word).collect())
    }

    /// What the file has besides columns that can travel: faces, lists, nested values.
    pub fn unread(&self) -> &[String] {
        &self.unread
    }

    /// Keeps the points for which `keep` holds.
    ///
    /// # Panics
    ///
    /// Unless `keep` has one entry per point.
    pub fn retain(&mut self, keep: &[bool]) {
        assert_eq!(keep.len(), self.rows, "one entry per point");
        self.rows = keep.iter().filter(|keep| **keep).count();
        self.columns.iter_mut().for_each(|column| column.retain(keep));
    }

    /// Changes every normal (`nx`, `ny`, `nz`, or `normal_x`, ... in a PCD file) if there are some: a cloud that is
    /// turned has its normals turned. The types stay. Returns whether there were any.
    pub fn map_normals(&mut self, turn: impl Fn([f64; 3]) -> [f64; 3]) -> bool {
        let sets = [["nx", "ny", "nz"], ["normal_x", "normal_y", "normal_z"]];
        let mut any = false;
        for names in sets {
            let places = names.map(|name| self.columns.iter().position(|column| column.name == name));
            let [Some(a), Some(b), Some(c)] = places else { continue };
            let [Some(x), Some(y), Some(z)] = names.map(|name| self.values(name)) else { continue };
            let turned: Vec<[f64; 3]> =
                x.iter().zip(&y).zip(&z).map(|((&x, &y), &z)| turn([x, y, z])).collect();
            for (axis, place) in [a, b, c].into_iter().enumerate() {
                let column = &mut self.columns[place];
                // Text and integers would lose the digits of a turned vector.
                let scalar = column.scalar().filter(|scalar| scalar.is_float()).unwrap_or(Scalar::F64);
                let mut bytes = Vec::with_capacity(turned.len() * scalar.size());
                turned.iter().for_each(|normal| {
                    scalar.push(Number::Float(normal[axis]), &mut bytes);
                });
                column.data = Data::Numbers { scalar, count: 1, bytes };
            }
            any = true;
        }
        any
    }

    fn find(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}

/// The columns named x and y, and z if there is one, in any case.
pub(crate) fn coordinates_by_name(names: &[String]) -> Option<Vec<usize>> {
    let place = |wanted: &str| names.iter().position(|name| name.eq_ignore_ascii_case(wanted));
    let (x, y) = (place("x")?, place("y")?);
    Some([Some(x), Some(y), place("z")].into_iter().flatten().collect())
}

/// The values of a column as floats, or the row and value of the first that no float equals.
pub(crate) fn to_floats(column: &Column) -> Result<Vec<f64>, (usize, i128)> {
    let values = column.values().unwrap_or_default();
    let float = |(row, value): (usize, Number)| match value {
        Number::Integer(value) => exact(value).map_err(|value| (row, value)),
        Number::Float(value) => Ok(value),
    };
    values.into_iter().enumerate().map(float).collect()
}
