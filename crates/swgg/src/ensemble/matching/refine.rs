//! Refinement: pairs that may want to exchange targets, gathered in blocks, and every block solved exactly.

use super::block::Block;
use super::clouds::UniformClouds;
use super::cut::{self, index};
use super::pairs::Pairs;
use super::tree::{MAX_SERIAL_POINTS, join, stream};
use crate::number::scalar::Scalar;

/// One pass over all pairs of a matching.
///
/// Crossing pairs have midpoints near each other: of two pairs, exchanging targets gains `2 <x_a - x_b, T(x_b) - T(x_a)>`, and where
/// that is positive the midpoints are nearer than the points are. So cells are cut along midpoints, in a new tree every pass.
pub(super) struct Pass<'a, T> {
    pub clouds: UniformClouds<'a, T>,
    pub target_of: &'a [u32],
    pub seed: u64,
    pub number: usize,
    /// The most pairs in a block.
    pub size: usize,
    /// How many blocks' worth of pairs a block is dealt from, in halvings: 0 for neighbours, more to exchange over long distances.
    pub spread: u32,
    pub forks: bool,
}

impl<T: Scalar> Pass<'_, T> {
    /// A matching that costs no more, and by how much `sum <x_i, y_T(i)>` grew: half of what the sum of squares fell by.
    pub fn run(&self) -> (Vec<u32>, f64) {
        let n = self.clouds.len();
        let (mut words, mut targets) = (cut::words(n), vec![0; n]);
        let gain = self.cell(&mut words, &mut targets, 1);
        let mut target_of = vec![0; n];
        words.iter().zip(targets).for_each(|(&word, j)| target_of[index(word)] = j);
        (target_of, gain)
    }

    fn cell(&self, words: &mut [u64], targets: &mut [u32], path: u64) -> f64 {
        let len = words.len();
        if len <= self.size {
            return WORK.with_borrow_mut(|work| self.block(words, targets, work));
        }
        if self.spread > 0 && len <= self.size << self.spread {
            return self.dealt(words, targets);
        }
        // Far from the blocks, one line serves two cuts.
        let ways = if len > 8 * self.size { 4 } else { 2 };
        let mut eta = vec![0.0; self.clouds.dim()];
        stream(self.seed, self.number, path).fill(&mut eta);
        eta.iter_mut().for_each(|e| *e *= self.clouds.unit);
        cut::assign_keys(words, |i| {
            self.clouds.x.along(i, &eta) + self.clouds.y.along(self.target_of[i] as usize, &eta)
        });
        cut::cut_into(words, ways);
        self.parts(words, targets, ways, path)
    }

    fn parts(&self, words: &mut [u64], targets: &mut [u32], ways: usize, path: u64) -> f64 {
        if ways < 2 {
            return self.cell(words, targets, path);
        }
        let middle = words.len() / 2;
        let fork = self.forks && words.len() > MAX_SERIAL_POINTS;
        let ((words_low, words_high), (low, high)) =
            (words.split_at_mut(middle), targets.split_at_mut(middle));
        let (a, b) = join(
            fork,
            || self.parts(words_low, low, ways / 2, 2 * path),
            || self.parts(words_high, high, ways / 2, 2 * path + 1),
        );
        a + b
    }

    /// Blocks that are samples of a cell: each takes every so many of its pairs.
    fn dealt(&self, words: &mut [u64], targets: &mut [u32]) -> f64 {
        let blocks = words.len().div_ceil(self.size);
        let dealt: Vec<u64> =
            (0..blocks).flat_map(|k| words.iter().skip(k).step_by(blocks)).copied().collect();
        words.copy_from_slice(&dealt);
        self.dealt_blocks(words, targets, blocks, words.len() % blocks)
    }

    /// Solves `count` blocks that follow each other, of which the first `longer` have one pair more.
    fn dealt_blocks(&self, words: &[u64], targets: &mut [u32], count: usize, longer: usize) -> f64 {
        if count == 1 {
            return WORK.with_borrow_mut(|work| self.block(words, targets, work));
        }
        let half = count / 2;
        let middle = half * ((words.len() - longer) / count) + longer.min(half);
        let (words_low, words_high) = words.split_at(middle);
        let (low, high) = targets.split_at_mut(middle);
        let (a, b) = join(
            self.forks && words.len() > MAX_SERIAL_POINTS,
            || self.dealt_blocks(words_low, low, half, longer.min(half)),
            || self.dealt_blocks(words_high, high, count - half, longer.saturating_sub(half)),
        );
        a + b
    }

    fn block(&self, words: &[u64], targets: &mut [u32], work: &mut Work) -> f64 {
        targets.iter_mut().zip(words).for_each(|(target, word)| *target = self.target_of[index(*word)]);
        let Work { block, pairs, new } = work;
        pairs.load(&self.clouds, words.iter().map(|&w| index(w)), targets.iter().map(|&j| j as usize));
        // Prices by the trapezoid rule on the way from the mean: the potential of a map has its sources for a gradient.
        pairs.pose(block, |k| 0.5 * pairs.product(k));
        if !block.solve() {
            return 0.0;
        }
        let moved = block.column_of.iter().enumerate().filter(|(k, to)| *k != **to as usize);
        let gain: f64 = moved
            .map(|(k, &to)| {
                let x =
                    self.clouds.x.row(index(words[k])).iter().zip(&pairs.x_mean).map(|(x, m)| x.to_f64() - m);
                let row = |j: u32| self.clouds.y.row(j as usize);
                let (old, new) = (row(targets[k]), row(targets[to as usize]));
                x.zip(old.iter().zip(new))
                    .map(|(x, (old, new))| x * (new.to_f64() - old.to_f64()))
                    .sum::<f64>()
            })
            .sum();
        // Blocks are solved in single precision: what counts is what is gained in double.
        if gain <= 0.0 {
            return 0.0;
        }
        new.clear();
        new.extend(block.column_of.iter().map(|&to| targets[to as usize]));
        targets.copy_from_slice(new);
        gain
    }
}

#[derive(Default)]
struct Work {
    block: Block,
    pairs: Pairs,
    new: Vec<u32>,
}

thread_local! {
    /// Memory of the blocks a thread solves one after the other.
    static WORK: std::cell::RefCell<Work> = Default::default();
}
