//! The registry of methods and searches, as Python reads it.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use swgg::paper::SEARCHES;
use swgg::setting::{Kind, Setting};
use swgg::solver::{METHODS, PlanKind};

/// An entry with its name, its line of help, and its settings.
fn entry<'py>(
    py: Python<'py>,
    name: &str,
    about: &str,
    settings: &[&Setting],
) -> PyResult<Bound<'py, PyDict>> {
    let entry = PyDict::new(py);
    entry.set_item("name", name)?;
    entry.set_item("about", about)?;
    let settings = settings.iter().map(|setting| told(py, setting)).collect::<PyResult<Vec<_>>>()?;
    entry.set_item("settings", settings)?;
    Ok(entry)
}

fn told<'py>(py: Python<'py>, setting: &Setting) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    told.set_item("name", setting.name)?;
    told.set_item("about", setting.about)?;
    told.set_item("instead_of", setting.instead_of)?;
    let kind = match setting.kind {
        Kind::Count { least, most } => {
            told.set_item("limits", (least, most))?;
            "count"
        }
        Kind::Number => "number",
        Kind::Word(words) => {
            told.set_item("words", words)?;
            "word"
        }
        Kind::Flag => "flag",
        Kind::Vector => "vector",
        Kind::Directions => "directions",
        Kind::Points => "points",
        Kind::Costs | Kind::Matrix => "costs",
        Kind::Labels => "labels",
        // Kinds to come.
        _ => "other",
    };
    told.set_item("kind", kind)?;
    Ok(told)
}

/// The names of the methods that transfer colours.
#[pyfunction]
pub fn color_methods() -> Vec<&'static str> {
    swgg_apps::color::Method::all().into_iter().map(|(name, _)| name).collect()
}

/// The names of the ways to match points in a registration.
#[pyfunction]
pub fn matchings() -> Vec<&'static str> {
    swgg_apps::registration::Matching::all().into_iter().map(|(name, _)| name).collect()
}

/// Every method: `name`, `about`, `settings`, and as its `plan` what it has beside a cost.
#[pyfunction]
pub fn methods(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let method = |method: &swgg::solver::Method| {
        let entry = entry(py, method.name, method.about, method.settings)?;
        let plan = match method.plan {
            PlanKind::Plan => "plan",
            PlanKind::Map => "map",
            PlanKind::Neither => "neither",
        };
        entry.set_item("plan", plan)?;
        Ok(entry)
    };
    METHODS.iter().map(method).collect()
}

/// Every search of min-SWGG: `name`, `about`, `settings`.
#[pyfunction]
pub fn searches(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    SEARCHES.iter().map(|search| entry(py, search.name, search.about, search.settings)).collect()
}
