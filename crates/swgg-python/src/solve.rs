//! Plans between two clouds, by any of the solvers that return one.

use std::time::{Duration, Instant};

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use swgg::{Coupling, Stop, Transport};

use crate::clouds::{Clouds, with_measures};
use crate::plan::Plan;
use crate::run::{Settings, run};
use crate::solver::{Choice, Solver};

/// What a solver found.
#[pyclass(frozen, get_all, module = "swgg._swgg")]
pub struct Answer {
    /// The cost, not rooted.
    pub value: f64,
    /// What no plan can cost less than, if it is known.
    pub lower_bound: Option<f64>,
    pub plan: Py<Plan>,
    pub theta: Option<Py<PyArray1<f64>>>,
    /// Which solver it was.
    pub method: String,
    /// One sentence on what was done.
    pub story: String,
    /// Why it ended.
    pub stop: String,
    pub n_iter: usize,
    pub seconds: f64,
}

#[pymethods]
impl Answer {
    /// An answer from its parts, in this order.
    #[new]
    #[expect(clippy::too_many_arguments, reason = "as many as there are parts")]
    fn new(
        value: f64,
        lower_bound: Option<f64>,
        plan: Py<Plan>,
        theta: Option<Py<PyArray1<f64>>>,
        method: String,
        story: String,
        stop: String,
        n_iter: usize,
        seconds: f64,
    ) -> Self {
        Answer { value, lower_bound, plan, theta, method, story, stop, n_iter, seconds }
    }

    /// For `pickle` and `copy`: the parts.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
        let parts = (
            self.value,
            self.lower_bound,
            &self.plan,
            &self.theta,
            &self.method,
            &self.story,
            &self.stop,
            self.n_iter,
            self.seconds,
        );
        Ok((py.get_type::<Answer>(), parts.into_pyobject(py)?))
    }
}

/// The same before it has come back to Python.
pub struct Found {
    pub value: f64,
    pub lower_bound: Option<f64>,
    pub coupling: Coupling,
    pub theta: Option<Vec<f64>>,
    pub method: &'static str,
    pub story: String,
    pub stop: Stop,
    pub n_iter: usize,
}

impl Found {
    pub fn answer(self, py: Python<'_>, time: Duration) -> PyResult<Answer> {
        Ok(Answer {
            value: self.value,
            lower_bound: self.lower_bound,
            plan: Py::new(py, Plan { coupling: self.coupling })?,
            theta: self.theta.map(|theta| PyArray1::from_vec(py, theta).unbind()),
            method: self.method.into(),
            story: self.story,
            stop: self.stop.name().into(),
            n_iter: self.n_iter,
            seconds: time.as_secs_f64(),
        })
    }
}

impl From<Transport> for Found {
    fn from(found: Transport) -> Self {
        Found {
            value: found.cost,
            lower_bound: found.lower_bound,
            coupling: found.coupling,
            theta: None,
            method: found.solver,
            story: found.story,
            stop: found.stop,
            n_iter: found.lines + found.passes,
        }
    }
}

/// The default solver and its relatives.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the Python side names them")]
#[pyo3(signature = (x, y, a, b, method, effort, time_limit, lines, bounds, p, seed, threads, callback))]
pub fn solve(
    py: Python<'_>,
    x: &Bound<'_, PyAny>,
    y: &Bound<'_, PyAny>,
    a: Option<PyReadonlyArray1<'_, f64>>,
    b: Option<PyReadonlyArray1<'_, f64>>,
    method: &str,
    effort: u8,
    time_limit: Option<f64>,
    lines: Option<usize>,
    bounds: bool,
    p: f64,
    seed: u64,
    threads: Option<usize>,
    callback: Option<Py<PyAny>>,
) -> PyResult<Answer> {
    let start = Instant::now();
    let clouds = Clouds::new(x, y, a, b)?;
    let solver = Solver::new(Choice { method, effort, time_limit, lines, bounds, p, seed })?;
    // Small problems are solved exactly, in about this many steps.
    let work = clouds.work(8) + 20.0 * (clouds.sizes[0] as f64 * clouds.sizes[1] as f64);
    let work = clouds.work(lines.unwrap_or(1)).max(work);
    let found = run(py, Settings { threads, callback, work }, move |watch, parallelism| {
        with_measures!(clouds, |mu, nu| Ok(solver.find(&mu, &nu, parallelism, watch)?.0))
    })?;
    found.answer(py, start.elapsed())
}
