//! Exact transport between points, without a matrix of costs.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answer::Answer;
use crate::ask::{Asked, How};
use crate::clouds::Clouds;

/// The cheapest plan at the cost that settings name, with the potentials that prove it.
#[pyfunction]
pub fn pot_exact(py: Python<'_>, clouds: Clouds, costs: &Bound<'_, PyDict>, how: How) -> PyResult<Answer> {
    Asked::by_name("exact", costs)?.answer(py, clouds.called(["X_a", "X_b"]), how)
}
