//! Clouds of the paper's flows.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// Targets of Figure 4.
pub const TARGETS: [&str; 4] = ["gaussian-2", "gaussian-500", "8gaussians", "moons"];

/// Source and target, row by row, of `n` points each.
pub struct Pair {
    pub dim: usize,
    pub source: Vec<f64>,
    pub target: Vec<f64>,
}

/// Spread of the source: that of the code which the paper relies on.
const SOURCE_SPREAD: f64 = 0.25;
/// Where the modes of the eight Gaussians lie, and how wide they are.
const RING: (f64, f64) = (2.0, 0.02);

/// The pair of a seed. The paper does not say where its Gaussians lie; these have unit variance, which 2000 steps of 5e-3 can reach.
pub fn pair(name: &str, n: usize, seed: u64) -> Option<Pair> {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let dim = if name == "gaussian-500" { 500 } else { 2 };
    let source = (0..n * dim).map(|_| SOURCE_SPREAD * normal(rng)).collect();
    let target = match name {
        "gaussian-2" => gaussian(rng, n, 2, (4.0, 5.0), 1.0),
        "gaussian-500" => gaussian(rng, n, 500, (0.0, 1.0), 1.0),
        "8gaussians" => (0..n).flat_map(|_| ring(rng)).collect(),
        "moons" => moons(n),
        _ => return None,
    };
    Some(Pair { dim, source, target })
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// A mean with coordinates between two numbers, and one deviation for all of them.
fn gaussian(rng: &mut ChaCha8Rng, n: usize, dim: usize, (low, high): (f64, f64), deviation: f64) -> Vec<f64> {
    let mean: Vec<f64> = (0..dim).map(|_| low + (high - low) * rng.random::<f64>()).collect();
    (0..n * dim).map(|k| mean[k % dim] + deviation * normal(rng)).collect()
}

/// A point near one of eight places on a circle.
fn ring(rng: &mut ChaCha8Rng) -> [f64; 2] {
    let angle = std::f64::consts::FRAC_PI_4 * f64::from(rng.random_range(0..8_u32));
    let (radius, width) = RING;
    [radius * angle.cos(), radius * angle.sin()].map(|x| (x + width * normal(rng)) / std::f64::consts::SQRT_2)
}

/// Two half circles that reach into each other, within the unit square around the origin, centred.
fn moons(n: usize) -> Vec<f64> {
    let half = n / 2;
    let upper = (0..half).map(|k| std::f64::consts::PI * k as f64 / (half - 1) as f64);
    let upper = upper.map(|t| [t.cos(), t.sin()]);
    let lower = (0..n - half).map(|k| std::f64::consts::PI * k as f64 / (n - half - 1) as f64);
    let lower = lower.map(|t| [1.0 - t.cos(), 0.5 - t.sin()]);
    let all: Vec<f64> = upper.chain(lower).flatten().map(|x| 0.5 * x).collect();
    let mean = |c: usize| all.iter().skip(c).step_by(2).sum::<f64>() / n as f64;
    let mean = [mean(0), mean(1)];
    all.iter().enumerate().map(|(k, x)| x - mean[k % 2]).collect()
}
