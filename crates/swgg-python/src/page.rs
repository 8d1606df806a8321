//! Pages to look at.

use numpy::{PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use swgg::ndarray::Array2;
use swgg_cli::{Told, Way, plan_page};

use crate::clouds::{Clouds, with_measures};
use crate::errors::{Failure, Outcome};
use crate::guard::guarded;
use crate::plan::Plan;

/// The page of a plan, or of a map, as HTML.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "as many as there are parts")]
#[pyo3(signature = (clouds, plan, image, title, facts, cost, lower_bound, exponent))]
pub fn page(
    py: Python<'_>,
    clouds: Clouds,
    plan: Option<Py<Plan>>,
    image: Option<Bound<'_, PyArray2<f64>>>,
    title: String,
    facts: Vec<(String, String)>,
    cost: f64,
    lower_bound: Option<f64>,
    exponent: Option<f64>,
) -> PyResult<String> {
    let image: Option<Array2<f64>> = image.map(|image| image.readonly().as_array().to_owned());
    let told = Told { title, facts, cost, lower_bound, exponent };
    let text: Outcome<String> = py.detach(|| {
        guarded(|| {
            let way = match (&plan, &image) {
                (Some(plan), _) => Way::Plan(&plan.get().coupling),
                (None, Some(image)) => Way::Map(image),
                (None, None) => Way::Nothing,
            };
            with_measures!(clouds, |mu, nu| plan_page([&mu, &nu], way, told).map_err(Failure::Said))
        })
    });
    Ok(text?)
}
