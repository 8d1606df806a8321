//! Figure 3, left: what the three searches find as lines are added.

use serde::{Deserialize, Serialize};
use swgg::paper::{Annealing, Blur, BlurWidth, Gradient, InMemory, RandomSearch, Search, Stein};
use swgg_testkit::gaussian_pair;

use super::Experiment;
use crate::Outcome;
use crate::chart::{Axis, Plot, Series, Sheet};
use crate::clouds::{exact, measure};
use crate::record::{Record, Table};
use crate::scale::Scale;
use crate::statistics::{mean, short, spread};

pub struct Searches;

/// What one dimension came to.
#[derive(Serialize, Deserialize)]
struct LeastCosts {
    optimum: f64,
    /// The least so far at some numbers of lines, for each seed.
    random: Vec<(usize, Vec<f64>)>,
    annealing: Vec<f64>,
    gradient: Vec<f64>,
    stein: Vec<f64>,
}

impl Experiment for Searches {
    fn name(&self) -> &'static str {
        "searches"
    }

    fn place(&self) -> &'static str {
        "Figure 3, left"
    }

    fn title(&self) -> &'static str {
        "Random search, annealing and descent"
    }

    fn shows(&self) -> &'static str {
        "min-SWGG between two Gaussians in dimension 2, 20 and 200, by random search with more and more lines, simulated annealing, and descent on the surrogate."
    }

    fn says(&self) -> &'static str {
        "In low dimension all searches find about the same; as the dimension grows, optimising the direction comes closer to the optimum, and it is always comparable to annealing or better."
    }

    fn run(&self, scale: &Scale) -> Outcome<Record> {
        let (n, seeds) = (scale.pick(150, 1000, 1000), scale.pick(3, 5, 20));
        let mut record = Record {
            seed: format!("0 of the clouds, 0 to {} of the searches", seeds - 1),
            ..Record::default()
        };
        record.set("points", format!("{n} and {n}, Gaussians with random means and covariances"));
        record.set("annealing", "500 steps, temperature 1 - (k + 1) / 500");
        record.set("descent", "Adam, rate 5e-2, 100 steps, s = 10, epsilon = 1, one start");
        record.set("Stein's gradient (ours)", "its usual 25 steps");
        let mut sheet = Sheet::new(3);
        let mut table = Table::new(
            "min-SWGG, squared, mean over the seeds",
            ["d", "W2^2", "random, 500", "annealing", "descent", "Stein (ours)"],
        );
        for d in [2, 20, 200] {
            let found = scale.part(&format!("searches-{d}"), || search(n, d, seeds))?;
            let last = found.random.last().map_or(f64::NAN, |(_, costs)| mean(costs));
            let [annealing, gradient, stein] =
                [&found.annealing, &found.gradient, &found.stein].map(|costs| mean(costs));
            table.row(
                [d.to_string()]
                    .into_iter()
                    .chain([found.optimum, last, annealing, gradient, stein].map(short)),
            );
            for (name, value) in [
                ("W2^2", found.optimum),
                ("random", last),
                ("annealing", annealing),
                ("descent", gradient),
                ("Stein", stein),
            ] {
                record.ours(format!("d = {d}: {name}"), value);
            }
            let told = format!(
                "{} by random search, {} by annealing, {} by descent, optimum {}",
                short(last),
                short(annealing),
                short(gradient),
                short(found.optimum)
            );
            if d == 2 {
                let (low, high) = (last.min(annealing).min(gradient), last.max(annealing).max(gradient));
                record.claim(high < 1.05 * low, format!("d = 2: all about the same ({told})"));
            } else {
                record.claim(
                    gradient < last && gradient < 1.02 * annealing,
                    format!("d = {d}: descent is lowest or comparable to annealing ({told})"),
                );
            }
            sheet.push(panel(d, &found));
        }
        record.tables.push(table);
        record.svg("", "Bands: twice the deviation over the seeds. Dotted: the exact optimum.", sheet.draw());
        Ok(record)
    }
}

/// Numbers of lines at which random search is looked at.
const LINES: [usize; 8] = [1, 5, 10, 25, 50, 100, 250, 500];

fn search(n: usize, d: usize, seeds: u64) -> Outcome<LeastCosts> {
    let (x, y) = gaussian_pair(n, d, d, 0);
    let (mu, nu) = (measure(&x)?, measure(&y)?);
    let slices = InMemory::new(&mu, &nu)?;
    let mut random: Vec<(usize, Vec<f64>)> = LINES.map(|lines| (lines, Vec::new())).to_vec();
    let (mut annealing, mut gradient, mut stein) = (Vec::new(), Vec::new(), Vec::new());
    for seed in 0..seeds {
        let scan = RandomSearch { directions: LINES[LINES.len() - 1], seed, keep_costs: true };
        let costs = scan.run(&slices, &mut ())?.costs.ok_or("random search kept no costs")?;
        for (lines, found) in &mut random {
            found.push(costs[..*lines].iter().copied().fold(f64::INFINITY, f64::min));
        }
        annealing.push(Annealing { seed, ..Default::default() }.run(&slices, &mut ())?.cost);
        gradient.push(optimised(seed).run(&slices, &mut ())?.cost);
        stein.push(Stein { seed, ..Default::default() }.run(&slices, &mut ())?.cost);
    }
    Ok(LeastCosts { optimum: exact(&mu, &nu)?, random, annealing, gradient, stein })
}

/// The descent of Supp. E.2.
pub fn optimised(seed: u64) -> Gradient {
    let blur = Blur { copies: Some(10), width: BlurWidth::Epsilon(1.0), seed };
    Gradient { steps: 100, starts: 1, learning_rate: 5e-2, blur, seed, ..Default::default() }
}

fn panel(d: usize, found: &LeastCosts) -> Plot {
    let mut plot = Plot::new(
        format!("d = {d}, W2^2 = {}", short(found.optimum)),
        Axis::log("lines"),
        Axis::new("min-SWGG, squared"),
    );
    let random: Vec<(f64, (f64, f64))> =
        found.random.iter().map(|(lines, costs)| (*lines as f64, spread(costs))).collect();
    plot.series.push(Series::banded("random search", 0, &random, 2.0));
    let ends = [LINES[0] as f64, LINES[LINES.len() - 1] as f64];
    for (name, color, costs) in [
        ("annealing", 2, &found.annealing),
        ("descent", 1, &found.gradient),
        ("Stein (ours)", 3, &found.stein),
    ] {
        plot.series.push(Series::banded(name, color, &ends.map(|x| (x, spread(costs))), 2.0));
    }
    plot.rules.push((found.optimum, "W2^2".to_string()));
    plot
}
