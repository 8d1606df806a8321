//! Matchings from coarse to fine.

use std::ops::ControlFlow;

use super::auction::Auction;
use super::paths::Paths;
use crate::pricing::{Ground, ground};
use crate::run::observe::Observe;
use crate::run::workers::Workers;

/// When a matching is good enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Goal {
    /// No pairs are cheaper.
    Optimal,
    /// The cost is proved to be at most this share above the optimum.
    Gap(f64),
    /// The same, as far as auctions get: the simplex, which takes much longer where points are many, is left out.
    AuctionedGap(f64),
}

impl Goal {
    /// The share above the optimum at which it is reached.
    pub fn gap(self) -> Option<f64> {
        match self {
            Goal::Optimal => None,
            Goal::Gap(gap) | Goal::AuctionedGap(gap) => Some(gap),
        }
    }

    /// Whether this cost, proved by this bound, is close enough to the optimum.
    pub fn is_reached(self, cost: f64, bound: f64) -> bool {
        self.gap().is_some_and(|gap| cost - bound <= gap * bound)
    }
}

/// A matching in the order of the ground, and prices that prove how good it is.
pub(super) struct Matched {
    pub target_of: Vec<u32>,
    pub prices: Vec<f64>,
    /// Bids and paths.
    pub steps: usize,
    /// Whether the goal was reached; if not, the observer asked to stop.
    pub is_done: bool,
}

/// Candidates of each source.
const CANDIDATES: usize = 16;
/// The first epsilon is the gap that is left, as smaller ones fight long over the few targets whose prices are far off, but it is
/// neither below nor above these shares of how far apart candidates are.
const FIRST_EPSILON_SHARES: [f64; 2] = [2.0, 16.0];
/// The first one of a sample, which has no gap yet.
const FIRST_SAMPLE_EPSILON_SHARE: f64 = 2.0;
/// The last one before paths take over.
const LAST_EPSILON_SHARE: f64 = 0.05;
/// The last one of a sample, of which only prices matter.
const SAMPLE_EPSILON_SHARE: f64 = 0.02;
/// Each phase has an epsilon so many times smaller than the one before, whatever the goal is: then a stricter one goes on where another ended,
/// and never costs more.
const EPSILON_STEP: f64 = 4.0;
/// Prices are raised to prove more, which takes as long as some bids of every source, if the gap is at most so many times the one that is asked for.
const GAPS_TO_RAISE_AT: f64 = 8.0;
/// Bids of a phase, at most, for each source: points that coincide by the thousand could bid for ever.
const MAX_BIDS_PER_SOURCE: usize = 300;
/// The same in a sample, which need not be complete.
const MAX_SAMPLE_BIDS_PER_SOURCE: usize = 40;
/// Bids of a first phase, at most, for each source. More of them fight over mass that has to go a long way, for which epsilon is too small: then
/// the auction goes on with a coarser one.
const MAX_FIRST_BIDS_PER_SOURCE: usize = 40;
/// A coarser epsilon is so many times larger,
const COARSER_STEP: f64 = 8.0;
/// and the coarsest is about this share of how far apart candidates are.
const COARSEST_EPSILON_SHARE: f64 = 128.0;
/// The pairs are halved so many times for the sample that teaches prices.
const SAMPLE_HALVINGS: usize = 2;
/// Fewer pairs than this learn nothing from a sample.
const MIN_PAIRS_TO_SAMPLE: usize = 256;

/// Betters a plan between clouds of one size. `constant` is what every matching costs beyond the costs of the ground, for gaps. Prices are
/// learnt from a sample unless they are known.
pub(super) fn matching(
    ground: &dyn Ground,
    (plan, known): (&[u32], Option<Vec<f64>>),
    (goal, constant): (Goal, f64),
    seed: u64,
    workers: &Workers,
    watch: &mut dyn Observe,
) -> Matched {
    let learnt = known.unwrap_or_else(|| prices(ground, plan, seed, workers, watch));
    let mut auction = Auction::new(ground, learnt, CANDIDATES, workers);
    auction.follow(plan);
    let [cost, bound] = auction.interval();
    let mut best = Best { cost, target_of: plan.to_vec(), bound, prices: auction.prices.clone() };
    let is_done = best.is_enough(&auction, goal, constant)
        || pursue(&mut auction, (goal, constant), &mut best, watch).is_continue();
    Matched { target_of: best.target_of, prices: best.prices, steps: auction.bids, is_done }
}

/// The cheapest matching so far.
struct Best {
    cost: f64,
    target_of: Vec<u32>,
    /// The most that was proved, and the prices that do. A large epsilon betters the plan and may spoil what the prices before it prove.
    bound: f64,
    prices: Vec<f64>,
}

impl Best {
    /// Keeps what is better than before; whether that is good enough.
    fn is_enough(&mut self, auction: &Auction<'_>, goal: Goal, constant: f64) -> bool {
        let [cost, bound] = auction.interval();
        if cost < self.cost && auction.is_complete() {
            (self.cost, self.target_of) = (cost, auction.target_of.clone());
        }
        if bound > self.bound {
            (self.bound, self.prices) = (bound, auction.prices.clone());
        }
        if let Some(gap) = goal.gap()
            && !goal.is_reached(self.cost + constant, self.bound + constant)
            && self.cost - bound <= GAPS_TO_RAISE_AT * gap * (bound + constant)
            && let Some((prices, raised)) = auction.raised()
            && raised > self.bound
        {
            (self.bound, self.prices) = (raised, prices);
        }
        goal.is_reached(self.cost + constant, self.bound + constant)
            || (goal == Goal::Optimal && self.cost <= 0.0)
    }
}

/// Phases, then paths, until the goal is reached.
fn pursue(
    auction: &mut Auction<'_>,
    (goal, constant): (Goal, f64),
    best: &mut Best,
    watch: &mut dyn Observe,
) -> ControlFlow<()> {
    let spread = auction.spread();
    let [cost, bound] = auction.interval();
    // A plan and prices that are close are not worth a coarse phase, which would part them.
    let [least, most] = FIRST_EPSILON_SHARES;
    let mut share = ((cost - bound) / spread).clamp(least, most);
    let mut is_enough = false;
    share = begin(auction, (share, spread), MAX_BIDS_PER_SOURCE, watch, |auction| {
        is_enough = best.is_enough(auction, goal, constant);
        is_enough
    })?;
    loop {
        if is_enough {
            return ControlFlow::Continue(());
        }
        if share <= LAST_EPSILON_SHARE {
            break;
        }
        share = smaller(share, LAST_EPSILON_SHARE);
        auction.phase(share * spread, MAX_BIDS_PER_SOURCE, watch)?;
        is_enough = best.is_enough(auction, goal, constant);
    }
    let free = auction.release(0.0);
    Paths::new(auction.held.len()).finish(auction, &free, watch)?;
    auction.bids += free.len();
    // What is proved to be optimal is the answer, even where rounding puts it above a plan that is as good.
    let [cost, bound] = auction.interval();
    *best = Best { cost, target_of: auction.target_of.clone(), bound, prices: auction.prices.clone() };
    ControlFlow::Continue(())
}

/// The first phase, with this share of the spread for epsilon, and coarser ones as long as that takes too long; the coarsest has `max_bids` for
/// each source. The share that sufficed, or the one after which `is_enough`.
fn begin(
    auction: &mut Auction<'_>,
    (mut share, spread): (f64, f64),
    max_bids: usize,
    watch: &mut dyn Observe,
    mut is_enough: impl FnMut(&Auction<'_>) -> bool,
) -> ControlFlow<(), f64> {
    loop {
        let is_last = share * COARSER_STEP > 2.0 * COARSEST_EPSILON_SHARE;
        auction.phase(share * spread, if is_last { max_bids } else { MAX_FIRST_BIDS_PER_SOURCE }, watch)?;
        if is_enough(auction) || is_last || auction.is_complete() {
            return ControlFlow::Continue(share);
        }
        share *= COARSER_STEP;
    }
}

/// Prices of the targets that a sample of the pairs teaches, raised as far as all sources allow: pairs of a good plan are a good plan between
/// themselves, so a sample has the same prices, and those of its sources tell what every target is worth.
fn prices(all: &dyn Ground, plan: &[u32], seed: u64, workers: &Workers, watch: &mut dyn Observe) -> Vec<f64> {
    let mut picked: Vec<(u32, u32)> = (0..).zip(plan.iter().copied()).collect();
    if plan.len() < MIN_PAIRS_TO_SAMPLE {
        picked.clear();
    }
    let mut random = seed ^ 0x9e37_79b9_7f4a_7c15;
    for _ in 0..SAMPLE_HALVINGS {
        picked = halved(&picked, &mut random);
    }
    taught(all, &picked, seed, workers, watch)
}

/// Half of the pairs of a plan, given by their sources: one of every two sources that follow each other, and one of every two such targets. So a
/// region keeps half of its sources and half of its targets, up to those at its border, and what flows between regions is what it was. A
/// sample that is drawn from the sources alone has a flow of its own, which costs an auction long chains of bids where points lie along curves.
///
/// Pairs whose sources follow each other, and pairs whose targets do, make cycles, of which every other pair is kept.
pub(super) fn halved(pairs: &[(u32, u32)], random: &mut u64) -> Vec<(u32, u32)> {
    let count = pairs.len();
    let mut by_target: Vec<u32> = (0..count as u32).collect();
    by_target.sort_unstable_by_key(|&k| pairs[k as usize].1);
    let mut rank = vec![0_usize; count];
    by_target.iter().enumerate().for_each(|(r, &k)| rank[k as usize] = r);
    let (mut is_met, mut is_kept) = (vec![false; count], vec![false; count]);
    // Of an odd number the last source has nobody beside it: what begins there is a path with an end.
    let last = (count % 2 == 1).then(|| count - 1);
    for first in last.into_iter().chain(0..count) {
        if is_met[first] {
            continue;
        }
        *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let keeps = *random >> 63 == 0;
        let mut next = Some(first);
        while let Some(k) = next.filter(|&k| !is_met[k]) {
            (is_met[k], is_kept[k]) = (true, keeps);
            next = by_target.get(rank[k] ^ 1).map(|&beside| {
                let beside = beside as usize;
                (is_met[beside], is_kept[beside]) = (true, !keeps);
                beside ^ 1
            });
        }
    }
    pairs.iter().zip(is_kept).filter(|(_, is_kept)| *is_kept).map(|(&pair, _)| pair).collect()
}

/// Prices of all targets that some pairs of a plan teach.
pub(super) fn taught(
    all: &dyn Ground,
    pairs: &[(u32, u32)],
    seed: u64,
    workers: &Workers,
    watch: &mut dyn Observe,
) -> Vec<f64> {
    let learnt = match Sample::new(all, pairs, workers) {
        Some(sample) => {
            let found = sample.values(seed, workers, watch);
            all.extended(&sample.sources, &found, workers)
        }
        None => vec![0.0; all.order()[1].len()],
    };
    let (values, _) = all.values(&learnt, None, workers);
    all.prices(&values, None, workers).0
}

/// Some pairs of a plan, by themselves.
struct Sample<'a> {
    sources: Vec<f64>,
    ground: Box<dyn Ground + 'a>,
    plan: Vec<u32>,
}

impl<'a> Sample<'a> {
    /// `None` without pairs, and where candidates cannot be found.
    fn new(all: &'a dyn Ground, pairs: &[(u32, u32)], workers: &Workers) -> Option<Self> {
        if pairs.is_empty() {
            return None;
        }
        let sources: Vec<f64> = pairs.iter().flat_map(|pair| all.source(pair.0 as usize)).copied().collect();
        let targets: Vec<f64> = pairs.iter().flat_map(|pair| all.target(pair.1 as usize)).copied().collect();
        let ground = ground(&sources, &targets, all.source(0).len(), all.metric(), workers)?;
        let mut places = vec![0; pairs.len()];
        ground.order()[1].iter().zip(0..).for_each(|(&k, place)| places[k as usize] = place);
        let plan = ground.order()[0].iter().map(|&k| places[k as usize]).collect();
        Some(Sample { sources, ground, plan })
    }

    /// Values of the sources of the sample once its pairs are nearly the cheapest.
    fn values(&self, seed: u64, workers: &Workers, watch: &mut dyn Observe) -> Vec<f64> {
        let learnt = prices(&*self.ground, &self.plan, seed, workers, watch);
        let mut auction = Auction::new(&*self.ground, learnt, CANDIDATES, workers);
        auction.follow(&self.plan);
        let spread = auction.spread();
        // Stopped early the values are worse, and still good for a bound.
        let first = (FIRST_SAMPLE_EPSILON_SHARE, spread);
        let mut phase = begin(&mut auction, first, MAX_SAMPLE_BIDS_PER_SOURCE, watch, |_| false);
        while let ControlFlow::Continue(share) = phase
            && share > SAMPLE_EPSILON_SHARE
        {
            let share = smaller(share, SAMPLE_EPSILON_SHARE);
            let found = auction.phase(share * spread, MAX_SAMPLE_BIDS_PER_SOURCE, watch);
            phase = found.map_continue(|()| share);
        }
        let mut values = vec![0.0; self.plan.len()];
        let order = self.ground.order()[0];
        order.iter().enumerate().for_each(|(i, &k)| values[k as usize] = auction.value(i));
        values
    }
}

/// The next epsilon; one that would be close to the last is the last.
fn smaller(share: f64, last: f64) -> f64 {
    let next = share / EPSILON_STEP;
    if next < 2.0 * last { last } else { next }
}
