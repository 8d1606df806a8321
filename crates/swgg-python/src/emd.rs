//! Exact transport at given costs.

use std::time::Instant;

use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use swgg::answer::counted;
use swgg::exact::by_costs;
use swgg::ndarray::ArrayView2;
use swgg::{Measure, Run};

use crate::answer::Answer;
use crate::ask::How;
use crate::errors::{Failure, Outcome, named};
use crate::held::Held;
use crate::run::{Task, run};

/// The cheapest plan at given costs, with the potentials that prove it.
#[pyfunction]
pub fn emd_matrix<'py>(
    py: Python<'py>,
    costs: PyReadonlyArray2<'py, f64>,
    a: Option<PyReadonlyArray1<'py, f64>>,
    b: Option<PyReadonlyArray1<'py, f64>>,
    how: How,
) -> PyResult<Answer> {
    let start = Instant::now();
    let shape = (costs.shape()[0], costs.shape()[1]);
    let costs = Held::new(&costs)?;
    let weights = [a.map(|a| Held::new(&a)).transpose()?, b.map(|b| Held::new(&b)).transpose()?];
    let (How(_, seed, threads, callback), work) = (how, 20.0 * costs.len() as f64);
    let mut answer = run(py, Task { threads, callback, work }, move |watch, parallelism| {
        let matrix = ArrayView2::from_shape(shape, &costs);
        let matrix = matrix.map_err(|error| Failure::Said(format!("M: {error}")))?;
        let [a, b] = weights.each_ref().map(Option::as_deref);
        check("a", shape.0, a)?;
        check("b", shape.1, b)?;
        let mut run = Run { seed, parallelism, observer: Some(watch), ..Run::default() };
        named("M", by_costs(matrix, a, b, &mut run))
    })?;
    answer.story = format!("exact transport at given costs, {}", counted(answer.steps, "step"));
    Answer::told(py, answer, start.elapsed())
}

/// Refuses weights with the name of their argument.
fn check(name: &'static str, count: usize, weights: Option<&[f64]>) -> Outcome<()> {
    let Some(weights) = weights else { return Ok(()) };
    let bare = named("M", Measure::from_vec(vec![0.0; count], 1))?;
    named(name, bare.with_weights(weights)).map(|_| ())
}
