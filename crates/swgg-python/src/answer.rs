//! What a solver found, as Python sees it.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};
use swgg::Transport;
use swgg::answer::Fact;
use swgg::ndarray::Array2;
use swgg::plan::Potentials;

use crate::plan::Plan;

/// Potentials of sources and targets.
type Both = (Py<PyArray1<f64>>, Py<PyArray1<f64>>);

/// The answer of any solver.
#[pyclass(frozen, module = "swgg._swgg")]
pub struct Answer {
    /// The cost, not rooted.
    #[pyo3(get)]
    value: f64,
    /// What no plan can cost less than, if it is known.
    #[pyo3(get)]
    lower_bound: Option<f64>,
    /// None if it would have too many entries.
    #[pyo3(get)]
    plan: Option<Py<Plan>>,
    #[pyo3(get)]
    theta: Option<Py<PyArray1<f64>>>,
    /// Which solver it was.
    #[pyo3(get)]
    method: String,
    /// One sentence on what was done.
    #[pyo3(get)]
    story: String,
    /// Why it ended.
    #[pyo3(get)]
    stop: String,
    #[pyo3(get)]
    n_iter: usize,
    #[pyo3(get)]
    seconds: f64,
    /// What few ask for becomes objects of Python when somebody does.
    rest: Mutex<Option<Rest>>,
    shown: PyOnceLock<Shown>,
}

/// What the engine says beside the plan.
struct Rest {
    potentials: Option<Potentials>,
    image: Option<Array2<f64>>,
    facts: Vec<(&'static str, Fact)>,
}

/// The same as Python sees it.
struct Shown {
    potentials: Option<Both>,
    image: Option<Py<PyArray2<f64>>>,
    facts: Py<PyDict>,
}

impl Rest {
    fn shown(self, py: Python<'_>) -> PyResult<Shown> {
        let facts = PyDict::new(py);
        for (name, fact) in self.facts {
            facts.set_item(name, value(py, fact)?)?;
        }
        let vector = |numbers: Vec<f64>| numbers.into_pyarray(py).unbind();
        Ok(Shown {
            potentials: self.potentials.map(|both| (vector(both.source), vector(both.target))),
            image: self.image.map(|image| image.into_pyarray(py).unbind()),
            facts: facts.unbind(),
        })
    }
}

#[pymethods]
impl Answer {
    /// An answer from its parts, in this order.
    #[new]
    #[expect(clippy::too_many_arguments, reason = "as many as there are parts")]
    fn new(
        py: Python<'_>,
        value: f64,
        lower_bound: Option<f64>,
        plan: Option<Py<Plan>>,
        theta: Option<Py<PyArray1<f64>>>,
        method: String,
        story: String,
        stop: String,
        n_iter: usize,
        seconds: f64,
        potentials: Option<Both>,
        image: Option<Py<PyArray2<f64>>>,
        facts: Py<PyDict>,
    ) -> Self {
        let shown = PyOnceLock::new();
        let _ = shown.set(py, Shown { potentials, image, facts });
        let rest = Mutex::new(None);
        Answer { value, lower_bound, plan, theta, method, story, stop, n_iter, seconds, rest, shown }
    }

    /// Dual potentials of sources and targets, if the solver has them.
    #[getter]
    fn potentials(&self, py: Python<'_>) -> PyResult<Option<Both>> {
        Ok(self.shown(py)?.potentials.as_ref().map(|(u, v)| (u.clone_ref(py), v.clone_ref(py))))
    }

    /// Mean images of the sources, where there is no plan to take them from.
    #[getter]
    fn image(&self, py: Python<'_>) -> PyResult<Option<Py<PyArray2<f64>>>> {
        Ok(self.shown(py)?.image.as_ref().map(|image| image.clone_ref(py)))
    }

    /// What only this solver has to say.
    #[getter]
    fn facts(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        Ok(self.shown(py)?.facts.clone_ref(py))
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
            self.potentials(py)?,
            self.image(py)?,
            self.facts(py)?,
        );
        Ok((py.get_type::<Answer>(), parts.into_pyobject(py)?))
    }
}

impl Answer {
    /// The same from the engine.
    pub fn told(py: Python<'_>, found: Transport, time: Duration) -> PyResult<Self> {
        // The default solver is called by the part of it that found the plan.
        let method = match found.fact("solver") {
            Some(Fact::Text(part)) => part.clone(),
            _ => found.method.to_string(),
        };
        let Transport { potentials, image, facts, .. } = found;
        Ok(Answer {
            value: found.cost,
            lower_bound: found.lower_bound,
            plan: found.coupling.map(|coupling| Py::new(py, Plan { coupling })).transpose()?,
            theta: found.direction.map(|theta| PyArray1::from_slice(py, theta.as_slice()).unbind()),
            method,
            story: found.story,
            stop: found.stop.name().into(),
            n_iter: found.steps,
            seconds: time.as_secs_f64(),
            rest: Mutex::new(Some(Rest { potentials, image, facts })),
            shown: PyOnceLock::new(),
        })
    }

    fn shown(&self, py: Python<'_>) -> PyResult<&Shown> {
        self.shown.get_or_try_init(py, || {
            let rest = self.rest.lock().unwrap_or_else(PoisonError::into_inner).take();
            rest.unwrap_or(Rest { potentials: None, image: None, facts: Vec::new() }).shown(py)
        })
    }
}

fn value(py: Python<'_>, fact: Fact) -> PyResult<Bound<'_, PyAny>> {
    Ok(match fact {
        Fact::Count(count) => count.into_pyobject(py)?.into_any(),
        Fact::Counts([source, target]) => (source, target).into_pyobject(py)?.into_any(),
        Fact::Number(number) => number.into_pyobject(py)?.into_any(),
        Fact::Text(text) => text.into_pyobject(py)?.into_any(),
        Fact::Flag(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
        Fact::Series(numbers) => numbers.into_pyarray(py).into_any(),
        Fact::Matrix(matrix) => matrix.into_pyarray(py).into_any(),
        Fact::Masses(masses) => {
            let (points, masses): (Vec<i64>, Vec<f64>) =
                masses.into_iter().map(|(i, mass)| (i64::from(i), mass)).unzip();
            (points.into_pyarray(py), masses.into_pyarray(py)).into_pyobject(py)?.into_any()
        }
        // Nothing, and what is to come.
        _ => py.None().into_bound(py),
    })
}
