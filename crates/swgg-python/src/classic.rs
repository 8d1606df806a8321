//! Plans through a pivot, and plans of subspaces.

use std::time::Instant;

use numpy::{IntoPyArray, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use swgg::{Detour, Factored, Glue, Lift, Stop, Subspace, SubspaceRobust};

use crate::bound::{below, bounded, counted};
use crate::clouds::{Clouds, with_measures};
use crate::errors::named;
use crate::line::arrays;
use crate::run::{Settings, run};
use crate::solve::{Answer, Found};

/// Exact transports look at all pairs, and matrices of the space are decomposed.
fn work(clouds: &Clouds) -> f64 {
    50.0 * clouds.sizes[0] as f64 * clouds.sizes[1] as f64 + 100.0 * (clouds.dims[0] as f64).powi(3)
}

/// A plan through a pivot of `k` points; the pivot, the sum of the two halves, and how they were glued.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the Python side names them")]
#[pyo3(signature = (x, y, a, b, k, monotone, max_iter, tolerance, bounds, seed, threads, callback))]
pub fn factored<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    y: &Bound<'py, PyAny>,
    a: Option<PyReadonlyArray1<'py, f64>>,
    b: Option<PyReadonlyArray1<'py, f64>>,
    k: usize,
    monotone: bool,
    max_iter: usize,
    tolerance: f64,
    bounds: bool,
    seed: u64,
    threads: Option<usize>,
    callback: Option<Py<PyAny>>,
) -> PyResult<(Answer, Bound<'py, PyArray2<f64>>, f64, &'static str)> {
    let start = Instant::now();
    let clouds = Clouds::new(x, y, a, b)?;
    let glue = if monotone { Glue::Monotone } else { Glue::Independent };
    let work = 50.0 * (clouds.sizes[0] + clouds.sizes[1]) as f64 * k as f64;
    let settings = Settings { threads, callback, work };
    let (plan, pivot, halves, glue) = run(py, settings, move |watch, parallelism| {
        let solver = Factored { points: k, seed, max_iterations: max_iter, tolerance, glue, parallelism };
        with_measures!(clouds, |mu, nu| {
            let found = solver.solve_watched(&mu, &nu, watch)?;
            let glue = match found.glue {
                Glue::Independent => "independent",
                Glue::Monotone => "monotone",
            };
            let plan = Found {
                value: found.cost,
                lower_bound: None,
                coupling: found.coupling,
                theta: None,
                method: "factored",
                story: format!("pivot of {}, glued in {glue} pairs", counted(k, "point")),
                stop: found.stop,
                n_iter: found.iterations,
            };
            let plan = if bounds { bounded(plan, &mu, &nu, parallelism)? } else { plan };
            Ok((plan, arrays(&found.pivot)?.0, found.factored, glue))
        })
    })?;
    Ok((plan.answer(py, start.elapsed())?, pivot.into_pyarray(py), halves, glue))
}

/// The plan that is optimal as the worst subspace sees it; bounds of the robust value, and the matrix of the subspace.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the Python side names them")]
#[pyo3(signature = (x, y, a, b, k, max_iter, tolerance, bounds, threads, callback))]
pub fn subspace_robust<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    y: &Bound<'py, PyAny>,
    a: Option<PyReadonlyArray1<'py, f64>>,
    b: Option<PyReadonlyArray1<'py, f64>>,
    k: usize,
    max_iter: usize,
    tolerance: f64,
    bounds: bool,
    threads: Option<usize>,
    callback: Option<Py<PyAny>>,
) -> PyResult<(Answer, f64, f64, Bound<'py, PyArray2<f64>>)> {
    let start = Instant::now();
    let clouds = Clouds::new(x, y, a, b)?;
    let settings = Settings { threads, callback, work: work(&clouds) };
    let (plan, value, upper, omega) = run(py, settings, move |watch, parallelism| {
        let usual = SubspaceRobust::default();
        let solver = SubspaceRobust { k, max_iterations: max_iter, tolerance, parallelism, ..usual };
        with_measures!(clouds, |mu, nu| {
            let found = solver.solve_watched(&mu, &nu, watch)?;
            let plan = Found {
                value: found.cost,
                lower_bound: Some(below(found.value).min(found.cost)),
                coupling: found.coupling,
                theta: None,
                method: "subspace-robust",
                story: format!(
                    "exact plan for the worst {}, {}",
                    counted(k, "dimension"),
                    counted(found.iterations, "iteration")
                ),
                stop: found.stop,
                n_iter: found.iterations,
            };
            let plan = if bounds { bounded(plan, &mu, &nu, parallelism)? } else { plan };
            Ok((plan, found.value, found.upper, found.omega))
        })
    })?;
    Ok((plan.answer(py, start.elapsed())?, value, upper, omega.into_pyarray(py)))
}

/// The plan that is optimal on a subspace, lifted; the cost on the subspace, its basis, and the fibres on both sides.
#[pyfunction]
#[expect(clippy::too_many_arguments, clippy::type_complexity, reason = "the Python side names them")]
#[pyo3(signature = (x, y, a, b, k, rows, independent, bounds, threads, callback))]
pub fn subspace_detour<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    y: &Bound<'py, PyAny>,
    a: Option<PyReadonlyArray1<'py, f64>>,
    b: Option<PyReadonlyArray1<'py, f64>>,
    k: usize,
    rows: Option<PyReadonlyArray2<'py, f64>>,
    independent: bool,
    bounds: bool,
    threads: Option<usize>,
    callback: Option<Py<PyAny>>,
) -> PyResult<(Answer, f64, Bound<'py, PyArray2<f64>>, (usize, usize))> {
    let start = Instant::now();
    let clouds = Clouds::new(x, y, a, b)?;
    let span = rows.map(|rows| named("subspace", Subspace::span(rows.as_array()))).transpose()?;
    let settings = Settings { threads, callback, work: work(&clouds) };
    let (plan, value, basis, fibres) = run(py, settings, move |watch, parallelism| {
        let (lift, how) = match independent {
            true => (Lift::MongeIndependent, "independent"),
            false => (Lift::MongeKnothe, "knothe"),
        };
        with_measures!(clouds, |mu, nu| {
            let (subspace, place) = match span {
                Some(span) => (span, "a subspace".to_string()),
                None => (
                    Subspace::principal(&mu, &nu, k)?,
                    match k {
                        1 => "the principal axis".into(),
                        k => format!("{k} principal axes"),
                    },
                ),
            };
            let basis = subspace.basis().clone();
            let found = Detour { subspace, lift, parallelism }.solve_watched(&mu, &nu, watch)?;
            // A plan that was stopped early costs more than the best one on the subspace.
            let certain = found.stop != Stop::Interrupted;
            let plan = Found {
                value: found.cost,
                lower_bound: certain.then_some(below(found.subspace_cost).min(found.cost)),
                coupling: found.coupling,
                theta: None,
                method: "subspace-detour",
                story: format!("exact on {place}, {how} lift"),
                stop: found.stop,
                n_iter: 1,
            };
            let plan = if bounds { bounded(plan, &mu, &nu, parallelism)? } else { plan };
            Ok((plan, found.subspace_cost, basis, found.fibres))
        })
    })?;
    Ok((plan.answer(py, start.elapsed())?, value, basis.into_pyarray(py), (fibres[0], fibres[1])))
}
