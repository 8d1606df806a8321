//! Exact transport, with the potentials that prove it.

use std::time::Instant;

use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use swgg::ndarray::ArrayView2;
use swgg::{Exact, ExactTransport, Measure};

use crate::bound::counted;
use crate::clouds::{Clouds, with_measures};
use crate::errors::{Failure, Outcome, named};
use crate::held::Held;
use crate::run::{Settings, run};
use crate::solve::{Answer, Found};

/// An answer, and the potentials of sources and targets.
type Proven<'py> = (Answer, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

fn proven(py: Python<'_>, found: ExactTransport, start: Instant) -> PyResult<Proven<'_>> {
    let potentials = found.potentials;
    let plan = Found {
        value: found.cost,
        lower_bound: Some(found.lower_bound.min(found.cost)),
        coupling: found.coupling,
        theta: None,
        method: "exact",
        story: format!("exact transport, {}", counted(found.iterations, "step")),
        stop: found.stop,
        n_iter: found.iterations,
    };
    let [u, v] = [potentials.source, potentials.target].map(|u| PyArray1::from_vec(py, u));
    Ok((plan.answer(py, start.elapsed())?, u, v))
}

/// `W_p^p` and the cheapest plan between two clouds.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the Python side names them")]
#[pyo3(signature = (x, y, a, b, p, seed, threads, callback))]
pub fn emd<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    y: &Bound<'py, PyAny>,
    a: Option<PyReadonlyArray1<'py, f64>>,
    b: Option<PyReadonlyArray1<'py, f64>>,
    p: f64,
    seed: u64,
    threads: Option<usize>,
    callback: Option<Py<PyAny>>,
) -> PyResult<Proven<'py>> {
    let start = Instant::now();
    let clouds = Clouds::new(x, y, a, b)?;
    let work = 20.0 * clouds.sizes[0] as f64 * clouds.sizes[1] as f64;
    let found = run(py, Settings { threads, callback, work }, move |watch, parallelism| {
        let exact = Exact { p, seed, parallelism };
        with_measures!(clouds, |mu, nu| Ok(exact.solve_watched(&mu, &nu, watch)?))
    })?;
    proven(py, found, start)
}

/// The cheapest plan at given costs.
#[pyfunction]
#[pyo3(signature = (costs, a, b, seed, threads, callback))]
pub fn emd_matrix<'py>(
    py: Python<'py>,
    costs: PyReadonlyArray2<'py, f64>,
    a: Option<PyReadonlyArray1<'py, f64>>,
    b: Option<PyReadonlyArray1<'py, f64>>,
    seed: u64,
    threads: Option<usize>,
    callback: Option<Py<PyAny>>,
) -> PyResult<Proven<'py>> {
    let start = Instant::now();
    let shape = (costs.shape()[0], costs.shape()[1]);
    let costs = Held::new(&costs)?;
    let weights = [a.map(|a| Held::new(&a)).transpose()?, b.map(|b| Held::new(&b)).transpose()?];
    let work = 20.0 * costs.len() as f64;
    let found = run(py, Settings { threads, callback, work }, move |watch, parallelism| {
        let matrix = ArrayView2::from_shape(shape, &costs);
        let matrix = matrix.map_err(|error| Failure::Said(format!("M: {error}")))?;
        let [a, b] = weights.each_ref().map(Option::as_deref);
        check("a", shape.0, a)?;
        check("b", shape.1, b)?;
        named("M", Exact { seed, parallelism, ..Default::default() }.solve_matrix(matrix, a, b, watch))
    })?;
    proven(py, found, start)
}

/// Refuses weights with the name of their argument.
fn check(name: &'static str, count: usize, weights: Option<&[f64]>) -> Outcome<()> {
    let Some(weights) = weights else { return Ok(()) };
    let bare = named("M", Measure::from_vec(vec![0.0; count], 1))?;
    named(name, bare.with_weights(weights)).map(|_| ())
}
