//! Shared by the property tests.
#![allow(dead_code)] // each test file uses its own part

use proptest::prelude::*;
use swgg::{Direction, Measure};
use swgg_testkit::{Cloud, clouds, directions, smooth_clouds, thrown_weights, weights};

pub fn measure(cloud: &Cloud) -> Measure<'_> {
    Measure::from_slice(&cloud.points, cloud.dim).unwrap()
}

pub fn weighted<'a>(cloud: &'a Cloud, weights: &[u32]) -> Measure<'a> {
    measure(cloud).with_weights(&weights.iter().map(|w| f64::from(*w)).collect::<Vec<_>>()).unwrap()
}

/// Second moment of everything in sight: what rounding errors are measured against.
pub fn scale(clouds: &[&Cloud]) -> f64 {
    1.0 + clouds.iter().flat_map(|cloud| &cloud.points).map(|x| x * x).fold(0.0, f64::max)
}

#[track_caller]
pub fn close(a: f64, b: f64, tolerance: f64, what: &str) {
    assert!((a - b).abs() <= tolerance, "{what}: {a} and {b} differ by {:e}", (a - b).abs());
}

/// Two clouds of one size and a direction.
pub fn pairs(n: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = (Cloud, Cloud, Direction)> {
    (n, 1..=8_usize).prop_flat_map(|(n, d)| (clouds(n, d), clouds(n, d), thetas(d)))
}

/// Three clouds of one size and a direction.
pub fn triples(
    n: std::ops::RangeInclusive<usize>,
) -> impl Strategy<Value = (Cloud, Cloud, Cloud, Direction)> {
    (n, 1..=8_usize).prop_flat_map(|(n, d)| (clouds(n, d), clouds(n, d), clouds(n, d), thetas(d)))
}

/// A weighted cloud.
pub type Weighted = (Cloud, Vec<u32>);

/// Two weighted clouds of any two sizes and a direction.
pub fn weighted_pairs(most: usize) -> impl Strategy<Value = (Weighted, Weighted, Direction)> {
    (1..=most, 1..=most, 1..=8_usize)
        .prop_flat_map(|(n, m, d)| ((clouds(n, d), weights(n)), (clouds(m, d), weights(m)), thetas(d)))
}

/// Two weighted clouds whose masses are few enough units for the oracle.
pub fn small_weighted_pairs() -> impl Strategy<Value = (Weighted, Weighted, Direction)> {
    (1..=5_usize, 1..=5_usize, 1..=5_usize, 3..=7_usize).prop_flat_map(|(n, m, d, units)| {
        ((clouds(n, d), thrown_weights(n, units)), (clouds(m, d), thrown_weights(m, units)), thetas(d))
    })
}

/// Two clouds of one size without ties and a direction.
pub fn smooth_pairs(n: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = (Cloud, Cloud, Direction)> {
    (n, 1..=8_usize).prop_flat_map(|(n, d)| (smooth_clouds(n, d), smooth_clouds(n, d), thetas(d)))
}

pub fn thetas(d: usize) -> impl Strategy<Value = Direction> {
    directions(d).prop_map(|v| Direction::new(&v).unwrap())
}

/// Whether the projections are far enough apart that rounding cannot reorder them.
pub fn distinct(measure: &Measure, theta: &Direction) -> bool {
    let mut along = theta.project(measure).unwrap();
    along.sort_by(f64::total_cmp);
    along.windows(2).all(|w| w[1] - w[0] > 1e-9)
}
