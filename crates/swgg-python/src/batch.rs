//! Many pairs of clouds in one call.

use std::time::Instant;

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::clouds::{Clouds, with_measures};
use crate::errors::{Failure, Outcome};
use crate::run::{Settings, run};
use crate::solve::Answer;
use crate::solver::{Choice, Solver};
use crate::tasks::{each, serial_if_many};

/// `X, Y, a, b` of one pair.
pub type Pair<'py> = (
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Option<PyReadonlyArray1<'py, f64>>,
    Option<PyReadonlyArray1<'py, f64>>,
);

/// The clouds of all pairs, held.
pub fn held(pairs: Vec<Pair<'_>>) -> PyResult<Vec<Clouds>> {
    pairs.into_iter().map(|(x, y, a, b)| Clouds::new(&x, &y, a, b)).collect()
}

/// Which pair of several a refusal is about.
pub fn numbered<T>(pair: usize, count: usize, outcome: Outcome<T>) -> Outcome<T> {
    outcome.map_err(|failure| match failure {
        Failure::Refused(error) if count > 1 => Failure::Said(format!("pair {pair}: {error}")),
        Failure::Argument(name, error) if count > 1 => Failure::Said(format!("pair {pair}: {name}: {error}")),
        Failure::Said(message) if count > 1 => Failure::Said(format!("pair {pair}: {message}")),
        other => other,
    })
}

/// About how much all pairs together take.
pub fn work(pairs: &[Clouds], lines: usize) -> f64 {
    pairs
        .iter()
        .map(|clouds| clouds.work(lines) + 20.0 * clouds.sizes[0] as f64 * clouds.sizes[1] as f64)
        .sum()
}

/// Plans of many pairs, each with the settings of `solve`; the callback is told `(done, all)`.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the Python side names them")]
#[pyo3(signature = (pairs, method, effort, time_limit, lines, bounds, p, seed, threads, callback))]
pub fn solve_batch(
    py: Python<'_>,
    pairs: Vec<Pair<'_>>,
    method: &str,
    effort: u8,
    time_limit: Option<f64>,
    lines: Option<usize>,
    bounds: bool,
    p: f64,
    seed: u64,
    threads: Option<usize>,
    callback: Option<Py<PyAny>>,
) -> PyResult<Vec<Answer>> {
    let pairs = held(pairs)?;
    let solver = Solver::new(Choice { method, effort, time_limit, lines, bounds, p, seed })?;
    let settings = Settings { threads, callback, work: work(&pairs, lines.unwrap_or(8)) };
    let found = run(py, settings, move |watch, parallelism| {
        let inner = serial_if_many(pairs.len(), parallelism);
        each(pairs.len(), watch, parallelism, |k| {
            let start = Instant::now();
            let solve = || with_measures!(&pairs[k], |mu, nu| Ok(solver.find(&mu, &nu, inner, &mut ())?.0));
            Ok((numbered(k, pairs.len(), solve())?, start.elapsed()))
        })
    })?;
    found.into_iter().map(|(found, seconds)| found.answer(py, seconds)).collect()
}
