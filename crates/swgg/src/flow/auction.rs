//! Auctions with epsilon scaling (Bertsekas, 1988) between sources and targets of one mass.

use std::ops::ControlFlow;

use super::rows::Rows;
use crate::pricing::{Ground, Outlook};
use crate::run::observe::{Observe, Progress};
use crate::run::workers::Workers;

/// No point.
pub(super) const NONE: u32 = u32::MAX;
/// Bids between two reports to the observer: some milliseconds of work.
const BIDS_PER_REPORT: usize = 1 << 14;
/// Sources of one in so many get new candidates before the tree is told the prices of the day: what it knows gets looser as they fall.
const SOURCES_PER_REFETCH: usize = 4;
/// A spread is at least this share of the mean cost.
const MIN_SPREAD_SHARE: f64 = 1e-6;

/// A matching as far as it has come, and prices of the targets, which only fall. All in the order of the ground.
pub(super) struct Auction<'a> {
    pub ground: &'a dyn Ground,
    outlook: Box<dyn Outlook + 'a>,
    pub rows: Rows,
    pub prices: Vec<f64>,
    pub target_of: Vec<u32>,
    pub source_of: Vec<u32>,
    /// What the pair of each source costs.
    pub held: Vec<f64>,
    /// Candidates per source.
    candidates: usize,
    workers: &'a Workers,
    pub bids: usize,
    /// Sources that got new candidates since the tree was told the prices.
    refetched: usize,
}

/// What a source sees among its candidates.
pub(super) struct Offer {
    pub target: u32,
    /// What going there costs.
    pub cost: f64,
    /// Cost less price of that target, the cheapest.
    pub best: f64,
    /// The same of the second.
    pub second: f64,
}

impl<'a> Auction<'a> {
    /// At these prices, with some candidates of every source and nobody matched.
    pub fn new(ground: &'a dyn Ground, prices: Vec<f64>, candidates: usize, workers: &'a Workers) -> Self {
        let n = prices.len();
        let outlook = ground.outlook(&prices, workers);
        let everyone: Vec<u32> = (0..n as u32).collect();
        let rows = Rows::new(outlook.few(&everyone, candidates, &prices, workers));
        Auction {
            ground,
            outlook,
            rows,
            prices,
            target_of: vec![NONE; n],
            source_of: vec![NONE; n],
            held: vec![0.0; n],
            candidates,
            workers,
            bids: 0,
            refetched: 0,
        }
    }

    /// Takes over the pairs of a plan.
    pub fn follow(&mut self, plan: &[u32]) {
        for (i, &j) in plan.iter().enumerate() {
            self.target_of[i] = j;
            self.source_of[j as usize] = i as u32;
            self.held[i] = self.ground.cost(i, j as usize);
        }
    }

    /// How far apart the candidates of a source are, cost less price: the scale on which prices are not known yet.
    pub fn spread(&self) -> f64 {
        let n = self.held.len();
        let spread = |i: usize| {
            let (offer, beyond) = (self.look(i), self.rows.beyond[i]);
            let last = if beyond.is_finite() { beyond } else { offer.second };
            if last.is_finite() { (last - offer.best).max(0.0) } else { 0.0 }
        };
        let mean = (0..n).map(spread).sum::<f64>() / n as f64;
        // Where candidates coincide there is no spread; then prices move in steps that are small beside the costs.
        let size = self.held.iter().sum::<f64>() / n as f64;
        mean.max(MIN_SPREAD_SHARE * size)
    }

    #[inline(always)]
    pub fn look(&self, i: usize) -> Offer {
        let (targets, costs) = self.rows.of(i);
        let (mut best, mut second, mut at) = (f64::INFINITY, f64::INFINITY, 0);
        for (k, (&j, &cost)) in targets.iter().zip(costs).enumerate() {
            let pays = cost - self.prices[j as usize];
            if pays < best {
                second = best;
                best = pays;
                at = k;
            } else if pays < second {
                second = pays;
            }
        }
        Offer { target: targets[at], cost: costs[at], best, second }
    }

    /// What the cheapest of all targets costs a source at least, less its price.
    pub fn value(&self, i: usize) -> f64 {
        self.look(i).best.min(self.rows.beyond[i])
    }

    /// A phase: every source ends with a target that is at most `epsilon` dearer than its cheapest one, unless that takes more bids for
    /// each source than `max_bids`.
    pub fn phase(&mut self, epsilon: f64, max_bids: usize, watch: &mut dyn Observe) -> ControlFlow<()> {
        let n = self.held.len();
        self.tell_prices();
        let mut free = self.release(epsilon);
        let mut stale = Vec::new();
        let most = self.bids + max_bids * n;
        loop {
            while self.bids <= most
                && let Some(i) = free.pop()
            {
                let (offer, beyond) = (self.look(i as usize), self.rows.beyond[i as usize]);
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
                return ControlFlow::Continue(());
            }
            if self.workers.is_halted() {
                return ControlFlow::Break(());
            }
            watch.progress(&Progress { tried: n - stale.len(), total: n, best: f64::INFINITY })?;
            stale.sort_unstable();
            self.renew(&stale);
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

    /// New candidates for sources that others may be cheaper for, and more of them where rounding leaves that open.
    fn renew(&mut self, stale: &[u32]) {
        let (mut asked, mut count) = (stale.to_vec(), self.candidates);
        while !asked.is_empty() && !self.workers.is_halted() {
            self.refetch(&asked, count);
            asked.retain(|&i| self.look(i as usize).best > self.rows.beyond[i as usize]);
            count *= 2;
        }
    }

    /// New candidates at the present prices.
    pub fn refetch(&mut self, asked: &[u32], count: usize) {
        self.refetched += asked.len();
        if self.refetched > self.held.len() / SOURCES_PER_REFETCH {
            self.tell_prices();
        }
        let few = self.outlook.few(asked, count, &self.prices, self.workers);
        self.rows.replace(asked, &few);
    }

    fn tell_prices(&mut self) {
        self.outlook = self.ground.outlook(&self.prices, self.workers);
        self.refetched = 0;
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
}
