//! The motion that brings one cloud onto another.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;
use swgg_apps::registration::{
    Group, Matching, Motion, Overlap, Settings as How, Start, Step, align_watched,
};

use crate::clouds::{Clouds, with_measures};
use crate::errors::{Failure, Outcome};
use crate::run::{Task, run};

/// What a registration is told.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Choices {
    matching: String,
    n_projections: usize,
    group: String,
    /// None to have it found.
    overlap: Option<f64>,
    max_steps: usize,
    tolerance: f64,
    seed: u64,
}

impl Choices {
    fn settings(&self) -> Outcome<How> {
        let unknown = |name: &str, found: &str| Failure::Said(format!("{name}: found {found:?}"));
        let matching =
            Matching::from_name(&self.matching).ok_or_else(|| unknown("matching", &self.matching))?;
        let matching = matching.with_directions(self.n_projections).unwrap_or(matching);
        Ok(How {
            matching,
            group: match self.group.as_str() {
                "rigid" => Group::Rigid,
                "orthogonal" => Group::Orthogonal,
                "similarity" => Group::Similarity,
                found => return Err(unknown("group", found)),
            },
            overlap: self.overlap.map_or(Overlap::Auto, Overlap::Share),
            max_steps: self.max_steps,
            tolerance: self.tolerance,
            seed: self.seed,
            ..Default::default()
        })
    }
}

/// `(matrix, rotation, translation, scale, is a reflection)`.
type Moved = (Py<PyArray2<f64>>, Py<PyArray2<f64>>, Py<PyArray1<f64>>, f64, bool);
/// `(overlap, cost, stop, confidence, its sentence)`.
type Judged = (f64, f64, &'static str, &'static str, String);
/// `(stage, matrix, points, cost, change)`.
type Told = (&'static str, Py<PyArray2<f64>>, usize, f64, f64);

/// The motion, what is to be said of it, every step, and seconds of the start and of the rest.
type Registered = (Moved, Judged, Vec<Told>, (f64, f64));

/// A registration in its parts.
#[pyfunction]
#[pyo3(signature = (source, target, start, choices, threads, callback))]
pub fn register(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    target: &Bound<'_, PyAny>,
    start: Option<PyReadonlyArray2<'_, f64>>,
    choices: Choices,
    threads: Option<usize>,
    callback: Option<Py<PyAny>>,
) -> PyResult<Registered> {
    let clouds = Clouds::new(source, target, None, None)?.called(["source", "target"]);
    let mut how = choices.settings()?;
    if let Some(matrix) = start {
        let motion = Motion::from_matrix(matrix.as_array());
        how.start = Start::At(motion.map_err(|error| Failure::Said(format!("start: {error}")))?);
    }
    // Many poses are tried, and small clouds are matched exactly.
    let work = clouds.work(100) + 20.0 * (clouds.sizes[0] as f64 * clouds.sizes[1] as f64);
    let found = run(py, Task { threads, callback, work }, move |watch, parallelism| {
        let how = How { parallelism, ..how };
        with_measures!(clouds, |mu, nu| Ok(align_watched(&mu, &nu, &how, watch)?))
    })?;
    let matrix = |motion: &Motion| motion.matrix().into_pyarray(py).unbind();
    let told = |step: &Step| (step.stage.name(), matrix(&step.motion), step.points, step.cost, step.change);
    let steps = found.steps.iter().map(told).collect();
    let judged =
        (found.overlap, found.cost, found.stop.name(), found.confidence.name(), found.confidence.to_string());
    let whole = matrix(&found.motion);
    let is_reflection = found.motion.is_reflection();
    let Motion { rotation, translation, scale } = found.motion;
    let moved = (
        whole,
        rotation.into_pyarray(py).unbind(),
        translation.into_pyarray(py).unbind(),
        scale,
        is_reflection,
    );
    Ok((moved, judged, steps, (found.seconds.start, found.seconds.iterate)))
}
