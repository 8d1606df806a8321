//! Auctions with epsilon scaling (Bertsekas, 1988) between sources and targets of one mass.

use std::ops::ControlFlow;

use super::candidates::{Candidates, Offer};
use crate::pricing::Ground;
use crate::run::observe::{Observe, Progress};
use crate::run::workers::Workers;

/// No point.
pub(super) const NONE: u32 = u32::MAX;
/// Bids between two reports to the observer: some milliseconds of work.
const BIDS_PER_REPORT: usize = 1 << 14;
/// Targets beyond the candidates of a source may be cheaper by so many epsilons before it looks for new candidates. Looking takes ten times as
/// long as a bid, and what is known to epsilon only is not worth a look at less than that; the end of a phase makes up for it.
const EPSILONS_UNSEEN: f64 = 8.0;
/// A spread is at least this share of the mean cost.
const MIN_SPREAD_SHARE: f64 = 1e-6;

/// A matching as far as it has come, and prices of the targets, which only fall. All in the order of the ground.
pub(super) struct Auction<'a> {
    pub candidates: Candidates<'a>,
    pub prices: Vec<f64>,
    pub target_of: Vec<u32>,
    pub source_of: Vec<u32>,
    /// What the pair of each source costs.
    pub held: Vec<f64>,
    pub bids: usize,
}

impl<'a> Auction<'a> {
    /// At these prices, with some candidates of every source and nobody matched.
    pub fn new(ground: &'a dyn Ground, prices: Vec<f64>, candidates: usize, workers: &'a Workers) -> Self {
        let n = prices.len();
        Auction {
            candidates: Candidates::new(ground, &prices, candidates, workers),
            prices,
            target_of: vec![NONE; n],
            source_of: vec![NONE; n],
            held: vec![0.0; n],
            bids: 0,
        }
    }

    /// Takes over the pairs of a plan.
    pub fn follow(&mut self, plan: &[u32]) {
        for (i, &j) in plan.iter().enumerate() {
            self.target_of[i] = j;
            self.source_of[j as usize] = i as u32;
            self.held[i] = self.candidates.ground.cost(i, j as usize);
        }
    }

    /// How far apart the candidates of a source are, cost less price: the scale on which prices are not known yet.
    pub fn spread(&self) -> f64 {
        let n = self.held.len();
        let mean = self.candidates.spread(&self.prices);
        // Where candidates coincide there is no spread; then prices move in steps that are small beside the costs.
        let size = self.held.iter().sum::<f64>() / n as f64;
        mean.max(MIN_SPREAD_SHARE * size)
    }

    #[inline(always)]
    fn look(&self, i: usize) -> Offer {
        self.candidates.look(i, &self.prices)
    }

    /// What the cheapest of all targets costs a source at least, less its price.
    pub fn value(&self, i: usize) -> f64 {
        self.candidates.value(i, &self.prices)
    }

    /// A phase: every source ends with a target that is at most `epsilon` dearer than the cheapest of its candidates, and few epsilons dearer
    /// than any other, unless that takes more bids for each source than `max_bids`. Candidates are those of the last prices then.
    pub fn phase(&mut self, epsilon: f64, max_bids: usize, watch: &mut dyn Observe) -> ControlFlow<()> {
        let n = self.held.len();
        self.candidates.tell_prices(&self.prices);
        let mut free = self.release(epsilon);
        let mut stale = Vec::new();
        let most = self.bids + max_bids * n;
        loop {
            while self.bids <= most
                && let Some(i) = free.pop()
            {
                let offer = self.look(i as usize);
                let beyond = self.candidates.rows.beyond[i as usize] + EPSILONS_UNSEEN * epsilon;
                if offer.best > beyond {
                    stale.push(i);
                    continue;
                }
                self.bids += 1;
                if self.bids.is_multiple_of(BIDS_PER_REPORT) {
                    let tried = n - free.len() - stale.len() - 1;
                    watch.progress(&Progress { tried, total: n, best: f64::INFINITY })?;
                }
                // A price at which the second target is as cheap, and a little below: prices that only tie go round in circles.
                let raise = offer.second.min(beyond) - offer.best;
                let raise = if raise.is_finite() { raise } else { 0.0 } + epsilon;
                let target = offer.target as usize;
                self.prices[target] -= raise;
                let holder = std::mem::replace(&mut self.source_of[target], i);
                self.target_of[i as usize] = offer.target;
                self.held[i as usize] = offer.cost;
                if holder != NONE {
                    self.target_of[holder as usize] = NONE;
                    free.push(holder);
                }
            }
            if stale.is_empty() || self.bids > most {
                self.candidates.update(&self.prices);
                return ControlFlow::Continue(());
            }
            if self.candidates.workers.is_halted() {
                return ControlFlow::Break(());
            }
            watch.progress(&Progress { tried: n - stale.len(), total: n, best: f64::INFINITY })?;
            stale.sort_unstable();
            self.candidates.renew(&stale, &self.prices);
            free.extend(stale.drain(..).rev());
        }
    }

    /// Parts pairs that are more than `epsilon` dearer than the cheapest target. All sources without a target, last first.
    pub fn release(&mut self, epsilon: f64) -> Vec<u32> {
        let mut free = Vec::new();
        for i in (0..self.held.len()).rev() {
            let j = self.target_of[i];
            if j != NONE {
                if self.held[i] - self.prices[j as usize] <= self.value(i) + epsilon {
                    continue;
                }
                self.target_of[i] = NONE;
                self.source_of[j as usize] = NONE;
            }
            free.push(i as u32);
        }
        free
    }

    /// New candidates at the present prices.
    pub fn refetch(&mut self, asked: &[u32], count: usize) {
        self.candidates.refetch(asked, count, &self.prices);
    }

    /// Whether every source has a target.
    pub fn is_complete(&self) -> bool {
        self.target_of.iter().all(|&j| j != NONE)
    }

    /// Mean cost of the pairs, and the lower bound that the prices prove.
    pub fn interval(&self) -> [f64; 2] {
        let n = self.held.len();
        let values: f64 = (0..n).map(|i| self.value(i)).sum();
        [self.held.iter().sum::<f64>() / n as f64, (values + self.prices.iter().sum::<f64>()) / n as f64]
    }

    /// Prices as high as the values of the sources allow, and the lower bound that they prove; `None` once the threads are told to stop.
    pub fn raised(&self) -> Option<(Vec<f64>, f64)> {
        let n = self.held.len();
        let (values, near): (Vec<f64>, Vec<u32>) = (0..n)
            .map(|i| (self.value(i), if self.source_of[i] == NONE { 0 } else { self.source_of[i] }))
            .unzip();
        let Candidates { ground, workers, .. } = &self.candidates;
        let (prices, _) = ground.prices(&values, Some(&near), workers);
        let worth = (values.iter().sum::<f64>() + prices.iter().sum::<f64>()) / n as f64;
        (!workers.is_halted()).then_some((prices, worth))
    }
}
