//! Plans between two clouds: by any method of the registry, of one direction, and through pivots and subspaces.

use std::time::Instant;

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use swgg::MinSwgg;
use swgg::line::DirectionSet;
use swgg::ndarray::Axis;
use swgg::plan::Glue;
use swgg::solver::{Factored, Lift, Subspace, SubspaceDetour, SubspaceRobust};

use crate::answer::Answer;
use crate::ask::{Asked, How};
use crate::clouds::Clouds;
use crate::errors::named;

/// The answer of a method of the registry, with settings by their names.
#[pyfunction]
pub fn solve(
    py: Python<'_>,
    clouds: Clouds,
    method: &str,
    settings: &Bound<'_, PyDict>,
    how: How,
) -> PyResult<Answer> {
    Asked::by_name(method, settings)?.answer(py, clouds, how)
}

/// The plan of one direction.
#[pyfunction]
pub fn swgg_at(
    py: Python<'_>,
    clouds: Clouds,
    theta: PyReadonlyArray1<'_, f64>,
    how: How,
) -> PyResult<Answer> {
    let start = Instant::now();
    // A list of directions that has one.
    let listed = named("theta", DirectionSet::from_rows(theta.as_array().insert_axis(Axis(0))))?;
    let mut found = Asked::new(MinSwgg::new().listed(listed)).find(py, clouds, how)?;
    (found.method, found.story) = ("swgg", "SWGG at one direction".into());
    Answer::told(py, found, start.elapsed())
}

/// A plan through a pivot of `k` points.
#[pyfunction]
pub fn factored(
    py: Python<'_>,
    clouds: Clouds,
    k: Option<usize>,
    monotone: bool,
    max_iter: usize,
    tolerance: f64,
    how: How,
) -> PyResult<Answer> {
    let glue = if monotone { Glue::Monotone } else { Glue::Independent };
    let factored = Factored { points: k, max_iterations: max_iter, tolerance, glue };
    Asked::new(factored).answer(py, clouds, how)
}

/// The plan that is optimal as the worst subspace sees it.
#[pyfunction]
pub fn subspace_robust(
    py: Python<'_>,
    clouds: Clouds,
    k: Option<usize>,
    max_iter: usize,
    tolerance: f64,
    how: How,
) -> PyResult<Answer> {
    let robust = SubspaceRobust { k, max_iterations: max_iter, tolerance, ..Default::default() };
    Asked::new(robust).answer(py, clouds, how)
}

/// The plan that is optimal on the span of some rows, or of the first principal axes, lifted.
#[pyfunction]
pub fn subspace_detour(
    py: Python<'_>,
    clouds: Clouds,
    k: Option<usize>,
    rows: Option<PyReadonlyArray2<'_, f64>>,
    independent: bool,
    how: How,
) -> PyResult<Answer> {
    let subspace = rows.map(|rows| named("subspace", Subspace::span(rows.as_array()))).transpose()?;
    let lift = if independent { Lift::MongeIndependent } else { Lift::MongeKnothe };
    Asked::new(SubspaceDetour { k, subspace, lift }).answer(py, clouds, how)
}
