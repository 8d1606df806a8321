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

/// A matrix of costs and the weights of its rows and columns, held for a thread that computes.
pub(crate) struct Costs {
    pub shape: (usize, usize),
    costs: Held<f64>,
    weights: [Option<Held<f64>>; 2],
}

impl Costs {
    pub fn new(
        costs: &PyReadonlyArray2<'_, f64>,
        a: Option<PyReadonlyArray1<'_, f64>>,
        b: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<Self> {
        let held = |weights: Option<PyReadonlyArray1<'_, f64>>| {
            weights.map(|weights| Held::new(&weights)).transpose()
        };
        Ok(Costs {
            shape: (costs.shape()[0], costs.shape()[1]),
            costs: Held::new(costs)?,
            weights: [held(a)?, held(b)?],
        })
    }

    pub fn pairs(&self) -> f64 {
        self.costs.len() as f64
    }

    pub fn matrix(&self) -> Outcome<ArrayView2<'_, f64>> {
        ArrayView2::from_shape(self.shape, &self.costs).map_err(|error| Failure::Said(format!("M: {error}")))
    }

    /// Those of the rows and of the columns; none means that all weigh the same.
    pub fn weights(&self) -> [Option<&[f64]>; 2] {
        self.weights.each_ref().map(Option::as_deref)
    }

    /// Nothing but weights; refusals name their argument.
    pub fn measures(&self) -> Outcome<[Measure<'static, f64>; 2]> {
        let [a, b] = self.weights();
        Ok([bare("a", self.shape.0, a)?, bare("b", self.shape.1, b)?])
    }
}

fn bare(name: &'static str, count: usize, weights: Option<&[f64]>) -> Outcome<Measure<'static, f64>> {
    let measure = named("M", Measure::from_vec(vec![0.0; count], 1))?;
    match weights {
        Some(weights) => named(name, measure.with_weights(weights)),
        None => Ok(measure),
    }
}

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
    let costs = Costs::new(&costs, a, b)?;
    let (How(_, seed, threads, callback), work) = (how, 20.0 * costs.pairs());
    let mut answer = run(py, Task { threads, callback, work }, move |watch, parallelism| {
        costs.measures()?;
        let [a, b] = costs.weights();
        let mut run = Run { seed, parallelism, observer: Some(watch), ..Run::default() };
        named("M", by_costs(costs.matrix()?, a, b, &mut run))
    })?;
    answer.story = format!("exact transport at given costs, {}", counted(answer.steps, "step"));
    Answer::told(py, answer, start.elapsed())
}
