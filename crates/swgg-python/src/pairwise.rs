//! Distances between all pairs of several clouds.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use swgg::{Measure, Parallelism, Scalar, Sliced, Slicing};

use crate::errors::{Failure, Outcome};
use crate::held::Held;
use crate::run::{Settings, run};
use crate::solver::{Choice, Solver};
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
    Plan(Solver),
    Sliced(Sliced),
}

impl Metric {
    /// Not rooted.
    fn cost<T: Scalar>(
        &self,
        mu: &Measure<T>,
        nu: &Measure<T>,
        parallelism: Parallelism,
    ) -> swgg::Result<f64> {
        match self {
            Metric::Plan(solver) => Ok(solver.find(mu, nu, parallelism, &mut ())?.0.value),
            Metric::Sliced(sliced) => Ok(Sliced { parallelism, ..*sliced }.solve(mu, nu)?.cost),
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
#[expect(clippy::too_many_arguments, reason = "the Python side names them")]
#[pyo3(signature = (clouds, dim, method, effort, lines, p, seed, threads, callback))]
pub fn pairwise<'py>(
    py: Python<'py>,
    clouds: Vec<Cloud<'py>>,
    dim: usize,
    method: &str,
    effort: u8,
    lines: Option<usize>,
    p: f64,
    seed: u64,
    threads: Option<usize>,
    callback: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let metric = match method {
        "sliced" => {
            let directions = lines.unwrap_or(Sliced::DIRECTIONS);
            Metric::Sliced(Sliced { directions, seed, ..Sliced::new(Slicing::Wasserstein { p }) })
        }
        _ => {
            let choice = Choice { method, effort, time_limit: None, lines, bounds: false, p, seed };
            Metric::Plan(Solver::new(choice)?)
        }
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
    let settings = Settings { threads, callback, work: 200.0 * numbers as f64 * count as f64 };
    let costs = run(py, settings, move |watch, parallelism| {
        let pairs: Vec<(usize, usize)> =
            (0..count).flat_map(|i| (i + 1..count).map(move |j| (i, j))).collect();
        let inner = serial_if_many(pairs.len(), parallelism);
        match &piles {
            Piles::F32(pile) => {
                let clouds = pile.measures()?;
                each(pairs.len(), watch, parallelism, |k| {
                    Ok(metric.cost(&clouds[pairs[k].0], &clouds[pairs[k].1], inner)?)
                })
            }
            Piles::F64(pile) => {
                let clouds = pile.measures()?;
                each(pairs.len(), watch, parallelism, |k| {
                    Ok(metric.cost(&clouds[pairs[k].0], &clouds[pairs[k].1], inner)?)
                })
            }
        }
    })?;
    Ok(costs.into_pyarray(py))
}
