//! The first basis of the network simplex.

use super::plan::Entry;
use crate::exact::tree::SpanningTree;

/// A basis from a plan without cycles between `s` sources and `t` targets, with its potentials: the trees of the plan, tied
/// together by arcs without mass.
pub(super) fn start(s: usize, t: usize, plan: &[Entry], cost: impl Fn(usize, usize) -> f64) -> SpanningTree {
    let arcs = Arcs::new(s, t, plan);
    let mut tree = SpanningTree::rooted(s, t, 0);
    let mut inside = vec![false; s + t];
    let mut prices = vec![f64::NEG_INFINITY; t];
    let mut values = vec![0.0; s];
    let mut stack = Vec::with_capacity(s + t);
    for i in 0..s {
        if inside[i] {
            continue;
        }
        if i > 0 {
            // The best offer so far; an arc without mass must lead up from a source.
            let offers = prices.iter().enumerate().filter(|(_, v)| v.is_finite());
            let (value, best) = offers.fold((f64::INFINITY, 0), |best, (j, v)| {
                let offer = cost(i, j) - v;
                if offer < best.0 { (offer, j) } else { best }
            });
            values[i] = value;
            tree.grow(i as u32, (s + best) as u32, 0);
        }
        inside[i] = true;
        stack.push(i as u32);
        while let Some(node) = stack.pop() {
            for &(other, units) in arcs.of(node) {
                let place = other as usize;
                if std::mem::replace(&mut inside[place], true) {
                    continue;
                }
                tree.grow(other, node, units);
                let here = node as usize;
                if place < s {
                    values[place] = cost(place, here - s) - prices[here - s];
                } else {
                    prices[place - s] = cost(here, place - s) - values[here];
                }
                stack.push(other);
            }
        }
    }
    let (of_sources, of_targets) = tree.potential.split_at_mut(s);
    of_sources.copy_from_slice(&values);
    of_targets.copy_from_slice(&prices);
    tree
}

/// The entries of every node.
struct Arcs {
    first: Vec<u32>,
    arcs: Vec<(u32, u64)>,
}

impl Arcs {
    fn new(s: usize, t: usize, plan: &[Entry]) -> Self {
        let ends = |e: &Entry| [e.source as usize, s + e.target as usize];
        let mut first = vec![0; s + t + 1];
        plan.iter().flat_map(ends).for_each(|node| first[node] += 1);
        let mut end = 0;
        for place in &mut first {
            end += *place;
            *place = end;
        }
        // Filled from behind, the ends become beginnings.
        let mut arcs = vec![(0, 0); 2 * plan.len()];
        for e in plan {
            let [source, target] = ends(e);
            for (from, to) in [(source, target), (target, source)] {
                first[from] -= 1;
                arcs[first[from] as usize] = (to as u32, e.units);
            }
        }
        Arcs { first, arcs }
    }

    fn of(&self, node: u32) -> &[(u32, u64)] {
        &self.arcs[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
    }
}
