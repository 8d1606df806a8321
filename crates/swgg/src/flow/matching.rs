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
    /// Whether this cost, proved by this bound, is close enough to the optimum.
    pub fn is_reached(self, cost: f64, bound: f64) -> bool {
        match self {
            Goal::Optimal => false,
            Goal::Gap(gap) | Goal::AuctionedGap(gap) => cost - bound <= gap * bound,
        }
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
/// The same while epsilon is coarse: a bid leaves them behind at once, and fewer are found more quickly.
const COARSE_CANDIDATES: usize = 6;
/// Epsilon is coarse above this share of how far apart candidates are.
const MIN_COARSE_SHARE: f64 = 0.5;
/// The first epsilon is so many times the gap that is left: smaller ones fight long over the few targets whose prices are far off,
const GAPS_PER_FIRST_EPSILON: f64 = 4.0;
/// but at most this share of how far apart candidates are.
const MAX_EPSILON_SHARE: f64 = 64.0;
/// The first one of a sample, which has no gap yet.
const FIRST_SAMPLE_EPSILON_SHARE: f64 = 8.0;
/// The last one before paths take over.
const LAST_EPSILON_SHARE: f64 = 0.05;
/// The last one of a sample, of which only prices matter.
const SAMPLE_EPSILON_SHARE: f64 = 0.02;
/// Each phase has an epsilon so many times smaller than the one before.
const EPSILON_STEP: f64 = 5.0;
/// Bids of a phase, at most, for each source: points that coincide by the thousand could bid for ever.
const MAX_BIDS_PER_SOURCE: usize = 300;
/// The same in a sample, which need not be complete.
const MAX_SAMPLE_BIDS_PER_SOURCE: usize = 40;
/// Of so many pairs one goes into the sample that teaches prices.
const PAIRS_PER_SAMPLED_PAIR: usize = 4;
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
    // Where prices are flat an auction with a large epsilon betters the plan and spoils what the first prices prove.
    let proving = (!ground.metric().is_squared()).then(|| auction.prices.clone());
    let mut best = Best { cost, target_of: plan.to_vec(), bound, proving };
    if keep(&auction, &mut best, goal, constant) {
        return Matched { target_of: best.target_of, prices: auction.prices, steps: 0, is_done: true };
    }
    let is_done = pursue(&mut auction, (goal, constant), &mut best, watch).is_continue();
    let steps = auction.bids;
    Matched { target_of: best.target_of, prices: best.proving.unwrap_or(auction.prices), steps, is_done }
}

/// The cheapest matching so far.
struct Best {
    cost: f64,
    target_of: Vec<u32>,
    /// The most that was proved, and the prices that do, where they are kept.
    bound: f64,
    proving: Option<Vec<f64>>,
}

/// Phases, then paths, until the goal is reached; `best` keeps the cheapest matching.
fn pursue(
    auction: &mut Auction<'_>,
    (goal, constant): (Goal, f64),
    best: &mut Best,
    watch: &mut dyn Observe,
) -> ControlFlow<()> {
    let spread = auction.spread();
    let [cost, bound] = auction.interval();
    // A plan and prices that are close are not worth a coarse phase, which would part them.
    let known = (cost - bound) / spread;
    let mut share = (GAPS_PER_FIRST_EPSILON * known).clamp(LAST_EPSILON_SHARE, MAX_EPSILON_SHARE);
    loop {
        auction.candidates.count = candidates_at(share);
        auction.phase(share * spread, MAX_BIDS_PER_SOURCE, watch)?;
        if keep(auction, best, goal, constant) {
            return ControlFlow::Continue(());
        }
        if share <= LAST_EPSILON_SHARE {
            break;
        }
        share = smaller(share, LAST_EPSILON_SHARE);
    }
    let free = auction.release(0.0);
    Paths::new(auction.held.len()).finish(auction, &free, watch)?;
    auction.bids += free.len();
    // What is proved to be optimal is the answer, even where rounding puts it above a plan that is as good.
    *best = Best {
        cost: auction.interval()[0],
        target_of: auction.target_of.clone(),
        bound: auction.interval()[1],
        proving: None,
    };
    ControlFlow::Continue(())
}

/// Keeps the matching if it is the cheapest so far; whether the best one reaches the goal.
fn keep(auction: &Auction<'_>, best: &mut Best, goal: Goal, constant: f64) -> bool {
    let [cost, mut bound] = auction.interval();
    if cost < best.cost && auction.is_complete() {
        (best.cost, best.target_of) = (cost, auction.target_of.clone());
    }
    if let Some(proving) = &mut best.proving {
        if bound > best.bound {
            best.bound = bound;
            proving.clone_from(&auction.prices);
        }
        bound = best.bound;
    }
    goal.is_reached(best.cost + constant, bound + constant) || (goal == Goal::Optimal && best.cost <= 0.0)
}

/// Prices of the targets that a sample of the pairs teaches, raised as far as all sources allow: pairs of a good plan are a good plan between
/// themselves, so a sample has the same prices, and those of its sources tell what every target is worth.
fn prices(all: &dyn Ground, plan: &[u32], seed: u64, workers: &Workers, watch: &mut dyn Observe) -> Vec<f64> {
    let n = plan.len();
    // One of each few neighbours: even coverage, but no lattice of its own.
    let mut random = seed ^ 0x9e37_79b9_7f4a_7c15;
    let mut pick = |block: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let i = block * PAIRS_PER_SAMPLED_PAIR + (random >> 33) as usize % PAIRS_PER_SAMPLED_PAIR;
        (i as u32, plan[i])
    };
    let count = if n < MIN_PAIRS_TO_SAMPLE { 0 } else { n / PAIRS_PER_SAMPLED_PAIR };
    let picked: Vec<(u32, u32)> = (0..count).map(&mut pick).collect();
    taught(all, &picked, seed, workers, watch)
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
        let mut share = FIRST_SAMPLE_EPSILON_SHARE;
        // Stopped early the values are worse, and still good for a bound.
        loop {
            auction.candidates.count = candidates_at(share);
            let phase = auction.phase(share * spread, MAX_SAMPLE_BIDS_PER_SOURCE, watch);
            if phase.is_break() || share <= SAMPLE_EPSILON_SHARE {
                break;
            }
            share = smaller(share, SAMPLE_EPSILON_SHARE);
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

/// Candidates of each source in a phase whose epsilon is this share of how far apart they are.
fn candidates_at(share: f64) -> usize {
    if share > MIN_COARSE_SHARE { COARSE_CANDIDATES } else { CANDIDATES }
}
