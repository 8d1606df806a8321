//! Auctions with smaller and smaller epsilons, and what is left over between them.

use super::auction::Auction;
use crate::dual::{Pair, Planned};
use crate::flow::matching::{Goal, taught};
use crate::run::observe::Observe;
use crate::run::workers::Workers;

/// Candidates of each source.
const CANDIDATES: usize = 16;
/// The first epsilon is this share of how far apart candidates are, or less if the plan and the prices are close.
const FIRST_EPSILON_SHARE: f64 = 1.0;
/// The last epsilon before the simplex takes over, where the optimum is asked for.
const LAST_EPSILON_SHARE: f64 = 0.05;
/// The last one where a gap is asked for.
const LAST_GAP_EPSILON_SHARE: f64 = 0.001;
/// Each phase has an epsilon so many times smaller than the one before.
const EPSILON_STEP: f64 = 5.0;
/// Of so many points one goes into the sample that teaches prices.
const POINTS_PER_SAMPLED_PAIR: usize = 4;
/// A heavy pair stands for its mass so many times at most: more copies of one pair only make ties.
const MAX_COPIES: usize = 2;
/// Pairs of sources with mass left and targets with room, at most, that are sorted to complete a plan.
const MAX_LEFT_PAIRS: usize = 1 << 21;

/// An entry of a plan in whole units, in the order of the ground.
pub(super) type Arc = (u32, u32, u64);

/// Where the auctions ended.
#[derive(Default)]
pub(super) struct Auctioned {
    /// The cheapest plan that was met, if it is cheaper than the one given.
    pub plan: Option<Vec<Arc>>,
    /// The prices that prove most.
    pub proving: Vec<f64>,
    /// The last prices.
    pub prices: Vec<f64>,
    /// What the last phase has moved.
    pub partial: Vec<Arc>,
    pub bids: usize,
    pub is_reached: bool,
    pub is_stopped: bool,
}

/// Betters a plan, at prices that are known or learnt from a sample, until the goal is reached or a phase leaves mass over: a smaller epsilon would leave more. `constant` is what every plan costs beyond the costs of the ground.
pub(super) fn auctioned(
    (planned, known): (&Planned<'_>, Option<Vec<f64>>),
    [supply, demand]: [&[u64]; 2],
    (goal, constant): (Goal, f64),
    (seed, workers): (u64, &Workers),
    watch: &mut dyn Observe,
) -> Auctioned {
    let total = supply.iter().sum::<u64>() as f64;
    let learnt = known.unwrap_or_else(|| {
        let pairs = drawn(&planned.pairs, supply.len().max(demand.len()) / POINTS_PER_SAMPLED_PAIR);
        taught(planned.ground, &pairs, seed, workers, watch)
    });
    // Told to stop before anything was learnt, there is nothing to begin with.
    if workers.is_halted() {
        let proving = vec![f64::NAN; demand.len()];
        return Auctioned { proving, is_stopped: true, ..Auctioned::default() };
    }
    let mut auction = Auction::new(planned.ground, [supply, demand], learnt, CANDIDATES, workers);
    auction.follow(planned.pairs.iter().map(|&(i, j, mass)| (i, j, (mass * total) as u64)));
    let (mut cost, mut bound) = (planned.cost(), auction.bound([supply, demand]) / total);
    let mut best = Auctioned { proving: auction.prices.clone(), ..Auctioned::default() };
    let spread = auction.spread().max(f64::MIN_POSITIVE);
    // A plan and prices that are close are not worth a coarse phase, which would part them.
    let mut share = ((cost - bound) / spread).clamp(LAST_EPSILON_SHARE, FIRST_EPSILON_SHARE);
    let last = if goal == Goal::Optimal { LAST_EPSILON_SHARE } else { LAST_GAP_EPSILON_SHARE };
    loop {
        best.is_reached = goal.is_reached(cost + constant, bound + constant);
        if best.is_reached {
            break;
        }
        best.is_stopped = auction.phase(share * spread, watch).is_break();
        if best.is_stopped {
            break;
        }
        let proved = auction.bound([supply, demand]) / total;
        if proved > bound {
            bound = proved;
            best.proving.clone_from(&auction.prices);
        }
        if let Some(plan) = completed(&auction) {
            let pay = |&(i, j, mass): &Arc| mass as f64 * planned.ground.cost(i as usize, j as usize);
            let paid = plan.iter().map(pay).sum::<f64>() / total;
            if paid < cost {
                (cost, best.plan) = (paid, Some(plan));
            }
        }
        if share <= last || auction.left.iter().any(|&mass| mass > 0) {
            break;
        }
        share = (share / EPSILON_STEP).max(last);
    }
    best.partial = auction.arcs().collect();
    (best.bids, best.prices) = (auction.bids, auction.prices);
    best
}

/// The plan of an auction, where what is left over goes to the targets that still have room: those first that pay least beyond the
/// cheapest target of their source. `None` if too much is left.
fn completed(auction: &Auction<'_>) -> Option<Vec<Arc>> {
    let some = |masses: &[u64]| -> Vec<u32> {
        (0..masses.len() as u32).filter(|&k| masses[k as usize] > 0).collect()
    };
    let (sources, targets) = (some(&auction.left), some(&auction.room));
    if sources.len().saturating_mul(targets.len()) > MAX_LEFT_PAIRS {
        return None;
    }
    let mut offers = Vec::with_capacity(sources.len() * targets.len());
    for &i in &sources {
        let value = auction.value(i as usize);
        offers.extend(targets.iter().map(|&j| {
            let pays = auction.candidates.ground.cost(i as usize, j as usize) - auction.prices[j as usize];
            (pays - value, i, j)
        }));
    }
    offers.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let (mut left, mut room) = (auction.left.clone(), auction.room.clone());
    let mut plan: Vec<Arc> = auction.arcs().collect();
    for (_, i, j) in offers {
        let mass = left[i as usize].min(room[j as usize]);
        if mass > 0 {
            left[i as usize] -= mass;
            room[j as usize] -= mass;
            plan.push((i, j, mass));
        }
    }
    plan.sort_unstable();
    plan.dedup_by(|arc, kept| {
        let is_same = (arc.0, arc.1) == (kept.0, kept.1);
        kept.2 += if is_same { arc.2 } else { 0 };
        is_same
    });
    Some(plan)
}

/// Pairs that stand for about equal shares of the mass.
fn drawn(pairs: &[Pair], count: usize) -> Vec<(u32, u32)> {
    let total: f64 = pairs.iter().map(|pair| pair.2).sum();
    let (mut passed, mut wanted) = (0.0, 0.5);
    let mut drawn = Vec::with_capacity(count);
    for &(i, j, mass) in pairs {
        passed += mass / total * count as f64;
        let copies = (passed - wanted).ceil().max(0.0);
        wanted += copies;
        drawn.extend(std::iter::repeat_n((i, j), MAX_COPIES.min(copies as usize)));
    }
    drawn
}
