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
use crate::record::{Claim, Record, Table};
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

/// The target of many dimensions.
const HIGH: &str = TARGETS[1].0;

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
        "100 particles from a Gaussian follow the gradient of a loss towards four targets: the logarithm of the exact distance to the target against the step. A second table has the settings of DGSWP (differentiable generalized sliced Wasserstein plans), a later paper."
    }

    fn says(&self) -> &'static str {
        "With every loss the particles move towards the target; in dimension 500 optimised min-SWGG ends closest."
    }

    fn run(&self, scale: &Scale) -> Outcome<Record> {
        let (steps, seeds) = (scale.pick(60, 500, 2000), scale.pick(1, 2, 10));
        let targets = scale.pick(&TARGETS[1..3], &TARGETS[..], &TARGETS[..]);
        // DGSWP has Gaussians only.
        let gaussians = scale.pick(&TARGETS[1..2], &TARGETS[..2], &TARGETS[..2]);
        let mut record = Record { seed: format!("0 to {}", seeds - 1), ..Record::default() };
        record.set("particles", Protocol::Paper.points());
        record.set("seeds in dimension 500", scale.pick(1, 1, seeds));
        record.set("steps", format!("{steps} of Adam, rate 5e-3 (the paper: 2000)"));
        record.set("lines of SW, PWD and random min-SWGG", 100);
        record.set(
            "descents of max-SW and min-SWGG",
            "rates, s and epsilon of Supp. E.3; they go on from the step before, ten steps at a time",
        );
        record.set(
            "settings of DGSWP",
            format!("{} particles, {steps} steps of rate 0.01, 20 lines", Protocol::Dgswp.points()),
        );
        let (mut sheet, mut moved) = (Sheet::new(2), (0, 0));
        for (protocol, targets) in [(Protocol::Paper, targets), (Protocol::Dgswp, gaussians)] {
            let is_paper = protocol == Protocol::Paper;
            let whose = if is_paper { "the paper's settings" } else { "DGSWP's settings" };
            let mut table = Table::new(
                format!("log10 of the exact W2 (rooted) at the end, mean ± deviation, {whose}"),
                std::iter::once("loss").chain(targets.iter().map(|(_, title)| *title)),
            );
            let mut rows: Vec<Vec<String>> = NAMES.iter().map(|name| vec![name.to_string()]).collect();
            for (target, title) in targets {
                let part = if is_paper { format!("flows-{target}") } else { format!("flows-dgswp-{target}") };
                let flows: Vec<Flow> = scale.part(&part, || {
                    // Five hundred coordinates take as long as all the others.
                    let seeds = if *target == HIGH { scale.pick(1, 1, seeds) } else { seeds };
                    all(protocol, target, steps, seeds)
                })?;
                let ends = Ends::of(&flows);
                let before = if is_paper { "" } else { "DGSWP, " };
                for (k, name) in NAMES.iter().enumerate() {
                    let (middle, off) = ends.last[k];
                    rows[k].push(format!("{middle:.2} ± {off:.2}"));
                    record.ours(format!("{before}{target}: {name}"), middle);
                }
                if *target == HIGH {
                    judge(&mut record, &ends, is_paper);
                }
                if is_paper {
                    moved = (moved.0 + ends.closer, moved.1 + NAMES.len());
                    sheet.push(curves(title, &flows));
                }
            }
            rows.into_iter().for_each(|row| table.row(row));
            record.tables.push(table);
        }
        record.claims.insert(
            0,
            Claim::new(
                moved.0 == moved.1,
                format!(
                    "particles end closer to the target than they began with {} of {} losses and targets",
                    moved.0, moved.1
                ),
            ),
        );
        record.remarks.push("The paper does not say where its Gaussians lie: these have unit variance. Distances below 1e-16 count as 1e-16.".to_string());
        record.svg("", "With the paper's settings: mean and deviation over the seeds.", sheet.draw());
        Ok(record)
    }
}

/// Where flows towards one target end, by loss: the logarithm of the distance, mean and deviation.
struct Ends {
    last: Vec<(f64, f64)>,
    /// Losses that end closer than they began.
    closer: usize,
}

impl Ends {
    fn of(flows: &[Flow]) -> Self {
        let logarithms = |loss: usize, distance: fn(&Flow) -> Option<f64>| -> Vec<f64> {
            let own = flows.iter().filter(|flow| flow.loss == loss);
            own.filter_map(distance).map(logarithm).collect()
        };
        let last: Vec<(f64, f64)> =
            (0..NAMES.len()).map(|k| spread(&logarithms(k, |flow| Some(flow.last)))).collect();
        let first = |k: usize| mean(&logarithms(k, |flow| flow.distances.first().copied()));
        let closer = (0..NAMES.len()).filter(|&k| last[k].0 < first(k)).count();
        Ends { last, closer }
    }
}

/// Whether optimised min-SWGG ends lowest in dimension 500, and ours below it: a claim of the paper, a remark with the settings of others.
fn judge(record: &mut Record, ends: &Ends, is_paper: bool) {
    let last: Vec<f64> = ends.last.iter().map(|(middle, _)| *middle).collect();
    let (low, high) =
        last[..4].iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
    let found = format!(
        "optimised min-SWGG ends at {:.2}, the paper's other losses at {low:.2} to {high:.2}",
        last[4]
    );
    if is_paper {
        record.claim(last[4] < low, format!("in dimension 500 {found}"));
        let is_below = last[5] < last[4];
        let below = if is_below { "below" } else { "not below" };
        record.claim(is_below, format!("`auto` (ours) ends at {:.2}, {below} optimised min-SWGG", last[5]));
        return;
    }
    let order = match (last[4] < low, last[5] < last[4].min(low)) {
        (true, true) => "the same order",
        (_, true) => "`auto` lowest, but optimised min-SWGG not second",
        _ => "another order",
    };
    record.remarks.push(format!(
        "With DGSWP's settings in dimension 500 there is {order}: {found}, `auto` at {:.2}.",
        last[5]
    ));
}

/// Distances against steps, one curve per loss.
fn curves(title: &str, flows: &[Flow]) -> Plot {
    let mut plot = Plot::new(title, Axis::new("step"), Axis::new("log10 of W2"));
    for (k, name) in NAMES.iter().enumerate() {
        let own: Vec<&Flow> = flows.iter().filter(|flow| flow.loss == k).collect();
        let len = own.iter().map(|flow| flow.distances.len()).min().unwrap_or(0);
        let at = |s: usize| spread(&own.iter().map(|flow| logarithm(flow.distances[s])).collect::<Vec<_>>());
        let curve: Vec<(f64, (f64, f64))> = (0..len).map(|s| ((s * EXACT_EVERY) as f64, at(s))).collect();
        plot.series.push(Series::banded(*name, [6, 4, 3, 2, 1, 0][k], &curve, 1.0));
    }
    plot
}

/// Every loss and seed towards one target, each flow on a thread of its own.
fn all(protocol: Protocol, target: &str, steps: usize, seeds: u64) -> Outcome<Vec<Flow>> {
    let tasks: Vec<(usize, u64)> =
        (0..LOSSES.len()).flat_map(|loss| (0..seeds).map(move |seed| (loss, seed))).collect();
    let flows = Workers::new(Parallelism::Auto)?.map_items(&tasks, |(loss, seed)| -> Outcome<Flow> {
        let found = cases::run(protocol, target, LOSSES[*loss], *seed, steps)?;
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
