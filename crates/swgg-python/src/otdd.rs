//! Distances between data sets.

use std::time::Instant;

use numpy::{IntoPyArray, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use swgg::Run;
use swgg::setting::{Setting, Settings as OwnSettings};
use swgg::solver::settings::{EFFORT, GAP};
use swgg_apps::otdd::{
    DataSet, LABEL_DISTANCES, LabelDistance, Settings, otdd_matrix, outer_methods, outer_solver, sample,
};

use crate::ask::{How, read};
use crate::errors::{Failure, Outcome};
use crate::run::{Task, run};

/// What a comparison is told.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Choices {
    label_distance: String,
    power: f64,
    method: String,
    effort: Option<usize>,
    gap: Option<f64>,
    samples: Option<usize>,
}

/// Points and labels.
type Given<'py> = (PyReadonlyArray2<'py, f64>, PyReadonlyArray1<'py, u32>);

/// A copy of them that needs no interpreter, and what the caller calls the points.
struct Rows {
    name: String,
    points: Vec<f64>,
    dim: usize,
    labels: Vec<u32>,
}

impl Rows {
    /// The data set, or a sample of it.
    fn data_set(self, samples: Option<usize>, seed: u64) -> Outcome<DataSet> {
        let Rows { name, points, dim, labels } = self;
        let made = match samples.filter(|count| *count < labels.len()) {
            None => DataSet::new(points, dim, &labels),
            Some(count) => sample(labels.len(), count, seed).and_then(|rows| {
                let chosen = rows.iter().flat_map(|row| &points[row * dim..(row + 1) * dim]).copied();
                let labels: Vec<u32> = rows.iter().map(|row| labels[*row]).collect();
                DataSet::new(chosen.collect(), dim, &labels)
            }),
        };
        made.map_err(|error| Failure::Said(format!("{name}: {error}")))
    }
}

/// Labels that there are, by their numbers, and how many points bear each.
type Classes = (Vec<u32>, Vec<usize>);
/// `(distance, cost, what the cost is, lower bound, gap)`.
type Judged = (f64, f64, &'static str, Option<f64>, Option<f64>);
/// `(source, target, judged, distances between labels, story, stop, seconds of labels and plan)`.
type Pair = (usize, usize, Judged, Py<PyArray2<f64>>, String, &'static str, (f64, f64));
/// The matrix, every pair, the classes of every data set, why it ended, and seconds.
type MatrixParts = (Py<PyArray2<f64>>, Vec<Pair>, Vec<Classes>, &'static str, f64);

/// Distances between all pairs of some data sets, in their parts. The Python side has seen to it that arrays are contiguous and labels as many as points.
#[pyfunction]
pub fn otdd<'py>(
    py: Python<'py>,
    sets: Vec<Given<'py>>,
    names: Vec<String>,
    choices: Choices,
    settings: &Bound<'py, PyDict>,
    how: How,
) -> PyResult<MatrixParts> {
    let started = Instant::now();
    let How(bounds, seed, threads, callback) = how;
    let mut of_labels = OwnSettings::new();
    for (name, value) in settings.iter() {
        let name: String = name.extract()?;
        let all = LABEL_DISTANCES.iter().flat_map(|kind| kind.settings);
        let setting: Option<&'static Setting> = all.copied().find(|setting| setting.name == name);
        let setting = setting.ok_or_else(|| Failure::Said(format!("{name}: there is no such setting")))?;
        of_labels.set(setting, read(setting, &value)?).map_err(Failure::from)?;
    }
    let asked = Settings {
        label_distance: LabelDistance::build(&choices.label_distance, &of_labels).map_err(Failure::from)?,
        power: choices.power,
    };
    asked.validate().map_err(Failure::from)?;
    let mut of_method = OwnSettings::new();
    if let Some(effort) = choices.effort {
        of_method.set(&EFFORT, swgg::setting::Value::Count(effort)).map_err(Failure::from)?;
    }
    if let Some(gap) = choices.gap {
        of_method.set(&GAP, swgg::setting::Value::Number(gap)).map_err(Failure::from)?;
        Run::default().within(gap).map_err(Failure::from)?;
    }
    outer_solver(&choices.method, &of_method).map_err(Failure::from)?;
    let held = |(name, (points, labels)): (String, &Given<'py>)| -> PyResult<Rows> {
        let dim = points.shape()[1];
        Ok(Rows { name, points: points.as_slice()?.to_vec(), dim, labels: labels.as_slice()?.to_vec() })
    };
    let rows = names.into_iter().zip(&sets).map(held).collect::<PyResult<Vec<_>>>()?;
    let all: f64 = rows.iter().map(|rows| rows.points.len() as f64).sum();
    let most = rows.iter().map(|rows| rows.labels.len()).max().unwrap_or(0) as f64;
    let work = 2.0 * all * most;
    let found = run(py, Task { threads, callback, work }, move |watch, parallelism| {
        let sets = rows.into_iter().map(|rows| rows.data_set(choices.samples, seed));
        let sets = sets.collect::<Outcome<Vec<_>>>()?;
        let solver = outer_solver(&choices.method, &of_method)?;
        let gap = choices.gap;
        let mut run = Run { seed, parallelism, bounds, gap, observer: Some(watch), ..Run::default() };
        let found = otdd_matrix(&sets, &asked, &*solver, &mut run)?;
        let classes: Vec<Classes> =
            sets.iter().map(|set| (set.labels().to_vec(), set.class_sizes())).collect();
        Ok((found, classes))
    })?;
    let (found, classes) = found;
    let stop = found.stop.name();
    let pairs = found.pairs.into_iter().map(|pair| {
        let judged = (pair.distance, pair.cost, pair.cost_is.name(), pair.lower_bound, pair.gap);
        let labels = pair.label_distances.into_pyarray(py).unbind();
        let seconds = (pair.seconds[0], pair.seconds[1]);
        (pair.source, pair.target, judged, labels, pair.story, pair.stop.name(), seconds)
    });
    let pairs = pairs.collect();
    Ok((found.matrix.into_pyarray(py).unbind(), pairs, classes, stop, started.elapsed().as_secs_f64()))
}

/// Names of distances between labels, and of methods that find plans at their costs.
#[pyfunction]
pub fn otdd_names() -> (Vec<&'static str>, Vec<&'static str>) {
    (LABEL_DISTANCES.iter().map(|kind| kind.name).collect(), outer_methods())
}
