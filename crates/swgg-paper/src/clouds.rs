//! Clouds that several experiments share.

use std::ops::ControlFlow;

use swgg::line::DirectionSet;
use swgg::ndarray::Array2;
use swgg::paper::{Arc, InMemory, Slices};
use swgg::{Exact, Measure, Question, Run, Solver};
use swgg_testkit::Cloud;

use crate::Outcome;

/// A cloud as a measure.
pub fn measure(cloud: &Cloud) -> Outcome<Measure<'_, f64>> {
    Ok(Measure::from_slice(&cloud.points, cloud.dim)?)
}

/// Two clouds of `n` points around `(1, ..., 1)` and `(-1, ..., -1)` of unit variance (Supp. E.1).
pub fn opposite_pair(n: usize, d: usize, seed: u64) -> (Cloud, Cloud) {
    use rand::SeedableRng;
    use rand_distr::{Distribution, StandardNormal};
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    let mut draw = |mean: f64| {
        let points = (0..n * d).map(|_| -> f64 {
            let normal: f64 = StandardNormal.sample(&mut rng);
            mean + normal
        });
        Cloud { points: points.collect(), dim: d }
    };
    let first = draw(1.0);
    (first, draw(-1.0))
}

/// The exact `W_2^2`.
pub fn exact(source: &Measure<f64>, target: &Measure<f64>) -> Outcome<f64> {
    Ok(Exact.answer(&Question::new(source, target)?, &mut Run::default().without_bounds())?.cost)
}

/// The first two coordinates of every point.
pub fn flat(measure: &Measure<f64>) -> Vec<[f64; 2]> {
    (0..measure.len()).map(|i| [measure.point(i)[0], measure.point(i)[1]]).collect()
}

/// Directions of the plane at these angles.
pub fn directions(angles: &[f64]) -> Outcome<DirectionSet> {
    let rows = Array2::from_shape_fn((angles.len(), 2), |(k, axis)| match axis {
        0 => angles[k].cos(),
        _ => angles[k].sin(),
    });
    Ok(DirectionSet::from_rows(rows.view())?)
}

/// As many angles at equal steps over a full turn, each in the middle of its step.
pub fn full_turn(count: usize) -> Vec<f64> {
    (0..count).map(|k| std::f64::consts::TAU * (k as f64 + 0.5) / count as f64).collect()
}

/// The arcs of half a turn on which `SWGG_2^2` stands still, one after the other.
pub fn arcs(source: &Measure<f64>, target: &Measure<f64>) -> Outcome<Vec<Arc>> {
    let mut arcs = Vec::new();
    InMemory::new(source, target)?.turn(&mut |arc| {
        arcs.push(arc);
        ControlFlow::Continue(())
    })?;
    Ok(arcs)
}
