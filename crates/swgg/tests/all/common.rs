//! Shared by the property tests.

use proptest::collection::vec;
use proptest::prelude::*;
use swgg::line::Direction;
use swgg::ndarray::Array2;
use swgg::{Measure, Question, Run, Scalar, Solver, Transport, solver::Subspace};
use swgg_testkit::{Cloud, clouds, directions, smooth_clouds, thrown_weights, weights};

pub fn measure(cloud: &Cloud) -> Measure<'_> {
    Measure::from_slice(&cloud.points, cloud.dim).unwrap()
}

pub fn weighted<'a>(cloud: &'a Cloud, weights: &[u32]) -> Measure<'a> {
    measure(cloud).with_weights(&weights.iter().map(|w| f64::from(*w)).collect::<Vec<_>>()).unwrap()
}

pub fn question<'a, T: Scalar>(mu: &'a Measure<'a, T>, nu: &'a Measure<'a, T>) -> Question<'a, T> {
    Question::new(mu, nu).unwrap()
}

/// The answer of a solver that looks for no bounds.
pub fn plain(solver: impl Solver<f64>, mu: &Measure, nu: &Measure, run: Run) -> Transport {
    solver.answer(&Question::new(mu, nu).unwrap(), &mut run.without_bounds()).unwrap()
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

/// Uniform numbers that need no library: splitmix64, as in the script that wrote the golden costs.
pub struct Draws(pub u64);

impl Draws {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn several(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.next()).collect()
    }
}

/// A small problem and what POT found.
pub struct Golden {
    pub seed: u64,
    pub source: Measure<'static>,
    pub target: Measure<'static>,
    pub cost: f64,
}

/// Problems drawn from the seeds of a golden file: every third has ties, every second weights and unequal sizes.
pub fn golden(text: &str) -> Vec<Golden> {
    let problem = |row: &str| {
        let (seed, cost) = row.split_once(',').unwrap();
        let (seed, cost): (u64, f64) = (seed.parse().unwrap(), cost.parse().unwrap());
        let mut draws = Draws(seed);
        let (n, d) = (2 + (draws.next() * 28.0) as usize, 1 + (draws.next() * 5.0) as usize);
        let weighted = seed % 2 == 1;
        let m = if weighted { 2 + (draws.next() * 28.0) as usize } else { n };
        let (mut x, mut y) = (draws.several(n * d), draws.several(m * d));
        if seed.is_multiple_of(3) {
            x.iter_mut().chain(&mut y).for_each(|x| *x = (3.0 * *x).floor());
        }
        let (mut source, mut target) = (Measure::from_vec(x, d).unwrap(), Measure::from_vec(y, d).unwrap());
        if weighted {
            source = source.with_weights(&draws.several(n)).unwrap();
            target = target.with_weights(&draws.several(m)).unwrap();
        }
        Golden { seed, source, target, cost }
    };
    text.lines().skip(1).map(problem).collect()
}

pub fn largest(matrix: &Array2<f64>) -> f64 {
    matrix.iter().fold(0.0_f64, |m, x| m.max(x.abs()))
}

pub fn trace(matrix: &Array2<f64>) -> f64 {
    matrix.diag().sum()
}

/// Subspaces of `R^d`.
pub fn subspaces(d: usize) -> impl Strategy<Value = Subspace> {
    (1..=d)
        .prop_flat_map(move |k| vec(-1.0..1.0_f64, k * d).prop_map(move |rows| (k, rows)))
        .prop_filter_map("needs independent rows", move |(k, rows)| {
            Subspace::span(Array2::from_shape_vec((k, d), rows).unwrap().view()).ok()
        })
}
