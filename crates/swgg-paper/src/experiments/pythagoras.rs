//! Figure 9: with one cloud on a line, Pythagoras splits the cost.

use swgg::line::Direction;
use swgg::paper::line_transport;
use swgg::{Measure, line};
use swgg_testkit::plane_pair;

use super::Experiment;
use crate::Outcome;
use crate::chart::{Dots, Ink, Plane, Segments, Sheet};
use crate::clouds::{exact, flat};
use crate::record::{Record, Table};
use crate::scale::Scale;
use crate::statistics::short;

/// The line, in degrees.
const ANGLE: f64 = 25.0;

pub struct Pythagoras;

impl Experiment for Pythagoras {
    fn name(&self) -> &'static str {
        "pythagoras"
    }

    fn place(&self) -> &'static str {
        "Figure 9 (Supp. D.4)"
    }

    fn title(&self) -> &'static str {
        "The closed form by Pythagoras"
    }

    fn shows(&self) -> &'static str {
        "A cloud, its projection on a line, and a target on that line: every displacement is the long side of a right triangle."
    }

    fn says(&self) -> &'static str {
        "With the target on a line, W2^2(mu, nu) = W2^2(mu, Q mu) + W2^2(Q mu, nu), and sorting along the line is optimal."
    }

    fn run(&self, scale: &Scale) -> Outcome<Record> {
        let (n, seeds) = (scale.pick(30, 100, 500), scale.pick(3, 10, 50));
        let theta = Direction::at_angle(ANGLE.to_radians())?;
        let mut record = Record { seed: format!("0 to {}, of the clouds", seeds - 1), ..Record::default() };
        record.set("points", format!("{n} and {n}, in the plane"));
        record.set("line", format!("through the origin at {ANGLE} degrees"));
        let mut worst = [0.0_f64; 2];
        let mut drawn = None;
        let mut table = Table::new(
            "squared, first seeds",
            ["seed", "to the line", "along the line", "their sum", "sorted", "exact solver"],
        );
        for seed in 0..seeds {
            let (x, y) = plane_pair(n, [[-1.0, 1.5], [2.0, 0.0]], [[1.0, 1.0], [1.5, 1.0]], seed);
            let mu = Measure::from_vec(x.points, 2)?;
            let nu = theta.flatten(&Measure::from_vec(y.points, 2)?)?;
            let shadow = theta.flatten(&mu)?;
            let off =
                mu.points().iter().zip(shadow.points()).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / n as f64;
            let along = line::cost(&theta.push_forward(&mu)?, &theta.push_forward(&nu)?, 2.0)?;
            let (sorted, optimum) = (line_transport(&mu, &nu)?, exact(&mu, &nu)?);
            worst[0] = worst[0].max((off + along - optimum).abs() / optimum);
            worst[1] = worst[1].max((sorted.cost - optimum).abs() / optimum);
            if seed < 5 {
                table.row([
                    seed.to_string(),
                    short(off),
                    short(along),
                    short(off + along),
                    short(sorted.cost),
                    short(optimum),
                ]);
            }
            drawn.get_or_insert((mu, shadow, nu, sorted.coupling));
        }
        record.ours("largest difference of the sum", worst[0]);
        record.ours("largest difference of sorting", worst[1]);
        record.claim(
            worst[0] < 1e-9,
            format!(
                "the two parts add up to the optimum of an exact solver, to {:.0e} of it in {seeds} pairs",
                worst[0]
            ),
        );
        record.claim(
            worst[1] < 1e-9,
            format!("sorting along the line costs the optimum, to {:.0e} of it", worst[1]),
        );
        record.tables.push(table);
        if let Some((mu, shadow, nu, plan)) = drawn {
            let few = |i: usize| i < 12;
            let pairs = || plan.entries().filter(|(i, _, _)| few(*i));
            let (x, q, y) = (flat(&mu), flat(&shadow), flat(&nu));
            let mut plane = Plane::new("twelve right triangles");
            plane.segments.push(Segments::new(
                "to the line",
                0,
                0.9,
                pairs().map(|(i, _, _)| [x[i], q[i]]).collect(),
            ));
            plane.segments.push(Segments::new(
                "along the line",
                1,
                2.2,
                pairs().map(|(i, j, _)| [q[i], y[j]]).collect(),
            ));
            plane.segments.push(Segments::new(
                "the optimal plan",
                6,
                0.9,
                pairs().map(|(i, j, _)| [x[i], y[j]]).collect(),
            ));
            let some = |points: &[[f64; 2]], is_kept: &dyn Fn(usize) -> bool| {
                points.iter().enumerate().filter(|(i, _)| is_kept(*i)).map(|(_, point)| *point).collect()
            };
            let targets: Vec<usize> = pairs().map(|(_, j, _)| j).collect();
            plane.dots.push(Dots::new("source", Ink::Palette(0), some(&x, &few)));
            plane.dots.push(Dots::new("projection", Ink::Palette(2), some(&q, &few)));
            plane.dots.push(Dots::new("target", Ink::Palette(1), some(&y, &|j| targets.contains(&j))));
            record.svg("", "Some points with their projections and targets.", Sheet::one(plane));
        }
        Ok(record)
    }
}
