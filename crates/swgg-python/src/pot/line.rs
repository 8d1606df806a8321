//! Many pairs of measures on the line.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use swgg::cost::Power;
use swgg::line::Direction;
use swgg::plan::Permutation;
use swgg::{Measure, line};

use super::slices::by_rank;
use super::{Arrays, Entries, each};
use crate::errors::{Outcome, named};
use crate::held::Held;
use crate::run::{Task, run};

/// A measure per row: where its points are and what they weigh.
struct Side {
    values: Held<f64>,
    count: usize,
    size: usize,
    /// One row for all measures, or one each.
    weights: Option<Held<f64>>,
    names: (&'static str, &'static str),
}

impl Side {
    fn new(
        values: &PyReadonlyArray2<'_, f64>,
        weights: Option<PyReadonlyArray2<'_, f64>>,
        names: (&'static str, &'static str),
    ) -> PyResult<Self> {
        let (count, size) = (values.shape()[0], values.shape()[1]);
        let weights = weights.map(|weights| Held::new(&weights)).transpose()?;
        Ok(Side { values: Held::new(values)?, count, size, weights, names })
    }

    fn measure(&self, k: usize) -> Outcome<Measure<'_, f64>> {
        let row = |all: &[f64], k: usize| k * self.size..all.len().min((k + 1) * self.size);
        let measure = named(self.names.0, Measure::from_slice(&self.values[row(&self.values, k)], 1))?;
        let Some(weights) = &self.weights else { return Ok(measure) };
        let k = if weights.len() > self.size { k } else { 0 };
        named(self.names.1, measure.with_weights(&weights[row(weights, k)]))
    }

    fn order(&self, measure: &Measure<'_, f64>, sorted: bool) -> Outcome<Permutation> {
        Ok(if sorted {
            Permutation::new((0..self.size as u32).collect())?
        } else {
            Direction::axis(1, 0)?.sort(measure)?
        })
    }
}

/// `W_p^p` of each pair of rows, and their plans if asked for; rows that are `sorted` are taken in the order they have.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the Python side names them")]
pub fn pot_lines<'py>(
    py: Python<'py>,
    u: PyReadonlyArray2<'py, f64>,
    v: PyReadonlyArray2<'py, f64>,
    a: Option<PyReadonlyArray2<'py, f64>>,
    b: Option<PyReadonlyArray2<'py, f64>>,
    p: f64,
    sorted: bool,
    plans: bool,
    values: bool,
) -> PyResult<(Bound<'py, PyArray1<f64>>, Vec<Arrays<'py>>)> {
    // Two functions of POT come here, and call their arguments differently.
    let names = if values {
        [("u_values", "u_weights"), ("v_values", "v_weights")]
    } else {
        [("x_a", "a"), ("x_b", "b")]
    };
    let (source, target) = (Side::new(&u, a, names[0])?, Side::new(&v, b, names[1])?);
    let work = 32.0 * ((source.size + target.size) * source.count) as f64;
    let found = run(py, Task { threads: None, callback: None, work }, move |_, parallelism| {
        let power = Power::new(p)?;
        each(parallelism, source.count, |k| {
            let (mu, nu) = (source.measure(k)?, target.measure(k)?);
            if !sorted && !plans {
                return Ok((line::cost(&mu, &nu, p)?, None));
            }
            let (sigma, tau) = (source.order(&mu, sorted)?, target.order(&nu, sorted)?);
            let plan = line::couple_sorted(&mu, &sigma, &nu, &tau)?;
            let cost = plan.cost(&mu, &nu, &power)?;
            Ok((cost, plans.then(|| by_rank(&plan, sigma.as_slice(), tau.as_slice()))))
        })
    })?;
    let (costs, plans): (Vec<f64>, Vec<Option<Entries>>) = found.into_iter().unzip();
    Ok((costs.into_pyarray(py), plans.into_iter().flatten().map(|plan| plan.arrays(py)).collect()))
}
