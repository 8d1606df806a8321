//! Many clouds as vectors, by their plans from one pivot.

use std::cell::RefCell;

use numpy::{IntoPyArray, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use swgg::{Coupling, Exact, LinearOt, Measure, MinSwgg};

use crate::errors::{Failure, Outcome};
use crate::held::Held;
use crate::run::{Settings, run};

/// Points in double precision, with their weights.
struct Cloud {
    rows: Held<f64>,
    dim: usize,
    weights: Option<Held<f64>>,
}

/// How a cloud arrives.
type Given<'py> = (PyReadonlyArray2<'py, f64>, Option<PyReadonlyArray1<'py, f64>>);

impl Cloud {
    fn new((rows, weights): &Given<'_>) -> PyResult<Self> {
        let weights = weights.as_ref().map(Held::new).transpose()?;
        Ok(Cloud { rows: Held::new(rows)?, dim: rows.shape()[1], weights })
    }

    fn measure(&self, name: &str) -> Outcome<Measure<'_, f64>> {
        let refuse = |what: &str, error: swgg::Error| Failure::Said(format!("{what}{name}: {error}"));
        let measure = Measure::from_slice(&self.rows, self.dim).map_err(|error| refuse("", error))?;
        match &self.weights {
            Some(weights) => measure.with_weights(weights).map_err(|error| refuse("weights of ", error)),
            None => Ok(measure),
        }
    }
}

/// Vectors of displacements from the pivot, one row per cloud, and their squared distances.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "two matrices")]
#[pyo3(signature = (pivot, clouds, exact, seed, threads))]
pub fn linear_ot<'py>(
    py: Python<'py>,
    pivot: Given<'py>,
    clouds: Vec<Given<'py>>,
    exact: bool,
    seed: u64,
    threads: Option<usize>,
) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>)> {
    let pivot = Cloud::new(&pivot)?;
    let clouds = clouds.iter().map(Cloud::new).collect::<PyResult<Vec<_>>>()?;
    let points: f64 = clouds.iter().map(|cloud| cloud.rows.len() as f64).sum();
    let work = points * if exact { 20.0 * pivot.rows.len() as f64 } else { 500.0 };
    let settings = Settings { threads, callback: None, work };
    let (vectors, distances) = run(py, settings, move |watch, parallelism| {
        let measures: Outcome<Vec<_>> =
            clouds.iter().enumerate().map(|(k, cloud)| cloud.measure(&format!("clouds[{k}]"))).collect();
        let watch = RefCell::new(watch);
        let solver = |pivot: &Measure, measure: &Measure| -> swgg::Result<Coupling> {
            let mut watch = watch.borrow_mut();
            Ok(match exact {
                true => {
                    Exact { seed, parallelism, ..Default::default() }
                        .solve_watched(pivot, measure, &mut **watch)?
                        .coupling
                }
                false => {
                    MinSwgg::new()
                        .seed(seed)
                        .parallelism(parallelism)
                        .solve_watched(pivot, measure, &mut **watch)?
                        .coupling
                }
            })
        };
        let embedded = LinearOt::with(pivot.measure("pivot")?, solver).embed_all(&measures?)?;
        let distances = embedded.sq_distances();
        Ok((embedded.vectors, distances))
    })?;
    Ok((vectors.into_pyarray(py), distances.into_pyarray(py)))
}
