//! Figure 6: max-SW and min-SWGG choose different lines.

use swgg::paper::Sweep;
use swgg::sliced::max_sliced;
use swgg::{MinSwgg, Question, Run, Solver};
use swgg_testkit::plane_pair;

use super::Experiment;
use crate::Outcome;
use crate::chart::{Dots, Ink, Plane, Segments, Sheet};
use crate::clouds::{exact, flat, measure};
use crate::record::{Record, Table};
use crate::scale::Scale;
use crate::statistics::short;

pub struct Axes;

impl Experiment for Axes {
    fn name(&self) -> &'static str {
        "axes"
    }

    fn place(&self) -> &'static str {
        "Figure 6 (Supp. A.4)"
    }

    fn title(&self) -> &'static str {
        "max-SW against min-SWGG"
    }

    fn shows(&self) -> &'static str {
        "Two Gaussians far apart along the first axis and unlike along the second, with the line that each of the two chooses."
    }

    fn says(&self) -> &'static str {
        "max-SW takes the axis along which the means differ, min-SWGG the other one. (The text names the same axis twice; the figure and the argument mean different ones.)"
    }

    fn run(&self, scale: &Scale) -> Outcome<Record> {
        let n = scale.pick(100, 500, 1000);
        let deviations = [[1.0, 11.0_f64.sqrt()], [2.0_f64.sqrt(), 2.0_f64.sqrt()]];
        let (x, y) = plane_pair(n, [[-10.0, 0.0], [10.0, 0.0]], deviations, 0);
        let (mu, nu) = (measure(&x)?, measure(&y)?);
        let max = max_sliced(&mu, &nu)?;
        let question = Question::new(&mu, &nu)?;
        let min = MinSwgg::new()
            .search(Sweep::default())
            .answer(&question, &mut Run::default().without_bounds())?;
        let line = min.direction.as_ref().ok_or("min-SWGG without a line")?;
        let angle = |theta: &[f64]| {
            let degrees = theta[1].atan2(theta[0]).to_degrees().rem_euclid(180.0);
            degrees.min(180.0 - degrees)
        };
        let (of_max, of_min) = (angle(max.theta.as_slice()), angle(line.as_slice()));
        let optimum = exact(&mu, &nu)?;

        let mut record = Record { seed: "0, of the clouds".to_string(), ..Record::default() };
        record.set("points", format!("{n} and {n}"));
        record.set("means", "(-10, 0) and (10, 0)");
        record.set("covariances", "diag(1, 11) and diag(2, 2)");
        record.set("search of min-SWGG", "sweep: every line of the plane");
        record.ours("angle of max-SW, degrees", of_max);
        record.ours("angle of min-SWGG, degrees", of_min);
        record.claim(of_max < 10.0, format!("max-SW lies {of_max:.1} degrees off the first axis"));
        record
            .claim(of_min > 75.0, format!("min-SWGG lies {:.1} degrees off the second axis", 90.0 - of_min));
        let mut table = Table::new("squared", ["", "value", "angle, degrees"]);
        table.row(["max-SW".to_string(), short(max.cost), format!("{of_max:.1}")]);
        table.row(["W2, exact".to_string(), short(optimum), "-".to_string()]);
        table.row(["min-SWGG".to_string(), short(min.cost), format!("{of_min:.1}")]);
        record.tables.push(table);
        let through =
            |theta: &[f64]| vec![[[-8.0 * theta[0], -8.0 * theta[1]], [8.0 * theta[0], 8.0 * theta[1]]]];
        let mut plane = Plane::new("the two lines");
        plane.dots.push(Dots { radius: 1.6, ..Dots::new("source", Ink::Palette(0), flat(&mu)) });
        plane.dots.push(Dots { radius: 1.6, ..Dots::new("target", Ink::Palette(1), flat(&nu)) });
        plane.segments.push(Segments::new("max-SW", 3, 3.0, through(max.theta.as_slice())));
        plane.segments.push(Segments::new("min-SWGG", 2, 3.0, through(line.as_slice())));
        record.svg("", "The lines that max-SW and min-SWGG choose.", Sheet::one(plane));
        Ok(record)
    }
}
