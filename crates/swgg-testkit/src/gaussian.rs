//! Gaussian clouds with random parameters, the same everywhere.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::Cloud;

/// Two Gaussian clouds of `n` points in `R^d`, each with a random mean and a random covariance of rank `rank`, plus noise of
/// deviation 0.1 in every direction where the rank is not full.
pub fn gaussian_pair(n: usize, d: usize, rank: usize, seed: u64) -> (Cloud, Cloud) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (gaussian(n, d, rank, &mut rng), gaussian(n, d, rank, &mut rng))
}

fn gaussian(n: usize, d: usize, rank: usize, rng: &mut ChaCha8Rng) -> Cloud {
    let mut normal = || -> f64 { StandardNormal.sample(rng) };
    let noise = if rank < d { 0.1 } else { 0.0 };
    let basis: Vec<f64> = (0..rank * d).map(|_| normal() / (rank as f64).sqrt()).collect();
    let mean: Vec<f64> = (0..rank).map(|_| normal()).collect();
    let mut points = Vec::with_capacity(n * d);
    for _ in 0..n {
        let factors: Vec<f64> = mean.iter().map(|m| m + normal()).collect();
        for row in basis.chunks(rank) {
            let along: f64 = factors.iter().zip(row).map(|(f, b)| f * b).sum();
            points.push(along + noise * normal());
        }
    }
    Cloud { points, dim: d }
}

/// Two Gaussian clouds of the plane with given means and deviations along the axes.
pub fn plane_pair(n: usize, [m1, m2]: [[f64; 2]; 2], [s1, s2]: [[f64; 2]; 2], seed: u64) -> (Cloud, Cloud) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut draw = |m: [f64; 2], s: [f64; 2]| {
        let points = (0..2 * n).map(|k| {
            let normal: f64 = StandardNormal.sample(&mut rng);
            m[k % 2] + s[k % 2] * normal
        });
        Cloud { points: points.collect(), dim: 2 }
    };
    (draw(m1, s1), draw(m2, s2))
}

/// Two clouds of ten clusters in the plane, each cluster of the target close to one of the source: moving clusters to their
/// neighbours is optimal, and along most lines clusters hide behind each other.
pub fn multimodal_pair(n: usize, seed: u64) -> (Cloud, Cloud) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut draw = |shift: [f64; 2]| {
        let mut points = Vec::with_capacity(2 * n);
        for i in 0..n {
            // Clusters stand apart along the first axis and zigzag along the second.
            let k = (i % 10) as f64;
            let centre = [4.0 * k, 10.5 * (2.4 * k).sin()];
            for (c, s) in centre.iter().zip(shift) {
                let normal: f64 = StandardNormal.sample(&mut rng);
                points.push(c + s + 0.3 * normal);
            }
        }
        Cloud { points, dim: 2 }
    };
    (draw([0.0, 0.0]), draw([0.5, 3.5]))
}

/// Two Gaussian clouds in `R^10` that live on the first two coordinates.
pub fn low_dimensional_pair(n: usize, seed: u64) -> (Cloud, Cloud) {
    let (x, y) = plane_pair(n, [[0.0, 0.0], [0.0, 3.2]], [[7.0, 0.4], [6.0, 1.4]], seed);
    let embed = |cloud: Cloud| {
        let row = |p: &[f64]| p.iter().copied().chain([0.0; 8]).collect::<Vec<f64>>();
        Cloud { points: cloud.points.chunks(2).flat_map(row).collect(), dim: 10 }
    };
    (embed(x), embed(y))
}
