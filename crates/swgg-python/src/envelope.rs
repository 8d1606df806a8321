//! What a plan costs, and how that changes with the clouds: for losses.

use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use swgg::cost::{Cost, SqEuclidean};
use swgg::ndarray::Array2;
use swgg::plan::Potentials;
use swgg::{Coupling, Measure, Run, Scalar};

use crate::ask::{Asked, How};
use crate::batch::numbered;
use crate::clouds::{Clouds, with_measures};
use crate::errors::{Failure, Outcome};
use crate::run::{Task, run};
use crate::tasks::{each, serial_if_many};

/// One array per cloud.
type Both<T> = (Py<T>, Py<T>);

/// A cost with its gradients, the plan held fixed.
#[pyclass(frozen, get_all, module = "swgg._swgg")]
pub struct Envelope {
    /// The cost, not rooted.
    pub value: f64,
    /// In the points of both clouds.
    pub points: Both<PyArray2<f64>>,
    /// In the weights, each up to a constant; none unless asked for.
    pub weights: Option<Both<PyArray1<f64>>>,
}

struct Slopes {
    value: f64,
    points: [Array2<f64>; 2],
    weights: Option<Potentials>,
}

/// Costs of many pairs and their gradients; in the weights as well if `weighted`, where the solver's plan has
/// potentials.
#[pyfunction]
pub fn envelope(
    py: Python<'_>,
    pairs: Vec<Clouds>,
    method: &str,
    settings: &Bound<'_, PyDict>,
    weighted: bool,
    how: How,
) -> PyResult<Vec<Envelope>> {
    let How(bounds, seed, threads, callback) = how;
    let asked = Asked::by_name(method, settings)?;
    let work = pairs.iter().map(|clouds| asked.work(clouds)).sum();
    let all = run(py, Task { threads, callback, work }, move |watch, parallelism| {
        let inner = serial_if_many(pairs.len(), parallelism);
        each(pairs.len(), watch, parallelism, |k| {
            let slopes = || {
                with_measures!(&pairs[k], |mu, nu| {
                    let run = Run { seed, parallelism: inner, bounds, ..Run::default() };
                    let found = asked.between(&mu, &nu, run)?;
                    let points = point_slopes(found.plan()?, &mu, &nu);
                    let weights = match found.potentials.clone() {
                        _ if !weighted => None,
                        Some(potentials) => Some(potentials),
                        None => Some(along_the_tree(found.plan()?, &mu, &nu)?),
                    };
                    Ok(Slopes { value: found.cost, points, weights })
                })
            };
            numbered(k, pairs.len(), slopes())
        })
    })?;
    let side = |array: Array2<f64>| array.into_pyarray(py).unbind();
    let line = |numbers: Vec<f64>| numbers.into_pyarray(py).unbind();
    let shown = |Slopes { value, points: [x, y], weights }: Slopes| Envelope {
        value,
        points: (side(x), side(y)),
        weights: weights.map(|weights| (line(weights.source), line(weights.target))),
    };
    Ok(all.into_iter().map(shown).collect())
}

/// `2 sum_j pi_ij (x_i - y_j)`, and the same from the other side.
fn point_slopes<T: Scalar>(plan: &Coupling, mu: &Measure<T>, nu: &Measure<T>) -> [Array2<f64>; 2] {
    let mut x = Array2::zeros((mu.len(), mu.dim()));
    let mut y = Array2::zeros((nu.len(), nu.dim()));
    for (i, j, mass) in plan.entries() {
        for (c, (from, to)) in mu.point(i).iter().zip(nu.point(j)).enumerate() {
            let slope = 2.0 * mass * (from.to_f64() - to.to_f64());
            x[[i, c]] += slope;
            y[[j, c]] -= slope;
        }
    }
    [x, y]
}

/// Numbers with `u_i + v_j = |x_i - y_j|^2` wherever mass moves. If the pairs hold all points together, there is but
/// one choice up to a constant, and it is how the cost changes with the weights: mass moves along the pairs there are.
fn along_the_tree<T: Scalar>(plan: &Coupling, mu: &Measure<T>, nu: &Measure<T>) -> Outcome<Potentials> {
    let (n, m) = (mu.len(), nu.len());
    let mut links: Vec<Vec<(usize, f64)>> = vec![Vec::new(); n + m];
    for (i, j, _) in plan.entries() {
        let cost = SqEuclidean.between(mu.point(i), nu.point(j));
        links[i].push((n + j, cost));
        links[n + j].push((i, cost));
    }
    let mut known: Vec<Option<f64>> = vec![None; n + m];
    known[0] = Some(0.0);
    let mut stack = vec![(0, 0.0)];
    while let Some((here, potential)) = stack.pop() {
        for &(there, cost) in &links[here] {
            if known[there].is_none() {
                known[there] = Some(cost - potential);
                stack.push((there, cost - potential));
            }
        }
    }
    let all: Option<Vec<f64>> = known.into_iter().collect();
    let mut source = all.ok_or_else(|| {
        Failure::Said(
            "the cost of this plan has no gradient in the weights: the plan falls apart into pieces whose masses \
             agree, as it does with equal weights and sizes; detach the weights, or take SolveLoss(\"exact\"), which has \
             a subgradient"
                .into(),
        )
    })?;
    let target = source.split_off(n);
    Ok(Potentials { source, target })
}
