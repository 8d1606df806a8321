//! Particles along the gradient of a loss.

use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use swgg::setting::Settings;
use swgg_apps::flow::{LOSSES, Loss, Optimizer, Settings as How, flow_watched};

use crate::ask::read;
use crate::clouds::{Clouds, with_measures};
use crate::errors::Failure;
use crate::run::{Task, run};

/// What a flow is told.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Choices {
    loss: String,
    warm: bool,
    steps: usize,
    rate: f64,
    optimizer: String,
    every: Option<usize>,
    exact_every: Option<usize>,
    seed: u64,
}

/// Particles that were kept.
type Kept = Vec<(usize, Py<PyArray2<f64>>)>;
/// Losses and exact distances step by step, NaN where none was looked for.
type Story = (Py<PyArray1<f64>>, Py<PyArray1<f64>>);
/// The particles, the story, what was kept, `(steps, stop, search)`, and seconds of steps and of exact distances.
type Flowed = (Py<PyArray2<f64>>, Story, Kept, (usize, &'static str, Option<&'static str>), (f64, f64));

/// A flow in its parts.
#[pyfunction]
pub fn flow(
    py: Python<'_>,
    clouds: Clouds,
    choices: Choices,
    settings: &Bound<'_, PyDict>,
    threads: Option<usize>,
    callback: Option<Py<PyAny>>,
) -> PyResult<Flowed> {
    let mut told = Settings::new();
    for (name, value) in settings.iter() {
        let name: String = name.extract()?;
        let all = LOSSES.iter().flat_map(|kind| kind.settings);
        let setting = all.copied().find(|setting| setting.name == name);
        let setting = setting.ok_or_else(|| Failure::Said(format!("{name}: there is no such setting")))?;
        told.set(setting, read(setting, &value)?).map_err(Failure::from)?;
    }
    let how = How {
        loss: Loss::build(&choices.loss, &told, choices.warm).map_err(Failure::from)?,
        steps: choices.steps,
        rate: choices.rate,
        optimizer: Optimizer::from_name(&choices.optimizer).map_err(Failure::from)?,
        every: choices.every,
        exact_every: choices.exact_every,
        seed: choices.seed,
        ..Default::default()
    };
    how.validate().map_err(Failure::from)?;
    let work = clouds.work(Loss::DIRECTIONS) * how.steps as f64;
    let found = run(py, Task { threads, callback, work }, move |watch, parallelism| {
        let how = How { parallelism, ..how };
        with_measures!(clouds, |mu, nu| Ok(flow_watched(&mu, &nu, &how, watch)?))
    })?;
    let line = |numbers: Vec<f64>| numbers.into_pyarray(py).unbind();
    let losses = line(found.story.iter().map(|step| step.loss).collect());
    let distances = line(found.story.iter().map(|step| step.w2.unwrap_or(f64::NAN)).collect());
    let kept = found.snapshots.into_iter().map(|kept| (kept.step, kept.points.into_pyarray(py).unbind()));
    Ok((
        found.points.into_pyarray(py).unbind(),
        (losses, distances),
        kept.collect(),
        (found.steps, found.stop.name(), found.search),
        (found.seconds[0], found.seconds[1]),
    ))
}

/// Names of losses, and of the settings that each has.
#[pyfunction]
pub fn losses() -> Vec<(&'static str, Vec<&'static str>)> {
    let settings = |own: &[&'static swgg::setting::Setting]| own.iter().map(|setting| setting.name).collect();
    LOSSES.iter().map(|kind| (kind.name, settings(kind.settings))).collect()
}
