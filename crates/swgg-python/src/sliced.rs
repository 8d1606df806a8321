//! Distances that average over lines, and their gradients; and the line that tells two clouds apart best.

use std::time::Instant;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use swgg::Run;
use swgg::line::DirectionSet;
use swgg::paper::Optimizer;
use swgg::sliced::{MaxSliced, Sliced, Slicing};

use crate::clouds::{Clouds, with_measures};
use crate::directions::{direction, directions};
use crate::run::{Task, run};

/// A mean over lines.
#[pyclass(frozen, get_all, module = "swgg._swgg")]
pub struct Mean {
    /// The mean, not rooted.
    pub value: f64,
    pub standard_error: f64,
    pub n_projections: usize,
    pub stop: &'static str,
    pub seconds: f64,
}

/// The line found by an ascent.
#[pyclass(frozen, get_all, module = "swgg._swgg")]
pub struct Slice {
    /// The cost along the line, not rooted.
    pub value: f64,
    pub theta: Py<PyArray1<f64>>,
    pub n_iter: usize,
    pub stop: &'static str,
    pub seconds: f64,
}

/// The settings of a mean; a list of directions is taken whole.
fn lines(slicing: Slicing, listed: Option<&DirectionSet>, drawn: usize) -> Sliced {
    Sliced { directions: listed.map_or(drawn, DirectionSet::len), ..Sliced::new(slicing) }
}

/// `SW_p^p`, or `PWD_2^2` if `across`, over listed directions or over those of a seed.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the Python side names them")]
#[pyo3(signature = (clouds, across, p, thetas, n_projections, orthogonal, seed, threads, callback))]
pub fn sliced(
    py: Python<'_>,
    clouds: Clouds,
    across: bool,
    p: f64,
    thetas: Option<PyReadonlyArray2<'_, f64>>,
    n_projections: usize,
    orthogonal: bool,
    seed: u64,
    threads: Option<usize>,
    callback: Option<Py<PyAny>>,
) -> PyResult<Mean> {
    let start = Instant::now();
    let thetas = directions("projections", thetas)?;
    let slicing = if across { Slicing::Projected } else { Slicing::Wasserstein { p } };
    let sliced = Sliced { orthogonal, ..lines(slicing, thetas.as_ref(), n_projections) };
    let task = Task { threads, callback, work: clouds.work(sliced.directions) };
    let found = run(py, task, move |watch, parallelism| {
        let mut run = Run { seed, parallelism, observer: Some(watch), ..Run::default() };
        with_measures!(clouds, |mu, nu| {
            Ok(match &thetas {
                Some(thetas) => sliced.estimate_over(&mu, &nu, thetas, &mut run)?,
                None => sliced.estimate(&mu, &nu, &mut run)?,
            })
        })
    })?;
    Ok(Mean {
        value: found.cost,
        standard_error: found.standard_error,
        n_projections: found.directions,
        stop: found.stop.name(),
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// `SW_p^p` and its gradients in the points of both clouds, over listed directions or over those of a seed.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "arrays")]
#[pyo3(signature = (clouds, thetas, n_projections, p, seed, threads))]
pub fn sliced_gradient<'py>(
    py: Python<'py>,
    clouds: Clouds,
    thetas: Option<PyReadonlyArray2<'py, f64>>,
    n_projections: usize,
    p: f64,
    seed: u64,
    threads: Option<usize>,
) -> PyResult<(f64, Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>)> {
    let thetas = directions("projections", thetas)?;
    let sliced = lines(Slicing::Wasserstein { p }, thetas.as_ref(), n_projections);
    let task = Task { threads, callback: None, work: clouds.work(sliced.directions) };
    let (mean, gradient) = run(py, task, move |watch, parallelism| {
        let mut run = Run { seed, parallelism, observer: Some(watch), ..Run::default() };
        with_measures!(clouds, |mu, nu| {
            Ok(match &thetas {
                Some(thetas) => sliced.gradient_over(&mu, &nu, thetas, &mut run)?,
                None => sliced.gradient(&mu, &nu, &mut run)?,
            })
        })
    })?;
    Ok((mean.cost, gradient.source.into_pyarray(py), gradient.target.into_pyarray(py)))
}

/// The largest `W_p^p` along a line, by gradient ascent.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the Python side names them")]
#[pyo3(signature = (clouds, p, steps, starts, learning_rate, adam, start, seed, threads, callback))]
pub fn max_sliced(
    py: Python<'_>,
    clouds: Clouds,
    p: f64,
    steps: usize,
    starts: usize,
    learning_rate: f64,
    adam: bool,
    start: Option<PyReadonlyArray1<'_, f64>>,
    seed: u64,
    threads: Option<usize>,
    callback: Option<Py<PyAny>>,
) -> PyResult<Slice> {
    let begun = Instant::now();
    let start = start.map(|start| direction("start", &start)).transpose()?;
    let optimizer = if adam { Optimizer::Adam } else { Optimizer::Sgd };
    let task = Task { threads, callback, work: clouds.work(starts.saturating_mul(steps).max(32)) };
    let found = run(py, task, move |watch, parallelism| {
        let climb = MaxSliced { p, steps, starts, learning_rate, optimizer, start };
        let mut run = Run { seed, parallelism, observer: Some(watch), ..Run::default() };
        with_measures!(clouds, |mu, nu| Ok(climb.maximum(&mu, &nu, &mut run)?))
    })?;
    Ok(Slice {
        value: found.cost,
        theta: PyArray1::from_slice(py, found.theta.as_slice()).unbind(),
        n_iter: found.tried,
        stop: found.stop.name(),
        seconds: begun.elapsed().as_secs_f64(),
    })
}
