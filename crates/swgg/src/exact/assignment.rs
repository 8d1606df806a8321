//! Matchings of equally many points, by shortest augmenting paths among the arcs that matter.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use super::ground::Ground;
use super::solver::Hint;
use super::start::{self, Load, favourite, in_tasks};
use crate::observe::{Observe, Progress};
use crate::par::Workers;

/// Arcs of each source that are looked at first.
const ARCS: usize = 40;

/// Arcs of each target, if fewer sources chose it.
const FEWEST: usize = 4;
/// Steps of bidding per free source before paths are looked for.
const BIDS: usize = 20;
/// Rounds of checking all arcs before the simplex takes over.
const ROUNDS: usize = 50;

/// Values that are sorted to guess where the lowest end.
const SAMPLED: usize = 256;

/// No point.
pub(super) const NONE: u32 = u32::MAX;

/// A matching as far as it has come, and prices of the targets.
pub(super) struct Matching {
    pub target_of: Vec<u32>,
    pub prices: Vec<f64>,
    pub paths: usize,
    pub state: State,
}

/// How a matching ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Complete, and no arc at all would lower its cost.
    Optimal,
    /// The arcs looked at do not suffice: some sources may be free.
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
    seed: u64,
    workers: &Workers,
    watch: &mut dyn Observe,
) -> Matching {
    let n = ground.sources();
    let ones = vec![1; n];
    let load = Load { supply: &ones, demand: &ones };
    let prices = hint.prices.unwrap_or_else(|| start::prices(ground, load, seed, workers, watch));
    let mut search = Search::new(n, prices);
    search.follow(&hint.plan);
    let tolerance = 1e-13 * ground.scale();
    let mut state = State::Open;
    search.choose(ground, ARCS.min(n), workers);
    for _ in 0..ROUNDS {
        if search.augment_all(ground, watch).is_break() {
            state = State::Interrupted;
            break;
        }
        if search.admit(ground, tolerance, workers) == 0 {
            state = State::Optimal;
            break;
        }
    }
    Matching { target_of: search.target_of, prices: search.prices, paths: search.paths, state }
}

struct Search {
    prices: Vec<f64>,
    target_of: Vec<u32>,
    source_of: Vec<u32>,
    /// What each source pays: cost less price of its target, or of its favourite while it is free.
    values: Vec<f64>,
    /// The arcs of each source: target and cost.
    arcs: Vec<Vec<(u32, f64)>>,
    paths: usize,
    reached: Reached,
}

/// Shortest distances from one source.
struct Reached {
    distance: Vec<f64>,
    from: Vec<u32>,
    /// Targets whose distance is final, in order.
    settled: Vec<u32>,
    touched: Vec<u32>,
    is_settled: Vec<bool>,
    /// The free source from which each source was reached.
    root_of: Vec<u32>,
    /// Free sources that have found a target.
    is_done: Vec<bool>,
    heap: BinaryHeap<Reverse<Near>>,
}

#[derive(PartialEq)]
struct Near {
    distance: f64,
    target: u32,
}

impl Eq for Near {}

impl Ord for Near {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.distance.total_cmp(&other.distance).then(self.target.cmp(&other.target))
    }
}

impl PartialOrd for Near {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Search {
    fn new(n: usize, prices: Vec<f64>) -> Self {
        Search {
            prices,
            target_of: vec![NONE; n],
            source_of: vec![NONE; n],
            values: vec![0.0; n],
            arcs: vec![Vec::new(); n],
            paths: 0,
            reached: Reached {
                distance: vec![f64::INFINITY; n],
                from: vec![NONE; n],
                settled: Vec::new(),
                touched: Vec::new(),
                is_settled: vec![false; n],
                root_of: vec![NONE; n],
                is_done: vec![false; n],
                heap: BinaryHeap::new(),
            },
        }
    }

    /// Takes over the pairs of a plan; those that prices speak against will be parted.
    fn follow(&mut self, plan: &[(u32, u32, f64)]) {
        for &(i, j, _) in plan {
            if self.target_of[i as usize] == NONE && self.source_of[j as usize] == NONE {
                self.target_of[i as usize] = j;
                self.source_of[j as usize] = i;
            }
        }
    }

    /// The cheapest arcs of every source at the present prices, and some of every target that few sources chose. Pairs that are
    /// not each other's favourites are parted.
    fn choose<G: Ground>(&mut self, ground: &G, width: usize, workers: &Workers) {
        let n = self.target_of.len();
        let prices = &self.prices;
        self.arcs = in_tasks(n, workers, |i| {
            let mut row = vec![0.0; n];
            ground.row(i, prices, &mut row);
            lowest(&row, width).into_iter().map(|j| (j, ground.cost(i, j as usize))).collect::<Vec<_>>()
        });
        let mut chosen = vec![0; n];
        self.arcs.iter().flatten().for_each(|arc| chosen[arc.0 as usize] += 1);
        let lonely: Vec<usize> = (0..n).filter(|&j| chosen[j] < FEWEST).collect();
        let values: Vec<f64> = (0..n).map(|i| self.least(i)).collect();
        let suitors = in_tasks(lonely.len(), workers, |k| {
            let pays = |i: u32| ground.cost(i as usize, lonely[k]) - values[i as usize];
            let mut order: Vec<u32> = (0..n as u32).collect();
            let by_value = |a: &u32, b: &u32| pays(*a).total_cmp(&pays(*b)).then(a.cmp(b));
            order.select_nth_unstable_by(FEWEST.min(n) - 1, by_value);
            order.truncate(FEWEST);
            order
        });
        for (&j, sources) in lonely.iter().zip(suitors) {
            for i in sources {
                self.admit_arc(ground, i as usize, j as u32);
            }
        }
        for i in 0..n {
            self.settle(i);
        }
    }

    fn admit_arc<G: Ground>(&mut self, ground: &G, i: usize, j: u32) {
        if self.arcs[i].iter().all(|arc| arc.0 != j) {
            self.arcs[i].push((j, ground.cost(i, j as usize)));
        }
    }

    /// What the favourite of a source costs it.
    fn least(&self, i: usize) -> f64 {
        self.arcs[i].iter().map(|&(j, cost)| cost - self.prices[j as usize]).fold(f64::INFINITY, f64::min)
    }

    /// Gives a source its value, and frees it when its target is no longer its favourite.
    fn settle(&mut self, i: usize) {
        self.values[i] = self.least(i);
        let target = self.target_of[i];
        if target != NONE {
            let pays = self.arcs[i].iter().find(|arc| arc.0 == target);
            let is_favourite = pays.is_some_and(|arc| arc.1 - self.prices[target as usize] <= self.values[i]);
            if !is_favourite {
                self.target_of[i] = NONE;
                self.source_of[target as usize] = NONE;
            }
        }
    }

    /// Matches free sources: by bids first, the others along shortest paths. Breaks off when the observer says so.
    fn augment_all<G: Ground>(&mut self, ground: &G, watch: &mut dyn Observe) -> ControlFlow<()> {
        let n = self.target_of.len();
        self.bid();
        loop {
            let free: Vec<u32> = (0..n as u32).filter(|&i| self.target_of[i as usize] == NONE).collect();
            if free.is_empty() {
                return ControlFlow::Continue(());
            }
            watch.progress(&Progress { tried: n - free.len(), total: n, best: f64::INFINITY })?;
            self.augment(ground, &free);
        }
    }

    /// Free sources take their favourite at a price that makes the second best as good, and who held it bids next.
    fn bid(&mut self) {
        let mut free: Vec<usize> =
            (0..self.target_of.len()).rev().filter(|&i| self.target_of[i] == NONE).collect();
        let mut left = BIDS * free.len();
        while let Some(i) = free.pop() {
            let mut best = (f64::INFINITY, NONE);
            let mut second = f64::INFINITY;
            for &(j, cost) in &self.arcs[i] {
                let pays = cost - self.prices[j as usize];
                if pays < best.0 {
                    second = best.0;
                    best = (pays, j);
                } else if pays < second {
                    second = pays;
                }
            }
            let (pays, target) = best;
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
    /// that all pairs stay favourites: by what is left of the longest path, wherever it was reached earlier.
    fn augment<G: Ground>(&mut self, ground: &G, free: &[u32]) {
        let Search { prices, target_of, source_of, values, arcs, reached, .. } = self;
        reached.clear();
        for &source in free {
            reached.root_of[source as usize] = source;
            reached.is_done[source as usize] = false;
            reached.relax(source as usize, 0.0, prices, values, arcs);
        }
        let (mut ends, mut longest) = (Vec::new(), 0.0);
        // Once paths are found, looking much further than the last of them is not worth it.
        let mut enough = usize::MAX;
        while ends.len() < free.len() && reached.settled.len() < enough {
            let Some(target) = reached.nearest() else {
                if !ends.is_empty() {
                    break;
                }
                reached.widen(ground, free, source_of, prices, values, arcs);
                continue;
            };
            longest = reached.distance[target as usize];
            reached.settled.push(target);
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
                    reached.relax(holder as usize, longest, prices, values, arcs);
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
    fn admit<G: Ground>(&mut self, ground: &G, tolerance: f64, workers: &Workers) -> usize {
        let n = self.target_of.len();
        // Values afresh from the pairs: what paths have added up may have drifted.
        for i in 0..n {
            let j = self.target_of[i] as usize;
            self.values[i] = ground.cost(i, j) - self.prices[j];
        }
        let (prices, values) = (&self.prices, &self.values);
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
            targets.into_iter().for_each(|j| self.admit_arc(ground, i, j));
            self.settle(i);
        }
        count
    }
}

/// Positions of the `count` lowest values, in order.
fn lowest(values: &[f64], count: usize) -> Vec<u32> {
    let by_value = |a: &u32, b: &u32| values[*a as usize].total_cmp(&values[*b as usize]).then(a.cmp(b));
    // A few values tell about where the line is; what lies below it is quickly sorted.
    let step = values.len().div_ceil(SAMPLED);
    let mut few: Vec<f64> = values.iter().copied().step_by(step).collect();
    let rank = (count + count / 2) / step + 4;
    let limit =
        if rank < few.len() { *few.select_nth_unstable_by(rank, f64::total_cmp).1 } else { f64::INFINITY };
    let mut order: Vec<u32> = (0..values.len() as u32).filter(|&j| values[j as usize] <= limit).collect();
    if order.len() < count {
        order = (0..values.len() as u32).collect();
    }
    if count < order.len() {
        order.select_nth_unstable_by(count - 1, by_value);
        order.truncate(count);
    }
    order.sort_unstable_by(by_value);
    order
}

impl Reached {
    fn clear(&mut self) {
        for &target in &self.touched {
            self.distance[target as usize] = f64::INFINITY;
            self.is_settled[target as usize] = false;
        }
        self.touched.clear();
        self.settled.clear();
        self.heap.clear();
    }

    /// Follows the arcs of a source that is `so_far` away.
    fn relax(&mut self, row: usize, so_far: f64, prices: &[f64], values: &[f64], arcs: &[Vec<(u32, f64)>]) {
        let value = values[row];
        for &(j, cost) in &arcs[row] {
            // Below zero for rounding only.
            self.offer(row, j, so_far + (cost - prices[j as usize] - value).max(0.0));
        }
    }

    fn offer(&mut self, row: usize, target: u32, distance: f64) {
        let known = &mut self.distance[target as usize];
        if distance < *known && !self.is_settled[target as usize] {
            if *known == f64::INFINITY {
                self.touched.push(target);
            }
            *known = distance;
            self.from[target as usize] = row as u32;
            self.heap.push(Reverse(Near { distance, target }));
        }
    }

    /// No arc leads on: every source reached gets the cheapest arc to a target that is not.
    fn widen<G: Ground>(
        &mut self,
        ground: &G,
        free: &[u32],
        source_of: &[u32],
        prices: &[f64],
        values: &[f64],
        arcs: &mut [Vec<(u32, f64)>],
    ) {
        let mut open = prices.to_vec();
        self.touched.iter().for_each(|&j| open[j as usize] = f64::NEG_INFINITY);
        let settled = self.settled.iter();
        let rows: Vec<(u32, f64)> = free
            .iter()
            .map(|&source| (source, 0.0))
            .chain(settled.map(|&j| (source_of[j as usize], self.distance[j as usize])))
            .collect();
        for (i, so_far) in rows {
            let (pays, j) = favourite(ground, i as usize, &open);
            arcs[i as usize].push((j as u32, ground.cost(i as usize, j)));
            // Below zero the prices were wrong, which the look at all arcs will find.
            self.offer(i as usize, j as u32, so_far + (pays - values[i as usize]).max(0.0));
        }
    }

    /// The nearest target that is not settled.
    fn nearest(&mut self) -> Option<u32> {
        loop {
            let Reverse(near) = self.heap.pop()?;
            let target = near.target as usize;
            if !self.is_settled[target] && near.distance <= self.distance[target] {
                return Some(near.target);
            }
        }
    }
}
