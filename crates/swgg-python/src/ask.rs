//! Who is asked, by name or as a solver with settings of its own, and how it runs.

use std::time::{Duration, Instant};

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use swgg::line::DirectionSet;
use swgg::question::Sizes;
use swgg::run::time_limit;
use swgg::setting::{Kind, Setting, Settings, Value};
use swgg::solver::settings::{GAP, TIME_LIMIT};
use swgg::solver::{
    AskedCost, Estimate, METHODS, Method, PosedCost, build, find, in_double_precision, posed, read_labels,
};
use swgg::{Measure, Question, Result, Run, Scalar, Solver, Transport};
use swgg_apps::barycenter::{self, PlanMaker};

use crate::answer::Answer;
use crate::clouds::{Clouds, with_measures};
use crate::errors::{Failure, Outcome, named};
use crate::run::{Task, run};

/// Multiplications in a second that solvers think of in their estimates, more or less.
const SPEED: f64 = 5e8;

/// How a call runs: whether bounds are wanted, the seed, the threads, and who is told.
#[derive(FromPyObject)]
pub struct How(pub bool, pub u64, pub Option<usize>, pub Option<Py<PyAny>>);

/// A solver, and what its settings say about the question and the run.
pub struct Asked<S> {
    pub solver: S,
    /// Where it is said what pairs cost and which mass moves.
    pub settings: Settings,
    pub time_limit: Option<Duration>,
    pub gap: Option<f64>,
}

/// A method of the registry with its settings, for points of either precision.
pub struct ByName {
    method: &'static Method,
    settings: Settings,
    /// The solver, for estimates; in this precision as well as in the other.
    solver: Box<dyn Solver<f64>>,
}

impl<S> Asked<S> {
    /// For squared distances, and as long as it takes.
    pub fn new(solver: S) -> Self {
        Asked { solver, settings: Settings::new(), time_limit: None, gap: None }
    }
}

impl Asked<ByName> {
    /// The method of this name; refuses settings that it does not have.
    pub fn by_name(name: &str, given: &Bound<'_, PyDict>) -> PyResult<Self> {
        let method = find(name).map_err(Failure::from)?;
        let settings = read_settings(method, given)?;
        let solver = build::<f64>(method, &settings).map_err(Failure::from)?;
        AskedCost::of(&settings).map_err(Failure::from)?;
        let time_limit = settings.number(&TIME_LIMIT).map(|seconds| {
            time_limit(seconds)
                .map_err(|rule| Failure::Said(format!("time_limit: found {seconds:?}, expected {rule}")))
        });
        let (told, time_limit) = (settings.clone(), time_limit.transpose()?);
        let gap = settings.number(&GAP);
        if let Some(gap) = gap {
            Run::default().within(gap).map_err(Failure::from)?;
        }
        Ok(Asked { solver: ByName { method, settings, solver }, settings: told, time_limit, gap })
    }
}

impl<S: Solver<f32> + Solver<f64> + Send + 'static> Asked<S> {
    /// About how much there is to do, in multiplications or so.
    pub fn work(&self, clouds: &Clouds) -> f64 {
        let run = Run::on_threads(1).without_bounds();
        SPEED * Solver::<f64>::estimate(&self.solver, clouds.sizes(), &run).seconds
    }

    /// The answer between two measures.
    pub fn between<T: Scalar>(
        &self,
        mu: &Measure<'_, T>,
        nu: &Measure<'_, T>,
        mut run: Run<'_>,
    ) -> Result<Transport>
    where
        S: Solver<T>,
    {
        // A time beyond what the clock can tell is no limit.
        run.gap = self.gap;
        run.deadline = self.time_limit.and_then(|limit| Instant::now().checked_add(limit));
        let question = posed(Question::new(mu, nu)?, &self.settings)?;
        match AskedCost::of(&self.settings)? {
            AskedCost::Power(power) => self.solver.answer(&question.with_power(power.exponent())?, &mut run),
            AskedCost::Matrix(costs) => self.solver.answer(&question.with_costs(costs)?, &mut run),
            AskedCost::Other(settings) => {
                let (mu, nu) = (in_double_precision(mu)?, in_double_precision(nu)?);
                let cost = PosedCost::new(settings, &mu, &nu)?;
                Solver::<f64>::answer(&self.solver, &posed(cost.question()?, settings)?, &mut run)
            }
        }
    }

    /// The answer between two clouds, computed without the interpreter's lock.
    pub fn find(self, py: Python<'_>, clouds: Clouds, how: How) -> PyResult<Transport> {
        let How(bounds, seed, threads, callback) = how;
        let work = self.work(&clouds);
        run(py, Task { threads, callback, work }, move |watch, parallelism| {
            let run = Run { seed, parallelism, bounds, observer: Some(watch), ..Run::default() };
            with_measures!(clouds, |mu, nu| Ok(self.between(&mu, &nu, run)?))
        })
    }

    /// The same for Python.
    pub fn answer(self, py: Python<'_>, clouds: Clouds, how: How) -> PyResult<Answer> {
        let start = Instant::now();
        let found = self.find(py, clouds, how)?;
        Answer::told(py, found, start.elapsed())
    }
}

impl ByName {
    /// The same as who makes the plans of a barycenter.
    pub fn plan_maker(&self) -> barycenter::Result<PlanMaker<'static>> {
        PlanMaker::named(self.method, &self.settings)
    }
}

impl<T: Scalar> Solver<T> for ByName {
    fn method(&self) -> &'static Method {
        self.method
    }

    fn validate(&self, sizes: Sizes) -> Result<()> {
        self.solver.validate(sizes)
    }

    fn estimate(&self, sizes: Sizes, run: &Run<'_>) -> Estimate {
        self.solver.estimate(sizes, run)
    }

    fn is_told_costs(&self) -> bool {
        self.solver.is_told_costs()
    }

    fn run(&self, question: &Question<'_, T>, run: &mut Run<'_>) -> Result<Transport> {
        build::<T>(self.method, &self.settings)?.run(question, run)
    }

    fn answer(&self, question: &Question<'_, T>, run: &mut Run<'_>) -> Result<Transport> {
        // Built once, not for every question about it.
        build::<T>(self.method, &self.settings)?.answer(question, run)
    }
}

/// Settings by their names.
pub fn read_settings(method: &'static Method, given: &Bound<'_, PyDict>) -> PyResult<Settings> {
    let mut settings = Settings::new();
    for (name, value) in given.iter() {
        let setting = setting(method, &name.extract::<String>()?)?;
        settings.set(setting, read(setting, &value)?).map_err(Failure::from)?;
    }
    Ok(settings)
}

/// A setting by its name: that of the method, or one of another, which is refused later.
fn setting(method: &'static Method, name: &str) -> Outcome<&'static Setting> {
    let others = METHODS.iter().flat_map(|other| other.settings);
    let found = method.settings.iter().chain(others).find(|setting| setting.name == name);
    found.copied().ok_or_else(|| Failure::Said(format!("{name}: there is no such setting")))
}

/// The value of a setting; the Python side has seen to it that its kind is right.
pub fn read(setting: &'static Setting, given: &Bound<'_, PyAny>) -> PyResult<Value> {
    let rows = || given.extract::<PyReadonlyArray2<'_, f64>>();
    Ok(match setting.kind {
        Kind::Count { .. } => Value::Count(given.extract()?),
        Kind::Number => Value::Number(given.extract()?),
        Kind::Word(_) => Value::Word(given.extract()?),
        Kind::Flag => Value::Flag(given.extract()?),
        Kind::Vector => Value::Vector(given.extract::<PyReadonlyArray1<'_, f64>>()?.as_array().to_vec()),
        Kind::Directions => {
            Value::Directions(named(setting.name, DirectionSet::from_rows(rows()?.as_array()))?)
        }
        Kind::Points => {
            let points = named(setting.name, Measure::from_array(rows()?.as_array().to_owned()))?;
            Value::Points(points, setting.name.into())
        }
        Kind::Costs | Kind::Matrix => Value::Costs(rows()?.as_array().to_owned()),
        Kind::Labels => {
            let numbers = given.extract::<PyReadonlyArray1<'_, f64>>()?;
            let refuse = |(row, value)| {
                let name = setting.name;
                Failure::Said(format!("{name}: found {value} in row {row}, expected whole numbers from 0 on"))
            };
            Value::Labels(read_labels(&numbers.as_array().to_vec()).map_err(refuse)?)
        }
        kind => return Err(Failure::Panicked(format!("{}: {kind:?} is not read", setting.name)).into()),
    })
}
