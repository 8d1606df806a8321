//! Nearest neighbours, for points that were not there when a plan was made.

use numpy::{IntoPyArray, PyArray2};
use pyo3::prelude::*;
use swgg::nearest::{Neighbors, nearest as search};
use swgg::{Measure, Parallelism, Scalar};

use crate::clouds::{Clouds, Rows};
use crate::errors::{Outcome, named};
use crate::held::Held;
use crate::run::{Task, run};

/// Indices and squared distances of the `k` nearest points of each query, nearest first; ties by index.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "two arrays")]
#[pyo3(signature = (points, queries, k, threads))]
pub fn nearest<'py>(
    py: Python<'py>,
    points: &Bound<'py, PyAny>,
    queries: &Bound<'py, PyAny>,
    k: usize,
    threads: Option<usize>,
) -> PyResult<(Bound<'py, PyArray2<i64>>, Bound<'py, PyArray2<f64>>)> {
    let clouds = Clouds::new(points, queries, None, None)?;
    let work = clouds.work(16) + k as f64 * clouds.sizes[1] as f64;
    let found = run(py, Task { threads, callback: None, work }, move |_, parallelism| match &clouds.rows {
        Rows::F32(rows) => among(rows, clouds.dims, k, parallelism),
        Rows::F64(rows) => among(rows, clouds.dims, k, parallelism),
    })?;
    Ok((found.indices.mapv(i64::from).into_pyarray(py), found.squares.into_pyarray(py)))
}

/// Queries have other names than clouds.
fn among<T: Scalar>(
    [points, queries]: &[Held<T>; 2],
    dims: [usize; 2],
    k: usize,
    parallelism: Parallelism,
) -> Outcome<Neighbors> {
    let points = named("points", Measure::from_slice(points, dims[0]))?;
    let queries = named("new points", Measure::from_slice(queries, dims[1]))?;
    Ok(search(&points, &queries, k, parallelism)?)
}
