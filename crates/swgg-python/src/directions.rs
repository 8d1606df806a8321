//! Directions, from arrays to unit vectors.

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use swgg::{Direction, DirectionSet};

use crate::errors::named;

/// One direction; its length does not matter.
pub fn direction(name: &'static str, vector: &PyReadonlyArray1<'_, f64>) -> PyResult<Direction> {
    Ok(named(name, Direction::new(&vector.as_array().to_vec()))?)
}

/// Directions, one per row; the array may have any strides, since rows are normalised into a copy.
pub fn directions(
    name: &'static str,
    rows: Option<PyReadonlyArray2<'_, f64>>,
) -> PyResult<Option<DirectionSet>> {
    let set = |rows: PyReadonlyArray2<'_, f64>| named(name, DirectionSet::from_rows(rows.as_array()));
    Ok(rows.map(set).transpose()?)
}
