//! Entropic transport and its divergence.

use std::time::Instant;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use swgg::{Coupling, Epsilon, ErrorKind, Measure, Power, Scalar, Sinkhorn, SqEuclidean};

use crate::bound::{bounded, counted};
use crate::clouds::{Clouds, with_measures};
use crate::run::{Settings, run};
use crate::solve::{Answer, Found};

/// What the iterations are told.
#[derive(Clone, Copy, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Smoothing {
    epsilon: Option<f64>,
    relative_epsilon: Option<f64>,
    p: f64,
    max_iter: usize,
    tolerance: f64,
    scaling: Option<f64>,
    accelerate: bool,
}

impl Smoothing {
    fn settings(&self) -> Sinkhorn {
        let usual = Sinkhorn::default();
        Sinkhorn {
            epsilon: match (self.epsilon, self.relative_epsilon) {
                (Some(epsilon), _) => Epsilon::Absolute(epsilon),
                (None, Some(share)) => Epsilon::Relative(share),
                (None, None) => usual.epsilon,
            },
            p: self.p,
            max_iterations: self.max_iter,
            tolerance: self.tolerance,
            scaling: self.scaling,
            accelerate: self.accelerate,
            parallelism: usual.parallelism,
        }
    }
}

/// Entropic transport as potentials, and its plan if that is not too large.
#[pyclass(frozen, get_all, module = "swgg._swgg")]
pub struct Entropic {
    /// None if the plan would have too many entries.
    pub answer: Option<Py<Answer>>,
    /// What the plan pays before it is rounded.
    pub cost: f64,
    /// The entropic objective.
    pub objective: f64,
    pub lower_bound: f64,
    pub f: Py<PyArray1<f64>>,
    pub g: Py<PyArray1<f64>>,
    /// Mean images of the sources, where there is no plan to take them from.
    pub image: Option<Py<PyArray2<f64>>>,
    pub epsilon: f64,
    pub marginal_error: f64,
    pub story: String,
    pub stop: &'static str,
    pub n_iter: usize,
    pub seconds: f64,
}

/// Entropic transport, its plan rounded to exact marginals.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the Python side names them")]
#[pyo3(signature = (x, y, a, b, smoothing, bounds, threads, callback))]
pub fn sinkhorn(
    py: Python<'_>,
    x: &Bound<'_, PyAny>,
    y: &Bound<'_, PyAny>,
    a: Option<PyReadonlyArray1<'_, f64>>,
    b: Option<PyReadonlyArray1<'_, f64>>,
    smoothing: Smoothing,
    bounds: bool,
    threads: Option<usize>,
    callback: Option<Py<PyAny>>,
) -> PyResult<Entropic> {
    let start = Instant::now();
    let clouds = Clouds::new(x, y, a, b)?;
    let settings = Settings { threads, callback, work: work(&clouds) };
    let (found, plan, image) = run(py, settings, move |watch, parallelism| {
        let solver = Sinkhorn { parallelism, ..smoothing.settings() };
        with_measures!(clouds, |mu, nu| {
            let found = solver.solve_watched(&mu, &nu, watch)?;
            let coupling = match found.plan(&mu, &nu) {
                Ok(coupling) => coupling,
                Err(error) if matches!(error.kind(), ErrorKind::PlanTooLarge { .. }) => {
                    let image = found.barycentric_map(&mu, &nu)?;
                    return Ok((found, None, Some(image)));
                }
                Err(error) => return Err(error.into()),
            };
            let value = paid(&coupling, &mu, &nu, solver.p)?;
            let plan = Found {
                value,
                lower_bound: Some(found.lower_bound.min(value)),
                coupling,
                theta: None,
                method: "sinkhorn",
                story: story(found.iterations, found.converged),
                stop: found.stop,
                n_iter: found.iterations,
            };
            let plan = if bounds && solver.p == 2.0 { bounded(plan, &mu, &nu, parallelism)? } else { plan };
            Ok((found, Some(plan), None))
        })
    })?;
    let answer = plan.map(|plan| Py::new(py, plan.answer(py, start.elapsed())?)).transpose()?;
    Ok(Entropic {
        answer,
        cost: found.cost,
        objective: found.value,
        lower_bound: found.lower_bound,
        f: PyArray1::from_vec(py, found.potentials.source).unbind(),
        g: PyArray1::from_vec(py, found.potentials.target).unbind(),
        image: image.map(|image| image.into_pyarray(py).unbind()),
        epsilon: found.epsilon,
        marginal_error: found.marginal_error,
        story: story(found.iterations, found.converged),
        stop: found.stop.name(),
        n_iter: found.iterations,
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// The Sinkhorn divergence: `(value, between, of_source, of_target, epsilon, converged, iterations)`.
#[pyfunction]
#[pyo3(signature = (x, y, a, b, smoothing, threads))]
pub fn sinkhorn_divergence(
    py: Python<'_>,
    x: &Bound<'_, PyAny>,
    y: &Bound<'_, PyAny>,
    a: Option<PyReadonlyArray1<'_, f64>>,
    b: Option<PyReadonlyArray1<'_, f64>>,
    smoothing: Smoothing,
    threads: Option<usize>,
) -> PyResult<(f64, f64, f64, f64, f64, bool, usize)> {
    let clouds = Clouds::new(x, y, a, b)?;
    let settings = Settings { threads, callback: None, work: work(&clouds) };
    let found = run(py, settings, move |_, parallelism| {
        let solver = Sinkhorn { parallelism, ..smoothing.settings() };
        with_measures!(clouds, |mu, nu| Ok(solver.divergence(&mu, &nu)?))
    })?;
    let (value, between) = (found.value, found.between);
    Ok((value, between, found.of_source, found.of_target, found.epsilon, found.converged, found.iterations))
}

/// Iterations look at all pairs, many times.
fn work(clouds: &Clouds) -> f64 {
    100.0 * clouds.sizes[0] as f64 * clouds.sizes[1] as f64
}

fn paid<T: Scalar>(plan: &Coupling, mu: &Measure<'_, T>, nu: &Measure<'_, T>, p: f64) -> swgg::Result<f64> {
    if p == 2.0 { plan.cost(mu, nu, &SqEuclidean) } else { plan.cost(mu, nu, &Power::new(p)?) }
}

fn story(iterations: usize, converged: bool) -> String {
    let done = if converged { "converged" } else { "not converged" };
    format!("Sinkhorn, {}, {done}", counted(iterations, "iteration"))
}
