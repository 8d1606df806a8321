//! Partial matchings as whole ones: every point has a twin on the other side, to which it goes instead of moving.
//!
//! Sources are the points `x` and copies `y'` of the targets, targets the points `y` and copies `x'` of the sources. From `x` to
//! `y` and from `y'` to `x'` it costs what it does, from a point to its twin the discard cost `l`, and nothing else is possible. A partial
//! matching used twice costs `2 (sum c + l/2 (who stays))`, and no matching of the twins costs less than the best of these.

use crate::pricing::{CheapestTargets, Few, Ground, Metric, Outlook, ground};
use crate::run::workers::Workers;

/// Two clouds seen from either side: trees over both, in one order.
pub(super) struct Pair {
    /// From sources to targets, and from targets to sources.
    pub there: Box<dyn Ground + 'static>,
    pub back: Box<dyn Ground + 'static>,
    pub dim: usize,
    identity: Vec<u32>,
}

impl Pair {
    /// From rows; `None` where comparing them takes too long.
    pub fn new(x: &[f64], y: &[f64], dim: usize, workers: &Workers) -> Option<Self> {
        let (there, back) =
            (ground(x, y, dim, Metric::SQUARED, workers)?, ground(y, x, dim, Metric::SQUARED, workers)?);
        let ([sources, targets], [mirrored_targets, mirrored_sources]) = (there.order(), back.order());
        debug_assert!(sources == mirrored_sources && targets == mirrored_targets, "one tree per cloud");
        let identity = (0..(sources.len() + targets.len()) as u32).collect();
        Some(Pair { there, back, dim, identity })
    }

    /// Points of both sides.
    pub fn sizes(&self) -> [usize; 2] {
        self.there.order().map(<[u32]>::len)
    }
}

/// The pair with twins, at a discard cost.
pub(super) struct Twins<'a> {
    pub pair: &'a Pair,
    pub discard: f64,
}

impl Twins<'_> {
    /// Targets first, then twins of sources; or sources first, then twins of targets.
    fn split<'v>(&self, side: usize, numbers: &'v [f64]) -> (&'v [f64], &'v [f64]) {
        numbers.split_at(self.pair.sizes()[side])
    }

    /// What points pay at least: among the points of the other side, and for their twins, which come after these.
    fn least(&self, found: CheapestTargets, twins: &[f64], first_twin: usize) -> CheapestTargets {
        let points = found.0.into_iter().zip(found.1).zip(twins).enumerate();
        let cheaper = points.map(|(k, ((value, place), twin))| {
            let stays = self.discard - twin;
            if stays < value { (stays, (first_twin + k) as u32) } else { (value, place) }
        });
        cheaper.unzip()
    }
}

impl Ground for Twins<'_> {
    fn metric(&self) -> Metric<'_> {
        self.pair.there.metric()
    }

    fn order(&self) -> [&[u32]; 2] {
        [&self.pair.identity, &self.pair.identity]
    }

    fn source(&self, i: usize) -> &[f64] {
        let n = self.pair.sizes()[0];
        if i < n { self.pair.there.source(i) } else { self.pair.there.target(i - n) }
    }

    fn target(&self, j: usize) -> &[f64] {
        let m = self.pair.sizes()[1];
        if j < m { self.pair.there.target(j) } else { self.pair.there.source(j - m) }
    }

    fn cost(&self, i: usize, j: usize) -> f64 {
        let [n, m] = self.pair.sizes();
        match (i < n, j < m) {
            (true, true) => self.pair.there.cost(i, j),
            (false, false) => self.pair.back.cost(i - n, j - m),
            (true, false) if j - m == i => self.discard,
            (false, true) if i - n == j => self.discard,
            _ => f64::INFINITY,
        }
    }

    fn values(&self, prices: &[f64], _: Option<&[u32]>, workers: &Workers) -> CheapestTargets {
        let m = self.pair.sizes()[1];
        let (of_targets, of_twins) = self.split(1, prices);
        let mut all = self.least(self.pair.there.values(of_targets, None, workers), of_twins, m);
        // The twins of targets come after the sources, and go to the twins of sources or to the targets they belong to.
        let (values, places) = self.pair.back.values(of_twins, None, workers);
        for (j, (value, place)) in values.into_iter().zip(places).enumerate() {
            let stays = self.discard - of_targets[j];
            all.0.push(value.min(stays));
            all.1.push(if stays < value { j as u32 } else { m as u32 + place });
        }
        all
    }

    fn prices(&self, values: &[f64], _: Option<&[u32]>, workers: &Workers) -> CheapestTargets {
        let n = self.pair.sizes()[0];
        let (of_sources, of_twins) = self.split(0, values);
        let mut all = self.least(self.pair.there.prices(of_sources, None, workers), of_twins, n);
        let (prices, places) = self.pair.back.prices(of_twins, None, workers);
        for (i, (price, place)) in prices.into_iter().zip(places).enumerate() {
            let stays = self.discard - of_sources[i];
            all.0.push(price.min(stays));
            all.1.push(if stays < price { i as u32 } else { n as u32 + place });
        }
        all
    }

    /// Other sources have no twins among the targets.
    fn extended(&self, sources: &[f64], values: &[f64], workers: &Workers) -> Vec<f64> {
        let mut prices = self.pair.there.extended(sources, values, workers);
        prices.resize(self.pair.identity.len(), f64::INFINITY);
        prices
    }

    fn outlook<'a>(&'a self, prices: &[f64], workers: &Workers) -> Box<dyn Outlook + 'a> {
        let (of_targets, of_twins) = self.split(1, prices);
        let (there, back) =
            (self.pair.there.outlook(of_targets, workers), self.pair.back.outlook(of_twins, workers));
        Box::new(TwinsOutlook { twins: self, there, back })
    }
}

struct TwinsOutlook<'a> {
    twins: &'a Twins<'a>,
    there: Box<dyn Outlook + 'a>,
    back: Box<dyn Outlook + 'a>,
}

impl Outlook for TwinsOutlook<'_> {
    /// The cheapest points of the other side, and the twin.
    fn few(&self, asked: &[u32], count: usize, prices: &[f64], workers: &Workers) -> Few {
        let [n, m] = self.twins.pair.sizes();
        let (of_targets, of_twins) = self.twins.split(1, prices);
        let points = count.saturating_sub(1).max(1);
        let sources: Vec<u32> = asked.iter().copied().filter(|&i| (i as usize) < n).collect();
        let copies: Vec<u32> = asked.iter().filter(|&&i| i as usize >= n).map(|&i| i - n as u32).collect();
        let found = [
            self.there.few(&sources, points, of_targets, workers),
            self.back.few(&copies, points, of_twins, workers),
        ];
        let widest = found[0].count.max(found[1].count);
        let mut all = Few::new(widest + 1);
        let mut at = [0; 2];
        for &i in asked {
            let side = usize::from(i as usize >= n);
            let few = &found[side];
            let (k, first) = (at[side], if side == 0 { 0 } else { m as u32 });
            at[side] += 1;
            let range = k * few.count..(k + 1) * few.count;
            all.targets.extend(few.targets[range.clone()].iter().map(|j| first + j));
            all.costs.extend_from_slice(&few.costs[range]);
            let twin = if side == 0 { m as u32 + i } else { i - n as u32 };
            all.targets.push(twin);
            all.costs.push(self.twins.discard);
            // The smaller side has fewer to offer: the rest is there in number only.
            for _ in few.count..widest {
                all.targets.push(twin);
                all.costs.push(f64::INFINITY);
            }
            all.beyond.push(few.beyond[k]);
        }
        all
    }
}
