//! The cloud in the middle of several.

use std::time::Instant;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use swgg::ndarray::Array2;
use swgg::question::Sizes;
use swgg::{Measure, Run};
use swgg_apps::barycenter::{Ending, Settings, barycenter as search};

use crate::ask::{Asked, How};
use crate::errors::{Failure, Outcome};
use crate::held::Held;
use crate::plan::Plan;
use crate::run::{Task, run};

/// Points and their weights.
type Cloud<'py> = (PyReadonlyArray2<'py, f64>, Option<PyReadonlyArray1<'py, f64>>);

/// The same, held without the interpreter's lock.
struct HeldCloud {
    points: Held<f64>,
    weights: Option<Held<f64>>,
    rows: usize,
    dim: usize,
}

/// What a search is told beside the method.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Choices {
    weights: Option<Vec<f64>>,
    n_points: Option<usize>,
    max_steps: usize,
    /// The share of the objective that the last step gains.
    tolerance: Option<f64>,
    /// POT's rule instead: the sum of squared distances that the last step moves points by.
    shift: Option<f64>,
}

impl HeldCloud {
    fn new((points, weights): &Cloud<'_>) -> PyResult<Self> {
        let weights = weights.as_ref().map(Held::new).transpose()?;
        let (rows, dim) = (points.shape()[0], points.shape()[1]);
        Ok(HeldCloud { points: Held::new(points)?, weights, rows, dim })
    }

    fn measure(&self, name: &str, weights_name: &str) -> Outcome<Measure<'_, f64>> {
        let named = |name: &str, error: swgg::Error| Failure::Said(format!("{name}: {error}"));
        let points = Measure::from_slice(&self.points, self.dim).map_err(|error| named(name, error))?;
        match &self.weights {
            Some(weights) => points.with_weights(weights).map_err(|error| named(weights_name, error)),
            None => Ok(points),
        }
    }

    fn owned(&self, name: &str, weights_name: &str) -> Outcome<Measure<'static, f64>> {
        let weights = self.measure(name, weights_name)?.weights().map(<[f64]>::to_vec);
        let points = Measure::from_vec(self.points.to_vec(), self.dim)?;
        Ok(match weights {
            Some(weights) => points.with_weights(&weights)?,
            None => points,
        })
    }
}

/// Points, and their weights unless they are equal.
type WeightedPoints = (Py<PyArray2<f64>>, Option<Py<PyArray1<f64>>>);
/// `(weights, objective, lower bound, gap, cost to each cloud)`.
type Judged = (Vec<f64>, f64, Option<f64>, Option<f64>, Vec<Option<f64>>);
/// `(objective, shift, effort)`.
type Told = (f64, f64, Option<u8>);
/// `(is a geodesic, why it ended, a sentence, seconds)`.
type Story = (bool, &'static str, String, f64);

/// A barycenter in its parts: points, what is to be said of it, the plan to each cloud, every step, and the story.
type Parts = (WeightedPoints, Judged, Vec<Option<Plan>>, Vec<Told>, Story);

/// The Python side has seen to it that arrays are contiguous and of one number of columns. `names` are what the caller calls the clouds, the
/// weights of their points, the start and its weights.
#[pyfunction]
#[pyo3(signature = (clouds, start, choices, method, settings, how, names))]
#[allow(clippy::too_many_arguments)]
pub fn barycenter<'py>(
    py: Python<'py>,
    clouds: Vec<Cloud<'py>>,
    start: Option<Cloud<'py>>,
    choices: Choices,
    method: &str,
    settings: &Bound<'py, PyDict>,
    how: How,
    names: [String; 4],
) -> PyResult<Parts> {
    let started = Instant::now();
    let How(bounds, seed, threads, callback) = how;
    let asked = Asked::by_name(method, settings)?;
    let (time_limit, gap) = (asked.time_limit, asked.gap);
    let clouds = clouds.iter().map(HeldCloud::new).collect::<PyResult<Vec<_>>>()?;
    let start = start.as_ref().map(HeldCloud::new).transpose()?;
    let most = clouds.iter().map(|cloud| cloud.rows).max().unwrap_or(0);
    let points = start.as_ref().map(|start| start.rows).or(choices.n_points).unwrap_or(most);
    let sizes = Sizes { n: points, m: most, d: clouds.first().map_or(1, |cloud| cloud.dim) };
    // A step or two of this size are not worth a thread of their own.
    let work = 2.0 * sizes.n as f64 * sizes.m as f64 * (sizes.d + 8) as f64 * clouds.len() as f64;
    let found = run(py, Task { threads, callback, work }, move |watch, parallelism| {
        let maker = asked.solver.plan_maker()?;
        let [cloud_name, mass_name, start_name, start_mass_name] = &names;
        let measures = clouds
            .iter()
            .enumerate()
            .map(|(k, cloud)| cloud.measure(&format!("{cloud_name}[{k}]"), &format!("{mass_name}[{k}]")));
        let measures = measures.collect::<Outcome<Vec<_>>>()?;
        let wanted = Settings {
            weights: choices.weights,
            points: choices.n_points,
            start: start.as_ref().map(|start| start.owned(start_name, start_mass_name)).transpose()?,
            ending: match (choices.shift, choices.tolerance) {
                (Some(shift), _) => Ending::Shift(shift),
                (None, Some(share)) => Ending::Gain(share),
                (None, None) => Ending::AsPlansAre,
            },
            max_steps: choices.max_steps,
        };
        // A time beyond what the clock can tell is no limit.
        let deadline = time_limit.and_then(|limit| Instant::now().checked_add(limit));
        let mut run =
            Run { seed, parallelism, bounds, gap, deadline, observer: Some(watch), ..Run::default() };
        Ok(search(&measures, &maker, &wanted, &mut run)?)
    })?;
    let (rows, dim) = (found.support.len(), found.support.dim());
    let judged =
        (found.weights.clone(), found.objective, found.lower_bound, found.gap(), found.costs.clone());
    let points = Array2::from_shape_vec((rows, dim), found.support.points().to_vec())
        .map_err(|error| Failure::Panicked(error.to_string()))?;
    let masses = found.support.weights().map(|masses| masses.to_vec().into_pyarray(py).unbind());
    let steps = found.steps.iter().map(|step| (step.objective, step.shift_sq, step.effort)).collect();
    let plans = found.plans.into_iter().map(|plan| plan.map(|coupling| Plan { coupling })).collect();
    let story = (found.is_geodesic, found.stop.name(), found.story, started.elapsed().as_secs_f64());
    Ok(((points.into_pyarray(py).unbind(), masses), judged, plans, steps, story))
}
