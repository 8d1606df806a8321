//! Figure 2: the surrogate turns smoothly from one generalized mean to the other.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use swgg::Measure;
use swgg::line::Direction;
use swgg::paper::{Blur, BlurWidth, Geodesic, InMemory, Slices};

use super::Experiment;
use super::discontinuity::{SOURCE, TARGET};
use crate::Outcome;
use crate::chart::{Axis, Dots, Ink, Plane, Plot, Series, Sheet};
use crate::clouds::{directions, flat, full_turn};
use crate::record::Record;
use crate::scale::Scale;
use crate::statistics::short;

/// `epsilon` of the blur, in squared units of the coordinates.
const EPSILON: f64 = 1.0;
/// A change from one angle to the next that is no jump, as a share of the jump of SWGG.
const SMOOTH: f64 = 0.1;

pub struct Smoothing;

impl Experiment for Smoothing {
    fn name(&self) -> &'static str {
        "smoothing"
    }

    fn place(&self) -> &'static str {
        "Figure 2"
    }

    fn title(&self) -> &'static str {
        "A smooth surrogate of SWGG"
    }

    fn shows(&self) -> &'static str {
        "In the setting of Figure 1: the two sets of generalized Wasserstein means, how the blurred means turn from one into the other, and the surrogate beside SWGG."
    }

    fn says(&self) -> &'static str {
        "Two sets of generalized means are possible, one per value of SWGG; the surrogate passes smoothly from one to the other and can be minimised."
    }

    fn run(&self, scale: &Scale) -> Outcome<Record> {
        let (mu, nu) = (Measure::from_slice(&SOURCE, 2)?, Measure::from_slice(&TARGET, 2)?);
        let (count, copies) = (scale.pick(360, 720, 1440), scale.pick(4000, 8000, 200_000));
        let angles = full_turn(count);
        let thetas = directions(&angles)?;
        let slices = InMemory::new(&mu, &nu)?;
        let sharp = slices.costs(&thetas)?;
        let blur = Blur { copies: Some(copies), width: BlurWidth::Epsilon(EPSILON), seed: 0 };
        let smooth: Vec<f64> = slices.smoothed(&thetas, &blur)?.into_iter().map(|at| at.value).collect();
        let largest = |values: &[f64]| {
            let next = values.iter().cycle().skip(1);
            values.iter().zip(next).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        let (jump, change) = (largest(&sharp), largest(&smooth));
        let least = |values: &[f64]| {
            let all = values.iter().enumerate();
            all.min_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(at, _)| at)
        };
        let (at, best) = (least(&smooth), least(&sharp));
        let means = sharp_means(&mu, &nu, &angles)?;

        let mut record = Record { seed: "0, of the noise".to_string(), ..Record::default() };
        record.set("copies s", copies);
        record.set("epsilon", format!("{EPSILON} (deviation {})", EPSILON.sqrt() / 2.0));
        record.set("angles", count);
        record.ours("sets of generalized means", means.len());
        record.ours("largest change of SWGG", jump);
        record.ours("largest change of the surrogate", change);
        record.ours("angle of the least surrogate, degrees", angles[at].to_degrees());
        record.theirs("sets of generalized means", 2);
        record.claim(means.len() == 2, format!("there are {} sets of generalized means", means.len()));
        record.claim(
            change < SMOOTH * jump,
            format!(
                "from one angle to the next the surrogate changes by {} at most, SWGG by {}",
                short(change),
                short(jump)
            ),
        );
        record.claim(
            (sharp[at] - sharp[best]).abs() < 1e-9,
            format!(
                "the least surrogate is at {:.0} degrees, where SWGG is {}, its least being {}",
                angles[at].to_degrees(),
                short(sharp[at]),
                short(sharp[best])
            ),
        );
        let blurred = blurred_means(&mu, &nu, &angles, copies.min(20_000))?;
        let svg = draw((&mu, &nu), &means, blurred, (&angles, &sharp, &smooth));
        record.svg("", "Left: the two sets of generalized means (middles of the pairs of either plan). Middle: blurred means as the line turns. Right: SWGG and the surrogate.", svg);
        Ok(record)
    }
}

/// The sets of means that occur, each once.
fn sharp_means(mu: &Measure<f64>, nu: &Measure<f64>, angles: &[f64]) -> Outcome<Vec<Vec<[f64; 2]>>> {
    let mut sets: Vec<Vec<[f64; 2]>> = Vec::new();
    for angle in angles {
        let mut set = flat(&Geodesic::along(mu, nu, &Direction::at_angle(*angle)?)?.midpoint()?);
        set.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
        let is_same = |other: &Vec<[f64; 2]>| {
            other.iter().flatten().zip(set.iter().flatten()).all(|(a, b)| (a - b).abs() < 1e-9)
        };
        if !sets.iter().any(is_same) {
            sets.push(set);
        }
    }
    Ok(sets)
}

/// Blurred means at every angle: copies with noise are sorted along the line, and blocks of them are averaged in the plane,
/// `(1 / 2s) sum_k (x_sigma(k) + y_tau(k))` over block `i`.
fn blurred_means(
    mu: &Measure<f64>,
    nu: &Measure<f64>,
    angles: &[f64],
    copies: usize,
) -> Outcome<Vec<[f64; 2]>> {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let noise: Vec<f64> = (0..mu.len() * copies)
        .map(|_| -> f64 { StandardNormal.sample(&mut rng) })
        .map(|normal: f64| 0.5 * EPSILON.sqrt() * normal)
        .collect();
    let mut means = Vec::new();
    for angle in angles.iter().step_by((angles.len() / 180).max(1)) {
        let theta = Direction::at_angle(*angle)?;
        let sums = [mu, nu].map(|cloud| -> Outcome<Vec<[f64; 2]>> {
            let order = theta.sort(cloud)?;
            let places = theta.project(cloud)?;
            let ranked: Vec<usize> = order.as_slice().iter().map(|i| *i as usize).collect();
            let mut keyed: Vec<(f64, usize)> = (0..cloud.len() * copies)
                .map(|k| (places[ranked[k / copies]] + noise[k], ranked[k / copies]))
                .collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mean = |block: &[(f64, usize)]| {
                let sum = |axis: usize| block.iter().map(|(_, i)| cloud.point(*i)[axis]).sum::<f64>();
                [sum(0) / copies as f64, sum(1) / copies as f64]
            };
            Ok(keyed.chunks(copies).map(mean).collect())
        });
        let [source, target] = sums;
        let pairs = source?.into_iter().zip(target?);
        means.extend(pairs.map(|(a, b)| [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])]).collect::<Vec<_>>());
    }
    Ok(means)
}

fn draw(
    (mu, nu): (&Measure<f64>, &Measure<f64>),
    means: &[Vec<[f64; 2]>],
    blurred: Vec<[f64; 2]>,
    (angles, sharp, smooth): (&[f64], &[f64], &[f64]),
) -> String {
    let clouds = |title: &str| {
        let mut plane = Plane::new(title);
        plane.dots.push(Dots { radius: 4.5, ..Dots::new("source", Ink::Palette(0), flat(mu)) });
        plane.dots.push(Dots { radius: 4.5, ..Dots::new("target", Ink::Palette(1), flat(nu)) });
        plane
    };
    let (mut left, mut middle) = (clouds("generalized means"), clouds("blurred means, all angles"));
    for (k, set) in means.iter().enumerate() {
        let name = if k == 0 { "means of one plan" } else { "means of the other" };
        left.dots.push(Dots { radius: 4.5, ..Dots::new(name, Ink::Palette(2 + k % 2), set.clone()) });
    }
    middle.dots.insert(0, Dots { radius: 1.6, ..Dots::new("blurred means", Ink::Palette(4), blurred) });
    let over =
        |values: &[f64]| angles.iter().map(|angle| angle.to_degrees()).zip(values.iter().copied()).collect();
    let axis = Axis::new("angle, degrees").between(0.0, 360.0);
    let mut plot = Plot::new("SWGG and its surrogate", axis, Axis::new("squared"));
    plot.series.push(Series::line("SWGG", 6, over(sharp)));
    plot.series.push(Series::line("surrogate", 5, over(smooth)));
    let mut sheet = Sheet::new(3);
    sheet.push(left);
    sheet.push(middle);
    sheet.push(plot);
    sheet.draw()
}
