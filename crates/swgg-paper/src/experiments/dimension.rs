//! Figure 11: more dimensions, more permutations, closer to the optimum.

use swgg::paper::{Search, Stein};
use swgg::run::Workers;
use swgg::{Parallelism, paper::InMemory};

use super::Experiment;
use crate::Outcome;
use crate::chart::{Axis, Plot, Series, Sheet};
use crate::clouds::{exact, measure, opposite_pair};
use crate::record::{Record, Table};
use crate::scale::Scale;
use crate::statistics::{short, spread};

/// Points whose orders are counted.
const COUNTED: usize = 310;

pub struct Dimension;

impl Experiment for Dimension {
    fn name(&self) -> &'static str {
        "dimension"
    }

    fn place(&self) -> &'static str {
        "Figure 11 (Supp. E.1)"
    }

    fn title(&self) -> &'static str {
        "Evolution with the dimension, and the number of permutations"
    }

    fn shows(&self) -> &'static str {
        "min-SWGG over the optimum between two Gaussians of 50 points as the dimension grows, and how many orders of 310 points lines can see (Cover's count)."
    }

    fn says(&self) -> &'static str {
        "The number of permutations grows with the dimension until it is all of n!, and the ratio of min-SWGG to the optimum comes down to 1."
    }

    fn run(&self, scale: &Scale) -> Outcome<Record> {
        let (n, seeds) = (50, scale.pick(2, 10, 50));
        let dimensions = scale.pick(
            vec![5, 20, 100, 400],
            vec![2, 3, 5, 10, 20, 50, 100, 200, 400],
            vec![2, 3, 5, 10, 20, 50, 100, 200, 400, 800],
        );
        let steps = scale.pick(50, 100, 200);
        let mut record = Record { seed: format!("0 to {}", seeds - 1), ..Record::default() };
        record.set("points", format!("{n} and {n}, around (1, ..., 1) and (-1, ..., -1), unit variance"));
        record.set("search of min-SWGG", format!("Stein's gradient, {steps} steps"));
        record.set("repetitions", seeds);
        let workers = Workers::new(Parallelism::Auto)?;
        let mut ratios = Vec::new();
        let mut table = Table::new(
            "over the seeds: mean and deviation",
            ["d", "min-SWGG / W2^2", "log10 of the orders of 310 points"],
        );
        for &d in &dimensions {
            scale.progress.tell(&format!("d = {d}"));
            let found = workers.map(seeds, |seed| -> Outcome<f64> {
                let (x, y) = opposite_pair(n, d, seed as u64);
                let (mu, nu) = (measure(&x)?, measure(&y)?);
                let slices = InMemory::with_parallelism(&mu, &nu, Parallelism::Serial)?;
                let search = Stein { steps, seed: seed as u64, ..Default::default() };
                Ok(search.run(&slices, &mut ())?.cost / exact(&mu, &nu)?)
            });
            let ratio = spread(&found.into_iter().collect::<Outcome<Vec<_>>>()?);
            table.row([d.to_string(), format!("{:.4} ± {:.4}", ratio.0, ratio.1), short(orders(COUNTED, d))]);
            ratios.push((d as f64, ratio));
        }
        let counts: Vec<(f64, f64)> = (1..=COUNTED + 20).map(|d| (d as f64, orders(COUNTED, d))).collect();
        let all: f64 = (2..=COUNTED).map(|k| (k as f64).log10()).sum();
        record.ours("dimension", dimensions.clone());
        record.ours("ratio, mean", ratios.iter().map(|(_, (mean, _))| *mean).collect::<Vec<_>>());
        record.ours("log10 of 310!", all);
        let top = ratios.iter().map(|(_, (mean, _))| *mean).fold(0.0, f64::max);
        let last = ratios.last().map_or(f64::NAN, |(_, (mean, _))| *mean);
        record.claim(
            last < 1.06 && last <= top && ratios.iter().all(|(_, (mean, _))| *mean >= 1.0 - 1e-9),
            format!(
                "the ratio is {top:.3} at most and {last:.3} at d = {}",
                dimensions[dimensions.len() - 1]
            ),
        );
        let first =
            ratios.iter().take_while(|(_, (mean, _))| *mean < top).map(|(d, _)| *d).collect::<Vec<_>>();
        if let Some(peak) = dimensions.get(first.len()).filter(|_| !first.is_empty()) {
            record.remarks.push(format!("It rises up to d = {peak} before it falls: in a few dimensions one line sees most of what there is."));
        }
        let grows = counts.windows(2).all(|pair| pair[1].1 >= pair[0].1);
        let full = counts.iter().find(|(_, count)| (count - all).abs() < 1e-6 * all).map(|(d, _)| *d);
        record.claim(
            grows && full.is_some_and(|d| d <= 2.0 * COUNTED as f64),
            format!(
                "the number of orders grows with d and is all of 310! (1e{all:.0}) from d = {} on",
                full.map_or("no dimension".to_string(), |d| format!("{d}"))
            ),
        );
        record.tables.push(table);
        let mut left = Plot::new("min-SWGG over the optimum", Axis::log("dimension"), Axis::new("ratio"));
        left.series.push(Series::banded("mean ± deviation", 0, &ratios, 1.0));
        left.rules.push((1.0, "optimum".to_string()));
        let mut right =
            Plot::new("orders of 310 points", Axis::new("dimension"), Axis::new("log10 of their number"));
        right.series.push(Series::line("seen from lines", 2, counts));
        right.rules.push((all, "310!".to_string()));
        let mut sheet = Sheet::new(2);
        sheet.push(left);
        sheet.push(right);
        record.svg("", "Left: how close min-SWGG comes. Right: Cover's count.", sheet.draw());
        Ok(record)
    }
}

/// The logarithm (base 10) of how many orders `n` points in general position in `R^d` have along lines (T. Cover, 1967):
///
/// ```text
/// Q(n + 1, d) = Q(n, d) + n Q(n, d - 1),    Q(n, 1) = 2,    Q(1, d) = 1
/// ```
fn orders(n: usize, d: usize) -> f64 {
    // One point more swaps places with each of the n others along the lines of one dimension less.
    let two = 2_f64.log10();
    let mut logs = vec![two; d];
    for k in 2..n {
        let before = logs.clone();
        for dim in (1..d).rev() {
            let (stay, swap) = (before[dim], before[dim - 1] + (k as f64).log10());
            let (large, small) = if stay > swap { (stay, swap) } else { (swap, stay) };
            logs[dim] = large + (1.0 + 10_f64.powf(small - large)).log10();
        }
    }
    if n < 2 { 0.0 } else { logs[d - 1] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clouds::{arcs, directions};
    use std::collections::BTreeSet;
    use swgg::Measure;
    use swgg::line::{Direction, Sampler, Sphere};

    #[test]
    fn counts_are_those_that_lines_see() {
        let count = |n: usize, d: usize| 10_f64.powf(orders(n, d)).round() as usize;
        assert_eq!((count(3, 2), count(4, 2), count(5, 2), count(2, 7)), (6, 12, 20, 2));
        // All orders from d = n - 1 on.
        assert_eq!((count(5, 4), count(5, 9), count(6, 5)), (120, 120, 720));
        for (n, d) in [(5, 2), (4, 3), (5, 3)] {
            // Some orders are seen from few lines: none too many in any cloud, all of them in one or another.
            let seen = |seed: u64| {
                let (cloud, _) = opposite_pair(n, d, seed);
                let measure = Measure::from_vec(cloud.points, d).unwrap();
                let thetas = Sphere::new(d, seed).unwrap().batch(0..20_000);
                let mut orders: BTreeSet<Vec<u32>> = BTreeSet::new();
                for k in 0..thetas.len() {
                    let order = thetas.get(k).sort(&measure).unwrap().as_slice().to_vec();
                    orders.insert(order.iter().rev().copied().collect());
                    orders.insert(order);
                }
                orders.len()
            };
            let most = (0..10).map(seen).max().unwrap();
            assert_eq!(most, count(n, d), "n = {n}, d = {d}");
        }
    }

    #[test]
    fn arcs_cover_half_a_turn() {
        let (x, y) = opposite_pair(4, 2, 0);
        let (mu, nu) = (measure(&x).unwrap(), measure(&y).unwrap());
        let arcs = arcs(&mu, &nu).unwrap();
        assert!(
            (arcs.iter().map(|arc| arc.end - arc.start).sum::<f64>() - std::f64::consts::PI).abs() < 1e-9
        );
        let east = directions(&[0.0]).unwrap();
        assert_eq!(east.get(0), Direction::at_angle(0.0).unwrap());
    }
}
