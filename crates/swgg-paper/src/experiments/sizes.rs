//! Figure 12: min-SWGG levels off as the number of points grows.

use swgg::paper::{InMemory, Search, Stein};
use swgg::run::Workers;
use swgg::{Auto, Parallelism, Question, Run, Solver};

use super::Experiment;
use crate::Outcome;
use crate::chart::{Axis, Plot, Series, Sheet};
use crate::clouds::{measure, opposite_pair};
use crate::record::{Record, Table};
use crate::scale::Scale;
use crate::statistics::{mean, short, spread};

pub struct Sizes;

/// Sizes with mean and deviation.
type Curve = Vec<(f64, (f64, f64))>;

impl Experiment for Sizes {
    fn name(&self) -> &'static str {
        "sizes"
    }

    fn place(&self) -> &'static str {
        "Figure 12 (Supp. E.1)"
    }

    fn title(&self) -> &'static str {
        "Evolution with the number of points"
    }

    fn shows(&self) -> &'static str {
        "min-SWGG and the optimum between two Gaussians in dimension 4 as the number of points grows."
    }

    fn says(&self) -> &'static str {
        "When there are enough points, min-SWGG stays about a constant."
    }

    fn run(&self, scale: &Scale) -> Outcome<Record> {
        let (d, seeds) = (4, scale.pick(3, 6, 10));
        let sizes: Vec<usize> = scale.pick(
            vec![25, 100, 400, 800],
            vec![25, 50, 100, 200, 400, 800, 1600, 3200],
            vec![25, 50, 100, 200, 400, 800, 1600, 3200, 6400, 12_800],
        );
        let mut record = Record { seed: format!("0 to {}", seeds - 1), ..Record::default() };
        record.set("dimension", d);
        record.set("repetitions", seeds);
        record.set("search of min-SWGG", "Stein's gradient, its usual 25 steps");
        let workers = Workers::new(Parallelism::Auto)?;
        let mut table = Table::new("squared, mean ± deviation", ["n", "min-SWGG", "W2^2", "ratio"]);
        let (mut lines, mut optima): (Curve, Curve) = Default::default();
        for &n in &sizes {
            let found: Vec<(f64, f64)> = scale.part(&format!("sizes-{n}"), || {
                let one = |seed: usize| -> Outcome<(f64, f64)> {
                    let (x, y) = opposite_pair(n, d, seed as u64);
                    let (mu, nu) = (measure(&x)?, measure(&y)?);
                    let slices = InMemory::with_parallelism(&mu, &nu, Parallelism::Serial)?;
                    let line = Stein { seed: seed as u64, ..Default::default() }.run(&slices, &mut ())?;
                    let mut run = Run { parallelism: Parallelism::Serial, ..Run::default().without_bounds() };
                    // Optimal at these sizes.
                    let best = Auto::default().answer(&Question::new(&mu, &nu)?, &mut run)?;
                    Ok((line.cost, best.cost))
                };
                workers.map(seeds, one).into_iter().collect()
            })?;
            let (line, best): (Vec<f64>, Vec<f64>) = found.into_iter().unzip();
            let ratio = mean(&line) / mean(&best);
            let (line, best) = (spread(&line), spread(&best));
            let cell = |(mean, off): (f64, f64)| format!("{mean:.3} ± {off:.3}");
            table.row([n.to_string(), cell(line), cell(best), format!("{ratio:.3}")]);
            lines.push((n as f64, line));
            optima.push((n as f64, best));
        }
        record.ours("n", sizes.clone());
        record.ours("min-SWGG", lines.iter().map(|(_, (mean, _))| *mean).collect::<Vec<_>>());
        record.ours("W2^2", optima.iter().map(|(_, (mean, _))| *mean).collect::<Vec<_>>());
        if let [.., (_, (before, _)), (_, (last, _))] = lines[..] {
            let change = (last - before).abs() / before;
            record.claim(
                change < 0.05,
                format!(
                    "from n = {} to {} min-SWGG changes by {:.1} % (from {} to {})",
                    sizes[sizes.len() - 2],
                    sizes[sizes.len() - 1],
                    100.0 * change,
                    short(before),
                    short(last)
                ),
            );
        }
        let is_above = lines.iter().zip(&optima).all(|((_, (line, _)), (_, (best, _)))| line >= best);
        record.claim(is_above, "min-SWGG is above the optimum at every size");
        record.tables.push(table);
        let mut plot = Plot::new("d = 4", Axis::log("points"), Axis::new("squared"));
        plot.series.push(Series::banded("min-SWGG", 0, &lines, 1.0));
        plot.series.push(Series::banded("W2^2", 1, &optima, 1.0));
        record.svg("", "Mean and deviation over the repetitions.", Sheet::one(plot));
        Ok(record)
    }
}
