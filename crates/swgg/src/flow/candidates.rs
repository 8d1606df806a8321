//! The candidates of every source at prices that only fall, and what a source sees among them.

use super::rows::Rows;
use crate::pricing::{Ground, Outlook};
use crate::run::workers::Workers;

/// Sources of one in so many get new candidates before the tree is told the prices of the day: what it knows gets looser as they fall.
const SOURCES_PER_REFETCH: usize = 4;

/// Candidates among which the cheapest are counted, at most.
const MAX_COMPARED_CANDIDATES: usize = 16;
/// What rounding may add to cost and price, as a share of them.
const ROUNDING_SHARE: f64 = 1e-12;

/// Candidate arcs, and where new ones come from.
pub(super) struct Candidates<'a> {
    pub ground: &'a dyn Ground,
    outlook: Box<dyn Outlook + 'a>,
    pub rows: Rows,
    /// Candidates of a source, unless it needs more.
    pub count: usize,
    pub workers: &'a Workers,
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

impl<'a> Candidates<'a> {
    /// The `count` cheapest targets of every source at these prices.
    pub fn new(ground: &'a dyn Ground, prices: &[f64], count: usize, workers: &'a Workers) -> Self {
        let outlook = ground.outlook(prices, workers);
        let everyone: Vec<u32> = (0..ground.order()[0].len() as u32).collect();
        let rows = Rows::new(outlook.few(&everyone, count, prices, workers));
        Candidates { ground, outlook, rows, count, workers, refetched: 0 }
    }

    /// No candidates yet: they are fetched for those who need them.
    pub fn unasked(ground: &'a dyn Ground, prices: &[f64], count: usize, workers: &'a Workers) -> Self {
        let rows = Rows::unasked(ground.order()[0].len());
        Candidates { ground, outlook: ground.outlook(prices, workers), rows, count, workers, refetched: 0 }
    }

    /// Whether nothing is known of a source.
    pub fn is_unasked(&self, i: usize) -> bool {
        self.rows.of(i).0.is_empty()
    }

    #[inline(always)]
    pub fn look(&self, i: usize, prices: &[f64]) -> Offer {
        let (targets, costs) = self.rows.of(i);
        let (mut best, mut second, mut at) = (f64::INFINITY, f64::INFINITY, 0);
        for (k, (&j, &cost)) in targets.iter().zip(costs).enumerate() {
            let pays = cost - prices[j as usize];
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
    pub fn value(&self, i: usize, prices: &[f64]) -> f64 {
        self.look(i, prices).best.min(self.rows.beyond[i])
    }

    /// How far apart the candidates of a source are, cost less price: the scale on which prices are not known yet.
    pub fn spread(&self, prices: &[f64]) -> f64 {
        let n = self.rows.beyond.len();
        let spread = |i: usize| {
            let (offer, beyond) = (self.look(i, prices), self.rows.beyond[i]);
            let last = if beyond.is_finite() { beyond } else { offer.second };
            if last.is_finite() { (last - offer.best).max(0.0) } else { 0.0 }
        };
        (0..n).map(spread).sum::<f64>() / n as f64
    }

    /// New candidates at the present prices.
    pub fn refetch(&mut self, asked: &[u32], count: usize, prices: &[f64]) {
        self.refetched += asked.len();
        if self.refetched > self.rows.beyond.len() / SOURCES_PER_REFETCH {
            self.tell_prices(prices);
        }
        let below: Vec<f64> = asked.iter().map(|&i| self.below(i as usize, count, prices)).collect();
        let few = self.outlook.few_below(asked, &below, count, prices, self.workers);
        self.rows.replace(asked, &few);
    }

    /// What a source pays less than at each of its `count` cheapest targets: at so many of its candidates it does.
    fn below(&self, i: usize, count: usize, prices: &[f64]) -> f64 {
        let (targets, costs) = self.rows.of(i);
        if count > MAX_COMPARED_CANDIDATES || targets.len() < count {
            return f64::INFINITY;
        }
        let mut least = [f64::INFINITY; MAX_COMPARED_CANDIDATES];
        for (&j, &cost) in targets.iter().zip(costs) {
            let mut pays = cost - prices[j as usize];
            for known in &mut least[..count] {
                if pays < *known {
                    std::mem::swap(&mut pays, known);
                }
            }
        }
        // Costs of single pairs and of leaves are not rounded alike.
        let most = least[count - 1];
        most + ROUNDING_SHARE * (most.abs() + costs.iter().fold(0.0, |size, cost| f64::max(size, *cost)))
    }

    /// New candidates for sources that others may be cheaper for, and more of them where rounding leaves that open.
    pub fn renew(&mut self, stale: &[u32], prices: &[f64]) {
        let (mut asked, mut count) = (stale.to_vec(), self.count);
        while !asked.is_empty() && !self.workers.is_halted() {
            self.refetch(&asked, count, prices);
            asked.retain(|&i| self.look(i as usize, prices).best > self.rows.beyond[i as usize]);
            count *= 2;
        }
    }

    /// New candidates for all sources that others may be cheaper for.
    pub fn update(&mut self, prices: &[f64]) {
        let is_stale = |&i: &u32| self.look(i as usize, prices).best > self.rows.beyond[i as usize];
        let stale: Vec<u32> = (0..self.rows.beyond.len() as u32).filter(is_stale).collect();
        self.tell_prices(prices);
        self.renew(&stale, prices);
    }

    /// Tells the tree the prices of the day.
    pub fn tell_prices(&mut self, prices: &[f64]) {
        self.outlook = self.ground.outlook(prices, self.workers);
        self.refetched = 0;
    }
}
