//! `swgg distance`: the sliced family, and min-SWGG among it.

use std::time::Instant;

use clap::ValueEnum;
use swgg::bound::lower_bounds;
use swgg::line::Direction;
use swgg::paper::settings::{DIRECTIONS, LEARNING_RATE, OPTIMIZER, START, STARTS, STEPS};
use swgg::paper::{InMemory, Optimizer, SearchOutcome, SearchSpec};
use swgg::setting::Settings;
use swgg::sliced::{Estimate, MaxSlice, MaxSliced, Sliced, Slicing};
use swgg::{Measure, Parallelism, Question, Run, Scalar, Stop};

use crate::args::{Distance, DistanceKind, Typed};
use crate::exit::{self, Failure, Outcome};
use crate::input::{Files, with_measures};
use crate::interrupt::{self, Phase};
use crate::method::{file_value, misfit, typed_value};
use crate::progress::SearchBar;
use crate::report::{self, DistanceReport};
use crate::seconds::Seconds;

/// A distance, whatever computed it.
struct Answer {
    search: &'static str,
    p: f64,
    cost: f64,
    standard_error: Option<f64>,
    theta: Option<Direction>,
    directions: usize,
    stop: Stop,
}

pub fn run(args: &Distance) -> Outcome<u8> {
    let started = Instant::now();
    interrupt::enter(Phase::Reading);
    refuse_strangers(args)?;
    let files = Files::read(&args.clouds, args.print.quiet)?;
    with_measures!(files, &args.clouds, |source, target| finish(args, source, target, started))
}

/// Refuses flags that the kind of distance does not have.
fn refuse_strangers(args: &Distance) -> Outcome<()> {
    let own = [("p", args.p.is_some()), ("orthogonal", args.orthogonal)];
    let own = own.into_iter().filter(|(_, is_given)| *is_given).map(|(flag, _)| flag);
    let of_search = args.search.given.of(None).into_iter().map(|given| given.flag);
    match own.chain(of_search).find(|flag| !has(args.kind, flag)) {
        None => Ok(()),
        Some(flag) => {
            let owners = DistanceKind::value_variants().iter().filter(|kind| has(**kind, flag));
            let owners: Vec<&str> = owners.map(|kind| name(*kind)).collect();
            Err(Failure::foreign(&format!("--{flag}"), ("kind", name(args.kind)), &owners))
        }
    }
}

/// Whether a kind of distance has a flag.
fn has(kind: DistanceKind, flag: &str) -> bool {
    match kind {
        DistanceKind::Sw => ["p", "orthogonal", "directions"].contains(&flag),
        DistanceKind::Pwd => ["orthogonal", "directions"].contains(&flag),
        DistanceKind::MaxSw => {
            ["p", "iterations", "starts", "learning-rate", "optimizer", "start"].contains(&flag)
        }
        // Every flag of searches: which search has which of them is looked at later.
        DistanceKind::MinSwgg => !["p", "orthogonal"].contains(&flag),
    }
}

fn name(kind: DistanceKind) -> &'static str {
    match kind {
        DistanceKind::Sw => "sw",
        DistanceKind::MaxSw => "max-sw",
        DistanceKind::Pwd => "pwd",
        DistanceKind::MinSwgg => "min-swgg",
    }
}

fn finish<T: Scalar>(
    args: &Distance,
    source: &Measure<T>,
    target: &Measure<T>,
    started: Instant,
) -> Outcome<u8> {
    let mut seconds = Seconds::read_since(started);
    let solving = Instant::now();
    interrupt::enter(Phase::Searching);
    let answer = solve(args, source, target)?;
    interrupt::enter(Phase::Writing);
    seconds["solve"] = solving.elapsed().as_secs_f64();
    let bounding = Instant::now();
    let lower_bound = bound(args, &answer, source, target)?;
    seconds["bound"] = bounding.elapsed().as_secs_f64();
    let report = DistanceReport {
        method: name(args.kind),
        search: answer.search,
        n: source.len(),
        m: target.len(),
        d: source.dim(),
        p: answer.p,
        cost: answer.cost,
        distance: answer.cost.powf(1.0 / answer.p),
        standard_error: answer.standard_error.filter(|error| error.is_finite()),
        lower_bound,
        theta: answer.theta.map(|theta| theta.as_slice().to_vec()),
        directions: answer.directions,
        seed: args.search.seed,
        threads: Parallelism::from_count(args.search.threads).threads(),
        stop: answer.stop.name(),
        seconds,
        kind: args.kind,
    };
    report::print(&args.print, &report)?;
    Ok(if answer.stop == Stop::Interrupted { exit::SHORT } else { exit::DONE })
}

/// The best lower bound of the optimum that is known. Costs along a line are never above those in the space, nor is their
/// mean over any lines: SW and max-SW are bounds themselves.
fn bound<T: Scalar>(
    args: &Distance,
    answer: &Answer,
    source: &Measure<T>,
    target: &Measure<T>,
) -> Outcome<Option<f64>> {
    let own = matches!(args.kind, DistanceKind::Sw | DistanceKind::MaxSw).then_some(answer.cost);
    // Somebody who pressed Ctrl-C does not want to wait, and the others are about squares.
    if answer.stop == Stop::Interrupted || answer.p != 2.0 {
        return Ok(own);
    }
    let parallelism = Parallelism::from_count(args.search.threads);
    let best = lower_bounds(source, target, answer.theta.as_slice(), parallelism)?.best();
    Ok(Some(own.map_or(best.min(answer.cost), |own| own.max(best))))
}

fn solve<T: Scalar>(args: &Distance, source: &Measure<T>, target: &Measure<T>) -> Outcome<Answer> {
    let search = &args.search;
    let sizes = Question::new(source, target)?.sizes();
    check_memory(args.kind, sizes.d)?;
    let mut settings = Settings::new();
    for given in search.given.of(None) {
        let value = match given.typed {
            Typed::File(path) => file_value(given.setting, path, sizes, args.print.quiet)?,
            typed => typed_value(typed).ok_or_else(|| Failure::usage("a setting without a value"))?,
        };
        settings.set(given.setting, value)?;
    }
    let p = args.p.unwrap_or(2.0);
    let mut bar = SearchBar::new(args.print.quiet);
    let mut run = Run { seed: search.seed, ..Run::on_threads(search.threads).watched(&mut bar) };
    let slices = |slicing| Sliced {
        slicing,
        directions: settings.count(&DIRECTIONS).unwrap_or(Sliced::DIRECTIONS),
        orthogonal: args.orthogonal,
    };
    Ok(match args.kind {
        DistanceKind::Sw => {
            averaged(slices(Slicing::Wasserstein { p }).estimate(source, target, &mut run)?, args.orthogonal)
        }
        DistanceKind::Pwd => {
            averaged(slices(Slicing::Projected).estimate(source, target, &mut run)?, args.orthogonal)
        }
        DistanceKind::MaxSw => {
            let usual = MaxSliced::default();
            let climb = MaxSliced {
                p,
                steps: settings.count(&STEPS).unwrap_or(usual.steps),
                starts: settings.count(&STARTS).unwrap_or(usual.starts),
                learning_rate: settings.number(&LEARNING_RATE).unwrap_or(usual.learning_rate),
                optimizer: if settings.word(&OPTIMIZER) == Some("sgd") {
                    Optimizer::Sgd
                } else {
                    Optimizer::Adam
                },
                start: settings.direction(&START, source.dim())?,
            };
            let MaxSlice { cost, theta, tried, stop, .. } = climb.maximum(source, target, &mut run)?;
            let theta = Some(theta);
            Answer { search: "ascent", p, cost, standard_error: None, theta, directions: tried, stop }
        }
        DistanceKind::MinSwgg => {
            let search = SearchSpec::new(settings)?;
            let slices = InMemory::with_parallelism(source, target, run.parallelism)?;
            let (search, found) = search.run(&slices, run.seed, &mut run)?;
            let SearchOutcome { theta, cost, tried, stop, .. } = found;
            let theta = Some(theta);
            Answer { search, p: 2.0, cost, standard_error: None, theta, directions: tried, stop }
        }
    })
}

/// Refuses points so long that the directions at hand do not fit into memory.
fn check_memory(kind: DistanceKind, dim: usize) -> Outcome<()> {
    let directions = match kind {
        DistanceKind::MaxSw => 40.0,
        DistanceKind::Sw | DistanceKind::Pwd | DistanceKind::MinSwgg => 12.0,
    };
    match misfit(swgg::solver::Estimate { seconds: 0.0, bytes: 8.0 * directions * dim as f64 }) {
        Some(why) => {
            let kind = name(kind);
            Err(Failure::usage(format!("--kind {kind} {why}; pick fewer coordinates with --columns")))
        }
        None => Ok(()),
    }
}

fn averaged(estimate: Estimate, orthogonal: bool) -> Answer {
    let Estimate { cost, standard_error, p, directions, stop, .. } = estimate;
    let search = if orthogonal { "orthogonal" } else { "random" };
    Answer { search, p, cost, standard_error: Some(standard_error), theta: None, directions, stop }
}
