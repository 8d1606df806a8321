//! Pairs of points, and which of them count where clouds overlap in part.

use super::settings::Overlap;

/// Points without a counterpart are at most this share.
const LEAST_SHARE: f64 = 0.2;
/// How much more overlap is worth: the mean square may grow by this power of the share. Trimmed ICP (Chetverikov et al. 2002) takes 3.
const SHARE_POWER: i32 = 3;

/// A point and its counterpart, by index.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub source: u32,
    pub target: u32,
}

/// Points and their counterparts.
pub(super) struct Pairs {
    pub pairs: Vec<Pair>,
    /// Mean square of their distances.
    pub cost: f64,
    /// Share of the source, and of the target, that takes part.
    pub share: [f64; 2],
    /// Mean squares over powers of shares, both ways: what is to be small.
    pub score: f64,
    /// Largest square of the source's.
    pub farthest_sq: f64,
}

/// Neighbours one way, and how many of them count.
pub(super) struct Trimmed {
    squares: Vec<f64>,
    neighbors: Vec<u32>,
    /// The largest square that counts.
    pub limit: f64,
    count: usize,
    /// Sum of the squares that count.
    pub sum: f64,
    pub score: f64,
}

impl Trimmed {
    pub fn new(squares: Vec<f64>, neighbors: Vec<u32>, overlap: Overlap, spacing_sq: f64) -> Self {
        let n = squares.len();
        let mut sorted = squares.clone();
        let count = match overlap {
            Overlap::Share(1.0) => n,
            Overlap::Share(share) => {
                let count = ((share * n as f64).round() as usize).clamp(1, n);
                sorted.select_nth_unstable_by(count - 1, f64::total_cmp);
                count
            }
            Overlap::Auto => {
                sorted.sort_unstable_by(f64::total_cmp);
                best_count(&sorted, spacing_sq)
            }
        };
        let sum: f64 = sorted[..count].iter().sum();
        let limit = sorted[..count].iter().copied().fold(0.0, f64::max);
        let score = score(sum, count, n, spacing_sq);
        Trimmed { squares, neighbors, limit, count, sum, score }
    }

    /// Share of the points that counts.
    pub fn share(&self) -> f64 {
        self.count as f64 / self.squares.len() as f64
    }

    /// Those that count: number of the point, index of its neighbour.
    pub fn members(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let near = self.squares.iter().zip(&self.neighbors).enumerate();
        near.filter(|(_, (square, _))| **square <= self.limit).map(|(i, (_, &j))| (i as u32, j))
    }
}

/// The mean of squares over a power of the share of the points they are of.
///
/// A quarter of the squared spacing is added to the mean: points of two samples of one surface are about that far from each other.
fn score(sum: f64, count: usize, n: usize, spacing_sq: f64) -> f64 {
    let share = count as f64 / n as f64;
    (sum / count as f64 + spacing_sq / 4.0) / share.powi(SHARE_POWER)
}

/// How many of the smallest squares to take: those of the least score.
fn best_count(sorted: &[f64], spacing_sq: f64) -> usize {
    let n = sorted.len();
    let least = ((LEAST_SHARE * n as f64).ceil() as usize).clamp(1, n);
    let mut sum: f64 = sorted[..least - 1].iter().sum();
    let mut best = (f64::INFINITY, n);
    for (k, square) in sorted.iter().enumerate().skip(least - 1) {
        sum += square;
        let score = score(sum, k + 1, n, spacing_sq);
        if score <= best.0 {
            best = (score, k + 1);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_overlap_ends_where_the_distances_grow() {
        let near = (0..700).map(|k| 0.01 + 1e-6 * f64::from(k));
        let far = (0..300).map(|k| 25.0 + f64::from(k));
        let mut sorted: Vec<f64> = near.chain(far).collect();
        assert_eq!(best_count(&sorted, 0.01), 700);
        // Nothing is far: all of them.
        sorted.truncate(700);
        assert_eq!(best_count(&sorted, 0.01), 700);
        // The same points: what is not apart at all tells nothing.
        assert_eq!(best_count(&[0.0; 50], 0.0), 50);
    }
}
