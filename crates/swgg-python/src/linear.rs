//! Many clouds as vectors, by their plans from one pivot.

use std::cell::RefCell;

use numpy::{IntoPyArray, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use swgg::solver::LinearOt;
use swgg::{Coupling, Measure, Observe, Run};

use crate::ask::{Asked, How};
use crate::errors::{Failure, Outcome};
use crate::held::Held;
use crate::run::{Task, run};

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
pub fn linear_ot<'py>(
    py: Python<'py>,
    pivot: Given<'py>,
    clouds: Vec<Given<'py>>,
    plans: &str,
    how: How,
) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>)> {
    let pivot = Cloud::new(&pivot)?;
    let clouds = clouds.iter().map(Cloud::new).collect::<PyResult<Vec<_>>>()?;
    let points: f64 = clouds.iter().map(|cloud| cloud.rows.len() as f64).sum();
    let work = 20.0 * points * pivot.rows.len() as f64;
    let asked = Asked::by_name(plans, &PyDict::new(py))?;
    let How(bounds, seed, threads, callback) = how;
    let (vectors, distances) = run(py, Task { threads, callback, work }, move |watch, parallelism| {
        let measures: Outcome<Vec<_>> =
            clouds.iter().enumerate().map(|(k, cloud)| cloud.measure(&format!("clouds[{k}]"))).collect();
        let watch = RefCell::new(watch);
        let solver = |pivot: &Measure, measure: &Measure| -> swgg::Result<Coupling> {
            let observer: &mut dyn Observe = &mut **watch.borrow_mut();
            let run = Run { seed, parallelism, bounds, observer: Some(observer), ..Run::default() };
            asked.between(pivot, measure, run)?.into_plan()
        };
        let embedded = LinearOt::with(pivot.measure("pivot")?, solver).embed_all(&measures?)?;
        let distances = embedded.sq_distances();
        Ok((embedded.vectors, distances))
    })?;
    Ok((vectors.into_pyarray(py), distances.into_pyarray(py)))
}
