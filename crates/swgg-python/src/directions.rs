//! Directions, from arrays to unit vectors.

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use swgg::line::{Direction, DirectionSet};

use crate::errors::{Outcome, named};

/// One direction; its length does not matter.
pub fn direction(name: &'static str, vector: &PyReadonlyArray1<'_, f64>) -> Outcome<Direction> {
    named(name, Direction::new(&vector.as_array().to_vec()))
}

/// Directions, one per row; the array may have any strides, since rows are normalised into a copy.
pub fn directions(
    name: &'static str,
    rows: Option<PyReadonlyArray2<'_, f64>>,
) -> Outcome<Option<DirectionSet>> {
    rows.map(|rows| named(name, DirectionSet::from_rows(rows.as_array()))).transpose()
}
