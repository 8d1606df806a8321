//! From flags to a solver: which method, its settings, and whether it fits.

use std::path::Path;

use swgg::answer::Remark;
use swgg::ndarray::Array2;
use swgg::paper::settings::{KEEP_COSTS, LISTED};
use swgg::question::Sizes;
use swgg::run::time_limit;
use swgg::setting::{Kind, Setting, Settings, Value};
use swgg::solver::settings::{COST_MATRIX, GAP, PIVOT, TIME_LIMIT};
use swgg::solver::{
    AskedCost, Estimate, METHODS, Method, PosedCost, build, find, in_double_precision, posed, read_labels,
};
use swgg::{Measure, Question, Run, Scalar, Solver, Stop, Transport};
use swgg_io::{ReadOptions, read_cloud};

use crate::args::{MethodFlags, Typed, is_of_searches};
use crate::exit::{Failure, Outcome};
use crate::input::read_directions;
use crate::interrupt::{self, Phase};
use crate::memory;
use crate::printer;
use crate::progress::{SearchBar, Spinner};

/// Seconds of waiting that nobody minds.
const PATIENCE_SECONDS: f64 = 120.0;

/// The method to use.
pub struct Chosen<'a> {
    pub method: &'static Method,
    flags: &'a MethodFlags,
    keep_costs: bool,
}

impl<'a> Chosen<'a> {
    /// The method that was named, the one that the flags of a search imply, or the default; refuses flags of others. `costs`: whether
    /// the cost of every direction is to be written.
    pub fn new(flags: &'a MethodFlags, costs: bool) -> Outcome<Self> {
        let of_search = flags.given.of(None).into_iter().find(|given| is_of_searches(given.setting));
        let implied_by = costs.then_some("costs").or(of_search.map(|given| given.flag));
        let implied_by = implied_by.filter(|_| flags.method.is_none());
        let method = match (flags.method, implied_by) {
            (Some(method), _) => method,
            (None, Some(_)) => find("min-swgg")?,
            (None, None) => find("auto")?,
        };
        let chosen = Chosen { method, flags, keep_costs: costs };
        let given = flags.given.of(Some(method));
        let is_foreign = |setting: &Setting| !method.settings.iter().any(|own| own.is(setting));
        if let Some(given) = given.iter().find(|given| is_foreign(given.setting)) {
            return Err(chosen.refusal(given.flag, implied_by));
        }
        if costs && method.name != "min-swgg" {
            return Err(Failure::foreign("--costs", ("method", method.name), &["min-swgg"]));
        }
        if let Some(seconds) = chosen.time_limit()
            && let Err(rule) = time_limit(seconds)
        {
            return Err(Failure::usage(format!("--time-limit is {}; give {rule}", printer::plain(seconds))));
        }
        if let Some(gap) = chosen.gap().filter(|gap| !(*gap > 0.0 && gap.is_finite())) {
            let rule = "a share above 0, such as 0.01 for 1 %";
            return Err(Failure::usage(format!("--gap is {}; give {rule}", printer::plain(gap))));
        }
        Ok(chosen)
    }

    fn refusal(&self, flag: &'static str, implied_by: Option<&str>) -> Failure {
        let (owners, method) = (owners_of(flag), self.method.name);
        match implied_by {
            None => Failure::foreign(&format!("--{flag}"), ("method", method), &owners),
            Some(implying) => Failure::usage(format!(
                "--{implying} implies --method {method}, --{flag} belongs to --method {}; leave one of them out",
                owners.join("|")
            )),
        }
    }

    fn time_limit(&self) -> Option<f64> {
        self.flags.given.number(&TIME_LIMIT)
    }

    fn gap(&self) -> Option<f64> {
        self.flags.given.number(&GAP)
    }

    /// A run with the seed, the threads and the bounds that were asked for; the clock of a time limit starts now.
    pub fn run(&self) -> Run<'static> {
        let limit = self.time_limit().and_then(|seconds| time_limit(seconds).ok());
        Run {
            seed: self.flags.seed,
            bounds: !self.flags.no_bounds,
            gap: self.gap(),
            deadline: limit.and_then(|limit| Run::for_at_most(limit).deadline),
            ..Run::on_threads(self.flags.threads)
        }
    }

    /// The settings that need no file.
    pub fn typed_settings(&self) -> Outcome<Settings> {
        let mut settings = Settings::new();
        for given in self.flags.given.of(Some(self.method)) {
            if let Some(value) = typed_value(given.typed) {
                settings.set(given.setting, value)?;
            }
        }
        Ok(settings)
    }

    /// All settings, with what is in the files behind them.
    pub fn settings(&self, sizes: Sizes, quiet: bool) -> Outcome<Settings> {
        let mut settings = self.typed_settings()?;
        for given in self.flags.given.of(Some(self.method)) {
            if let Typed::File(path) = given.typed {
                settings.set(given.setting, file_value(given.setting, path, sizes, quiet)?)?;
            }
        }
        // Whoever lists directions wants to know the cost of each.
        let is_kept = self.method.settings.iter().any(|setting| setting.is(&KEEP_COSTS));
        if is_kept && (self.keep_costs || settings.has(&LISTED)) {
            settings.set(&KEEP_COSTS, Value::Flag(true))?;
        }
        Ok(settings)
    }

    /// Refuses what does not fit into memory, and warns of a long wait.
    pub fn check<T: Scalar>(&self, solver: &dyn Solver<T>, sizes: Sizes, quiet: bool) -> Outcome<()> {
        let (run, name) = (self.run(), self.method.name);
        solver.validate(sizes)?;
        let mut estimate = solver.estimate(sizes, &run);
        if self.flags.given.settings.iter().any(|(setting, _)| setting.is(&COST_MATRIX)) {
            let (n, m) = (sizes.n as f64, sizes.m as f64);
            estimate.bytes = 16.0 * n * m + 800.0 * (n + m);
        }
        let is_proved = self.method.is_proved_by_prices;
        if let Some(why) = misfit(estimate) {
            let advice = match is_proved {
                true if run.bounds => {
                    "add --no-bounds, which takes less, or use --method min-swgg, which takes least"
                }
                true => "use --method min-swgg, which takes less",
                false if name == "min-swgg" => "pick fewer coordinates with --columns",
                false => "use --method auto, whose memory grows only with the number of points",
            };
            return Err(Failure::usage(format!("--method {name} {why}; {advice}")));
        }
        let advice = match name {
            "auto" => "--effort 1 or --time-limit is sooner done",
            _ if is_proved => "--method auto --effort 1 is sooner done",
            _ => "--method auto scales to millions of points",
        };
        // Who set a time limit has said how long, and the best single line is what there is for the impatient.
        let is_expected = run.deadline.is_some() || name == "min-swgg";
        if estimate.seconds > PATIENCE_SECONDS && !is_expected && !quiet {
            printer::warn(&format!(
                "--method {name} will take about {} here; {advice}",
                rough(estimate.seconds)
            ));
        }
        Ok(())
    }

    /// Solves with a progress bar that Ctrl-C can end.
    pub fn solve<T: Scalar>(
        &self,
        settings: &Settings,
        source: &Measure<T>,
        target: &Measure<T>,
        quiet: bool,
    ) -> Outcome<Transport> {
        let question = posed(Question::new(source, target)?, settings)?;
        match AskedCost::of(settings)? {
            AskedCost::Power(power) => self.answer(settings, &question.with_power(power.exponent())?, quiet),
            AskedCost::Matrix(costs) => self.answer(settings, &question.with_costs(costs)?, quiet),
            AskedCost::Other(settings) => {
                let (source, target) = (in_double_precision(source)?, in_double_precision(target)?);
                let cost = PosedCost::new(settings, &source, &target)?;
                self.answer(settings, &posed(cost.question()?, settings)?, quiet)
            }
        }
    }

    fn answer<T: Scalar>(
        &self,
        settings: &Settings,
        question: &Question<'_, T>,
        quiet: bool,
    ) -> Outcome<Transport> {
        let solver = build::<T>(self.method, settings)?;
        if !self.method.is_closed_form {
            interrupt::enter(Phase::Searching);
        }
        let run = self.run();
        let mut bar = bar(&*solver, question.sizes(), &run, quiet);
        let found = solver.answer(question, &mut run.watched(&mut bar));
        interrupt::enter(Phase::Writing);
        drop(bar);
        let mut found = found?;
        let has_trees = found.number("trees").is_some_and(|trees| trees > 0.0);
        if let Some(seconds) = self.time_limit().filter(|_| has_trees || found.stop == Stop::TimeLimit) {
            let text = format!("time limit {seconds} s, seed {}", self.flags.seed);
            // It goes on with the line about the method.
            let asked = found.remarks.iter().position(|remark| remark.label == "asked");
            found.remarks.insert(asked.unwrap_or(found.remarks.len()), Remark::new("", text));
        }
        Ok(found)
    }
}

/// A progress bar over what the solver counts.
pub fn bar<T: Scalar>(solver: &dyn Solver<T>, sizes: Sizes, run: &Run<'_>, quiet: bool) -> SearchBar {
    let unit = solver.unit(sizes, run);
    // An exact solver has its bound anyway.
    let is_bounding = solver.method().is_proved_by_prices && run.bounds && unit != "sources in order";
    SearchBar::new(quiet).counting(unit).bounding(is_bounding)
}

/// Why a method does not fit into memory, if it does not.
pub fn misfit(estimate: Estimate) -> Option<String> {
    let (needed, available) = (estimate.bytes, memory::available()? as f64);
    let gigabytes = |bytes: f64| format!("{:.1} GB", bytes / 1e9);
    let misfit = || format!("takes about {}, {} are available", gigabytes(needed), gigabytes(available));
    (needed > available).then(misfit)
}

/// A duration as one says it.
pub fn rough(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s if s < 36e4 => format!("{:.0} h", s / 3600.0),
        s => format!("{:.0} days", s / 86400.0),
    }
}

/// The methods that have a flag, or had it.
fn owners_of(flag: &str) -> Vec<&'static str> {
    let has = |setting: &&Setting| setting.flag == flag || setting.former_flag == Some(flag);
    let owners = METHODS.iter().filter(|method| method.settings.iter().copied().any(|setting| has(&setting)));
    owners.map(|method| method.name).collect()
}

/// The value of a setting that was typed; `None` if it is in a file.
pub fn typed_value(typed: &Typed) -> Option<Value> {
    Some(match typed {
        Typed::Count(count) => Value::Count(*count),
        Typed::Number(number) => Value::Number(*number),
        Typed::Word(word) => Value::Word(word.clone()),
        Typed::Vector(vector) => Value::Vector(vector.clone()),
        Typed::File(_) => return None,
    })
}

/// The value of a setting that is in a file.
pub fn file_value(setting: &'static Setting, path: &Path, sizes: Sizes, quiet: bool) -> Outcome<Value> {
    if setting.is(&LISTED) {
        return Ok(Value::Directions(read_directions(path, sizes.d)?));
    }
    let _spinner = Spinner::new(format!("reading {}", path.display()), quiet);
    let cloud = read_cloud(path, &ReadOptions::default())?;
    let (rows, columns) = (cloud.rows(), cloud.columns());
    let values = cloud.to_f64().into_owned();
    match setting.kind {
        Kind::Points if setting.is(&PIVOT) => pivot(path, values, columns, sizes),
        Kind::Labels => labels(path, &values, columns),
        Kind::Matrix => Ok(Value::Costs(matrix(path, values, rows, columns)?)),
        _ => costs(path, values, rows, columns, sizes),
    }
}

fn matrix(path: &Path, values: Vec<f64>, rows: usize, columns: usize) -> Outcome<Array2<f64>> {
    let refuse = |error| Failure::input(format!("{}: {error}", path.display()));
    Array2::from_shape_vec((rows, columns), values).map_err(refuse)
}

fn labels(path: &Path, values: &[f64], columns: usize) -> Outcome<Value> {
    let refuse = |why: String| Failure::input(format!("{}: {why}", path.display()));
    if columns != 1 {
        return Err(refuse(format!("it has {columns} columns; give one label per point, in one column")));
    }
    let labels = read_labels(values).map_err(|(row, value)| {
        refuse(format!("row {row} is {value}; labels are whole numbers from 0 on"))
    })?;
    Ok(Value::Labels(labels))
}

fn pivot(path: &Path, values: Vec<f64>, columns: usize, sizes: Sizes) -> Outcome<Value> {
    let (name, d) = (path.display().to_string(), sizes.d);
    let refuse = |why: String| Failure::input(format!("pivot {name}: {why}"));
    if columns != d {
        let why = format!("its points have dimension {columns}, those of the clouds {d}; they must agree");
        return Err(refuse(why));
    }
    let points = Measure::from_vec(values, d).map_err(|error| refuse(error.to_string()))?;
    Ok(Value::Points(points, name))
}

fn costs(path: &Path, values: Vec<f64>, rows: usize, columns: usize, sizes: Sizes) -> Outcome<Value> {
    let refuse = |why: String| Failure::input(format!("{}: {why}", path.display()));
    let Sizes { n, m, .. } = sizes;
    if (rows, columns) != (n, m) {
        return Err(refuse(format!(
            "{rows} x {columns} costs for {n} source and {m} target points; give a row per source point and a column \
             per target point"
        )));
    }
    let costs = matrix(path, values, rows, columns)?;
    if let Some(((row, column), value)) =
        costs.indexed_iter().find(|(_, cost)| !(cost.is_finite() && **cost >= 0.0))
    {
        let value = *value;
        return Err(refuse(swgg::ErrorKind::BadCost { row, column, value }.to_string()));
    }
    Ok(Value::Costs(costs))
}
