//! A line per cell: hierarchical SWGG.

use super::aim::{Lens, spanned, straight};
use super::block::Block;
use super::clouds::Clouds;
use super::keys::{self, index};
use crate::line::sampler::{Gaussians, mixed};
use crate::number::scalar::Scalar;

/// Cells of more points than this fork into tasks.
pub(super) const FORK: usize = 2048;
/// Cells of this many points or fewer share one stream of random numbers.
const SHARED: usize = 64;
/// Cells of this many points or fewer are solved exactly.
const LEAF: usize = 16;

/// Matches the points of two clouds by cutting both at the same ranks, cell by cell.
pub(super) struct Tree<'a, T> {
    pub clouds: Clouds<'a, T>,
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

impl<T: Scalar> Tree<'_, T> {
    /// The orders of sources and targets that pair by position.
    pub fn grow(&self) -> [Vec<u32>; 2] {
        let n = self.clouds.len();
        let (mut s, mut t) = (keys::all(n), keys::all(n));
        self.cell(&mut s, &mut t, 1, None);
        [s, t].map(|words| words.into_iter().map(|word| word as u32).collect())
    }

    fn cell(&self, s: &mut [u64], t: &mut [u64], path: u64, prior: Option<&Lens>) {
        let (len, dim) = (s.len(), self.clouds.dim());
        let mut rng = stream(self.seed, self.number, path);
        if len <= SHARED {
            return self.small(s, t, prior, &mut rng, &mut LeafScratch::default());
        }
        let lens = if Lens::is_worth(len, dim) { Lens::of(&self.clouds, s, t, prior) } else { None };
        let lens = lens.as_ref().or(prior);
        let (mut p, mut q) = match lens {
            None if Lens::is_worth(len, dim) => spanned(&self.clouds, s, t, &mut rng),
            _ => self.aim(lens, &mut rng),
        };
        // Keys are kept in single precision.
        p.iter_mut().chain(&mut q).for_each(|x| *x *= self.clouds.unit);
        let middle = len / 2;
        let fork = self.forks && len > FORK;
        let source = |s: &mut [u64]| {
            keys::assign(s, |i| self.clouds.x.along(i, &p));
            keys::cut(s, 2);
        };
        let target = |t: &mut [u64]| {
            keys::assign(t, |j| self.clouds.y.along(j, &q));
            keys::cut(t, 2);
        };
        join(fork, || source(s), || target(t));
        let ((s_low, s_high), (t_low, t_high)) = (s.split_at_mut(middle), t.split_at_mut(middle));
        join(
            fork,
            || self.cell(s_low, t_low, 2 * path, lens),
            || self.cell(s_high, t_high, 2 * path + 1, lens),
        );
    }

    fn aim(&self, lens: Option<&Lens>, rng: &mut Gaussians) -> super::aim::Pair {
        let (eta, same) = straight(self.clouds.dim(), rng);
        match lens {
            Some(lens) => lens.aim(&eta),
            None => (eta, same),
        }
    }

    /// Cells too small to be worth a task or a map of their own.
    fn small(
        &self,
        s: &mut [u64],
        t: &mut [u64],
        lens: Option<&Lens>,
        rng: &mut Gaussians,
        leaf: &mut LeafScratch,
    ) {
        let len = s.len();
        if len <= LEAF {
            return self.leaf(s, t, leaf);
        }
        let (mut p, mut q) = self.aim(lens, rng);
        p.iter_mut().chain(&mut q).for_each(|x| *x *= self.clouds.unit);
        keys::assign(s, |i| self.clouds.x.along(i, &p));
        keys::assign(t, |j| self.clouds.y.along(j, &q));
        keys::cut(s, 2);
        keys::cut(t, 2);
        let ((s_low, s_high), (t_low, t_high)) = (s.split_at_mut(len / 2), t.split_at_mut(len / 2));
        self.small(s_low, t_low, lens, rng, leaf);
        self.small(s_high, t_high, lens, rng, leaf);
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

/// Both, at the same time if it is worth it.
pub(super) fn join<A: Send, B: Send>(
    fork: bool,
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    if fork { rayon::join(first, second) } else { (first(), second()) }
}
