//! Runs behind `cargo xtask bench flows`: every target, loss and seed, a flow as a line of JSON on stdout.
//!
//! ```text
//! cargo bench -p swgg-apps --bench flows -- flows paper|dgswp STEPS SEEDS TARGET,TARGET,...
//! cargo bench -p swgg-apps --bench flows -- speed STEPS
//! ```
//!
//! Flows run on all cores, each on one of them. `speed` is the wall time of six losses on one target of the plane, and of one step of min-SWGG
//! between 100 000 points in dimension 3.

mod cases;
mod targets;

use std::error::Error;
use std::time::Instant;

use serde_json::{Value, json};
use swgg::run::Workers;
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
        _ => Err("say flows paper|dgswp STEPS SEEDS TARGETS, or speed STEPS".into()),
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

/// Points of the large step, and how many of them are timed.
const LARGE: (usize, usize) = (100_000, 5);

fn speed(steps: usize) -> Outcome<Value> {
    let workers = Workers::new(Parallelism::Auto)?;
    let clock = Instant::now();
    let flows = workers.map_items(&LOSSES, |loss| cases::run(Protocol::Paper, "8gaussians", loss, 0, steps));
    let together = clock.elapsed().as_secs_f64();
    let alone = flows.into_iter().collect::<Outcome<Vec<_>>>()?;
    let seconds: Value = alone
        .iter()
        .map(|one| (one["loss"].as_str().unwrap_or_default().to_string(), one["seconds"].clone()))
        .collect();
    let (n, large_steps) = LARGE;
    let cube = |seed: usize| -> Vec<f64> {
        (0..3 * n).map(|k| ((k * 2_654_435_761 + seed * 40_503) % 1_000_003) as f64 / 1_000_003.0).collect()
    };
    let (x, y) = (cube(1), cube(2));
    let settings = Settings {
        loss: cases::loss("min-swgg-random", "moons", Protocol::Paper)?,
        steps: large_steps,
        exact_every: Some(0),
        ..Default::default()
    };
    let found = flow(&Measure::from_slice(&x, 3)?, &Measure::from_slice(&y, 3)?, &settings)?;
    let step = found.seconds[0] / (large_steps + 1) as f64;
    Ok(json!({
        "threads": workers.count(), "steps": steps, "together_seconds": together, "seconds": seconds,
        "large": { "n": n, "directions": Loss::DIRECTIONS, "step_seconds": step },
    }))
}
