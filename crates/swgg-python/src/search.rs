//! SWGG at one direction, and searches for the best one.

use std::time::Instant;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use swgg::{
    Annealing, Blur, BlurWidth, Direction, DirectionSet, Gradient, InMemory, MinSwgg, Optimizer, Parallelism,
    Problem, RandomSearch, Stein, Stop, Sweep,
};

use crate::bound::{bounded, counted};
use crate::clouds::{Clouds, with_measures};
use crate::directions::{direction, directions};
use crate::errors::{Failure, Outcome};
use crate::run::{Settings, run};
use crate::solve::{Answer, Found};

/// What a search is told; what it is not told is as usual.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Look {
    search: Option<String>,
    n_projections: Option<usize>,
    steps: Option<usize>,
    restarts: Option<usize>,
    reach: Option<f64>,
    tolerance: Option<f64>,
    starts: Option<usize>,
    copies: Option<usize>,
    blur: Option<f64>,
    pairs: Option<usize>,
    radius: Option<f64>,
    learning_rate: Option<f64>,
    optimizer: Option<String>,
    keep_costs: bool,
}

impl Look {
    /// The same searches, with the same defaults, as on the command line.
    fn settings(
        &self,
        listed: Option<DirectionSet>,
        start: Option<Direction>,
        seed: u64,
        parallelism: Parallelism,
    ) -> Outcome<MinSwgg> {
        let keep_costs = self.keep_costs;
        let settings = MinSwgg::new().seed(seed).keep_costs(keep_costs).parallelism(parallelism);
        if let Some(listed) = listed {
            return Ok(settings.listed(listed));
        }
        let optimizer = match self.optimizer.as_deref() {
            Some("sgd") => Optimizer::Sgd,
            _ => Optimizer::Adam,
        };
        Ok(match self.search.as_deref() {
            None => settings,
            Some("random") => settings.directions(self.n_projections.unwrap_or(RandomSearch::DIRECTIONS)),
            Some("annealing") => {
                let usual = Annealing::default();
                settings.search(Annealing {
                    steps: self.steps.unwrap_or(usual.steps),
                    restarts: self.restarts.unwrap_or(usual.restarts),
                    reach: self.reach.unwrap_or(usual.reach),
                    tolerance: self.tolerance.unwrap_or(usual.tolerance),
                    start,
                    seed,
                    keep_costs,
                })
            }
            Some("gradient") => {
                let usual = Gradient::default();
                let width = self.blur.map_or(usual.blur.width, BlurWidth::Epsilon);
                settings.search(Gradient {
                    steps: self.steps.unwrap_or(usual.steps),
                    starts: self.starts.unwrap_or(usual.starts),
                    learning_rate: self.learning_rate.unwrap_or(usual.learning_rate),
                    optimizer,
                    blur: Blur { copies: self.copies, width, seed },
                    start,
                    seed,
                    keep_costs,
                })
            }
            Some("stein") => {
                let usual = Stein::default();
                settings.search(Stein {
                    steps: self.steps.unwrap_or(usual.steps),
                    pairs: self.pairs.unwrap_or(usual.pairs),
                    radius: self.radius.unwrap_or(usual.radius),
                    learning_rate: self.learning_rate.unwrap_or(usual.learning_rate),
                    optimizer,
                    start,
                    seed,
                    keep_costs,
                })
            }
            Some("sweep") => settings.search(Sweep { start, keep_costs }),
            Some(other) => return Err(Failure::Said(format!("search: found {other:?}, which is not one"))),
        })
    }

    /// About how many directions will be tried.
    fn lines(&self) -> usize {
        match self.search.as_deref() {
            Some("random") => self.n_projections.unwrap_or(RandomSearch::DIRECTIONS),
            _ => 500,
        }
    }
}

/// The plan of one direction.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the Python side names them")]
#[pyo3(signature = (x, y, a, b, theta, bounds, threads))]
pub fn swgg_at(
    py: Python<'_>,
    x: &Bound<'_, PyAny>,
    y: &Bound<'_, PyAny>,
    a: Option<PyReadonlyArray1<'_, f64>>,
    b: Option<PyReadonlyArray1<'_, f64>>,
    theta: PyReadonlyArray1<'_, f64>,
    bounds: bool,
    threads: Option<usize>,
) -> PyResult<Answer> {
    let start = Instant::now();
    let clouds = Clouds::new(x, y, a, b)?;
    let theta = direction("theta", &theta)?;
    let settings = Settings { threads, callback: None, work: clouds.work(if bounds { 16 } else { 1 }) };
    let found = run(py, settings, move |_, parallelism| {
        with_measures!(clouds, |mu, nu| {
            let problem = InMemory::with_parallelism(&mu, &nu, parallelism)?;
            let found = Found {
                value: problem.cost(&theta)?,
                lower_bound: None,
                coupling: problem.coupling(&theta)?,
                theta: Some(theta.as_slice().to_vec()),
                method: "swgg",
                story: "SWGG at one direction".into(),
                stop: Stop::AllTried,
                n_iter: 1,
            };
            if bounds { bounded(found, &mu, &nu, parallelism) } else { Ok(found) }
        })
    })?;
    found.answer(py, start.elapsed())
}

/// The plan of the best direction found; the name of the search; and the costs of all directions, if they were to be kept.
#[pyfunction]
#[expect(clippy::too_many_arguments, clippy::type_complexity, reason = "the Python side names them")]
#[pyo3(signature = (x, y, a, b, look, thetas, start, bounds, seed, threads, callback))]
pub fn min_swgg<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    y: &Bound<'py, PyAny>,
    a: Option<PyReadonlyArray1<'py, f64>>,
    b: Option<PyReadonlyArray1<'py, f64>>,
    look: Look,
    thetas: Option<PyReadonlyArray2<'py, f64>>,
    start: Option<PyReadonlyArray1<'py, f64>>,
    bounds: bool,
    seed: u64,
    threads: Option<usize>,
    callback: Option<Py<PyAny>>,
) -> PyResult<(Answer, &'static str, Option<Bound<'py, PyArray1<f64>>>)> {
    let begun = Instant::now();
    let clouds = Clouds::new(x, y, a, b)?;
    let thetas = directions("projections", thetas)?;
    let start = start.map(|start| direction("start", &start)).transpose()?;
    let lines = thetas.as_ref().map_or(look.lines(), DirectionSet::len);
    let settings = Settings { threads, callback, work: clouds.work(lines) };
    let (found, search, costs) = run(py, settings, move |watch, parallelism| {
        let settings = look.settings(thetas, start, seed, parallelism)?;
        with_measures!(clouds, |mu, nu| {
            let found = settings.solve_watched(&mu, &nu, watch)?;
            let plan = Found {
                value: found.cost,
                lower_bound: None,
                coupling: found.coupling,
                theta: Some(found.theta.as_slice().to_vec()),
                method: "min-swgg",
                story: story(found.search, found.tried),
                stop: found.stop,
                n_iter: found.tried,
            };
            let plan = if bounds { bounded(plan, &mu, &nu, parallelism)? } else { plan };
            Ok((plan, found.search, found.costs))
        })
    })?;
    Ok((found.answer(py, begun.elapsed())?, search, costs.map(|costs| costs.into_pyarray(py))))
}

fn story(search: &str, tried: usize) -> String {
    match search {
        "random" | "listed" => {
            format!("min-SWGG, best of {}", counted(tried, &format!("{search} direction")))
        }
        "sweep" => format!("min-SWGG, sweep of the plane, {}", counted(tried, "direction")),
        search => format!("min-SWGG by {search}, {} tried", counted(tried, "direction")),
    }
}
