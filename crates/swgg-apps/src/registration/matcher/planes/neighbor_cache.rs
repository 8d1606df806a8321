//! Neighbours of points that hardly move from step to step, kept for as long as they cannot have changed.

use swgg::Parallelism;
use swgg::ndarray::{Array2, Axis};

use crate::registration::cloud::measure;
use crate::registration::error::{Error, Result};
use crate::registration::indexed_cloud::IndexedCloud;

/// What rounding can make of a distance.
const ROUNDING: f64 = 1e-9;

/// The nearest neighbours of points, and what tells for how long they stay the nearest.
///
/// A point that has moved by `m` since it asked, when its second neighbour was `s` away, has no point but its neighbour within `s - m`.
/// As long as the neighbour is nearer than that it need not ask again, and the answer is the one that asking would give.
#[derive(Default)]
pub(super) struct NeighborCache {
    /// Where each point was when it asked.
    asked: Vec<f64>,
    /// How far its second neighbour was then.
    second_distances: Vec<f64>,
    /// Its neighbour, and the squared distance now.
    pub indices: Vec<u32>,
    pub squares: Vec<f64>,
}

impl NeighborCache {
    /// Finds the neighbours in the target of points where they are now; they are in the order of a tree, or moved from there.
    pub fn update(
        &mut self,
        target: &IndexedCloud,
        moved: &Array2<f64>,
        parallelism: Parallelism,
    ) -> Result<()> {
        let (n, d) = moved.dim();
        let (Some(here), Some(points)) = (moved.as_slice(), target.points.as_slice()) else {
            return Err(Error::NoFit);
        };
        let row = |i: usize| i * d..(i + 1) * d;
        let square = |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + (a - b) * (a - b));
        let mut stale: Vec<usize> = (0..n).collect();
        if self.indices.len() == n {
            stale.retain(|&i| {
                let x = &here[row(i)];
                let near = square(x, &points[row(self.indices[i] as usize)]);
                self.squares[i] = near;
                let moved = square(x, &self.asked[row(i)]).sqrt();
                near.sqrt() + moved >= (1.0 - ROUNDING) * self.second_distances[i]
            });
        } else {
            self.asked = here.to_vec();
            (self.second_distances, self.squares) = (vec![0.0; n], vec![0.0; n]);
            self.indices = vec![0; n];
        }
        if stale.is_empty() {
            return Ok(());
        }
        let asking = moved.select(Axis(0), &stale);
        let asking = asking.view();
        let tree = &target.tree;
        let found = tree.nearest_in_order(&measure(&asking)?, 2.min(tree.len()), parallelism)?;
        for (k, i) in stale.into_iter().enumerate() {
            self.asked[row(i)].copy_from_slice(&here[row(i)]);
            self.second_distances[i] =
                found.squares.row(k).get(1).map_or(f64::INFINITY, |square| square.sqrt());
            (self.indices[i], self.squares[i]) = (found.indices[[k, 0]], found.squares[[k, 0]]);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps of all lengths, on a grid where many neighbours are equally far.
    #[test]
    fn as_if_asked_again() {
        let mut state = 3_u64;
        let mut next = |steps: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 33) % steps) as f64 / steps as f64
        };
        for steps in [7, 1 << 30] {
            let points = Array2::from_shape_simple_fn((600, 3), || next(steps));
            let target = IndexedCloud::new(points, usize::MAX, Parallelism::Serial).unwrap();
            let mut moved = Array2::from_shape_simple_fn((250, 3), || next(2 * steps));
            let mut cache = NeighborCache::default();
            for length in [1.0, 0.0, 1e-3, 0.1, 1e-2, 1e-2, 1e-6, 1e-9] {
                moved.iter_mut().for_each(|x| *x += length * (next(1 << 30) - 0.5));
                cache.update(&target, &moved, Parallelism::Serial).unwrap();
                let asked = target.nearest(&moved, &mut Vec::new(), Parallelism::Serial).unwrap();
                assert_eq!(cache.indices, asked.indices.column(0).to_vec(), "{length}");
                assert_eq!(cache.squares, asked.squares.column(0).to_vec(), "{length}");
            }
        }
    }
}
