//! Exact transport between the few points of a block.

use super::Clouds;
use super::forest::Forest;
use super::plan::Entry;
use crate::exact::tree::Tree;

/// Changes of the basis after which a block is left as it is, for each point: never seen, but rounding knows no promises.
const MOST_PIVOTS: usize = 64;

/// Room for one block after the other.
#[derive(Default)]
pub(super) struct Block {
    sources: Vec<u32>,
    targets: Vec<u32>,
    /// Entries with sources and targets counted within the block.
    local: Vec<Entry>,
    /// `-<x, y>` for every pair, row by row: half of what the squared distance says, up to terms that all plans share.
    costs: Vec<f64>,
    forest: Forest,
    solved: Vec<Entry>,
    /// What the last block gained, in units of mass times half a squared distance.
    pub gained: f64,
}

impl Block {
    /// A plan of the same marginals with at most `s + t - 1` entries, the cheapest there is between these points.
    pub fn solve(&mut self, clouds: &Clouds<'_>, entries: &[Entry]) -> &[Entry] {
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
        self.local.iter().for_each(|&e| self.forest.insert(e, cost));
        self.local.clear();
        self.local.extend(self.forest.entries());
        let thinned = paid(&self.local);
        let mut after = thinned;
        if s > 1 && t > 1 {
            let tree = simplex(costs, s, t, &self.local);
            self.solved.extend(
                tree.arcs().filter(|arc| arc.2 > 0).map(|(source, target, units)| Entry { units, source, target }),
            );
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

    fn price(&mut self, clouds: &Clouds<'_>) {
        let d = clouds.dim;
        // Around two points of the block, so that no digits are spent on where it lies.
        let (x0, y0) = (clouds.source(self.sources[0]), clouds.target(self.targets[0]));
        self.costs.clear();
        for &i in &self.sources {
            let x = clouds.source(i);
            for &j in &self.targets {
                let y = clouds.target(j);
                let product: f64 = (0..d).map(|k| (x[k] - x0[k]) * (y[k] - y0[k])).sum();
                self.costs.push(-product);
            }
        }
    }
}

fn distinct(list: &mut Vec<u32>, indices: impl Iterator<Item = u32>) {
    list.clear();
    list.extend(indices);
    list.sort_unstable();
    list.dedup();
}

/// The network simplex from a plan without cycles.
fn simplex(costs: &[f64], s: usize, t: usize, plan: &[Entry]) -> Tree {
    let mut tree = start(costs, s, t, plan);
    tree.reset_potentials(|i, j| costs[i as usize * t + j as usize]);
    let largest = costs.iter().fold(0.0_f64, |most, c| most.max(c.abs()));
    let tolerance = 1e-13 * largest;
    let (mut row, mut in_order) = (0, 0);
    for _ in 0..MOST_PIVOTS * (s + t) * s {
        if in_order == s {
            break;
        }
        let (values, prices) = tree.potential.split_at(s);
        let offers = costs[row * t..][..t].iter().zip(prices);
        let (reduced, best) = offers.enumerate().fold((f64::INFINITY, 0), |best, (j, (c, v))| {
            if c - v < best.0 { (c - v, j) } else { best }
        });
        let reduced = reduced - values[row];
        if reduced < -tolerance {
            tree.pivot(row as u32, best as u32, reduced);
            in_order = 0;
        } else {
            in_order += 1;
        }
        row = if row + 1 == s { 0 } else { row + 1 };
    }
    tree
}

/// A basis from a plan without cycles: its trees, tied together by arcs without mass.
fn start(costs: &[f64], s: usize, t: usize, plan: &[Entry]) -> Tree {
    let nodes = s + t;
    let mut first = vec![0_u32; nodes + 1];
    for e in plan {
        first[e.source as usize + 1] += 1;
        first[s + e.target as usize + 1] += 1;
    }
    for k in 0..nodes {
        first[k + 1] += first[k];
    }
    let mut fill = first.clone();
    let mut arcs = vec![(0_u32, 0_u64); 2 * plan.len()];
    for e in plan {
        for (from, to) in [(e.source, s as u32 + e.target), (s as u32 + e.target, e.source)] {
            arcs[fill[from as usize] as usize] = (to, e.units);
            fill[from as usize] += 1;
        }
    }
    let mut tree = Tree::rooted(s, t, 0);
    let mut inside = vec![false; nodes];
    let mut prices = vec![f64::NEG_INFINITY; t];
    let mut values = vec![0.0; s];
    let mut stack = Vec::with_capacity(nodes);
    for i in 0..s {
        if inside[i] {
            continue;
        }
        if i > 0 {
            // The target that is the best offer so far; an arc without mass must lead up from a source.
            let offers = costs[i * t..][..t].iter().zip(&prices).map(|(c, v)| c - v);
            let (value, best) =
                offers.enumerate().fold((f64::INFINITY, 0), |best, (j, o)| if o < best.0 { (o, j) } else { best });
            values[i] = value;
            tree.grow(i as u32, (s + best) as u32, 0);
        }
        inside[i] = true;
        stack.push(i as u32);
        while let Some(node) = stack.pop() {
            for &(other, units) in &arcs[first[node as usize] as usize..first[node as usize + 1] as usize] {
                let place = other as usize;
                if inside[place] {
                    continue;
                }
                inside[place] = true;
                tree.grow(other, node, units);
                if place < s {
                    values[place] = costs[place * t + node as usize - s] - prices[node as usize - s];
                } else {
                    prices[place - s] = costs[node as usize * t + place - s] - values[node as usize];
                }
                stack.push(other);
            }
        }
    }
    tree
}
