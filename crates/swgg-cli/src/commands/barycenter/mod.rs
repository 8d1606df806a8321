//! `swgg barycenter`: several clouds in, the one in the middle out.

mod files;
mod outputs;

use std::time::Instant;

use swgg::question::Sizes;
use swgg::solver::PlanKind;
use swgg::{Measure, Stop};
use swgg_apps::barycenter::{Ending, PlanMaker, Settings, barycenter};

use self::files::Files;
use self::outputs::Outputs;
use crate::args::Barycenter;
use crate::exit::{self, Failure, Outcome};
use crate::interrupt::{self, Phase};
use crate::method::{Chosen, misfit, rough};
use crate::printer;
use crate::progress::SearchBar;
use crate::report::{self, BarycenterReport};
use crate::seconds::Seconds;

/// Seconds of waiting that nobody minds.
const PATIENCE_SECONDS: f64 = 120.0;
/// Steps that a search usually takes, roughly.
const USUAL_STEPS: f64 = 10.0;

pub fn run(args: &Barycenter) -> Outcome<u8> {
    let started = Instant::now();
    interrupt::enter(Phase::Reading);
    let chosen = Chosen::new(&args.how, false)?;
    if chosen.method.plan != PlanKind::Plan {
        return Err(Failure::usage(format!(
            "--method {} has no plan between the points to follow; leave it out, or use --method auto",
            chosen.method.name
        )));
    }
    // What needs no file is refused before any is read.
    PlanMaker::named(chosen.method, &chosen.typed_settings()?)?;
    let outputs = Outputs::check(args)?;
    let files = Files::read(args)?;
    outputs.check_dim(files.dim())?;
    let (clouds, begin) = (files.clouds()?, files.begin()?);
    let asked = Settings {
        weights: args.weights.clone(),
        points: args.points,
        start: begin,
        ending: args.gain.map_or(Ending::AsPlansAre, Ending::Gain),
        max_steps: args.max_steps,
    };
    let sizes = largest(&clouds, &asked);
    let maker = PlanMaker::named(chosen.method, &chosen.settings(sizes, args.print.quiet)?)?;
    check(args, &chosen, &maker, sizes)?;
    let mut seconds = Seconds::read_since(started);

    let mut bar = SearchBar::new(args.print.quiet).counting("plans");
    interrupt::enter(Phase::Searching);
    let run = chosen.run();
    let found = seconds.time("solve", || barycenter(&clouds, &maker, &asked, &mut run.watched(&mut bar)));
    interrupt::enter(Phase::Writing);
    drop(bar);
    let found = found?;

    let writing = Instant::now();
    let sizes = clouds.iter().map(Measure::len).collect();
    let mut report = BarycenterReport::new(&found, sizes, (args.how.seed, args.how.threads), seconds);
    outputs.write(args, &files, &clouds, &found, &report)?;
    report.seconds["write"] = writing.elapsed().as_secs_f64();
    report.ending = outputs.told(&report);
    report::print(&args.print, &report)?;
    Ok(if found.stop == Stop::Interrupted { exit::SHORT } else { exit::DONE })
}

/// The largest plan that there will be.
fn largest(clouds: &[Measure<'_, f64>], asked: &Settings) -> Sizes {
    let m = clouds.iter().map(Measure::len).max().unwrap_or(1);
    let n = asked.start.as_ref().map(Measure::len).or(asked.points).unwrap_or(m);
    Sizes { n, m, d: clouds.first().map_or(1, Measure::dim) }
}

/// Refuses what does not fit into memory, and warns of a long wait.
fn check(args: &Barycenter, chosen: &Chosen<'_>, maker: &PlanMaker<'_>, sizes: Sizes) -> Outcome<()> {
    // Plans on the way are not proved.
    let (run, name) = (chosen.run().without_bounds(), chosen.method.name);
    let mut estimate = maker.estimate(sizes, &run);
    // Points, masses and a plan to every cloud.
    estimate.bytes += (sizes.n as f64) * (24.0 * sizes.d as f64 + 32.0 * args.clouds.len() as f64);
    if let Some(why) = misfit(estimate) {
        return Err(Failure::usage(format!("--method {name} {why}; ask for fewer --points")));
    }
    let all = estimate.seconds * args.clouds.len() as f64 * USUAL_STEPS.min(args.max_steps as f64);
    if all > PATIENCE_SECONDS && run.deadline.is_none() && !args.print.quiet {
        printer::warn(&format!(
            "--method {name} may take about {} here; fewer --points or --max-steps are sooner done, and Ctrl-C keeps the best so far",
            rough(all)
        ));
    }
    Ok(())
}
