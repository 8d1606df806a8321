//! Refinement: exact transport inside small blocks of entries, coarse ones first.

use super::block::Block;
use super::plan::{Entry, Plan};
use super::{WeightedClouds, key};
use crate::line::sampler::Gaussians;

/// Entries in a block, at most.
const MAX_ENTRIES_PER_BLOCK: usize = 192;
/// How much finer, in halvings, the groups of each pass are than those of the pass before.
const HALVINGS_PER_PASS: u32 = 4;
/// Blocks that one task solves, so that its room is used again.
const BLOCKS_PER_TASK: usize = 8;
/// Groups of at least this many entries are handed to other threads.
const MIN_ENTRIES_TO_FORK: usize = 8192;
/// Keeps passes apart from trees that have the same number.
const PASS_STREAMS: u64 = 1 << 63;

/// An entry and where its midpoint lies along the direction of its group.
#[derive(Clone, Copy)]
struct Keyed {
    entry: Entry,
    key: f32,
}

impl WeightedClouds<'_> {
    /// One pass: groups entries by their midpoints, solves every group exactly, and says what that gained of the cost.
    ///
    /// Two entries that had better exchange their targets have midpoints that are close, against their lengths. Groups come from
    /// a tree of random cuts, another one for every pass. The first passes, counted from 0, are coarse: a group is as large as
    /// the clouds at first, and its entries are dealt to many blocks, each of them a sample of the whole. That moves mass over
    /// distances which neighbours would pass on a little at a time (mixtures end 3 % lower); the passes after them are fine.
    /// Entries of different blocks form cycles, which are taken out in the end; that gains nearly as much again. The cost never
    /// rises, and at most `n + m - 1` entries are left.
    pub fn refine(&self, plan: &mut Plan, seed: u64, pass: u64) -> f64 {
        let mut keyed: Vec<Keyed> = plan.entries.iter().map(|&entry| Keyed { entry, key: 0.0 }).collect();
        let depth = keyed.len().div_ceil(MAX_ENTRIES_PER_BLOCK).next_power_of_two().ilog2();
        let spread =
            depth.saturating_sub(HALVINGS_PER_PASS.saturating_mul(u32::try_from(pass).unwrap_or(u32::MAX)));
        self.group(&mut keyed, depth - spread, key(key(seed, PASS_STREAMS), pass));
        let blocks = 1_usize << depth;
        let bound = |k: usize| edge(keyed.len(), depth - spread, k);
        let solved = self.workers.map(blocks.div_ceil(BLOCKS_PER_TASK), |task| {
            let mut block = Block::default();
            let (mut entries, mut found, mut gained) =
                (Vec::with_capacity(MAX_ENTRIES_PER_BLOCK), Vec::new(), 0.0);
            for k in task * BLOCKS_PER_TASK..blocks.min((task + 1) * BLOCKS_PER_TASK) {
                entries.clear();
                // Of a group of several blocks each block is dealt every so many entries.
                let group = &keyed[bound(k >> spread)..bound((k >> spread) + 1)];
                let dealt = group.iter().skip(k & ((1 << spread) - 1)).step_by(1 << spread);
                entries.extend(dealt.map(|keyed| keyed.entry));
                if entries.is_empty() {
                    continue;
                }
                found.extend_from_slice(block.solve(self, &entries));
                gained += block.gained;
            }
            (found, gained)
        });
        let mut gained: f64 = solved.iter().map(|part| part.1).sum();
        plan.entries.clear();
        solved.iter().for_each(|part| plan.entries.extend_from_slice(&part.0));
        gained += self.thin(plan);
        debug_assert!(plan.len() <= self.most_entries());
        2.0 * gained / self.total as f64 * self.scale
    }

    /// Orders entries so that those of a group come one after the other.
    fn group(&self, entries: &mut [Keyed], depth: u32, path: u64) {
        if depth == 0 || entries.len() < 2 {
            return;
        }
        let mut eta = vec![0.0; self.dim];
        Gaussians::new(path, 0).fill(&mut eta);
        let along = |e: &Entry| -> f64 {
            let (x, y) = (self.source(e.source), self.target(e.target));
            eta.iter().zip(x.iter().zip(y)).map(|(eta, (x, y))| eta * (x + y)).sum()
        };
        let origin = along(&entries[0].entry);
        for keyed in entries.iter_mut() {
            keyed.key = (along(&keyed.entry) - origin) as f32;
        }
        let half = entries.len() / 2;
        entries.select_nth_unstable_by(half, |a, b| a.key.total_cmp(&b.key));
        let shared = entries.len() >= MIN_ENTRIES_TO_FORK;
        let (left, right) = entries.split_at_mut(half);
        let paths = [key(path, 0), key(path, 1)];
        if shared {
            self.workers
                .join(|| self.group(left, depth - 1, paths[0]), || self.group(right, depth - 1, paths[1]));
        } else {
            self.group(left, depth - 1, paths[0]);
            self.group(right, depth - 1, paths[1]);
        }
    }
}

/// Where part `k` begins when `len` entries are halved `depth` times.
fn edge(len: usize, depth: u32, k: usize) -> usize {
    if depth == 0 {
        return if k == 0 { 0 } else { len };
    }
    let (half, blocks) = (len / 2, 1 << (depth - 1));
    if k < blocks { edge(half, depth - 1, k) } else { half + edge(len - half, depth - 1, k - blocks) }
}
