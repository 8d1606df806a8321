//! `swgg compare`: several methods on one pair of clouds, one after the other.

mod table;

use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use serde::Serialize;
use swgg::{Measure, Observe, Parallelism, Progress, Scalar, Stop, lower_bounds};
use swgg_io::Output;

use super::solve::place;
use crate::args::{Compare, Method, MethodSettings, Search};
use crate::exit::{self, Failure, Outcome};
use crate::figure::Drawing;
use crate::input::{Files, Pair};
use crate::interrupt::{self, Phase};
use crate::methods::budget::{self, Sizes};
use crate::methods::settings::Extras;
use crate::methods::{self, Job};
use crate::printer;
use crate::progress::SearchBar;
use crate::report::{Seconds, Solved, Standing, gap};
use crate::search::settings;

/// What runs unless the user says otherwise.
const USUAL: &[Method] = &[
    Method::Auto,
    Method::Tree,
    Method::Merged,
    Method::MinSwgg,
    Method::Exact,
    Method::Sinkhorn,
    Method::Gaussian,
    Method::Factored,
    Method::SubspaceRobust,
];

/// What to write.
#[derive(Clone, Copy)]
enum Kind {
    Svg,
    Png,
    Csv,
}

/// The JSON object.
#[derive(Serialize)]
struct Report {
    n: usize,
    m: usize,
    d: usize,
    /// The method with the cheapest plan, and what it pays.
    best: Option<&'static str>,
    cost: Option<f64>,
    /// The best of all.
    lower_bound: Option<f64>,
    methods: Vec<Row>,
    left_out: Vec<LeftOut>,
    seed: u64,
    threads: usize,
    time_limit: f64,
    stop: &'static str,
    /// What was written, if anything was.
    file: Option<String>,
    seconds: Seconds,
}

/// What one method found.
#[derive(Serialize)]
struct Row {
    method: &'static str,
    cost: f64,
    cost_is: Standing,
    /// Whether there is a plan between the points.
    plan: bool,
    /// Cost over that of the cheapest plan.
    ratio: Option<f64>,
    /// The method's own.
    lower_bound: Option<f64>,
    /// By how much the cost of a plan can be above the optimum, as a share of it, by the best bound of all.
    gap: Option<f64>,
    seconds: f64,
    /// Most bytes of the whole process while the method ran, with what the allocator kept of the methods before; `None` where
    /// the system cannot tell.
    memory: Option<u64>,
    stop: &'static str,
}

/// A method that was not run, or that failed.
#[derive(Serialize)]
struct LeftOut {
    method: &'static str,
    reason: String,
}

pub fn run(args: &Compare) -> Outcome<u8> {
    let started = Instant::now();
    interrupt::enter(Phase::Reading);
    if args.time_limit.is_nan() || args.time_limit <= 0.0 {
        return Err(Failure::new(format!("--time-limit is {}; give seconds above 0", args.time_limit)));
    }
    let out = args.out.as_deref().map(|path| check(args, path)).transpose()?;
    let files = Files::read(&args.clouds, args.print.quiet)?;
    match &files.measures(&args.clouds)? {
        Pair::Single(source, target) => finish(args, out, source, target, started),
        Pair::Double(source, target) => finish(args, out, source, target, started),
    }
}

/// What to write to a path that can be written to.
fn check<'a>(args: &Compare, path: &'a Path) -> Outcome<(&'a Path, Kind)> {
    let kind = match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
        Some("svg") => Kind::Svg,
        Some("png") => Kind::Png,
        Some("csv") => Kind::Csv,
        _ => {
            let path = path.display();
            return Err(Failure::new(format!("--out {path} must end in .svg, .png or .csv; rename it")));
        }
    };
    if args.clouds.files().any(|file| place(file) == place(path)) {
        let path = path.display();
        return Err(Failure::new(format!("{path} is read and would be overwritten; name another file")));
    }
    // Made and dropped: a place that cannot be written to should be known before the work.
    drop(Output::create(path)?);
    Ok((path, kind))
}

fn finish<T: Scalar>(
    args: &Compare,
    out: Option<(&Path, Kind)>,
    source: &Measure<T>,
    target: &Measure<T>,
    started: Instant,
) -> Outcome<u8> {
    let mut seconds = Seconds { read: started.elapsed().as_secs_f64(), ..Default::default() };
    let solving = Instant::now();
    let sizes = Sizes::of(source, target);
    let (mut rows, mut left_out) = (Vec::new(), Vec::new());
    let mut interrupted = false;
    interrupt::enter(Phase::Searching);
    for method in chosen(args) {
        let name = methods::name(method);
        let mut leave = |reason: String| left_out.push(LeftOut { method: name, reason });
        if interrupted {
            leave("was not reached".to_string());
        } else if let Some(reason) = too_much(args, method, sizes) {
            leave(reason);
        } else {
            match one(args, method, source, target) {
                Ok(row) => rows.push(row),
                Err(failure) => leave(format!("failed: {failure}")),
            }
            interrupted = interrupt::asked_to_stop();
        }
    }
    interrupt::enter(Phase::Writing);
    if rows.is_empty() {
        let reasons: Vec<String> =
            left_out.iter().map(|left| format!("{} {}", left.method, left.reason)).collect();
        return Err(Failure::new(format!("no method was run: {}", reasons.join("; "))));
    }
    let mut bounds: Vec<f64> = rows.iter().filter_map(|row: &Row| row.lower_bound).collect();
    if !interrupted {
        bounds.push(lower_bounds(source, target, &[], Parallelism::from_count(args.threads))?.best());
    }
    let plans = rows.iter().filter(|row| row.is_plan());
    let best = plans.min_by(|a, b| a.cost.total_cmp(&b.cost)).map(|row| (row.method, row.cost));
    let most = best.map_or(f64::INFINITY, |(_, cost)| cost);
    let lower_bound = bounds.into_iter().reduce(f64::max).map(|bound| bound.min(most));
    for row in &mut rows {
        row.ratio = best.filter(|(_, cost)| *cost > 0.0).map(|(_, cost)| row.cost / cost);
        row.gap = lower_bound.filter(|_| row.is_plan()).and_then(|bound| gap(row.cost, bound));
    }
    seconds.solve = solving.elapsed().as_secs_f64();
    let stop = if interrupted { Stop::Interrupted } else { Stop::AllTried };
    let mut report = Report {
        n: sizes.n,
        m: sizes.m,
        d: sizes.d,
        best: best.map(|best| best.0),
        cost: best.map(|best| best.1),
        lower_bound,
        methods: rows,
        left_out,
        seed: args.seed,
        threads: Parallelism::from_count(args.threads).threads(),
        time_limit: args.time_limit,
        stop: stop.name(),
        file: out.map(|(path, _)| path.display().to_string()),
        seconds,
    };
    if let Some((path, kind)) = out {
        let writing = Instant::now();
        let bytes = match kind {
            Kind::Svg => report.figure().svg()?.into_bytes(),
            Kind::Png => report.figure().png()?,
            Kind::Csv => report.csv().into_bytes(),
        };
        let mut output = Output::create(path)?;
        output.write_all(&bytes).map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
        output.commit()?;
        report.seconds.write = writing.elapsed().as_secs_f64();
    }
    if args.print.json {
        let text = serde_json::to_string(&report).map_err(|error| Failure::new(error.to_string()))?;
        printer::result(&(text + "\n"))?;
    } else if !args.print.quiet {
        printer::result(&report.summary())?;
    }
    Ok(if interrupted { exit::SHORT } else { exit::DONE })
}

/// The methods to run, each once.
fn chosen(args: &Compare) -> Vec<Method> {
    let mut chosen = Vec::new();
    for method in args.methods.as_deref().unwrap_or(USUAL) {
        if !chosen.contains(method) {
            chosen.push(*method);
        }
    }
    chosen
}

/// Why a method should not be started, if it should not.
fn too_much(args: &Compare, method: Method, sizes: Sizes) -> Option<String> {
    let settings = MethodSettings::default();
    if let Some(misfit) = sizes.misfit(method, &settings) {
        return Some(misfit);
    }
    let threads = Parallelism::from_count(args.threads).threads();
    let seconds = sizes.seconds(method, &settings, threads);
    let long = || format!("would take about {}; raise --time-limit", budget::rough(seconds));
    (seconds > args.time_limit).then(long)
}

/// Runs one method.
fn one<T: Scalar>(args: &Compare, method: Method, source: &Measure<T>, target: &Measure<T>) -> Outcome<Row> {
    let search = Search { seed: args.seed, threads: args.threads, ..Default::default() };
    let min_swgg = settings(&search, source.dim(), false)?;
    let (settings, extras) = (&MethodSettings::default(), &Extras::default());
    let job = Job { method, settings, search: &search, min_swgg: &min_swgg, extras, needs_plan: false };
    let fresh = budget::reset_peak();
    let started = Instant::now();
    let mut watch = Watch {
        bar: methods::bar(method, settings, Sizes::of(source, target), args.print.quiet),
        // More than a century is for ever.
        deadline: started + Duration::from_secs_f64(args.time_limit.min(3e9)),
        late: false,
    };
    let solved = methods::transport(&job, source, target, &mut watch)?;
    let seconds = started.elapsed().as_secs_f64();
    let memory = if fresh { budget::peak() } else { None };
    Ok(Row::new(&solved, watch.late, seconds, memory))
}

/// Stops a method when its time is over, or the user's patience.
struct Watch {
    bar: SearchBar,
    deadline: Instant,
    late: bool,
}

impl Observe for Watch {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        self.late |= Instant::now() > self.deadline;
        if self.late { ControlFlow::Break(()) } else { self.bar.progress(progress) }
    }
}

impl Row {
    fn new(solved: &Solved, late: bool, seconds: f64, memory: Option<u64>) -> Self {
        let stop = match solved.stop {
            Some(Stop::Interrupted) if late => "time-limit",
            Some(stop) => stop.name(),
            None => "closed-form",
        };
        Row {
            method: solved.method,
            cost: solved.cost,
            cost_is: solved.proven(),
            plan: solved.coupling.is_some(),
            ratio: None,
            lower_bound: solved.lower_bound,
            gap: None,
            seconds,
            memory,
            stop,
        }
    }

    /// Whether the cost is what a plan pays.
    fn is_plan(&self) -> bool {
        self.plan && matches!(self.cost_is, Standing::Exact | Standing::UpperBound)
    }

    fn is_cut_short(&self) -> bool {
        ["time-limit", "interrupted"].contains(&self.stop)
    }
}
