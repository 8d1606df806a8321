//! Figure 8: geodesics curve one way, generalized geodesics the other.

use swgg::paper::Geodesic;
use swgg::plan::{Coupling, Permutation};
use swgg::{Exact, Measure, Question, Run, Solver};
use swgg_testkit::{Cloud, plane_pair};

use super::Experiment;
use crate::Outcome;
use crate::chart::{Axis, Dots, Ink, Plane, Plot, Segments, Series, Sheet, Style};
use crate::clouds::{exact, flat, measure};
use crate::record::Record;
use crate::scale::Scale;
use crate::statistics::short;

pub struct Curvature;

/// Squared distances to the pivot at one time.
struct Moment {
    t: f64,
    geodesic: f64,
    flat: f64,
    generalized: f64,
}

impl Experiment for Curvature {
    fn name(&self) -> &'static str {
        "curvature"
    }

    fn place(&self) -> &'static str {
        "Figure 8 (Supp. B)"
    }

    fn title(&self) -> &'static str {
        "Curvature of geodesics and of generalized geodesics"
    }

    fn shows(&self) -> &'static str {
        "How far the measures on the way from one cloud to another are from a third one, the pivot: along the geodesic, along the generalized geodesic, and by the parallelogram law of flat space."
    }

    fn says(&self) -> &'static str {
        "Along the geodesic the squared distance to the pivot is at least that of flat space, along the generalized geodesic at most."
    }

    fn run(&self, scale: &Scale) -> Outcome<Record> {
        let (n, seeds, steps) = (scale.pick(30, 60, 100), scale.pick(3, 10, 50), scale.pick(8, 20, 20));
        let mut record = Record { seed: format!("0 to {}, of the clouds", seeds - 1), ..Record::default() };
        record.set("points", format!("{n} in each of three clouds of the plane"));
        record.set("times", steps + 1);
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut first = None;
        for seed in 0..seeds {
            let clouds = triangle(n, seed);
            let moments = moments(&clouds, steps)?;
            // At both ends all three are one.
            for Moment { geodesic, flat, generalized, .. } in &moments[1..steps] {
                least = least.min((geodesic - flat) / flat);
                most = most.max((generalized - flat) / flat);
            }
            first.get_or_insert((clouds, moments));
        }
        record.ours("least of (geodesic - flat) / flat", least);
        record.ours("most of (generalized - flat) / flat", most);
        let rounding = 1e-9;
        record.claim(
            least >= -rounding,
            format!("along the geodesic the distance is never below that of flat space (at least {} of it more) in {seeds} triangles", short(least)),
        );
        record.claim(
            most <= rounding,
            format!("along the generalized geodesic it is never above (at most {} of it more)", short(most)),
        );
        if let Some((clouds, moments)) = first {
            record.svg("", "Left: three clouds, and the two middles between source and target. Right: squared distance to the pivot on the way.", draw(&clouds, &moments)?);
        }
        Ok(record)
    }
}

/// Source, target and pivot: three Gaussians of different shape.
fn triangle(n: usize, seed: u64) -> [Cloud; 3] {
    let long = [2.0, 0.3];
    let (source, target) = plane_pair(n, [[0.0; 2]; 2], [long; 2], 2 * seed);
    let (pivot, _) = plane_pair(n, [[0.0; 2]; 2], [long; 2], 2 * seed + 1);
    // Long clouds that point in different directions: flat space is far from what they see.
    let source = turned(source, 90.0, [-3.0, 0.0]);
    let target = turned(target, 35.0, [3.0, 0.0]);
    let pivot = turned(pivot, -35.0, [0.0, 3.0]);
    [source, target, pivot]
}

/// A cloud turned by some degrees about the origin, then shifted.
fn turned(cloud: Cloud, degrees: f64, shift: [f64; 2]) -> Cloud {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let turn = |p: &[f64]| [cos * p[0] - sin * p[1] + shift[0], sin * p[0] + cos * p[1] + shift[1]];
    Cloud { points: cloud.points.chunks(2).flat_map(turn).collect(), dim: 2 }
}

/// The optimal plan between two clouds of one size.
fn plan(source: &Measure<f64>, target: &Measure<f64>) -> Outcome<Coupling> {
    let question = Question::new(source, target)?;
    Ok(Exact.answer(&question, &mut Run::default().without_bounds())?.into_plan()?)
}

/// The plan from source to target through the pivot: `T(nu -> target) o T(source -> nu)`.
fn through(source: &Measure<f64>, target: &Measure<f64>, pivot: &Measure<f64>) -> Outcome<Coupling> {
    let order = |plan: Coupling| -> Outcome<Permutation> {
        Ok(Permutation::new(plan.targets().ok_or("a plan that splits points")?.to_vec())?)
    };
    // The pivot's point `k` goes to `sigma(k)` and to `tau(k)`.
    Ok(Coupling::matching(&order(plan(pivot, source)?)?, &order(plan(pivot, target)?)?)?)
}

fn moments([source, target, pivot]: &[Cloud; 3], steps: usize) -> Outcome<Vec<Moment>> {
    let (mu, nu, pivot) = (measure(source)?, measure(target)?, measure(pivot)?);
    let direct = Geodesic::new(&mu, &nu, plan(&mu, &nu)?)?;
    let detour = Geodesic::new(&mu, &nu, through(&mu, &nu, &pivot)?)?;
    let [to_source, to_target, between] = [exact(&mu, &pivot)?, exact(&nu, &pivot)?, exact(&mu, &nu)?];
    let moment = |k: usize| -> Outcome<Moment> {
        let t = k as f64 / steps as f64;
        Ok(Moment {
            t,
            geodesic: exact(&direct.at(t)?, &pivot)?,
            flat: (1.0 - t) * to_source + t * to_target - t * (1.0 - t) * between,
            generalized: exact(&detour.at(t)?, &pivot)?,
        })
    };
    (0..=steps).map(moment).collect()
}

fn draw([source, target, third]: &[Cloud; 3], moments: &[Moment]) -> Outcome<String> {
    let (mu, nu, pivot) = (measure(source)?, measure(target)?, measure(third)?);
    let mut plane = Plane::new("two middles");
    let middle =
        |coupling: Coupling| -> Outcome<_> { Ok(flat(&Geodesic::new(&mu, &nu, coupling)?.midpoint()?)) };
    let triples = [("source", 0, &mu), ("target", 1, &nu), ("pivot", 6, &pivot)];
    plane.dots.extend(triples.map(|(name, color, cloud)| Dots::new(name, Ink::Palette(color), flat(cloud))));
    plane.dots.push(Dots::new("middle of the geodesic", Ink::Palette(2), middle(plan(&mu, &nu)?)?));
    plane.dots.push(Dots::new("generalized middle", Ink::Palette(3), middle(through(&mu, &nu, &pivot)?)?));
    let legs = plan(&pivot, &mu)?;
    let legs = legs.entries().map(|(k, i, _)| [flat(&pivot)[k], flat(&mu)[i]]).collect();
    plane.segments.push(Segments::new("", 6, 0.3, legs));
    let mut plot = Plot::new("distance to the pivot", Axis::new("t"), Axis::new("W2, squared"));
    let curve = |value: fn(&Moment) -> f64| moments.iter().map(|moment| (moment.t, value(moment))).collect();
    plot.series.push(Series::line("along the geodesic", 2, curve(|moment| moment.geodesic)));
    plot.series.push(Series::new("parallelogram law", 6, Style::Dashed, curve(|moment| moment.flat)));
    plot.series.push(Series::line("along the generalized geodesic", 3, curve(|moment| moment.generalized)));
    let mut sheet = Sheet::new(2);
    sheet.push(plane);
    sheet.push(plot);
    Ok(sheet.draw())
}
