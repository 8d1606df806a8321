//! Matchings of equally many points, by shortest augmenting paths among the arcs that matter.

mod core;
mod reached;

use std::ops::ControlFlow;

use self::core::Core;
use self::reached::Reached;
use super::ground::Ground;
use super::simplex::rounding;
use super::solver::Hint;
use super::start::{self, SupplyDemand, in_tasks};
use crate::run::observe::{Observe, Progress};
use crate::run::workers::Workers;

/// Steps of bidding per free source before paths are looked for.
const BIDS_PER_FREE_SOURCE: usize = 20;
/// Targets that searches may settle, per source, before the simplex takes over: paths along curves are long.
const MAX_SETTLED_PER_SOURCE: usize = 100;
/// Rounds of checking all arcs before the simplex takes over.
const MAX_CHECKING_ROUNDS: usize = 50;

/// Targets settled between two looks at whether to stop.
const SETTLED_PER_LOOK: usize = 1 << 12;

/// No point.
pub(super) const NONE: u32 = u32::MAX;

/// A matching as far as it has come, and prices of the targets.
pub(super) struct Matching {
    pub target_of: Vec<u32>,
    pub prices: Vec<f64>,
    pub paths: usize,
    pub state: State,
}

/// Which arcs are checked before a matching counts as done.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ArcCheck {
    /// All arcs: the matching is optimal.
    All,
    /// Only those of the core: quick, and good enough for a sample.
    CoreOnly,
}

/// How a matching ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Complete, and no arc at all would lower its cost.
    Optimal,
    /// Rounds or patience ran out.
    Open,
    /// The observer asked to stop.
    Interrupted,
}

/// The cheapest matching. Prices come from a sample; each source then keeps the arcs that look cheap at those prices, free sources
/// are matched along shortest paths through such arcs (Jonker and Volgenant, 1987), and arcs that were left out come in when the
/// prices at the end say so (Volgenant, 1996).
pub(super) fn solve<G: Ground>(
    ground: &G,
    hint: Hint,
    check: ArcCheck,
    seed: u64,
    workers: &Workers,
    watch: &mut dyn Observe,
) -> Matching {
    let n = ground.sources();
    let ones = vec![1_u64; n];
    let load = SupplyDemand { supply: &ones, demand: &ones };
    let prices = hint.prices.unwrap_or_else(|| start::learn(ground, load, seed, workers, watch).1);
    let core = Core::choose(ground, &prices, workers);
    let mut search = PathSearch::new(prices, core);
    if workers.is_halted() {
        let PathSearch { target_of, prices, paths, .. } = search;
        return Matching { target_of, prices, paths, state: State::Interrupted };
    }
    search.follow(ground, &hint.plan);
    (0..n).for_each(|i| search.settle(i));
    let mut state = State::Open;
    for _ in 0..MAX_CHECKING_ROUNDS {
        match search.augment_all(ground, workers, watch) {
            AugmentEnd::AllMatched => (),
            AugmentEnd::TooSlow => break,
            AugmentEnd::Interrupted => {
                state = State::Interrupted;
                break;
            }
        }
        if check == ArcCheck::CoreOnly {
            break;
        }
        let admitted = search.admit(ground, workers);
        if workers.is_halted() {
            state = State::Interrupted;
            break;
        }
        if admitted == 0 {
            state = State::Optimal;
            break;
        }
    }
    Matching { target_of: search.target_of, prices: search.prices, paths: search.paths, state }
}

/// How the matching of the free sources ended.
enum AugmentEnd {
    AllMatched,
    TooSlow,
    Interrupted,
}

/// A matching that grows along shortest augmenting paths.
struct PathSearch {
    prices: Vec<f64>,
    target_of: Vec<u32>,
    source_of: Vec<u32>,
    /// What each source pays: cost less price of its target, or of its cheapest target while it is free.
    values: Vec<f64>,
    core: Core,
    paths: usize,
    /// Targets settled by all searches.
    settled: usize,
    reached: Reached,
}

impl PathSearch {
    fn new(prices: Vec<f64>, core: Core) -> Self {
        let n = prices.len();
        PathSearch {
            prices,
            target_of: vec![NONE; n],
            source_of: vec![NONE; n],
            values: vec![0.0; n],
            core,
            paths: 0,
            settled: 0,
            reached: Reached::new(n),
        }
    }

    /// Takes over the pairs of a plan; those that prices speak against will be parted.
    fn follow<G: Ground>(&mut self, ground: &G, plan: &[(u32, u32, f64)]) {
        for &(i, j, _) in plan {
            self.core.admit(ground, i as usize, j);
            if self.target_of[i as usize] == NONE && self.source_of[j as usize] == NONE {
                self.target_of[i as usize] = j;
                self.source_of[j as usize] = i;
            }
        }
    }

    /// Gives a source its value, and frees it when its target is no longer its cheapest target.
    fn settle(&mut self, i: usize) {
        self.values[i] = self.core.least(i, &self.prices);
        let target = self.target_of[i];
        if target != NONE {
            let pays = self.core.cost(i, target).map(|cost| cost - self.prices[target as usize]);
            if pays.is_none_or(|pays| pays > self.values[i]) {
                self.target_of[i] = NONE;
                self.source_of[target as usize] = NONE;
            }
        }
    }

    /// Matches free sources: by bids first, the others along shortest paths.
    fn augment_all<G: Ground>(
        &mut self,
        ground: &G,
        workers: &Workers,
        watch: &mut dyn Observe,
    ) -> AugmentEnd {
        let n = self.target_of.len();
        self.bid();
        loop {
            let free: Vec<u32> = (0..n as u32).filter(|&i| self.target_of[i as usize] == NONE).collect();
            if free.is_empty() {
                return AugmentEnd::AllMatched;
            }
            if self.settled > MAX_SETTLED_PER_SOURCE * n {
                return AugmentEnd::TooSlow;
            }
            let progress = Progress { tried: n - free.len(), total: n, best: f64::INFINITY };
            if watch.progress(&progress) == ControlFlow::Break(()) || workers.is_halted() {
                return AugmentEnd::Interrupted;
            }
            self.augment(ground, &free, workers);
            self.settled += self.reached.settled.len();
        }
    }

    /// Free sources take their cheapest target at a price that makes the second best as good; the source that held it bids next.
    fn bid(&mut self) {
        let mut free: Vec<usize> =
            (0..self.target_of.len()).rev().filter(|&i| self.target_of[i] == NONE).collect();
        let mut left = BIDS_PER_FREE_SOURCE * free.len();
        while let Some(i) = free.pop() {
            let ((pays, target), second) = self.core.two_best(i, &self.prices);
            let holder = self.source_of[target as usize];
            let raise = second - pays;
            // Among equals a bid changes nothing, and two sources could bid for ever.
            if holder != NONE && (left == 0 || raise <= 0.0 || second == f64::INFINITY) {
                self.values[i] = pays;
                continue;
            }
            left = left.saturating_sub(1);
            self.values[i] = pays;
            if holder != NONE {
                self.prices[target as usize] -= raise;
                self.values[i] = second;
                self.target_of[holder as usize] = NONE;
                free.push(holder as usize);
            }
            self.target_of[i] = target;
            self.source_of[target as usize] = i as u32;
        }
    }

    /// Matches free sources along the shortest paths from all of them to free targets, at most one path each. Prices change so
    /// that every matched target stays the cheapest of its source: by what is left of the longest path, wherever it was reached earlier.
    ///
    /// Told to stop, it leaves the matching as it is.
    fn augment<G: Ground>(&mut self, ground: &G, free: &[u32], workers: &Workers) {
        let PathSearch { prices, target_of, source_of, values, core, reached, .. } = self;
        reached.clear();
        for &source in free {
            reached.root_of[source as usize] = source;
            reached.is_done[source as usize] = false;
            reached.relax(source as usize, 0.0, prices, values, core);
        }
        let (mut ends, mut longest) = (Vec::new(), 0.0);
        // Once paths are found, looking much further than the last of them is not worth it.
        let mut enough = usize::MAX;
        while ends.len() < free.len() && reached.settled.len() < enough {
            let Some(target) = reached.nearest() else {
                if !ends.is_empty() {
                    break;
                }
                reached.widen(ground, free, source_of, (prices, values, core), workers);
                if workers.is_halted() {
                    return;
                }
                continue;
            };
            longest = reached.distance[target as usize];
            reached.settled.push(target);
            if reached.settled.len().is_multiple_of(SETTLED_PER_LOOK) && workers.is_halted() {
                return;
            }
            reached.is_settled[target as usize] = true;
            let root = reached.root_of[reached.from[target as usize] as usize];
            match source_of[target as usize] {
                NONE if reached.is_done[root as usize] => (),
                NONE => {
                    reached.is_done[root as usize] = true;
                    ends.push(target);
                    enough = reached.settled.len() + reached.settled.len() / 5 + 16;
                }
                holder => {
                    reached.root_of[holder as usize] = root;
                    reached.relax(holder as usize, longest, prices, values, core);
                }
            }
        }
        for &target in &reached.settled {
            let change = longest - reached.distance[target as usize];
            prices[target as usize] -= change;
            if source_of[target as usize] != NONE {
                values[source_of[target as usize] as usize] += change;
            }
        }
        free.iter().for_each(|&source| values[source as usize] += longest);
        self.paths += ends.len();
        for end in ends {
            let mut target = end;
            while target != NONE {
                let from = reached.from[target as usize];
                source_of[target as usize] = from;
                target = std::mem::replace(&mut target_of[from as usize], target);
            }
        }
    }

    /// Looks at all arcs. Sources for which some arc is cheaper than what they have get it, and are freed; how many there were.
    fn admit<G: Ground>(&mut self, ground: &G, workers: &Workers) -> usize {
        let n = self.target_of.len();
        // Values afresh from the pairs: what paths have added up may have drifted.
        for i in 0..n {
            let j = self.target_of[i] as usize;
            self.values[i] = ground.cost(i, j) - self.prices[j];
        }
        let (prices, values) = (&self.prices, &self.values);
        let tolerance = rounding(prices).max(rounding(values));
        let better = in_tasks(n, workers, |i| {
            let cheaper = (0..ground.blocks()).filter_map(|block| {
                let j = ground.cheapest(i, block, prices);
                (ground.cost(i, j) - prices[j] < values[i] - tolerance).then_some(j as u32)
            });
            cheaper.collect::<Vec<u32>>()
        });
        let mut count = 0;
        for (i, targets) in better.into_iter().enumerate().filter(|(_, targets)| !targets.is_empty()) {
            count += 1;
            targets.into_iter().for_each(|j| self.core.admit(ground, i, j));
            self.settle(i);
        }
        count
    }
}
