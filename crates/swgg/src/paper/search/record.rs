//! What every search keeps: the best direction ever seen, and the story for its observer.

use std::ops::ControlFlow;

use super::SearchOutcome;
use crate::error::{ErrorKind, Result};
use crate::line::direction::{Direction, DirectionSet};
use crate::paper::slices::Slices;
use crate::run::observe::{Observe, Progress};
use crate::run::stop::Stop;

/// The best direction so far, how many were tried, and the observer.
pub(super) struct Record<'a> {
    problem: &'a dyn Slices,
    watch: &'a mut dyn Observe,
    /// Directions there are to try, as far as one can tell beforehand.
    total: usize,
    tried: usize,
    best: Option<Best>,
    costs: Option<Vec<f64>>,
    interrupted: bool,
}

struct Best {
    theta: Direction,
    cost: f64,
    index: usize,
}

impl<'a> Record<'a> {
    pub fn new(problem: &'a dyn Slices, watch: &'a mut dyn Observe, total: usize, keep_costs: bool) -> Self {
        let costs = keep_costs.then(Vec::new);
        Record { problem, watch, total, tried: 0, best: None, costs, interrupted: false }
    }

    /// How many directions were tried so far.
    pub fn tried(&self) -> usize {
        self.tried
    }

    /// Whether the observer asked to stop.
    pub fn interrupted(&self) -> bool {
        self.interrupted
    }

    /// Costs of more directions, in calls of a length that can be watched; fewer than asked for after an interruption.
    pub fn costs(&mut self, thetas: &DirectionSet) -> Result<Vec<f64>> {
        let mut all = Vec::with_capacity(thetas.len());
        let batch_len = self.problem.batch_len().max(1);
        while all.len() < thetas.len() && !self.interrupted {
            let batch = thetas.slice(all.len()..thetas.len().min(all.len() + batch_len));
            let costs = self.problem.costs(&batch)?;
            self.see(&batch, &costs);
            all.extend(costs);
        }
        Ok(all)
    }

    /// Takes note of directions whose costs are known, and tells the observer.
    pub fn see(&mut self, thetas: &DirectionSet, costs: &[f64]) {
        for (offset, &cost) in costs.iter().enumerate() {
            // Strictly below: among equals the first direction wins, however batches are cut.
            if self.best.as_ref().is_none_or(|best| cost < best.cost || best.cost.is_nan()) {
                self.best = Some(Best { theta: thetas.get(offset), cost, index: self.tried + offset });
            }
        }
        let best = self.best.as_ref().map_or(f64::INFINITY, |best| best.cost);
        self.pass(costs, best);
    }

    /// Counts directions that are not to be returned themselves, and tells the observer of the lowest cost so far.
    pub fn pass(&mut self, costs: &[f64], best: f64) {
        self.tried += costs.len();
        if let Some(kept) = &mut self.costs {
            kept.extend(costs);
        }
        let progress = Progress { tried: self.tried, total: self.total.max(self.tried), best };
        // A stop that comes with the last direction comes too late to matter.
        if self.watch.progress(&progress) == ControlFlow::Break(()) && self.tried < self.total {
            self.interrupted = true;
        }
    }

    /// The end of a search that stopped for `stop`, unless it was interrupted before.
    pub fn finish(self, stop: Stop) -> Result<SearchOutcome> {
        let Best { theta, cost, index } = self.best.ok_or(ErrorKind::NoDirections)?;
        let stop = if self.interrupted { Stop::Interrupted } else { stop };
        Ok(SearchOutcome { theta, cost, index, tried: self.tried, stop, costs: self.costs })
    }
}
