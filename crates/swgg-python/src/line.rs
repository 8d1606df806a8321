//! Clouds on a line, and the curve that the plan of a line draws.

use std::time::Instant;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use swgg::cost::Power;
use swgg::line::Direction;
use swgg::paper::Geodesic;
use swgg::solver::ClosedForm;
use swgg::{CostIs, Measure, Question, Run, Solver, Transport, line};

use crate::answer::Answer;
use crate::clouds::{Clouds, with_measures};
use crate::directions::direction;
use crate::errors::{Failure, Outcome};
use crate::run::{Task, run};

/// `W_p^p` in closed form: any `p` in dimension one, squares where one of the clouds lies on a line.
#[pyfunction]
#[pyo3(signature = (clouds, p))]
pub fn line_wasserstein(py: Python<'_>, clouds: Clouds, p: f64) -> PyResult<Answer> {
    let start = Instant::now();
    let task = Task { threads: Some(1), callback: None, work: clouds.work(4) };
    let found = run(py, task, move |_, _| {
        with_measures!(clouds, |mu, nu| {
            let (power, d) = (Power::new(p)?, mu.dim());
            if p == 2.0 {
                return Ok(ClosedForm.answer(&Question::new(&mu, &nu)?, &mut Run::default())?);
            }
            if d != 1 {
                return Err(Failure::Said(format!(
                    "p: found {p} in dimension {d}, expected 2; other powers are closed forms in dimension 1 only: see emd"
                )));
            }
            let coupling = line::couple(&mu, &nu)?;
            let mut found = Transport::new("line", coupling.cost(&mu, &nu, &power)?, CostIs::Optimal);
            (found.lower_bound, found.coupling) = (Some(found.cost), Some(coupling));
            found.direction = Some(Direction::axis(1, 0)?);
            (found.story, found.steps) = ("closed form in dimension one".into(), 1);
            Ok(found)
        })
    })?;
    Answer::told(py, found, start.elapsed())
}

/// Points and weights of the generalized geodesic of a direction at time `t`.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "two arrays")]
#[pyo3(signature = (clouds, theta, t))]
pub fn geodesic<'py>(
    py: Python<'py>,
    clouds: Clouds,
    theta: PyReadonlyArray1<'py, f64>,
    t: f64,
) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>)> {
    let theta = direction("theta", &theta)?;
    let task = Task { threads: Some(1), callback: None, work: clouds.work(2) };
    let there = run(py, task, move |_, _| {
        with_measures!(clouds, |mu, nu| Ok(Geodesic::along(&mu, &nu, &theta)?.at(t)?))
    })?;
    let (points, weights) = arrays(&there)?;
    Ok((points.into_pyarray(py), weights.into_pyarray(py)))
}

/// A measure as points and weights.
fn arrays(measure: &Measure<'_, f64>) -> Outcome<(swgg::ndarray::Array2<f64>, Vec<f64>)> {
    let shape = (measure.len(), measure.dim());
    let points = swgg::ndarray::Array2::from_shape_vec(shape, measure.points().to_vec());
    // A measure is a whole number of rows.
    let points = points.map_err(|error| Failure::Panicked(error.to_string()))?;
    Ok((points, (0..measure.len()).map(|i| measure.weight(i)).collect()))
}
