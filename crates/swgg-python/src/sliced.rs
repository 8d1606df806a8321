//! Distances that average over lines, and their gradients; and the line that tells two clouds apart best.

use std::time::Instant;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use swgg::Run;
use swgg::line::DirectionSet;
use swgg::paper::Optimizer;
use swgg::sliced::{MaxSliced, Sliced, Slicing};

use crate::ask::How;
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

/// A side each, of points or of weights.
type Both<'py, T> = (Bound<'py, T>, Bound<'py, T>);
/// The mean, its gradients in the points, and those in the weights if they were asked for.
type Gradients<'py> =
    (f64, Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>, Option<Both<'py, PyArray1<f64>>>);

/// `SW_p^p` and its gradients in the points of both clouds, over listed directions or over those of a seed; with `weights` also those in
/// the weights, each up to a constant.
#[pyfunction]
pub fn sliced_gradient<'py>(
    py: Python<'py>,
    clouds: Clouds,
    thetas: Option<PyReadonlyArray2<'py, f64>>,
    n_projections: usize,
    p: f64,
    weights: bool,
    how: How,
) -> PyResult<Gradients<'py>> {
    let How(_, seed, threads, callback) = how;
    let thetas = directions("projections", thetas)?;
    let sliced = lines(Slicing::Wasserstein { p }, thetas.as_ref(), n_projections);
    let task = Task { threads, callback, work: clouds.work(sliced.directions) };
    let (cost, points, weights) = run(py, task, move |watch, parallelism| {
        let mut run = Run { seed, parallelism, observer: Some(watch), ..Run::default() };
        with_measures!(clouds, |mu, nu| {
            let (mean, points) = match &thetas {
                Some(thetas) => sliced.gradient_over(&mu, &nu, thetas, &mut run)?,
                None => sliced.gradient(&mu, &nu, &mut run)?,
            };
            let weights = match &thetas {
                _ if !weights => None,
                Some(thetas) => Some(sliced.weight_gradient_over(&mu, &nu, thetas, &mut run)?.1),
                None => Some(sliced.weight_gradient(&mu, &nu, &mut run)?.1),
            };
            Ok((mean.cost, points, weights))
        })
    })?;
    let weights = weights.map(|found| (found.source.into_pyarray(py), found.target.into_pyarray(py)));
    Ok((cost, points.source.into_pyarray(py), points.target.into_pyarray(py), weights))
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
