//! Distances between all pairs of several clouds.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use swgg::sliced::{Sliced, Slicing};
use swgg::{Measure, Run, Scalar, Solver};

use crate::ask::{Asked, ByName, How};
use crate::errors::{Failure, Outcome};
use crate::held::Held;
use crate::run::{Task, run};
use crate::tasks::{each, serial_if_many};

/// A cloud and its weights.
type Cloud<'py> = (Bound<'py, PyAny>, Option<PyReadonlyArray1<'py, f64>>);

/// Clouds of one precision.
struct Pile<T> {
    rows: Vec<Held<T>>,
    weights: Vec<Option<Held<f64>>>,
    dim: usize,
}

enum Piles {
    F32(Pile<f32>),
    F64(Pile<f64>),
}

/// What is measured between two clouds.
enum Metric {
    Plan(Asked<ByName>),
    Sliced(Sliced),
}

impl Metric {
    /// Not rooted.
    fn cost<T: Scalar>(&self, mu: &Measure<T>, nu: &Measure<T>, mut run: Run<'_>) -> swgg::Result<f64>
    where
        ByName: Solver<T>,
    {
        match self {
            Metric::Plan(asked) => Ok(asked.between(mu, nu, run)?.cost),
            Metric::Sliced(sliced) => Ok(sliced.estimate(mu, nu, &mut run)?.cost),
        }
    }
}

impl<T: Scalar> Pile<T> {
    fn measures(&self) -> Outcome<Vec<Measure<'_, T>>> {
        let named = |k: usize, what: &str, error: swgg::Error| Failure::Said(format!("{what}[{k}]: {error}"));
        let clouds = self.rows.iter().zip(&self.weights).enumerate();
        clouds
            .map(|(k, (rows, weights))| {
                let cloud = Measure::from_slice(rows, self.dim).map_err(|error| named(k, "clouds", error))?;
                match weights {
                    Some(given) => cloud.with_weights(given).map_err(|error| named(k, "weights", error)),
                    None => Ok(cloud),
                }
            })
            .collect()
    }
}

/// Costs, not rooted, of the pairs `(0, 1), (0, 2), ..., (1, 2), ...`; the callback is told `(done, all)`, and if it
/// stops, the list ends early. The Python side has seen to it that clouds have the same columns and precision.
#[pyfunction]
pub fn pairwise<'py>(
    py: Python<'py>,
    clouds: Vec<Cloud<'py>>,
    dim: usize,
    method: &str,
    settings: &Bound<'py, PyDict>,
    how: How,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let How(bounds, seed, threads, callback) = how;
    let metric = match method {
        // A distance without a plan.
        "sliced" => {
            let p = settings.get_item("p")?.map_or(Ok(2.0), |p| p.extract())?;
            let usual = Sliced::new(Slicing::Wasserstein { p });
            let directions = settings.get_item("n_projections")?;
            let directions = directions.map_or(Ok(usual.directions), |count| count.extract())?;
            Metric::Sliced(Sliced { directions, ..usual })
        }
        _ => Metric::Plan(Asked::by_name(method, settings)?),
    };
    let weight = |weights: &Option<PyReadonlyArray1<'_, f64>>| weights.as_ref().map(Held::new).transpose();
    let weights = clouds.iter().map(|cloud| weight(&cloud.1)).collect::<PyResult<Vec<_>>>()?;
    let doubles: Option<Vec<PyReadonlyArray2<'_, f64>>> =
        clouds.iter().map(|cloud| cloud.0.extract().ok()).collect();
    let piles = match doubles {
        Some(rows) => {
            let rows = rows.iter().map(Held::new).collect::<PyResult<Vec<_>>>()?;
            Piles::F64(Pile { rows, weights, dim })
        }
        None => {
            let single = |cloud: &Cloud<'_>| Held::new(&cloud.0.extract::<PyReadonlyArray2<'_, f32>>()?);
            let rows = clouds.iter().map(single).collect::<PyResult<Vec<_>>>()?;
            Piles::F32(Pile { rows, weights, dim })
        }
    };
    let count = clouds.len();
    // Every cloud is looked at by all others.
    let numbers = match &piles {
        Piles::F32(pile) => pile.rows.iter().map(|rows| rows.len()).sum::<usize>(),
        Piles::F64(pile) => pile.rows.iter().map(|rows| rows.len()).sum::<usize>(),
    };
    let work = 200.0 * numbers as f64 * count as f64;
    let costs = run(py, Task { threads, callback, work }, move |watch, parallelism| {
        let pairs: Vec<(usize, usize)> =
            (0..count).flat_map(|i| (i + 1..count).map(move |j| (i, j))).collect();
        let inner = serial_if_many(pairs.len(), parallelism);
        let how = || Run { seed, parallelism: inner, bounds, ..Run::default() };
        match &piles {
            Piles::F32(pile) => {
                let clouds = pile.measures()?;
                each(pairs.len(), watch, parallelism, |k| {
                    Ok(metric.cost(&clouds[pairs[k].0], &clouds[pairs[k].1], how())?)
                })
            }
            Piles::F64(pile) => {
                let clouds = pile.measures()?;
                each(pairs.len(), watch, parallelism, |k| {
                    Ok(metric.cost(&clouds[pairs[k].0], &clouds[pairs[k].1], how())?)
                })
            }
        }
    })?;
    Ok(costs.into_pyarray(py))
}
