//! Figure 14: PWD, SW and max-SW beside min-SWGG.

use swgg::Run;
use swgg::paper::{InMemory, Search};
use swgg::sliced::{MaxSliced, Sliced, Slicing};
use swgg_testkit::gaussian_pair;

use super::Experiment;
use super::searches::optimised;
use crate::Outcome;
use crate::chart::{Axis, Plot, Series, Sheet, Style};
use crate::clouds::{exact, measure};
use crate::record::{Record, Table};
use crate::scale::Scale;
use crate::statistics::{mean, short, spread};

/// Numbers of lines.
const LINES: [usize; 6] = [5, 10, 25, 50, 100, 250];

pub struct SlicedBeside;

impl Experiment for SlicedBeside {
    fn name(&self) -> &'static str {
        "sliced-beside"
    }

    fn place(&self) -> &'static str {
        "Figure 14 (Supp. E.2)"
    }

    fn title(&self) -> &'static str {
        "PWD, SW and max-SW beside min-SWGG"
    }

    fn shows(&self) -> &'static str {
        "The setting of Figure 3, left, for the other distances by lines, with more and more of them."
    }

    fn says(&self) -> &'static str {
        "PWD is above optimised min-SWGG, SW and max-SW are far below the optimum, whatever the number of lines."
    }

    fn run(&self, scale: &Scale) -> Outcome<Record> {
        let (n, seeds) = (scale.pick(150, 1000, 1000), scale.pick(3, 5, 20));
        let mut record =
            Record { seed: format!("0 of the clouds, 0 to {} of the lines", seeds - 1), ..Record::default() };
        record.set("points", format!("{n} and {n}, Gaussians with random means and covariances"));
        record.set("max-SW", "its usual 50 steps from 4 starts");
        record.set("min-SWGG", "descent: Adam, rate 5e-2, 100 steps, s = 10, epsilon = 1");
        let mut sheet = Sheet::new(3);
        let mut table = Table::new(
            format!("squared; SW and PWD with {} lines, mean over the seeds", LINES[LINES.len() - 1]),
            ["d", "SW", "max-SW", "W2^2", "min-SWGG", "PWD"],
        );
        for d in [2, 20, 200] {
            scale.progress.tell(&format!("d = {d}"));
            let (x, y) = gaussian_pair(n, d, d, 0);
            let (mu, nu) = (measure(&x)?, measure(&y)?);
            let estimate = |slicing: Slicing, directions: usize| -> Outcome<Vec<f64>> {
                let lines = Sliced { directions, ..Sliced::new(slicing) };
                (0..seeds).map(|seed| Ok(lines.estimate(&mu, &nu, &mut Run::seeded(seed))?.cost)).collect()
            };
            let curve = |slicing: Slicing| -> Outcome<Vec<(f64, Vec<f64>)>> {
                LINES.iter().map(|lines| Ok((*lines as f64, estimate(slicing, *lines)?))).collect()
            };
            let (sw, pwd) = (curve(Slicing::Wasserstein { p: 2.0 })?, curve(Slicing::Projected)?);
            let slices = InMemory::new(&mu, &nu)?;
            let max = (0..seeds)
                .map(|seed| Ok(MaxSliced::default().maximum(&mu, &nu, &mut Run::seeded(seed))?.cost));
            let max = mean(&max.collect::<Outcome<Vec<f64>>>()?);
            let line = (0..seeds).map(|seed| Ok(optimised(seed).run(&slices, &mut ())?.cost));
            let line = mean(&line.collect::<Outcome<Vec<f64>>>()?);
            let optimum = exact(&mu, &nu)?;
            let last = |curve: &[(f64, Vec<f64>)]| curve.last().map_or(f64::NAN, |(_, costs)| mean(costs));
            let row = [last(&sw), max, optimum, line, last(&pwd)];
            table.row([d.to_string()].into_iter().chain(row.map(short)));
            for (name, value) in ["SW", "max-SW", "W2^2", "min-SWGG", "PWD"].iter().zip(row) {
                record.ours(format!("d = {d}: {name}"), value);
            }
            let above = pwd.iter().all(|(_, costs)| mean(costs) > line);
            record.claim(
                above,
                format!(
                    "d = {d}: PWD ({}) is above min-SWGG ({}) with any number of lines",
                    short(last(&pwd)),
                    short(line)
                ),
            );
            record.claim(
                last(&sw) < max && max <= optimum && optimum <= line * (1.0 + 1e-9),
                format!(
                    "SW ({}), max-SW ({}), the optimum ({}) and min-SWGG come in this order",
                    short(last(&sw)),
                    short(max),
                    short(optimum)
                ),
            );
            let spreads = |curve: &[(f64, Vec<f64>)]| {
                curve.iter().map(|(lines, costs)| (*lines, spread(costs))).collect::<Vec<_>>()
            };
            let mut plot = Plot::new(format!("d = {d}"), Axis::log("lines"), Axis::log("squared"));
            plot.series.push(Series::banded("PWD", 4, &spreads(&pwd), 2.0));
            let level = |value: f64| vec![(LINES[0] as f64, value), (LINES[LINES.len() - 1] as f64, value)];
            plot.series.push(Series::new("min-SWGG, descent", 1, Style::Dashed, level(line)));
            plot.series.push(Series::new("max-SW", 3, Style::Dashed, level(max)));
            plot.series.push(Series::banded("SW", 0, &spreads(&sw), 2.0));
            plot.rules.push((optimum, "W2^2".to_string()));
            sheet.push(plot);
        }
        record.tables.push(table);
        record.svg("", "Bands: twice the deviation over the seeds.", sheet.draw());
        Ok(record)
    }
}
