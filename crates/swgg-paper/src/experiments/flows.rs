//! Figure 4: gradient flows.

// The clouds and settings are those of the benchmark, so that its figures and these are of the same thing.
#[allow(dead_code, reason = "the benchmark uses the rest")]
#[path = "../../../swgg-apps/benches/flows/cases.rs"]
mod cases;
#[allow(dead_code, reason = "the benchmark uses the rest")]
#[path = "../../../swgg-apps/benches/flows/targets.rs"]
mod targets;

use serde::{Deserialize, Serialize};
use swgg::Parallelism;
use swgg::run::Workers;

use super::Experiment;
use crate::Outcome;
use crate::chart::{Axis, Plot, Series, Sheet};
use crate::record::{Record, Table};
use crate::scale::Scale;
use crate::statistics::{mean, spread};
use cases::{EXACT_EVERY, LOSSES, Protocol};

/// What losses and targets are called.
const NAMES: [&str; 6] = ["SW", "max-SW", "PWD", "min-SWGG, random", "min-SWGG, optimised", "auto (ours)"];
const TARGETS: [(&str, &str); 4] = [
    ("gaussian-2", "Gaussian, d = 2"),
    ("gaussian-500", "Gaussian, d = 500"),
    ("8gaussians", "8 Gaussians"),
    ("moons", "two moons"),
];

pub struct Flows;

/// One flow: exact distances, rooted, on the way.
#[derive(Serialize, Deserialize)]
struct Flow {
    loss: usize,
    distances: Vec<f64>,
    last: f64,
}

impl Experiment for Flows {
    fn name(&self) -> &'static str {
        "flows"
    }

    fn place(&self) -> &'static str {
        "Figure 4"
    }

    fn title(&self) -> &'static str {
        "Gradient flows"
    }

    fn shows(&self) -> &'static str {
        "100 particles from a Gaussian follow the gradient of a loss towards four targets: the logarithm of the exact distance to the target against the step."
    }

    fn says(&self) -> &'static str {
        "With every loss the particles move towards the target; in dimension 500 optimised min-SWGG ends closest."
    }

    fn run(&self, scale: &Scale) -> Outcome<Record> {
        let (steps, seeds) = (scale.pick(60, 250, 2000), scale.pick(1, 2, 10));
        let targets = scale.pick(&TARGETS[1..3], &TARGETS[..], &TARGETS[..]);
        let mut record = Record { seed: format!("0 to {}", seeds - 1), ..Record::default() };
        record.set("particles", Protocol::Paper.points());
        record.set("seeds in dimension 500", scale.pick(1, 1, seeds));
        record.set("steps", format!("{steps} of Adam, rate 5e-3"));
        record.set("lines of SW, PWD and random min-SWGG", 100);
        record.set(
            "descents of max-SW and min-SWGG",
            "rates, s and epsilon of Supp. E.3; they go on from the step before, ten steps at a time",
        );
        let mut table = Table::new(
            "log10 of the exact W2 (rooted) at the end, mean ± deviation",
            std::iter::once("loss").chain(targets.iter().map(|(_, title)| *title)),
        );
        let mut ends: Vec<Vec<String>> = NAMES.iter().map(|name| vec![name.to_string()]).collect();
        let mut sheet = Sheet::new(2);
        let mut moved = (0, 0);
        for (target, title) in targets {
            let flows: Vec<Flow> = scale.part(&format!("flows-{target}"), || {
                // Five hundred coordinates take as long as all the others.
                let seeds = if *target == "gaussian-500" { scale.pick(1, 1, seeds) } else { seeds };
                all(target, steps, seeds)
            })?;
            let mut plot = Plot::new(*title, Axis::new("step"), Axis::new("log10 of W2"));
            let mut lasts = Vec::new();
            for (k, name) in NAMES.iter().enumerate() {
                let own: Vec<&Flow> = flows.iter().filter(|flow| flow.loss == k).collect();
                let last: Vec<f64> = own.iter().map(|flow| logarithm(flow.last)).collect();
                let first: Vec<f64> =
                    own.iter().filter_map(|flow| flow.distances.first().copied().map(logarithm)).collect();
                moved = (moved.0 + usize::from(mean(&last) < mean(&first)), moved.1 + 1);
                let (middle, off) = spread(&last);
                ends[k].push(format!("{middle:.2} ± {off:.2}"));
                record.ours(format!("{target}: {name}"), middle);
                lasts.push(middle);
                let len = own.iter().map(|flow| flow.distances.len()).min().unwrap_or(0);
                let at = |s: usize| {
                    spread(&own.iter().map(|flow| logarithm(flow.distances[s])).collect::<Vec<_>>())
                };
                let curve: Vec<(f64, (f64, f64))> =
                    (0..len).map(|s| ((s * EXACT_EVERY) as f64, at(s))).collect();
                plot.series.push(Series::banded(*name, [6, 4, 3, 2, 1, 0][k], &curve, 1.0));
            }
            if *target == "gaussian-500" {
                let others = &lasts[..4];
                let (low, high) = others
                    .iter()
                    .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
                record.claim(
                    lasts[4] < low,
                    format!("in dimension 500 optimised min-SWGG ends at {:.2}, the paper's other losses at {low:.2} to {high:.2}", lasts[4]),
                );
                record.claim(lasts[5] < lasts[4], format!("ours ends at {:.2}", lasts[5]));
            }
            sheet.push(plot);
        }
        record.claims.insert(
            0,
            crate::record::Claim::new(
                moved.0 == moved.1,
                format!(
                    "particles end closer to the target than they began with {} of {} losses and targets",
                    moved.0, moved.1
                ),
            ),
        );
        ends.into_iter().for_each(|row| table.row(row));
        record.tables.push(table);
        record.remarks.push("The paper does not say where its Gaussians lie: these have unit variance. Distances below 1e-16 count as 1e-16.".to_string());
        record.svg("", "Mean and deviation over the seeds.", sheet.draw());
        Ok(record)
    }
}

/// Every loss and seed towards one target, each flow on a thread of its own.
fn all(target: &str, steps: usize, seeds: u64) -> Outcome<Vec<Flow>> {
    let tasks: Vec<(usize, u64)> =
        (0..LOSSES.len()).flat_map(|loss| (0..seeds).map(move |seed| (loss, seed))).collect();
    let flows = Workers::new(Parallelism::Auto)?.map_items(&tasks, |(loss, seed)| -> Outcome<Flow> {
        let found = cases::run(Protocol::Paper, target, LOSSES[*loss], *seed, steps)?;
        let distances =
            found["w2"].as_array().into_iter().flatten().filter_map(serde_json::Value::as_f64).collect();
        let last = found["last"].as_f64().ok_or("a flow without an end")?;
        Ok(Flow { loss: *loss, distances, last })
    });
    flows.into_iter().collect()
}

/// The logarithm of a distance; nothing is nearer than rounding.
fn logarithm(distance: f64) -> f64 {
    distance.max(1e-16).log10()
}
