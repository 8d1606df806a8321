//! Clouds as Gaussians, in closed form.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;
use swgg::gaussian::{Gaussian, bures_sq, gaussian_transport};

use crate::clouds::{Clouds, with_measures};
use crate::errors::named;
use crate::run::{Task, run};

/// Squared Bures distance between two covariances.
#[pyfunction]
pub fn bures(
    py: Python<'_>,
    first: PyReadonlyArray2<'_, f64>,
    second: PyReadonlyArray2<'_, f64>,
) -> PyResult<f64> {
    let (first, second) = (first.as_array().to_owned(), second.as_array().to_owned());
    // Decompositions take the cube of the dimension.
    let work = 20.0 * (first.nrows() as f64).powi(3);
    run(py, Task { threads: Some(1), callback: None, work }, move |_, _| {
        // A Gaussian of any mean checks its covariance.
        let first = named("first", Gaussian::new(vec![0.0; first.nrows()], first))?;
        let second = named("second", Gaussian::new(vec![0.0; second.nrows()], second))?;
        Ok(bures_sq(first.covariance(), second.covariance())?)
    })
}

/// Transport between the Gaussians that two clouds look like.
#[pyclass(frozen, get_all, module = "swgg._swgg")]
pub struct Affine {
    pub value: f64,
    pub lower_bound: f64,
    pub mean_x: Py<PyArray1<f64>>,
    pub mean_y: Py<PyArray1<f64>>,
    pub cov_x: Py<PyArray2<f64>>,
    pub cov_y: Py<PyArray2<f64>>,
    /// The matrix of the map.
    pub linear: Py<PyArray2<f64>>,
}

/// Gaussians fitted to both clouds, and the optimal map between them.
#[pyfunction]
#[pyo3(signature = (clouds))]
pub fn gaussian(py: Python<'_>, clouds: Clouds) -> PyResult<Affine> {
    let task = Task { threads: Some(1), callback: None, work: clouds.work(clouds.dims[0]) };
    let found =
        run(py, task, move |_, _| with_measures!(clouds, |mu, nu| Ok(gaussian_transport(&mu, &nu)?)))?;
    let vector = |values: &[f64]| PyArray1::from_slice(py, values).unbind();
    let matrix = |values: &swgg::ndarray::Array2<f64>| values.clone().into_pyarray(py).unbind();
    Ok(Affine {
        value: found.cost,
        lower_bound: found.lower_bound,
        mean_x: vector(found.source.mean()),
        mean_y: vector(found.target.mean()),
        cov_x: matrix(found.source.covariance()),
        cov_y: matrix(found.target.covariance()),
        linear: matrix(found.map.linear()),
    })
}
