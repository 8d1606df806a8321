//! Entropic transport as potentials, at any cost.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use swgg::Solver;

use crate::answer::Answer;
use crate::ask::{Asked, How, read_settings};
use crate::clouds::Clouds;
use crate::sinkhorn::{Smooth, Smoothing};

/// The potentials of entropic transport at the cost that settings name, and what its smooth plan pays.
#[pyfunction]
pub fn pot_sinkhorn(
    py: Python<'_>,
    clouds: Clouds,
    smoothing: Smoothing,
    costs: &Bound<'_, PyDict>,
    how: How,
) -> PyResult<Answer> {
    let sinkhorn = smoothing.sinkhorn();
    let ground = read_settings(Solver::<f64>::method(&sinkhorn), costs)?;
    let asked = Asked { settings: ground, ..Asked::new(Smooth { sinkhorn, is_rounded: false }) };
    asked.answer(py, clouds.called(["X_a", "X_b"]), how)
}
