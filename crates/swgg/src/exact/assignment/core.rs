//! The arcs that matter: those that look cheap at the present prices.

use super::super::ground::Ground;
use super::super::start::in_tasks;
use crate::run::workers::Workers;

/// Arcs of each source that are looked at first.
const ARCS_PER_SOURCE: usize = 40;
/// Arcs of each target, if fewer sources chose it.
const MIN_ARCS_PER_TARGET: usize = 4;
/// Values that are sorted to guess where the lowest end.
const MAX_SAMPLED_VALUES: usize = 256;

/// Some arcs of every source: target and cost.
pub(super) struct Core(pub Vec<Vec<(u32, f64)>>);

impl Core {
    /// The cheapest arcs of every source, and some of every target that few sources chose.
    pub fn choose<G: Ground>(ground: &G, prices: &[f64], workers: &Workers) -> Self {
        let (n, m) = (ground.sources(), ground.targets());
        let mut core = Core(in_tasks(n, workers, |i| {
            let mut row = vec![0.0; m];
            ground.row(i, prices, &mut row);
            let chosen = lowest(&row, ARCS_PER_SOURCE.min(m), i * ARCS_PER_SOURCE).into_iter();
            chosen.map(|j| (j, ground.cost(i, j as usize))).collect::<Vec<_>>()
        }));
        let mut count = vec![0; m];
        core.0.iter().flatten().for_each(|arc| count[arc.0 as usize] += 1);
        let lonely: Vec<usize> = (0..m).filter(|&j| count[j] < MIN_ARCS_PER_TARGET).collect();
        let values: Vec<f64> = (0..n).map(|i| core.least(i, prices)).collect();
        let suitors = in_tasks(lonely.len(), workers, |k| {
            let pays: Vec<f64> = (0..n).map(|i| ground.cost(i, lonely[k]) - values[i]).collect();
            lowest(&pays, MIN_ARCS_PER_TARGET.min(n), lonely[k] * MIN_ARCS_PER_TARGET)
        });
        for (&j, sources) in lonely.iter().zip(suitors) {
            sources.into_iter().for_each(|i| core.admit(ground, i as usize, j as u32));
        }
        core
    }

    pub fn admit<G: Ground>(&mut self, ground: &G, i: usize, j: u32) {
        if self.cost(i, j).is_none() {
            self.0[i].push((j, ground.cost(i, j as usize)));
        }
    }

    pub fn cost(&self, i: usize, j: u32) -> Option<f64> {
        self.0[i].iter().find(|arc| arc.0 == j).map(|arc| arc.1)
    }

    /// What the cheapest target of a source costs it.
    pub fn least(&self, i: usize, prices: &[f64]) -> f64 {
        self.0[i].iter().map(|&(j, cost)| cost - prices[j as usize]).fold(f64::INFINITY, f64::min)
    }

    /// The cheapest target of a source with what it pays, and what it pays for the second best.
    pub fn two_best(&self, i: usize, prices: &[f64]) -> ((f64, u32), f64) {
        let (mut best, mut second) = ((f64::INFINITY, 0), f64::INFINITY);
        for &(j, cost) in &self.0[i] {
            let pays = cost - prices[j as usize];
            if pays < best.0 {
                second = best.0;
                best = (pays, j);
            } else if pays < second {
                second = pays;
            }
        }
        (best, second)
    }
}

/// Positions of the `count` lowest values, in order. Equals are counted from position `first` on, which differs from call to call:
/// points in one place should not all choose the same few.
fn lowest(values: &[f64], count: usize, first: usize) -> Vec<u32> {
    let (len, first) = (values.len(), first % values.len());
    let turned = |j: u32| (j as usize + len - first) % len;
    let by_value = |a: &u32, b: &u32| {
        values[*a as usize].total_cmp(&values[*b as usize]).then_with(|| turned(*a).cmp(&turned(*b)))
    };
    // A few values tell about where the line is; what lies below it is quickly sorted.
    let step = values.len().div_ceil(MAX_SAMPLED_VALUES);
    let mut few: Vec<f64> = values.iter().copied().step_by(step).collect();
    let rank = (count + count / 2) / step + 4;
    let limit =
        if rank < few.len() { *few.select_nth_unstable_by(rank, f64::total_cmp).1 } else { f64::INFINITY };
    let mut order: Vec<u32> = (0..values.len() as u32).filter(|&j| values[j as usize] <= limit).collect();
    if order.len() < count {
        order = (0..values.len() as u32).collect();
    }
    if count < order.len() {
        order.select_nth_unstable_by(count - 1, by_value);
        order.truncate(count);
    }
    order.sort_unstable_by(by_value);
    order
}
