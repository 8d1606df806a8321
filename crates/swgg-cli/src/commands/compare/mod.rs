//! `swgg compare`: several methods on one pair of clouds, one after the other.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use swgg::bound::lower_bounds;
use swgg::question::Sizes;
use swgg::run::Halt;
use swgg::setting::Settings;
use swgg::solver::{METHODS, Method, build};
use swgg::{Measure, Observe, Parallelism, Progress, Question, Run, Scalar, Solver, Stop};
use swgg_io::Output;

use crate::args::Compare;
use crate::exit::{self, Failure, Outcome};
use crate::input::{Files, with_measures};
use crate::interrupt::{self, Phase};
use crate::memory;
use crate::method::{bar, misfit, rough};
use crate::outputs::{FigureFile, check_places};
use crate::page::{self, PageFile};
use crate::progress::SearchBar;
use crate::report::{self, ComparisonReport, ComparisonRow, LeftOut, gap};
use crate::seconds::Seconds;

pub fn run(args: &Compare) -> Outcome<u8> {
    let started = Instant::now();
    interrupt::enter(Phase::Reading);
    if args.time_limit.is_nan() || args.time_limit <= 0.0 {
        return Err(Failure::new(format!("--time-limit is {}; give seconds above 0", args.time_limit)));
    }
    let out = args.out.as_deref().map(|path| FigureFile::check(path, args.clouds.files())).transpose()?;
    let page = PageFile::check(args.report.as_deref())?;
    let places: Vec<&Path> = args.out.iter().chain(&args.report).map(PathBuf::as_path).collect();
    check_places(&places, args.clouds.files())?;
    let files = Files::read(&args.clouds, args.print.quiet)?;
    with_measures!(files, &args.clouds, |source, target| finish(args, (out, page), source, target, started))
}

fn finish<T: Scalar>(
    args: &Compare,
    (out, page): (Option<FigureFile<'_>>, Option<PageFile<'_>>),
    source: &Measure<T>,
    target: &Measure<T>,
    started: Instant,
) -> Outcome<u8> {
    let mut seconds = Seconds::read_since(started);
    let solving = Instant::now();
    let question = Question::new(source, target)?;
    let (mut rows, mut left_out) = (Vec::new(), Vec::new());
    let mut interrupted = false;
    interrupt::enter(Phase::Searching);
    for method in chosen(args) {
        let mut leave = |reason: String| left_out.push(LeftOut { method: method.name, reason });
        let solver = build::<T>(method, &Settings::new())?;
        if interrupted {
            leave("was not reached".to_string());
        } else if let Some(reason) = too_much(args, &*solver, question.sizes()) {
            leave(reason);
        } else {
            match one(args, &*solver, &question) {
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
    let mut bounds: Vec<f64> = rows.iter().filter_map(|row: &ComparisonRow| row.lower_bound).collect();
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
    seconds["solve"] = solving.elapsed().as_secs_f64();
    let stop = if interrupted { Stop::Interrupted } else { Stop::AllTried };
    let mut report = ComparisonReport {
        n: source.len(),
        m: target.len(),
        d: source.dim(),
        best: best.map(|best| best.0),
        cost: best.map(|best| best.1),
        lower_bound,
        methods: rows,
        left_out,
        seed: args.seed,
        threads: Parallelism::from_count(args.threads).threads(),
        time_limit: args.time_limit,
        stop: stop.name(),
        file: out.as_ref().map(|out| out.path.display().to_string()),
        page: page.map(|page| page.told()),
        seconds,
    };
    let writing = Instant::now();
    let page = match &page {
        Some(file) => Some(file.write(&page::comparison([source, target], &report)?)?),
        None => None,
    };
    let is_written = out.is_some() || page.is_some();
    if let Some(out) = out {
        out.write(&report, ComparisonReport::figure)?;
    }
    page.map(Output::commit).transpose()?;
    if is_written {
        report.seconds["write"] = writing.elapsed().as_secs_f64();
    }
    report::print(&args.print, &report)?;
    Ok(if interrupted { exit::SHORT } else { exit::DONE })
}

/// The methods to run, each once.
fn chosen(args: &Compare) -> Vec<&'static Method> {
    let usual = || METHODS.iter().filter(|method| method.is_compared).collect();
    let mut chosen: Vec<&'static Method> = Vec::new();
    for method in args.methods.clone().unwrap_or_else(usual) {
        if !chosen.iter().any(|other| other.name == method.name) {
            chosen.push(method);
        }
    }
    chosen
}

/// How every method is run: those that prove their plans by prices do, for the others a bound is found once.
fn fresh_run(args: &Compare, method: &Method) -> Run<'static> {
    Run { seed: args.seed, bounds: method.is_proved_by_prices, ..Run::on_threads(args.threads) }
}

/// Why a method should not be started, if it should not.
fn too_much<T: Scalar>(args: &Compare, solver: &dyn Solver<T>, sizes: Sizes) -> Option<String> {
    let estimate = solver.estimate(sizes, &fresh_run(args, solver.method()));
    let long = || format!("would take about {}; raise --time-limit", rough(estimate.seconds));
    misfit(estimate).or_else(|| (estimate.seconds > args.time_limit).then(long))
}

/// Runs one method.
fn one<T: Scalar>(
    args: &Compare,
    solver: &dyn Solver<T>,
    question: &Question<'_, T>,
) -> Outcome<ComparisonRow> {
    let is_fresh = memory::reset_peak();
    let started = Instant::now();
    let mut run = fresh_run(args, solver.method());
    // More than a century is for ever.
    let deadline = started + Duration::from_secs_f64(args.time_limit.min(3e9));
    run.halt = Halt::default().by(Some(deadline));
    let bar = bar(solver, question.sizes(), &run, args.print.quiet);
    let mut watch = Watch { bar, deadline, late: false };
    let found = solver.answer(question, &mut run.watched(&mut watch))?;
    // Threads that saw the time themselves have told nobody.
    let was_told = found.stop != Stop::Interrupted || interrupt::asked_to_stop();
    watch.late |= !was_told && Instant::now() > deadline;
    let seconds = started.elapsed().as_secs_f64();
    let memory = if is_fresh { memory::peak() } else { None };
    Ok(ComparisonRow::new(&found, watch.late, seconds, memory))
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

    fn flag(&self) -> Option<Arc<AtomicBool>> {
        self.bar.flag()
    }
}
