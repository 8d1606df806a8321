//! Exact transport at given costs.

use numpy::ndarray::ArrayView2;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use swgg::Exact;

use crate::errors::Failure;
use crate::held::Held;
use crate::plan::Plan;
use crate::run::{Settings, run};

/// The cheapest plan of total mass one, its cost, and the potentials of both sides.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "a plan and its proof")]
pub fn pot_emd<'py>(
    py: Python<'py>,
    costs: PyReadonlyArray2<'py, f64>,
    a: Option<PyReadonlyArray1<'py, f64>>,
    b: Option<PyReadonlyArray1<'py, f64>>,
) -> PyResult<(Plan, f64, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>)> {
    let shape = (costs.shape()[0], costs.shape()[1]);
    let costs = Held::new(&costs)?;
    let a = a.map(|a| Held::new(&a)).transpose()?;
    let b = b.map(|b| Held::new(&b)).transpose()?;
    let work = 200.0 * costs.len() as f64;
    let found = run(py, Settings { threads: None, callback: None, work }, move |watch, parallelism| {
        let view =
            ArrayView2::from_shape(shape, &costs).map_err(|error| Failure::Panicked(error.to_string()))?;
        let exact = Exact { parallelism, ..Default::default() };
        Ok(exact.solve_matrix(view, a.as_deref(), b.as_deref(), watch)?)
    })?;
    Ok((
        Plan { coupling: found.coupling },
        found.cost,
        found.potentials.source.into_pyarray(py),
        found.potentials.target.into_pyarray(py),
    ))
}
