//! Exact transport between the few points of a block.

use super::forest::Forest;
use super::plan::Entry;
use super::{WeightedClouds, basis};
use crate::exact::tree::SpanningTree;

/// Changes of the basis after which a block is left as it is, for each point. It has never been seen, but rounding could keep the
/// simplex from ending.
const MAX_PIVOTS_PER_POINT: usize = 64;

/// The memory in which blocks are solved, one after the other.
#[derive(Default)]
pub(super) struct Block {
    sources: Vec<u32>,
    targets: Vec<u32>,
    /// Entries with sources and targets counted within the block.
    local: Vec<Entry>,
    /// `-<x, y>` for every pair, row by row: half of what the squared distance says, up to terms that all plans share.
    costs: Vec<f64>,
    /// Coordinates of the targets, column by column.
    columns: Vec<f64>,
    forest: Forest,
    solved: Vec<Entry>,
    /// What the last block gained, in units of mass times half a squared distance.
    pub gained: f64,
}

impl Block {
    /// A plan of the same marginals with at most `s + t - 1` entries, the cheapest there is between these points.
    pub fn solve(&mut self, clouds: &WeightedClouds<'_>, entries: &[Entry]) -> &[Entry] {
        self.gained = 0.0;
        self.solved.clear();
        distinct(&mut self.sources, entries.iter().map(|e| e.source));
        distinct(&mut self.targets, entries.iter().map(|e| e.target));
        let (s, t) = (self.sources.len(), self.targets.len());
        self.local.clear();
        for e in entries {
            let source = self.sources.partition_point(|&i| i < e.source) as u32;
            let target = self.targets.partition_point(|&j| j < e.target) as u32;
            self.local.push(Entry { units: e.units, source, target });
        }
        self.price(clouds);
        let costs = &self.costs;
        let cost = |i: u32, j: u32| costs[i as usize * t + j as usize];
        let paid = |entries: &[Entry]| -> f64 {
            entries.iter().map(|e| e.units as f64 * cost(e.source, e.target)).sum()
        };
        let before = paid(&self.local);
        self.forest.clear(s, t);
        for &e in &self.local {
            self.forest.insert(e, cost);
        }
        self.local.clear();
        self.local.extend(self.forest.entries());
        let thinned = paid(&self.local);
        let mut after = thinned;
        if s > 1 && t > 1 {
            let tree = simplex(costs, s, t, &self.local);
            self.solved.extend(tree.arcs().filter(|arc| arc.2 > 0).map(|(source, target, units)| Entry {
                units,
                source,
                target,
            }));
            after = paid(&self.solved);
        }
        // Only what is cheaper replaces what was there: rounding alone must not move mass around.
        if after >= thinned {
            std::mem::swap(&mut self.solved, &mut self.local);
            after = thinned;
        }
        self.gained = (before - after).max(0.0);
        for e in &mut self.solved {
            (e.source, e.target) = (self.sources[e.source as usize], self.targets[e.target as usize]);
        }
        &self.solved
    }

    fn price(&mut self, clouds: &WeightedClouds<'_>) {
        let (d, t) = (clouds.dim, self.targets.len());
        // Around two points of the block, so that no digits are spent on where it lies.
        let (x0, y0) = (clouds.source(self.sources[0]), clouds.target(self.targets[0]));
        // By coordinate, so that a row of costs is filled in a few straight runs.
        self.columns.clear();
        for (k, origin) in y0.iter().enumerate() {
            self.columns.extend(self.targets.iter().map(|&j| clouds.target(j)[k] - origin));
        }
        self.costs.clear();
        self.costs.resize(self.sources.len() * t, 0.0);
        for (&i, row) in self.sources.iter().zip(self.costs.chunks_exact_mut(t)) {
            let x = clouds.source(i);
            for k in 0..d {
                let gap = x[k] - x0[k];
                row.iter_mut().zip(&self.columns[k * t..][..t]).for_each(|(cost, y)| *cost -= gap * y);
            }
        }
    }
}

/// The lowest of `cost - price`.
fn lowest(costs: &[f64], prices: &[f64]) -> f64 {
    const LANES: usize = 8;
    let lower = |a: f64, b: f64| if b < a { b } else { a };
    let (cost_blocks, cost_rest) = costs.as_chunks::<LANES>();
    let (price_blocks, price_rest) = prices.as_chunks::<LANES>();
    let mut lanes = [f64::INFINITY; LANES];
    for (c, v) in cost_blocks.iter().zip(price_blocks) {
        for lane in 0..LANES {
            lanes[lane] = lower(lanes[lane], c[lane] - v[lane]);
        }
    }
    let rest = cost_rest.iter().zip(price_rest).fold(f64::INFINITY, |low, (c, v)| lower(low, c - v));
    lanes.into_iter().fold(rest, lower)
}

fn distinct(list: &mut Vec<u32>, indices: impl Iterator<Item = u32>) {
    list.clear();
    list.extend(indices);
    list.sort_unstable();
    list.dedup();
}

/// The network simplex from a plan without cycles.
fn simplex(costs: &[f64], s: usize, t: usize, plan: &[Entry]) -> SpanningTree {
    let mut tree = basis::start(s, t, plan, |i, j| costs[i * t + j]);
    let largest = costs.iter().fold(0.0_f64, |most, c| most.max(c.abs()));
    let tolerance = 1e-13 * largest;
    let (mut row, mut in_order) = (0, 0);
    for _ in 0..MAX_PIVOTS_PER_POINT * (s + t) * s {
        if in_order == s {
            break;
        }
        let (values, prices) = tree.potential.split_at(s);
        let offers = &costs[row * t..][..t];
        let low = lowest(offers, prices);
        let reduced = low - values[row];
        if reduced < -tolerance {
            let best = offers.iter().zip(prices).position(|(c, v)| c - v == low).unwrap_or(0);
            tree.pivot(row as u32, best as u32, reduced);
            in_order = 0;
        } else {
            in_order += 1;
        }
        row = if row + 1 == s { 0 } else { row + 1 };
    }
    tree
}
