//! Many pairs of clouds in one call.

use std::time::Instant;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use swgg::Run;

use crate::answer::Answer;
use crate::ask::{Asked, How};
use crate::clouds::{Clouds, with_measures};
use crate::errors::{Failure, Outcome};
use crate::run::{Task, run};
use crate::tasks::{each, serial_if_many};

/// Which pair of several a refusal is about.
pub fn numbered<T>(pair: usize, count: usize, outcome: Outcome<T>) -> Outcome<T> {
    outcome.map_err(|failure| match failure {
        Failure::Refused(error) if count > 1 => Failure::Said(format!("pair {pair}: {error}")),
        Failure::Argument(name, error) if count > 1 => Failure::Said(format!("pair {pair}: {name}: {error}")),
        Failure::Said(message) if count > 1 => Failure::Said(format!("pair {pair}: {message}")),
        other => other,
    })
}

/// Plans of many pairs, each as by `solve`; the callback is told `(done, all)`.
#[pyfunction]
pub fn solve_batch(
    py: Python<'_>,
    pairs: Vec<Clouds>,
    method: &str,
    settings: &Bound<'_, PyDict>,
    how: How,
) -> PyResult<Vec<Answer>> {
    let How(bounds, seed, threads, callback) = how;
    let asked = Asked::by_name(method, settings)?;
    let work = pairs.iter().map(|clouds| asked.work(clouds)).sum();
    let found = run(py, Task { threads, callback, work }, move |watch, parallelism| {
        let inner = serial_if_many(pairs.len(), parallelism);
        each(pairs.len(), watch, parallelism, |k| {
            let start = Instant::now();
            let run = Run { seed, parallelism: inner, bounds, ..Run::default() };
            let solve = || with_measures!(&pairs[k], |mu, nu| Ok(asked.between(&mu, &nu, run)?));
            Ok((numbered(k, pairs.len(), solve())?, start.elapsed()))
        })
    })?;
    found.into_iter().map(|(found, seconds)| Answer::told(py, found, seconds)).collect()
}
