//! The network simplex on any ground.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::ground::Ground;
use super::start::{self, PartialPlan, SupplyDemand};
use super::tree::{Arc, SpanningTree};
use crate::number::mass::Unit;
use crate::run::observe::{Observe, Progress};
use crate::run::stop::Stop;
use crate::run::workers::Workers;

/// Pivots after which potentials are computed afresh.
const PIVOTS_PER_RESET: usize = 2000;
/// Blocks priced between two reports to the observer: some milliseconds of work.
const BLOCKS_PER_REPORT: usize = 1 << 13;
/// Pivots between two looks at the clock, and how long the observer may go without a report.
const PIVOTS_PER_LOOK: usize = 16;
const MAX_SILENCE: Duration = Duration::from_millis(100);

/// A bound on the rounding error of differences of such numbers.
pub(super) fn rounding(numbers: &[f64]) -> f64 {
    1e-13 * numbers.iter().fold(0.0_f64, |most, x| most.max(x.abs()))
}

/// A basis between sources and targets that carry mass.
pub(super) struct Simplex<'a, G, U = u64> {
    ground: &'a G,
    tree: SpanningTree<U>,
    total: U,
    /// What the plan costs, all mass together.
    paid: f64,
    pub pivots: usize,
}

impl<'a, G: Ground, U: Unit> Simplex<'a, G, U> {
    /// From the beginnings of a plan, completed at these prices. If the threads are told to stop there is only the plan.
    pub fn from_plan(
        ground: &'a G,
        load: SupplyDemand<'_, U>,
        mut plan: PartialPlan<U>,
        prices: &[f64],
        workers: &Workers,
    ) -> Result<Self, PartialPlan<U>> {
        plan.complete(ground, prices, workers);
        match start::tree(ground, &plan.arcs, prices, workers) {
            Some(tree) => Ok(Self::resume(ground, load, tree, 0)),
            None => Err(plan),
        }
    }

    /// The same basis on a ground whose costs have changed.
    pub fn resume(ground: &'a G, load: SupplyDemand<'_, U>, tree: SpanningTree<U>, pivots: usize) -> Self {
        Simplex { ground, tree, total: load.supply.iter().copied().sum(), paid: 0.0, pivots }
    }

    pub fn into_parts(self) -> (SpanningTree<U>, usize) {
        (self.tree, self.pivots)
    }

    /// Pivots until no arc would lower the cost.
    pub fn run(&mut self, watch: &mut dyn Observe) -> Stop {
        let n = self.ground.sources();
        let blocks = self.ground.blocks();
        let (mut row, mut turn, mut in_order, mut since, mut priced) = (0, 0, 0, 0, BLOCKS_PER_REPORT);
        let mut tolerance = self.reset();
        let sources_per_pivot = self.ground.sources_per_pivot();
        let (mut looked, mut chosen) = (0, (0.0, 0, 0));
        let mut reported = Instant::now();
        loop {
            // Another block of targets for every source, and in another order each time around.
            let block = (row + turn) % blocks;
            let (best, cost) = self.ground.offer(row, block, &self.tree.potential[n..]);
            let reduced = cost - self.tree.potential[row] - self.tree.potential[n + best];
            looked += 1;
            if reduced < -tolerance && reduced < chosen.0 {
                chosen = (reduced, row, best);
            }
            if looked >= sources_per_pivot || in_order + looked >= n * blocks {
                if chosen.0 < 0.0 {
                    let amount = self.tree.pivot(chosen.1 as u32, chosen.2 as u32, chosen.0);
                    self.paid += chosen.0 * amount.to_f64();
                    self.pivots += 1;
                    since += 1;
                    in_order = 0;
                    // Between a great many points and a few, a pivot moves a large part of the tree.
                    if self.pivots.is_multiple_of(PIVOTS_PER_LOOK) && reported.elapsed() > MAX_SILENCE {
                        priced = BLOCKS_PER_REPORT;
                    }
                } else {
                    in_order += looked;
                }
                (looked, chosen) = (0, (0.0, 0, 0));
            }
            if in_order >= n * blocks {
                if since == 0 {
                    return Stop::Converged;
                }
                // Once more with fresh potentials: only what they say counts.
                tolerance = self.reset();
                (in_order, since) = (0, 0);
            } else if since >= PIVOTS_PER_RESET {
                tolerance = self.reset();
                since = 1;
            }
            row += 1;
            if row == n {
                (row, turn) = (0, turn + 1);
            }
            priced += 1;
            if priced >= BLOCKS_PER_REPORT {
                (priced, reported) = (0, Instant::now());
                let progress =
                    Progress { tried: in_order / blocks, total: n, best: self.paid / self.total.to_f64() };
                if watch.progress(&progress) == ControlFlow::Break(()) {
                    return Stop::Interrupted;
                }
            }
        }
    }

    /// Potentials and the cost afresh, and what counts as zero beside them.
    fn reset(&mut self) -> f64 {
        let ground = self.ground;
        self.paid = self.arcs().map(|(i, j, flow)| flow.to_f64() * ground.cost(i as usize, j as usize)).sum();
        self.tree.reset_potentials(|i, j| ground.cost(i as usize, j as usize));
        rounding(&self.tree.potential)
    }

    /// The arcs that carry mass.
    pub fn arcs(&self) -> impl Iterator<Item = Arc<U>> {
        self.tree.arcs().filter(|arc| !arc.2.is_none())
    }

    pub fn source_potentials(&self) -> &[f64] {
        &self.tree.potential[..self.ground.sources()]
    }

    pub fn target_potentials(&self) -> &[f64] {
        &self.tree.potential[self.ground.sources()..]
    }
}
