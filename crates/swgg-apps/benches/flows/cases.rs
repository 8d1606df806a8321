//! Losses with the settings of a paper, and one flow along each.

use serde_json::{Value, json};
use swgg::paper::settings::{BLUR, COPIES, DIRECTIONS, LEARNING_RATE, SEARCH, STARTS, STEPS};
use swgg::setting::{Setting, Settings as Told, Value as Held};
use swgg::{Measure, Parallelism};
use swgg_apps::flow::{Loss, Settings, flow};

use super::Outcome;
use super::targets::{Pair, pair};

/// Whose settings.
#[derive(Clone, Copy, PartialEq)]
pub enum Protocol {
    /// Figure 4 and Supp. E.3: 100 points, rate 5e-3, 100 directions.
    Paper,
    /// Those of DGSWP: 50 points, rate 0.01, 20 directions.
    Dgswp,
}

impl Protocol {
    pub fn from_name(name: &str) -> Outcome<Self> {
        match name {
            "paper" => Ok(Protocol::Paper),
            "dgswp" => Ok(Protocol::Dgswp),
            _ => Err(format!("there is no protocol {name}; say paper or dgswp").into()),
        }
    }

    pub fn points(self) -> usize {
        if self == Protocol::Paper { 100 } else { 50 }
    }

    fn rate(self) -> f64 {
        if self == Protocol::Paper { 5e-3 } else { 1e-2 }
    }

    fn directions(self) -> usize {
        if self == Protocol::Paper { 100 } else { 20 }
    }
}

/// The six of the figure: those of the paper, and ours.
pub const LOSSES: [&str; 6] = ["sw", "max-sw", "pwd", "min-swgg-random", "min-swgg-optimised", "auto"];
/// Steps towards a direction at every step of the particles: it goes on from the one before.
const ITERATIONS: usize = 10;
/// Exact distances are looked for at every so many steps.
pub const EXACT_EVERY: usize = 20;

/// A loss by its name in the figure. Rates and blurs are those of Supp. E.3, target by target.
pub fn loss(name: &str, target: &str, protocol: Protocol) -> Outcome<Loss> {
    let (count, number) = (Held::Count, Held::Number);
    let directions = (&DIRECTIONS, count(protocol.directions()));
    let (rate, epsilon) = match target {
        "gaussian-2" => (1e-1, 0.5),
        "gaussian-500" => (1e-3, 10.0),
        "8gaussians" => (5e-2, 0.5),
        _ => (1e-3, 0.5),
    };
    let word = |search: &str| (&SEARCH, Held::Word(search.into()));
    let iterations = (&STEPS, count(ITERATIONS));
    Ok(match name {
        "sw" | "pwd" => Loss::build(name, &told(vec![directions])?, true)?,
        // The paper looks anew at every step.
        "min-swgg-random" => Loss::build("min-swgg", &told(vec![directions])?, false)?,
        "max-sw" => Loss::build("max-sw", &told(vec![iterations, (&LEARNING_RATE, number(1e-3))])?, true)?,
        "min-swgg-optimised" => {
            let settings = vec![
                word("gradient"),
                iterations,
                (&STARTS, count(1)),
                (&LEARNING_RATE, number(rate)),
                (&COPIES, count(10)),
                (&BLUR, number(epsilon)),
            ];
            Loss::build("min-swgg", &told(settings)?, true)?
        }
        name => Loss::build(name, &Told::new(), true)?,
    })
}

fn told(settings: Vec<(&'static Setting, Held)>) -> Outcome<Told> {
    let mut told = Told::new();
    for (setting, value) in settings {
        told.set(setting, value)?;
    }
    Ok(told)
}

/// One flow: exact distances, rooted, at every [`EXACT_EVERY`] steps and the last, and seconds of the steps alone.
pub fn run(protocol: Protocol, target: &str, name: &str, seed: u64, steps: usize) -> Outcome<Value> {
    let pair = pair(target, protocol.points(), seed).ok_or_else(|| format!("there is no target {target}"))?;
    let settings = Settings {
        loss: loss(name, target, protocol)?,
        steps,
        rate: protocol.rate(),
        exact_every: Some(EXACT_EVERY),
        seed,
        parallelism: Parallelism::Serial,
        ..Default::default()
    };
    let Pair { dim, source, target: points } = pair;
    let found = flow(&Measure::from_slice(&source, dim)?, &Measure::from_slice(&points, dim)?, &settings)?;
    let judged: Vec<f64> =
        found.story.iter().filter(|step| step.step % EXACT_EVERY == 0).filter_map(|step| step.w2).collect();
    Ok(json!({
        "target": target, "loss": name, "seed": seed, "w2": judged, "last": found.w2(), "seconds": found.seconds[0],
    }))
}
