//! `swgg check`: whether a file is a plan between two clouds, what it costs, and how far from optimal it can be.

use std::time::Instant;

use swgg::cost::SqEuclidean;
use swgg::{Auto, Coupling, Measure, Parallelism, Question, Run, Solver};

use crate::args::Check;
use crate::exit::{self, Failure, Outcome};
use crate::input::{Files, read_coupling};
use crate::interrupt::{self, Phase};
use crate::method::bar;
use crate::report::{self, CheckReport, gap};
use crate::seconds::Seconds;

pub fn run(args: &Check) -> Outcome<u8> {
    let started = Instant::now();
    interrupt::enter(Phase::Reading);
    if args.tolerance.is_nan() || args.tolerance < 0.0 {
        return Err(Failure::usage(format!("--tolerance is {}; give a share, 0 or more", args.tolerance)));
    }
    let files = Files::read(&args.clouds, args.print.quiet)?;
    let (source, target) = files.in_double()?;
    let coupling = read_coupling(&args.plan, source.len(), target.len())?;
    let mut seconds = Seconds::read_since(started);
    let solving = Instant::now();
    interrupt::enter(Phase::Searching);
    let cost = coupling.cost(&source, &target, &SqEuclidean)?;
    let marginals = Marginals::of(&coupling, &source, &target);
    let is_plan = marginals.gap <= args.tolerance;
    let lower_bound =
        if is_plan && !args.no_bounds { Some(bound(args, &source, &target)?.min(cost)) } else { None };
    let interrupted = interrupt::asked_to_stop();
    interrupt::enter(Phase::Writing);
    seconds["solve"] = solving.elapsed().as_secs_f64();
    let report = CheckReport {
        plan: args.plan.display().to_string(),
        n: source.len(),
        m: target.len(),
        d: source.dim(),
        entries: coupling.len(),
        mass: marginals.mass,
        marginal_gap: marginals.gap,
        worst: marginals.worst,
        is_plan,
        is_partial: !is_plan && marginals.excess <= args.tolerance,
        cost,
        distance: cost.sqrt(),
        lower_bound,
        gap: lower_bound.and_then(|bound| gap(cost, bound)),
        threads: Parallelism::from_count(args.threads).threads(),
        seconds,
    };
    report::print(&args.print, &report)?;
    Ok(if is_plan && !interrupted { exit::DONE } else { exit::SHORT })
}

/// A lower bound, found as solve finds it.
fn bound(args: &Check, source: &Measure<'_, f64>, target: &Measure<'_, f64>) -> Outcome<f64> {
    let question = Question::new(source, target)?;
    let auto = Auto::default();
    let solver: &dyn Solver<f64> = &auto;
    let run = Run { seed: args.seed, ..Run::on_threads(args.threads) };
    let mut bar = bar(solver, question.sizes(), &run, args.print.quiet);
    let found = solver.answer(&question, &mut run.watched(&mut bar))?;
    Ok(found.lower_bound.unwrap_or(0.0))
}

/// What points give and get beside what their weights say.
struct Marginals {
    mass: f64,
    /// The largest difference.
    gap: f64,
    /// How much more than its weight a point gives or gets, at most.
    excess: f64,
    /// Where the largest difference is.
    worst: String,
}

impl Marginals {
    fn of(coupling: &Coupling, source: &Measure<'_, f64>, target: &Measure<'_, f64>) -> Self {
        let given = coupling.source_marginal();
        let mut found = Marginals { mass: given.iter().sum(), gap: 0.0, excess: 0.0, worst: String::new() };
        let sides = [("source", given, source), ("target", coupling.target_marginal(), target)];
        for (side, masses, cloud) in sides {
            for (i, mass) in masses.into_iter().enumerate() {
                let weight = cloud.weight(i);
                found.excess = found.excess.max(mass - weight);
                if (mass - weight).abs() > found.gap {
                    found.gap = (mass - weight).abs();
                    let verb = if side == "source" { "gives" } else { "gets" };
                    found.worst = format!("{side} point {i} {verb} {mass}, its weight is {weight}");
                }
            }
        }
        found
    }
}
