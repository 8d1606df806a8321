//! A line per cell: hierarchical SWGG.

use super::axis::{CellMap, common_direction, directions_in_span};
use super::block::Block;
use super::clouds::UniformClouds;
use super::cut::{self, index};
use crate::line::sampler::{Gaussians, mixed};
use crate::number::scalar::Scalar;

/// Cells of more points than this fork into tasks.
pub(super) const MAX_SERIAL_POINTS: usize = 2048;
/// Cells of this many points or fewer share one stream of random numbers.
const MAX_POINTS_PER_STREAM: usize = 64;
/// Cells of this many points or fewer are solved exactly.
const MAX_LEAF_POINTS: usize = 16;

/// Matches the points of two clouds by cutting both at the same ranks, cell by cell.
pub(super) struct CellTree<'a, T> {
    pub clouds: UniformClouds<'a, T>,
    pub seed: u64,
    pub number: usize,
    pub forks: bool,
}

/// The stream of random numbers of a cell.
pub(super) fn stream(seed: u64, number: usize, path: u64) -> Gaussians {
    // Mixed, so that no two cells of all trees share a stream.
    let mixed = mixed(path ^ (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    Gaussians::new(seed, mixed as usize)
}

impl<T: Scalar> CellTree<'_, T> {
    /// The orders of sources and targets that pair by position.
    pub fn grow(&self) -> [Vec<u32>; 2] {
        let n = self.clouds.len();
        let (mut s, mut t) = (cut::words(n), cut::words(n));
        self.cell(&mut s, &mut t, 1, None);
        [s, t].map(|words| words.into_iter().map(|word| word as u32).collect())
    }

    fn cell(&self, s: &mut [u64], t: &mut [u64], path: u64, prior: Option<&CellMap>) {
        let (len, dim) = (s.len(), self.clouds.dim());
        let mut rng = stream(self.seed, self.number, path);
        if len <= MAX_POINTS_PER_STREAM {
            return self.small(s, t, prior, &mut rng, &mut LeafScratch::default());
        }
        let cell_map =
            if CellMap::is_worth_fitting(len, dim) { CellMap::of(&self.clouds, s, t, prior) } else { None };
        let cell_map = cell_map.as_ref().or(prior);
        let (mut p, mut q) = match cell_map {
            None if CellMap::is_worth_fitting(len, dim) => directions_in_span(&self.clouds, s, t, &mut rng),
            _ => self.directions(cell_map, &mut rng),
        };
        // Keys are kept in single precision.
        p.iter_mut().chain(&mut q).for_each(|x| *x *= self.clouds.unit);
        let middle = len / 2;
        let fork = self.forks && len > MAX_SERIAL_POINTS;
        let source = |s: &mut [u64]| {
            cut::assign_keys(s, |i| self.clouds.x.along(i, &p));
            cut::cut_into(s, 2);
        };
        let target = |t: &mut [u64]| {
            cut::assign_keys(t, |j| self.clouds.y.along(j, &q));
            cut::cut_into(t, 2);
        };
        join(fork, || source(s), || target(t));
        let ((s_low, s_high), (t_low, t_high)) = (s.split_at_mut(middle), t.split_at_mut(middle));
        join(
            fork,
            || self.cell(s_low, t_low, 2 * path, cell_map),
            || self.cell(s_high, t_high, 2 * path + 1, cell_map),
        );
    }

    fn directions(&self, cell_map: Option<&CellMap>, rng: &mut Gaussians) -> super::axis::Directions {
        let (eta, same) = common_direction(self.clouds.dim(), rng);
        match cell_map {
            Some(cell_map) => cell_map.directions(&eta),
            None => (eta, same),
        }
    }

    /// Cells too small to be worth a task or a map of their own.
    fn small(
        &self,
        s: &mut [u64],
        t: &mut [u64],
        cell_map: Option<&CellMap>,
        rng: &mut Gaussians,
        leaf: &mut LeafScratch,
    ) {
        let len = s.len();
        if len <= MAX_LEAF_POINTS {
            return self.leaf(s, t, leaf);
        }
        let (mut p, mut q) = self.directions(cell_map, rng);
        p.iter_mut().chain(&mut q).for_each(|x| *x *= self.clouds.unit);
        cut::assign_keys(s, |i| self.clouds.x.along(i, &p));
        cut::assign_keys(t, |j| self.clouds.y.along(j, &q));
        cut::cut_into(s, 2);
        cut::cut_into(t, 2);
        let ((s_low, s_high), (t_low, t_high)) = (s.split_at_mut(len / 2), t.split_at_mut(len / 2));
        self.small(s_low, t_low, cell_map, rng, leaf);
        self.small(s_high, t_high, cell_map, rng, leaf);
    }

    fn leaf(&self, s: &mut [u64], t: &mut [u64], scratch: &mut LeafScratch) {
        let m = s.len();
        if m < 2 {
            return;
        }
        let LeafScratch { block, pairs, words } = scratch;
        pairs.load(&self.clouds, s.iter().map(|&w| index(w)), t.iter().map(|&w| index(w)));
        pairs.pose(block, |_| 0.0);
        if block.solve() {
            words.clear();
            words.extend(block.column_of[..m].iter().map(|&k| t[k as usize]));
            t.copy_from_slice(words);
        }
    }
}

#[derive(Default)]
struct LeafScratch {
    block: Block,
    pairs: super::pairs::Pairs,
    words: Vec<u64>,
}

/// Runs both, at the same time if `fork` is set.
pub(super) fn join<A: Send, B: Send>(
    fork: bool,
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    if fork { rayon::join(first, second) } else { (first(), second()) }
}
