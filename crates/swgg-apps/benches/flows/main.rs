//! Runs behind `cargo xtask bench flows`: every target, loss and seed, a flow as a line of JSON on stdout.
//!
//! ```text
//! cargo bench -p swgg-apps --bench flows -- flows paper|dgswp STEPS SEEDS TARGET,TARGET,...
//! cargo bench -p swgg-apps --bench flows -- speed STEPS
//! cargo bench -p swgg-apps --bench flows -- large POINTS THREADS
//! ```
//!
//! Flows run on all cores, each on one of them. `speed` is the wall time of the six losses of the command line on one target of the plane, `large` that of one
//! step of min-SWGG with 100 directions in dimension 3.

mod cases;
mod targets;

use std::error::Error;
use std::num::NonZero;
use std::time::Instant;

use serde_json::{Value, json};
use swgg::run::Workers;
use swgg::setting::Settings as Told;
use swgg::{Measure, Parallelism};
use swgg_apps::flow::{Loss, Settings, flow};

use cases::{LOSSES, Protocol};

/// What went wrong, whoever says it.
type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Outcome<()> {
    // Cargo adds a word of its own.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["flows", protocol, steps, seeds, targets] => {
            flows(Protocol::from_name(protocol)?, steps.parse()?, seeds.parse()?, targets)
        }
        ["speed", steps] => {
            println!("{}", speed(steps.parse()?)?);
            Ok(())
        }
        ["large", points, threads] => {
            println!("{}", large(points.parse()?, threads.parse()?)?);
            Ok(())
        }
        _ => Err("say flows paper|dgswp STEPS SEEDS TARGETS, speed STEPS, or large POINTS THREADS".into()),
    }
}

fn flows(protocol: Protocol, steps: usize, seeds: u64, targets: &str) -> Outcome<()> {
    let mut tasks = Vec::new();
    for target in targets.split(',') {
        if !targets::TARGETS.contains(&target) {
            return Err(format!("there is no target {target}; say {}", targets::TARGETS.join(", ")).into());
        }
        tasks.extend(LOSSES.iter().flat_map(|loss| (0..seeds).map(move |seed| (target, *loss, seed))));
    }
    let workers = Workers::new(Parallelism::Auto)?;
    let told = workers.map_items(&tasks, |(target, loss, seed)| -> Outcome<()> {
        // Told at once: whoever ends the bench has what is done.
        println!("{}", cases::run(protocol, target, loss, *seed, steps)?);
        Ok(())
    });
    told.into_iter().collect()
}

/// Losses by the names of the command line, as they come without further settings.
const NAMED: [&str; 6] = ["min-swgg", "sw", "max-sw", "pwd", "auto", "sinkhorn"];

/// Six losses side by side, each on one thread, exact distances at every step included.
fn speed(steps: usize) -> Outcome<Value> {
    let pair = targets::pair("8gaussians", Protocol::Paper.points(), 0).ok_or("there is no such target")?;
    let (x, y) = (Measure::from_slice(&pair.source, pair.dim)?, Measure::from_slice(&pair.target, pair.dim)?);
    let workers = Workers::new(Parallelism::Auto)?;
    let clock = Instant::now();
    let flows = workers.map_items(&NAMED, |name| -> Outcome<(String, Value)> {
        let loss = Loss::build(name, &Told::new(), true)?;
        let settings = Settings { loss, steps, parallelism: Parallelism::Serial, ..Default::default() };
        let found = flow(&x, &y, &settings)?;
        Ok((name.to_string(), found.seconds.iter().sum::<f64>().into()))
    });
    let together = clock.elapsed().as_secs_f64();
    let seconds: Value = flows.into_iter().collect::<Outcome<Vec<_>>>()?.into_iter().collect();
    Ok(json!({
        "threads": workers.count(), "steps": steps, "together_seconds": together, "seconds": seconds,
    }))
}

/// Steps that are timed together, and how often: the best counts.
const LARGE: (usize, usize) = (5, 3);

/// One step of random min-SWGG in dimension 3, with all its directions drawn anew: the best of a few.
fn large(n: usize, threads: usize) -> Outcome<Value> {
    let cube = |seed: usize| -> Vec<f64> {
        (0..3 * n).map(|k| ((k * 2_654_435_761 + seed * 40_503) % 1_000_003) as f64 / 1_000_003.0).collect()
    };
    let (x, y) = (cube(1), cube(2));
    let (steps, times) = LARGE;
    let settings = Settings {
        loss: cases::loss("min-swgg-random", "moons", Protocol::Paper)?,
        steps,
        exact_every: Some(0),
        parallelism: Parallelism::Threads(NonZero::new(threads).ok_or("give at least one thread")?),
        ..Default::default()
    };
    let mut best = f64::INFINITY;
    for _ in 0..times {
        let found = flow(&Measure::from_slice(&x, 3)?, &Measure::from_slice(&y, 3)?, &settings)?;
        // The last round looks at the loss without a step.
        best = best.min(found.seconds[0] / (steps + 1) as f64);
    }
    Ok(json!({ "n": n, "threads": threads, "directions": Loss::DIRECTIONS, "step_seconds": best }))
}
