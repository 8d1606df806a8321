//! The only place where refusals become exceptions.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use swgg::{Error, ErrorKind};
use swgg_apps::{barycenter, color, flow, otdd, registration};

/// What can go wrong below Python.
pub enum Failure {
    /// The engine refuses.
    Refused(Error),
    /// The engine refuses an argument that has a name.
    Argument(&'static str, Error),
    /// The wrapper refuses.
    Said(String),
    /// The machine has no more of something.
    Exhausted(String),
    /// A mistake of ours.
    Panicked(String),
}

pub type Outcome<T> = Result<T, Failure>;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Refused(error)
    }
}

/// Refusals of applications, each with the kinds of which the machine has too little; refusals of the engine stay what they are.
macro_rules! refusals_of_applications {
    ($($application:ident: $($exhausted:ident)|+;)+) => {$(
        impl From<$application::Error> for Failure {
            fn from(error: $application::Error) -> Self {
                match error {
                    $application::Error::Transport(error) => Failure::Refused(error),
                    $($application::Error::$exhausted { .. })|+ => Failure::Exhausted(error.to_string()),
                    error => Failure::Said(error.to_string()),
                }
            }
        }
    )+};
}

refusals_of_applications! {
    barycenter: Threads | TooManyPoints;
    color: Threads;
    flow: Threads;
    otdd: Threads;
    registration: Threads;
}

/// Adds the name of the argument to a refusal.
pub fn named<T>(argument: &'static str, result: swgg::Result<T>) -> Outcome<T> {
    result.map_err(|error| Failure::Argument(argument, error))
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        Python::attach(|py| {
            let (class, message) = match failure {
                Failure::Refused(error) => (class_of(&error), error.to_string()),
                Failure::Argument(name, error) => (class_of(&error), format!("{name}: {error}")),
                Failure::Said(message) => ("InputError", message),
                Failure::Exhausted(message) => ("SizeError", message),
                Failure::Panicked(message) => {
                    ("InternalError", format!("{message}; this is a bug of swgg: please report it"))
                }
            };
            match exception(py, class) {
                Ok(class) => PyErr::from_type(class, message),
                Err(error) => error,
            }
        })
    }
}

fn class_of(error: &Error) -> &'static str {
    match error.kind() {
        ErrorKind::DenseTooLarge { .. } | ErrorKind::PlanTooLarge { .. } => "SizeError",
        ErrorKind::Threads { .. } => "InternalError",
        _ => "InputError",
    }
}

/// Exceptions have two parents, which is easier said in Python.
fn exception<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyType>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || py.import("swgg.exceptions").map(Bound::unbind))?;
    Ok(module.bind(py).getattr(name)?.cast_into::<PyType>()?)
}
