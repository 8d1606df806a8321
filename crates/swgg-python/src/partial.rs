//! Partial transport: at given costs, and all masses at once along the line.

use std::collections::HashMap;
use std::time::Instant;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use swgg::line::partial_path_watched;
use swgg::setting::{Settings, Value};
use swgg::solver::posed;
use swgg::solver::settings::{DISCARD_COST, MASS, MASS_SOURCE, MASS_TARGET};
use swgg::{Exact, Measure, Question, Run, Solver};

use crate::answer::Answer;
use crate::ask::How;
use crate::emd::Costs;
use crate::errors::named;
use crate::held::Held;
use crate::run::{Task, run};

/// Sources, targets and what each step costs.
type Path<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>);

/// The cheapest plan at given costs of the part that is named: `mass`, `mass_source`, `mass_target`, `discard_cost`, or `moved`, which is a
/// mass rather than a share.
#[pyfunction]
pub fn partial_matrix<'py>(
    py: Python<'py>,
    costs: PyReadonlyArray2<'py, f64>,
    a: Option<PyReadonlyArray1<'py, f64>>,
    b: Option<PyReadonlyArray1<'py, f64>>,
    part: HashMap<String, f64>,
    how: How,
) -> PyResult<Answer> {
    let start = Instant::now();
    let costs = Costs::new(&costs, a, b)?;
    let (How(_, seed, threads, callback), work) = (how, 40.0 * costs.pairs());
    let found = run(py, Task { threads, callback, work }, move |watch, parallelism| {
        let [source, target] = costs.measures()?;
        let question = named("M", Question::new(&source, &target)?.with_costs(costs.matrix()?))?;
        let mut settings = Settings::new();
        for setting in [&MASS, &MASS_SOURCE, &MASS_TARGET, &DISCARD_COST] {
            if let Some(share) = part.get(setting.name) {
                settings.set(setting, Value::Number(*share))?;
            }
        }
        let question = match part.get("moved") {
            Some(mass) => question.with_moved(*mass)?,
            None => posed(question, &settings)?,
        };
        let mut run = Run { seed, parallelism, observer: Some(watch), ..Run::default() };
        named("M", Exact.answer(&question, &mut run))
    })?;
    Answer::told(py, found, start.elapsed())
}

/// The path of partial transport along the line: which source and which target each step adds, and at what cost.
#[pyfunction]
pub fn partial_line<'py>(
    py: Python<'py>,
    x: PyReadonlyArray1<'py, f64>,
    y: PyReadonlyArray1<'py, f64>,
    p: f64,
) -> PyResult<Path<'py>> {
    let (x, y) = (Held::new(&x)?, Held::new(&y)?);
    let work = 100.0 * (x.len() + y.len()) as f64;
    let path = run(py, Task { threads: Some(1), callback: None, work }, move |watch, _| {
        let source = named("x", Measure::from_slice(&x, 1))?;
        let target = named("y", Measure::from_slice(&y, 1))?;
        Ok(partial_path_watched(&source, &target, p, watch)?)
    })?;
    let indices = |points: Vec<u32>| points.into_iter().map(i64::from).collect::<Vec<_>>().into_pyarray(py);
    Ok((indices(path.sources), indices(path.targets), path.marginal_costs.into_pyarray(py)))
}
