//! Clouds on a line, and the curve that the plan of a line draws.

use std::time::Instant;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use swgg::{Direction, Geodesic, Measure, Power, Stop, line, line_transport};

use crate::clouds::{Clouds, with_measures};
use crate::directions::direction;
use crate::errors::{Failure, Outcome};
use crate::run::{Settings, run};
use crate::solve::{Answer, Found};

/// `W_p^p` in closed form: any `p` in dimension one, squares where one of the clouds lies on a line.
#[pyfunction]
#[pyo3(signature = (x, y, a, b, p))]
pub fn line_wasserstein(
    py: Python<'_>,
    x: &Bound<'_, PyAny>,
    y: &Bound<'_, PyAny>,
    a: Option<PyReadonlyArray1<'_, f64>>,
    b: Option<PyReadonlyArray1<'_, f64>>,
    p: f64,
) -> PyResult<Answer> {
    let start = Instant::now();
    let clouds = Clouds::new(x, y, a, b)?;
    let settings = Settings { threads: Some(1), callback: None, work: clouds.work(4) };
    let found = run(py, settings, move |_, _| {
        let closed_form = |value, coupling, theta: &Direction| Found {
            value,
            lower_bound: Some(value),
            coupling,
            theta: Some(theta.as_slice().to_vec()),
            method: "line",
            story: "closed form along a line".into(),
            stop: Stop::Converged,
            n_iter: 1,
        };
        with_measures!(clouds, |mu, nu| {
            if p == 2.0 {
                let found = line_transport(&mu, &nu)?;
                return Ok(closed_form(found.cost, found.coupling, &found.line.direction));
            }
            let (power, d) = (Power::new(p)?, mu.dim());
            if d != 1 {
                return Err(Failure::Said(format!(
                    "p: found {p} in dimension {d}, expected 2; other powers are closed forms in dimension 1 only: see emd"
                )));
            }
            let coupling = line::couple(&mu, &nu)?;
            Ok(closed_form(coupling.cost(&mu, &nu, &power)?, coupling, &Direction::axis(1, 0)?))
        })
    })?;
    found.answer(py, start.elapsed())
}

/// Points and weights of the generalized geodesic of a direction at time `t`.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "two arrays")]
#[pyo3(signature = (x, y, a, b, theta, t))]
pub fn geodesic<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    y: &Bound<'py, PyAny>,
    a: Option<PyReadonlyArray1<'py, f64>>,
    b: Option<PyReadonlyArray1<'py, f64>>,
    theta: PyReadonlyArray1<'py, f64>,
    t: f64,
) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>)> {
    let clouds = Clouds::new(x, y, a, b)?;
    let theta = direction("theta", &theta)?;
    let settings = Settings { threads: Some(1), callback: None, work: clouds.work(2) };
    let there = run(py, settings, move |_, _| {
        with_measures!(clouds, |mu, nu| Ok(Geodesic::along(&mu, &nu, &theta)?.at(t)?))
    })?;
    let (points, weights) = arrays(&there)?;
    Ok((points.into_pyarray(py), weights.into_pyarray(py)))
}

/// A measure as points and weights.
pub fn arrays(measure: &Measure<'_, f64>) -> Outcome<(swgg::ndarray::Array2<f64>, Vec<f64>)> {
    let shape = (measure.len(), measure.dim());
    let points = swgg::ndarray::Array2::from_shape_vec(shape, measure.points().to_vec());
    // A measure is a whole number of rows.
    let points = points.map_err(|error| Failure::Panicked(error.to_string()))?;
    Ok((points, (0..measure.len()).map(|i| measure.weight(i)).collect()))
}
