//! Plans and costs of many given directions.

use numpy::ndarray::{ArrayView2, s};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use swgg::line::{Direction, DirectionSet};
use swgg::paper::{InMemory, Slices};
use swgg::{Coupling, Measure, Observe, Parallelism, Progress, Scalar, line};

use super::metric::Metric;
use super::{Arrays, Entries, each};
use crate::clouds::{Clouds, with_measures};
use crate::errors::{Failure, Outcome, named};
use crate::held::Held;
use crate::run::{Task, run};

/// Directions as rows, of any length.
struct Thetas {
    rows: Held<f64>,
    shape: (usize, usize),
}

impl Thetas {
    fn new(array: &PyReadonlyArray2<'_, f64>) -> PyResult<Self> {
        let shape = (array.shape()[0], array.shape()[1]);
        Ok(Thetas { rows: Held::new(array)?, shape })
    }

    fn view(&self) -> Outcome<ArrayView2<'_, f64>> {
        ArrayView2::from_shape(self.shape, &self.rows).map_err(|error| Failure::Panicked(error.to_string()))
    }

    /// All of them, checked.
    fn set(&self) -> Outcome<DirectionSet> {
        named("projections", DirectionSet::from_rows(self.view()?))
    }

    /// Numbers of all directions, a batch at a time, so that somebody may stop it.
    fn batches(
        &self,
        batch: usize,
        watch: &mut dyn Observe,
        mut costs: impl FnMut(&DirectionSet) -> Outcome<Vec<f64>>,
    ) -> Outcome<Vec<f64>> {
        let (total, view) = (self.set()?.len(), self.view()?);
        let mut all = Vec::with_capacity(total);
        let mut best = f64::INFINITY;
        while all.len() < total {
            let end = total.min(all.len() + batch.max(1));
            let some = named("projections", DirectionSet::from_rows(view.slice(s![all.len()..end, ..])))?;
            let some = costs(&some)?;
            best = some.iter().copied().fold(best, f64::min);
            all.extend(some);
            if watch.progress(&Progress { tried: all.len(), total, best }).is_break() {
                break;
            }
        }
        Ok(all)
    }
}

/// Cost in the full space of the plan of each direction.
#[pyfunction]
pub fn pot_costs<'py>(
    py: Python<'py>,
    clouds: Clouds,
    thetas: PyReadonlyArray2<'py, f64>,
    metric: &str,
    p: f64,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (thetas, metric) = (Thetas::new(&thetas)?, Metric::new(metric, p)?);
    let work = clouds.work(thetas.shape.0);
    let costs = run(py, Task { threads: None, callback: None, work }, move |watch, parallelism| {
        with_measures!(clouds, |mu, nu| {
            let problem = InMemory::with_parallelism(&mu, &nu, parallelism)?;
            thetas.batches(problem.batch_len(), watch, |some| match metric {
                Metric::SqEuclidean => named("projections", problem.costs(some)),
                _ => each(parallelism, some.len(), |k| {
                    let plan = named("projections", problem.coupling(&some.get(k)))?;
                    Ok(plan.cost(&mu, &nu, &metric)?)
                }),
            })
        })
    })?;
    Ok(costs.into_pyarray(py))
}

/// `W_p^p` along each direction, as if it had length one.
#[pyfunction]
pub fn pot_slices<'py>(
    py: Python<'py>,
    clouds: Clouds,
    thetas: PyReadonlyArray2<'py, f64>,
    p: f64,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let thetas = Thetas::new(&thetas)?;
    let work = clouds.work(thetas.shape.0);
    let costs = run(py, Task { threads: None, callback: None, work }, move |watch, parallelism| {
        with_measures!(clouds, |mu, nu| {
            let problem = InMemory::with_parallelism(&mu, &nu, parallelism)?;
            thetas.batches(problem.batch_len(), watch, |some| Ok(problem.line_costs(some, p)?))
        })
    })?;
    Ok(costs.into_pyarray(py))
}

/// The plan of each direction, by rank, and its cost in the full space.
#[pyfunction]
pub fn pot_plans<'py>(
    py: Python<'py>,
    clouds: Clouds,
    thetas: PyReadonlyArray2<'py, f64>,
    metric: &str,
    p: f64,
) -> PyResult<(Vec<Arrays<'py>>, Bound<'py, PyArray1<f64>>)> {
    let (thetas, metric) = (Thetas::new(&thetas)?, Metric::new(metric, p)?);
    let work = clouds.work(thetas.shape.0);
    let plans = run(py, Task { threads: None, callback: None, work }, move |_, parallelism| {
        with_measures!(clouds, |mu, nu| plans(&mu, &nu, &thetas.set()?, metric, parallelism))
    })?;
    let (plans, costs): (Vec<_>, Vec<_>) = plans.into_iter().unzip();
    let plans = plans.into_iter().map(|plan: Entries| plan.arrays(py)).collect();
    Ok((plans, costs.into_pyarray(py)))
}

fn plans<T: Scalar>(
    mu: &Measure<'_, T>,
    nu: &Measure<'_, T>,
    thetas: &DirectionSet,
    metric: Metric,
    parallelism: Parallelism,
) -> Outcome<Vec<(Entries, f64)>> {
    each(parallelism, thetas.len(), |k| {
        let theta: Direction = thetas.get(k);
        let (sigma, tau) = (named("projections", theta.sort(mu))?, named("projections", theta.sort(nu))?);
        let plan = line::couple_sorted(mu, &sigma, nu, &tau)?;
        let cost = plan.cost(mu, nu, &metric)?;
        Ok((by_rank(&plan, sigma.as_slice(), tau.as_slice()), cost))
    })
}

/// The entries of the plan of two orders, from one end of the line to the other.
pub fn by_rank(plan: &Coupling, sigma: &[u32], tau: &[u32]) -> Entries {
    if plan.is_matching() {
        let ranks = |order: &[u32]| order.iter().map(|&i| i64::from(i)).collect();
        return Entries { sources: ranks(sigma), targets: ranks(tau), masses: None };
    }
    Entries {
        sources: plan.entries().map(|(i, _, _)| i as i64).collect(),
        targets: plan.entries().map(|(_, j, _)| j as i64).collect(),
        masses: Some(plan.entries().map(|(_, _, mass)| mass).collect()),
    }
}
