//! Figure 10: landscapes of SWGG and of its surrogate.

use swgg::Measure;
use swgg::paper::{Blur, BlurWidth, InMemory, Slices};
use swgg_testkit::{multimodal_pair, plane_pair};

use super::Experiment;
use crate::Outcome;
use crate::chart::{Axis, Plot, Series, Sheet};
use crate::clouds::{directions, full_turn, measure};
use crate::record::{Record, Table};
use crate::scale::Scale;
use crate::statistics::short;

/// Copies at one width of the blur, and widths with many copies.
const COPIES: [usize; 3] = [1, 10, 100];
const EPSILONS: [f64; 3] = [0.1, 1.0, 10.0];

pub struct Landscapes;

/// How rough a curve is: the mean size of its second differences. How flat: its range.
struct Shape {
    roughness: f64,
    range: f64,
}

impl Shape {
    fn of(values: &[f64]) -> Self {
        let count = values.len();
        let bend = |k: usize| (values[k] - 2.0 * values[(k + 1) % count] + values[(k + 2) % count]).abs();
        let (low, high) =
            values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
        Shape { roughness: (0..count).map(bend).sum::<f64>() / count as f64, range: high - low }
    }
}

impl Experiment for Landscapes {
    fn name(&self) -> &'static str {
        "landscapes"
    }

    fn place(&self) -> &'static str {
        "Figure 10 (Supp. D.6)"
    }

    fn title(&self) -> &'static str {
        "Landscapes of SWGG and of its surrogate"
    }

    fn shows(&self) -> &'static str {
        "SWGG and the surrogate over the angle, for two pairs of clouds, with several numbers of copies s and widths epsilon."
    }

    fn says(&self) -> &'static str {
        "The more copies, the smoother; the larger epsilon, the flatter, as local minima are erased."
    }

    fn run(&self, scale: &Scale) -> Outcome<Record> {
        let n = scale.pick(50, 100, 100);
        let angles = full_turn(scale.pick(360, 720, 1440));
        let mut record = Record { seed: "0, of clouds and noise".to_string(), ..Record::default() };
        record.set("points", format!("{n} and {n}"));
        record.set("angles", angles.len());
        let means = [[-2.0, 0.0], [2.0, 1.0]];
        let pairs = [
            ("Gaussians", plane_pair(n, means, [[1.0, 2.0], [1.5, 0.7]], 0)),
            ("ten clusters", multimodal_pair(n, 0)),
        ];
        let mut table = Table::new(
            "roughness and range of the landscape",
            ["clouds", "s", "epsilon", "roughness", "range", "local minima deeper than 2 % of the range"],
        );
        let mut sheet = Sheet::new(2);
        for (name, (x, y)) in &pairs {
            let (mu, nu) = (measure(x)?, measure(y)?);
            // Widths are told against the spread of the clouds: those of the paper are about its own.
            let unit = variance(&mu).max(variance(&nu)) / 10.0;
            let slices = InMemory::new(&mu, &nu)?;
            let thetas = directions(&angles)?;
            let sharp = slices.costs(&thetas)?;
            let smoothed = |copies: usize, epsilon: f64| -> Outcome<Vec<f64>> {
                let blur = Blur { copies: Some(copies), width: BlurWidth::Epsilon(epsilon * unit), seed: 0 };
                Ok(slices.smoothed(&thetas, &blur)?.into_iter().map(|at| at.value).collect())
            };
            let by_copies: Vec<Vec<f64>> =
                COPIES.iter().map(|s| smoothed(*s, 1.0)).collect::<Outcome<_>>()?;
            let by_width: Vec<Vec<f64>> =
                EPSILONS.iter().map(|e| smoothed(COPIES[2], *e)).collect::<Outcome<_>>()?;
            let deep = 0.02 * Shape::of(&sharp).range;
            let mut row = |s: String, epsilon: String, values: &[f64]| {
                let Shape { roughness, range } = Shape::of(values);
                table.row([
                    name.to_string(),
                    s,
                    epsilon,
                    short(roughness),
                    short(range),
                    minima(values, deep).to_string(),
                ]);
            };
            row("-".into(), "-".into(), &sharp);
            COPIES.iter().zip(&by_copies).for_each(|(s, values)| row(s.to_string(), short(unit), values));
            let widths = EPSILONS.iter().zip(&by_width);
            widths.for_each(|(e, values)| row(COPIES[2].to_string(), short(e * unit), values));
            let rough: Vec<f64> = by_copies.iter().map(|values| Shape::of(values).roughness).collect();
            let ranges: Vec<f64> = by_width.iter().map(|values| Shape::of(values).range).collect();
            record.ours(format!("{name}: roughness by s"), rough.clone());
            record.ours(format!("{name}: range by epsilon"), ranges.clone());
            let listed = |values: &[f64]| values.iter().map(|x| short(*x)).collect::<Vec<_>>().join(", ");
            record.claim(
                rough.windows(2).all(|pair| pair[1] < pair[0]),
                format!("{name}: roughness with s = 1, 10, 100 is {}", listed(&rough)),
            );
            let valleys: Vec<usize> = by_width.iter().map(|values| minima(values, deep)).collect();
            let of_sharp = minima(&sharp, deep);
            record.ours(format!("{name}: local minima by epsilon"), valleys.clone());
            record.claim(
                valleys[0] < of_sharp && valleys[1..].iter().all(|count| *count <= valleys[0]),
                format!(
                    "{name}: local minima are erased as epsilon grows ({of_sharp} of SWGG itself, then {}, {} and {})",
                    valleys[0], valleys[1], valleys[2]
                ),
            );
            if ranges[2] >= ranges[0] {
                record.remarks.push(format!(
                    "{name}: the range does not shrink with epsilon ({}): of the widest blur there remains a smooth curve by the spread along the line, which is flat for round clouds only.",
                    listed(&ranges)
                ));
            }
            let over = |values: &[f64]| {
                angles.iter().map(|angle| angle.to_degrees()).zip(values.iter().copied()).collect()
            };
            let plot = |title: String, curves: Vec<(String, usize, &Vec<f64>)>| {
                let axis = Axis::new("angle, degrees").between(0.0, 360.0);
                let mut plot = Plot::new(title, axis, Axis::new("squared"));
                plot.series.push(Series::line("SWGG", 6, over(&sharp)));
                plot.series.extend(
                    curves.into_iter().map(|(name, color, values)| Series::line(name, color, over(values))),
                );
                plot
            };
            let copies = COPIES.iter().zip(&by_copies).enumerate();
            sheet.push(plot(
                format!("{name}: copies"),
                copies.map(|(k, (s, values))| (format!("s = {s}"), k, values)).collect(),
            ));
            let widths = EPSILONS.iter().zip(&by_width).enumerate();
            sheet.push(plot(
                format!("{name}: widths, s = {}", COPIES[2]),
                widths.map(|(k, (e, values))| (format!("epsilon x {e}"), 3 + k, values)).collect(),
            ));
        }
        record.tables.push(table);
        record.svg("", "Left: more copies at one width. Right: wider blurs with many copies.", sheet.draw());
        Ok(record)
    }
}

/// Local minima of a closed curve that are at least so deep: less is noise of the copies.
fn minima(values: &[f64], deep: f64) -> usize {
    let highest = values.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(k, _)| k);
    let (mut turn, mut is_falling, mut count) = (values[highest], true, 0);
    for k in 1..=values.len() {
        let here = values[(highest + k) % values.len()];
        turn = if is_falling { here.min(turn) } else { here.max(turn) };
        if (here - turn).abs() > deep {
            count += usize::from(is_falling);
            (turn, is_falling) = (here, !is_falling);
        }
    }
    count
}

/// Mean squared distance to the mean.
fn variance(cloud: &Measure<f64>) -> f64 {
    let mean = cloud.mean();
    let squares = cloud.points().chunks(cloud.dim()).flatten().zip(mean.iter().cycle());
    squares.map(|(x, m)| (x - m).powi(2)).sum::<f64>() / cloud.len() as f64
}
