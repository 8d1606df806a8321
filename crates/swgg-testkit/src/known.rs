//! Problems that come with their answer.

/// Two uniform clouds and the exact `W_2^2` between them.
#[derive(Clone, Debug)]
pub struct KnownPair {
    /// Source points, row by row.
    pub source: Vec<f64>,
    /// Target points, row by row, in an order unrelated to the source's.
    pub target: Vec<f64>,
    /// Coordinates per point.
    pub dim: usize,
    /// `W_2^2`.
    pub cost: f64,
}

/// A cloud and its translate: the cost is the squared length of the shift.
pub fn translated<const D: usize>(n: usize, shift: [f64; D]) -> KnownPair {
    scaled(n, 1.0, shift)
}

/// A cloud and its image under `x -> factor x + shift`, `factor > 0`: moving each point to its image is optimal.
pub fn scaled<const D: usize>(n: usize, factor: f64, shift: [f64; D]) -> KnownPair {
    let source: Vec<f64> = (0..n * D).map(scattered).collect();
    let image = |i: usize| (0..D).map(move |c| (i, c));
    let moved = |(i, c): (usize, usize)| factor * scattered(i * D + c) + shift[c];
    let cost = (0..n).flat_map(image).map(|(i, c)| (moved((i, c)) - source[i * D + c]).powi(2)).sum::<f64>();
    let target = (0..n).rev().flat_map(image).map(moved).collect();
    KnownPair { source, target, dim: D, cost: cost / n as f64 }
}

/// A number in `[-1, 1)` that looks random and is the same everywhere.
fn scattered(k: usize) -> f64 {
    let mixed = (k as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (mixed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}
