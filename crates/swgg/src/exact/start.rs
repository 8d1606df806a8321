//! Where the simplex begins: prices learnt from a sample, a cheap plan at those prices, and a tree around it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::assignment::{self, ArcCheck, NONE};
use super::ground::{Ground, Side};
use super::solver::Hint;
use super::tree::{Arc, SpanningTree};
use crate::line::sampler::Gaussians;
use crate::number::mass::Unit;
use crate::run::observe::Observe;
use crate::run::workers::Workers;

/// Points below which prices between fitted Gaussians take longer to find than the plan without.
const MIN_POINTS_TO_GUESS: usize = 32;
/// Problems smaller than this learn nothing from a sample.
const MIN_POINTS_TO_SAMPLE: usize = 64;
/// One point in so many makes the sample.
const POINTS_PER_SAMPLED_POINT: usize = 4;
/// Sources, at most, by which the bound of some prices is estimated.
const MAX_JUDGING_SOURCES: usize = 400;
/// Sources per task.
const SOURCES_PER_TASK: usize = 64;

/// What there is to move, in units: both sides have the same total.
#[derive(Clone, Copy)]
pub(super) struct SupplyDemand<'a, U = u64> {
    pub supply: &'a [U],
    pub demand: &'a [U],
}

impl<U: Unit> SupplyDemand<'_, U> {
    /// Whether every source and every target has the same mass: then each goes to one.
    pub fn is_matching(&self) -> bool {
        let unit = self.supply[0];
        self.supply.len() == self.demand.len() && self.supply.iter().chain(self.demand).all(|&w| w == unit)
    }
}

/// What a matching between samples of both sides teaches: a plan of the drawn points, and prices. A target is worth what the sources
/// of the sample would pay for it.
pub(super) fn learn<G: Ground, U: Unit>(
    ground: &G,
    load: SupplyDemand<'_, U>,
    seed: u64,
    workers: &Workers,
    watch: &mut dyn Observe,
) -> (Vec<(u32, u32, f64)>, Vec<f64>) {
    let (n, m) = (ground.sources(), ground.targets());
    let guess = if n.max(m) < MIN_POINTS_TO_GUESS { None } else { ground.guess(load) };
    let nothing = (Vec::new(), guess.clone().unwrap_or_else(|| vec![0.0; m]));
    if n.max(m) < MIN_POINTS_TO_SAMPLE {
        return nothing;
    }
    // Matchings are quick to solve: unequal masses learn from one of their own size, unless that would draw points of the smaller
    // side again and again.
    let count = if load.is_matching() { n / POINTS_PER_SAMPLED_POINT } else { n.max(m).min(2 * n.min(m)) };
    let mut stream = Gaussians::new(seed, count);
    let sources = sample(load.supply, count, &mut stream);
    let targets = sample(load.demand, count, &mut stream);
    let Some(few) = ground.sample(&sources, &targets) else { return nothing };
    let found = assignment::solve(&few, Hint::default(), ArcCheck::CoreOnly, seed, workers, watch);
    let value = |k: usize| match found.target_of[k] {
        NONE => f64::NEG_INFINITY,
        j => few.cost(k, j as usize) - found.prices[j as usize],
    };
    let values: Vec<f64> = (0..count).map(value).collect();
    let Some(flipped) = ground.flipped(&sources) else { return nothing };
    let prices = in_tasks(m, workers, |j| cheapest_target(&flipped, j, &values).0);
    // Stopped before anything was sent, nothing was learnt.
    if workers.is_halted() || !prices.iter().all(|price| price.is_finite()) {
        return nothing;
    }
    let drawn = sources.iter().zip(&found.target_of).filter(|(_, j)| **j != NONE);
    let drawn = drawn.map(|(&i, &j)| (i, targets[j as usize]));
    let mut pairs: Vec<(u32, u32)> = drawn.collect();
    pairs.sort_unstable();
    let plan = pairs.chunk_by(|a, b| a == b).map(|same| (same[0].0, same[0].1, same.len() as f64));
    let prices = match guess {
        Some(guess) if worth(ground, load, &guess, workers) > worth(ground, load, &prices, workers) => guess,
        _ => prices,
    };
    (plan.collect(), prices)
}

/// What prices prove, by some of the sources: the lower bound that they give, about.
pub(super) fn worth<G: Ground, U: Unit>(
    ground: &G,
    load: SupplyDemand<'_, U>,
    prices: &[f64],
    workers: &Workers,
) -> f64 {
    let asked: Vec<usize> =
        (0..load.supply.len()).step_by(load.supply.len().div_ceil(MAX_JUDGING_SOURCES)).collect();
    let pays = in_tasks(asked.len(), workers, |k| cheapest_target(ground, asked[k], prices).0);
    let of_sources = |value: &dyn Fn(usize) -> f64| -> f64 {
        asked.iter().enumerate().map(|(k, &i)| load.supply[i].to_f64() * value(k)).sum()
    };
    let share: f64 = of_sources(&|_| 1.0);
    let of_targets: f64 = load.demand.iter().zip(prices).map(|(w, price)| w.to_f64() * price).sum();
    let total: f64 = load.demand.iter().map(|w| w.to_f64()).sum();
    of_sources(&|k| pays[k]) / share + of_targets / total
}

/// `count` points that stand for equal shares of the mass, one drawn from each. Heavy points count as if they stood for two shares:
/// more copies of one point would only make ties.
fn sample<U: Unit>(masses: &[U], count: usize, stream: &mut Gaussians) -> Vec<u32> {
    let whole: f64 = masses.iter().map(|w| w.to_f64()).sum();
    let most = 2.0 * whole / count as f64;
    let mass = |point: usize| masses[point].to_f64().min(most);
    let total: f64 = (0..masses.len()).map(mass).sum();
    let (mut point, mut passed) = (0, mass(0));
    let mut chosen = Vec::with_capacity(count);
    for k in 0..count {
        let wanted = (k as f64 + stream.uniform()) / count as f64 * total;
        while passed < wanted && point + 1 < masses.len() {
            point += 1;
            passed += mass(point);
        }
        chosen.push(point as u32);
    }
    chosen
}

/// `task(0)` to `task(count - 1)` on all threads; defaults once these are told to stop.
pub(super) fn in_tasks<R: Send + Default>(
    count: usize,
    workers: &Workers,
    task: impl Fn(usize) -> R + Sync,
) -> Vec<R> {
    let task = |k: usize| if workers.is_halted() { R::default() } else { task(k) };
    let piece = |k: usize| {
        (k * SOURCES_PER_TASK..count.min((k + 1) * SOURCES_PER_TASK)).map(task).collect::<Vec<R>>()
    };
    workers.map(count.div_ceil(SOURCES_PER_TASK), piece).into_iter().flatten().collect()
}

/// What a source pays (cost less price) for its cheapest target at these prices, and that target.
pub(super) fn cheapest_target<G: Ground>(ground: &G, i: usize, prices: &[f64]) -> (f64, usize) {
    let offers = (0..ground.blocks()).map(|block| {
        let (j, cost) = ground.offer(i, block, prices);
        (cost - prices[j], j)
    });
    offers.fold((f64::INFINITY, 0), |best, offer| if offer.0 < best.0 { offer } else { best })
}

/// A plan that grows arc by arc. Every arc exhausts its source or its target, so arcs never close a cycle.
pub(super) struct PartialPlan<U = u64> {
    pub supply: Vec<U>,
    pub demand: Vec<U>,
    pub arcs: Vec<Arc<U>>,
}

impl<U: Unit> PartialPlan<U> {
    pub fn new(load: SupplyDemand<'_, U>) -> Self {
        PartialPlan { supply: load.supply.to_vec(), demand: load.demand.to_vec(), arcs: Vec::new() }
    }

    /// As much as there is from `i` to `j`.
    pub fn add(&mut self, i: usize, j: usize) {
        let flow = self.supply[i].min(self.demand[j]);
        if !flow.is_none() {
            self.supply[i] -= flow;
            self.demand[j] -= flow;
            self.arcs.push((i as u32, j as u32, flow));
        }
    }

    /// Follows a plan whose masses are rounded: an arc that is the last one of its source or target takes all there is. Where
    /// arcs close cycles the lightest goes.
    pub fn follow(&mut self, plan: &[(u32, u32, f64)]) {
        let (n, m) = (self.supply.len(), self.demand.len());
        let mut arcs_of: Vec<Vec<u32>> = vec![Vec::new(); n + m];
        for (k, &(i, j, _)) in plan.iter().enumerate() {
            arcs_of[i as usize].push(k as u32);
            arcs_of[n + j as usize].push(k as u32);
        }
        let mut degree: Vec<usize> = arcs_of.iter().map(Vec::len).collect();
        let mut done = vec![false; plan.len()];
        let mut by_mass: Vec<u32> = (0..plan.len() as u32).collect();
        by_mass.sort_by(|&a, &b| plan[a as usize].2.total_cmp(&plan[b as usize].2));
        let mut lightest = by_mass.into_iter();
        let mut leaves: Vec<usize> = (0..n + m).filter(|&node| degree[node] == 1).collect();
        loop {
            let (arc, takes) = match leaves.pop() {
                Some(leaf) if degree[leaf] == 1 => {
                    let left = arcs_of[leaf].iter().find(|&&k| !done[k as usize]);
                    (left.copied(), true)
                }
                Some(_) => continue,
                None => (lightest.by_ref().find(|&k| !done[k as usize]), false),
            };
            let Some(arc) = arc else { return };
            done[arc as usize] = true;
            let (i, j, _) = plan[arc as usize];
            if takes {
                self.add(i as usize, j as usize);
            }
            for node in [i as usize, n + j as usize] {
                degree[node] -= 1;
                if degree[node] == 1 {
                    leaves.push(node);
                }
            }
        }
    }

    /// Brings what is left to the cheapest targets that are open, in rounds: every source with supply asks for its cheapest target, and
    /// the least regret (what it pays beyond its first choice) is served first.
    pub fn complete<G: Ground>(&mut self, ground: &G, prices: &[f64], workers: &Workers) {
        let mut open: Vec<f64> = prices.to_vec();
        for (price, left) in open.iter_mut().zip(&self.demand) {
            if left.is_none() {
                *price = f64::NEG_INFINITY;
            }
        }
        let mut waiting: Vec<usize> = (0..self.supply.len()).filter(|&i| !self.supply[i].is_none()).collect();
        let mut values = vec![f64::NAN; self.supply.len()];
        while !waiting.is_empty() {
            let wishes = in_tasks(waiting.len(), workers, |k| cheapest_target(ground, waiting[k], &open));
            if workers.is_halted() {
                break;
            }
            let mut order: Vec<(f64, usize, usize)> = Vec::with_capacity(waiting.len());
            for (&i, &(pays, j)) in waiting.iter().zip(&wishes) {
                if pays == f64::INFINITY {
                    continue;
                }
                if values[i].is_nan() {
                    values[i] = pays;
                }
                order.push((pays - values[i], i, j));
            }
            if order.is_empty() {
                break;
            }
            order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            for (_, i, j) in order {
                self.add(i, j);
                if self.demand[j].is_none() {
                    open[j] = f64::NEG_INFINITY;
                }
            }
            waiting.retain(|&i| !self.supply[i].is_none());
        }
        self.fill(ground, &waiting);
    }

    /// Sends what is left along a line, for sources that reach no open target or have no time to look for one.
    fn fill<G: Ground>(&mut self, ground: &G, waiting: &[usize]) {
        let sorted = |side: Side, points: &[usize]| {
            let mut keys: Vec<(f64, usize)> = points.iter().map(|&i| (ground.along(side, i), i)).collect();
            keys.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            keys.into_iter().map(|key| key.1).collect::<Vec<usize>>()
        };
        let open: Vec<usize> = (0..self.demand.len()).filter(|&j| !self.demand[j].is_none()).collect();
        let (waiting, open) = (sorted(Side::Source, waiting), sorted(Side::Target, &open));
        let mut at = 0;
        for i in waiting {
            while !self.supply[i].is_none() {
                if self.demand[open[at]].is_none() {
                    at += 1;
                } else {
                    self.add(i, open[at]);
                }
            }
        }
    }
}

/// A key of the heap: cheapest first, then lowest indices.
#[derive(PartialEq)]
struct Candidate {
    key: f64,
    source: u32,
    target: u32,
}

impl Eq for Candidate {}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let places = (self.source, self.target).cmp(&(other.source, other.target));
        self.key.total_cmp(&other.key).then(places)
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The arcs of a plan without cycles as a spanning tree. Its components are joined by arcs without flow that lead from a source up
/// to a target, each the cheapest at these prices (Prim, 1957). `None` if the threads are told to stop.
pub(super) fn tree<G: Ground, U: Unit>(
    ground: &G,
    arcs: &[Arc<U>],
    prices: &[f64],
    workers: &Workers,
) -> Option<SpanningTree<U>> {
    let (n, m) = (ground.sources(), ground.targets());
    let mut arcs_of: Vec<Vec<(u32, U)>> = vec![Vec::new(); n + m];
    for &(i, j, flow) in arcs {
        arcs_of[i as usize].push((n as u32 + j, flow));
        arcs_of[n + j as usize].push((i, flow));
    }
    // What each source would pay anyway: regrets compare sources, payments do not.
    let values: Vec<f64> = in_tasks(n, workers, |i| cheapest_target(ground, i, prices).0);
    if workers.is_halted() {
        return None;
    }
    let root = n as u32;
    let mut tree = SpanningTree::rooted(n, m, root);
    let mut inside = vec![false; n + m];
    let mut outside: Vec<u32> = (0..n as u32).collect();
    let mut best = vec![f64::INFINITY; n];
    let mut heap: BinaryHeap<Reverse<Candidate>> = BinaryHeap::new();
    let mut fresh = Vec::new();
    let flipped = ground.flipped(&outside);
    let (nothing, mut around) = (vec![0.0; n], vec![0.0; n]);
    inside[root as usize] = true;
    let mut stack = vec![root];
    loop {
        fresh.clear();
        while let Some(node) = stack.pop() {
            if node as usize >= n {
                fresh.push(node as usize - n);
            }
            for &(other, flow) in &arcs_of[node as usize] {
                if !inside[other as usize] {
                    inside[other as usize] = true;
                    tree.grow(other, node, flow);
                    stack.push(other);
                }
            }
        }
        outside.retain(|&i| !inside[i as usize]);
        for &target in &fresh {
            if workers.is_halted() {
                return None;
            }
            if let Some(flipped) = &flipped {
                flipped.row(target, &nothing, &mut around);
            }
            for &source in ground.sources_of(target).unwrap_or(&outside) {
                let i = source as usize;
                if inside[i] {
                    continue;
                }
                let cost = if flipped.is_some() { around[i] } else { ground.cost(i, target) };
                let key = cost - prices[target] - values[i];
                if key < best[i] {
                    best[i] = key;
                    heap.push(Reverse(Candidate { key, source, target: target as u32 }));
                }
            }
        }
        let next = loop {
            match heap.pop() {
                Some(Reverse(candidate)) if !inside[candidate.source as usize] => break Some(candidate),
                Some(_) => (),
                // Nothing leads here: an arc that is not there, which the simplex will avoid.
                None => break outside.first().map(|&source| Candidate { key: 0.0, source, target: 0 }),
            }
        };
        let Some(Candidate { source, target, .. }) = next else { return Some(tree) };
        inside[source as usize] = true;
        tree.grow(source, n as u32 + target, U::default());
        stack.push(source);
    }
}
