//! Figure 1: SWGG jumps where the order of two projections changes.

use swgg::Measure;
use swgg::line::Direction;
use swgg::paper::{Geodesic, InMemory, Slices};

use super::Experiment;
use crate::Outcome;
use crate::chart::{Axis, Dots, Ink, Plane, Plot, Segments, Series, Sheet, Style};
use crate::clouds::{arcs, directions, flat, full_turn};
use crate::record::Record;
use crate::scale::Scale;
use crate::statistics::short;

/// Two points each: two pairings, and so two values.
pub const SOURCE: [f64; 4] = [-1.0, 0.2, 1.0, -0.2];
pub const TARGET: [f64; 4] = [-0.5, -1.0, 0.3, 1.0];

pub struct Discontinuity;

impl Experiment for Discontinuity {
    fn name(&self) -> &'static str {
        "discontinuity"
    }

    fn place(&self) -> &'static str {
        "Figure 1"
    }

    fn title(&self) -> &'static str {
        "SWGG jumps as the line turns"
    }

    fn shows(&self) -> &'static str {
        "Two clouds of two points with two lines, and the value of SWGG at every angle of the line."
    }

    fn says(&self) -> &'static str {
        "SWGG is constant as long as the order of the projections is, and jumps where it changes; here it takes two values."
    }

    fn run(&self, scale: &Scale) -> Outcome<Record> {
        let (mu, nu) = (Measure::from_slice(&SOURCE, 2)?, Measure::from_slice(&TARGET, 2)?);
        let angles = full_turn(scale.pick(360, 3600, 36_000));
        let costs = InMemory::new(&mu, &nu)?.costs(&directions(&angles)?)?;
        let arcs = arcs(&mu, &nu)?;
        // Half a turn meets every plan; the other half meets them again.
        let place = |angle: f64| angle.rem_euclid(std::f64::consts::PI);
        let is_constant = angles.iter().zip(&costs).all(|(angle, cost)| {
            let arc = arcs.iter().find(|arc| (arc.start..=arc.end).contains(&place(*angle)));
            arc.is_some_and(|arc| (arc.cost - cost).abs() <= 1e-12 * (1.0 + cost))
        });
        let mut values: Vec<f64> = Vec::new();
        for cost in &costs {
            if values.iter().all(|value| (value - cost).abs() > 1e-9) {
                values.push(*cost);
            }
        }
        values.sort_by(f64::total_cmp);
        let jumps = costs.windows(2).filter(|pair| (pair[0] - pair[1]).abs() > 1e-9).count();

        let mut record = Record { seed: "none: nothing is random".to_string(), ..Record::default() };
        record.set("points", "2 and 2, in the plane");
        record.set("angles", angles.len());
        record.ours("values", values.clone());
        record.ours("jumps in a full turn", jumps);
        record.theirs("values", 2);
        let listed = values.iter().map(|value| short(*value)).collect::<Vec<_>>().join(" and ");
        record.claim(
            values.len() == 2,
            format!("SWGG takes {} values over a full turn ({listed})", values.len()),
        );
        record.claim(
            is_constant && jumps == 4,
            format!("it jumps {jumps} times in a full turn and is constant in between, where the two orders do not change"),
        );
        record.svg("", "Left: both clouds, a line of either value, and the pairs each makes. Right: SWGG at every angle.", draw(&mu, &nu, &arcs)?);
        Ok(record)
    }
}

fn draw(mu: &Measure<f64>, nu: &Measure<f64>, arcs: &[swgg::paper::Arc]) -> Outcome<String> {
    let by_cost = |a: &&swgg::paper::Arc, b: &&swgg::paper::Arc| a.cost.total_cmp(&b.cost);
    let widest = |cost: f64| {
        let same = arcs.iter().filter(|arc| (arc.cost - cost).abs() < 1e-9);
        same.max_by(|a, b| (a.end - a.start).total_cmp(&(b.end - b.start)))
    };
    let mut plane = Plane::new("two lines, two plans");
    plane.dots.push(Dots { radius: 5.0, ..Dots::new("source", Ink::Palette(0), flat(mu)) });
    plane.dots.push(Dots { radius: 5.0, ..Dots::new("target", Ink::Palette(1), flat(nu)) });
    for (name, color, arc) in [
        ("the cheaper line", 2, arcs.iter().min_by(by_cost)),
        ("the dearer line", 3, arcs.iter().max_by(by_cost)),
    ] {
        let Some(arc) = arc.and_then(|arc| widest(arc.cost)) else { continue };
        let theta = Direction::at_angle(arc.middle())?;
        let end = |sign: f64| [sign * 1.3 * theta.as_slice()[0], sign * 1.3 * theta.as_slice()[1]];
        plane.segments.push(Segments::new(name, color, 1.6, vec![[end(-1.0), end(1.0)]]));
        let plan = Geodesic::along(mu, nu, &theta)?;
        let pairs = plan.coupling().entries().map(|(i, j, _)| [flat(mu)[i], flat(nu)[j]]);
        plane.segments.push(Segments::new("", color, 0.8, pairs.collect()));
    }
    let degrees = |angle: f64| angle.to_degrees();
    let pieces = [0.0, std::f64::consts::PI].into_iter().flat_map(|turn| {
        arcs.iter()
            .flat_map(move |arc| [(degrees(arc.start + turn), arc.cost), (degrees(arc.end + turn), arc.cost)])
    });
    let mut plot = Plot::new(
        "SWGG over the angle",
        Axis::new("angle, degrees").between(0.0, 360.0),
        Axis::new("SWGG, squared"),
    );
    plot.series.push(Series::new("SWGG", 0, Style::Pieces, pieces.collect()));
    let mut sheet = Sheet::new(2);
    sheet.push(plane);
    sheet.push(plot);
    Ok(sheet.draw())
}
