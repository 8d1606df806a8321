//! Partial matchings at scale: an auction between points and twins, and the multiplier that moves as much as is asked for.
//!
//! A discard cost is the multiplier of the mass. For a mass it is found on a sample first and mended level by level; at full size the
//! plan moves a little more than is asked for, and the dearest pairs stay. The bound is that of the multiplier,
//! `s l - sum p - sum q`, whose error is of second order in it.

mod twins;

use std::ops::ControlFlow;

use self::twins::{Pair, Twins};
use super::auction::{Auction, NONE};
use super::paths::Paths;
use crate::error::Result;
use crate::exact::partial::{Amounts, Moved};
use crate::measure::Measure;
use crate::number::scalar::Scalar;
use crate::plan::potentials::Potentials;
use crate::question::{Marginals, Question};
use crate::run::observe::Observe;
use crate::run::stop::Stop;
use crate::run::workers::Workers;

/// Candidates of each point, its twin among them.
const CANDIDATES: usize = 16;
/// The first epsilon, as a share of how far apart candidates are, of a sample and where prices are known.
const FIRST_EPSILON_SHARE: [f64; 2] = [8.0, 2.0];
/// The last one: of a sample, and before paths take over.
const LAST_EPSILON_SHARE: [f64; 2] = [0.1, 0.05];
/// Each phase has an epsilon so many times smaller than the one before.
const EPSILON_STEP: f64 = 5.0;
/// Bids of a phase, at most, for each point.
const MAX_BIDS_PER_POINT: usize = 100;
/// Of so many points one goes into the sample that teaches prices.
const POINTS_PER_SAMPLED_POINT: usize = 4;
/// Fewer points than this learn nothing from a sample.
const MIN_POINTS_TO_SAMPLE: usize = 300;
/// How much more than was asked for may move before the dearest stay, as a share.
const EXCESS_SHARE: f64 = 2e-3;
/// Multipliers that are tried.
const MAX_TRIES: usize = 12;
/// A gap that is small enough where the optimum is asked for: what is left is who stays among equals.
const MIN_GAP: f64 = 1e-7;

/// Half of what each point is worth beyond nothing: `f + g <= c`, both at most half of the multiplier.
struct Halves {
    f: Vec<f64>,
    g: Vec<f64>,
}

/// A partial matching and its halves, in the order of the trees.
struct Matched {
    pairs: Vec<(u32, u32)>,
    halves: Halves,
    is_done: bool,
}

/// Whether points are of one mass on both sides, in raw weights: then a partial plan is a partial matching.
pub(crate) fn pairs_points<T: Scalar>(question: &Question<'_, T>) -> bool {
    let (source, target) = (question.source(), question.target());
    let each = |measure: &Measure<T>| measure.total() / measure.len() as f64;
    let (a, b) = (each(source), each(target));
    source.is_uniform() && target.is_uniform() && (a - b).abs() <= 1e-12 * a
}

/// A partial matching within a share of the optimum, or the optimum for 0; `None` where candidates are not found quickly.
pub(crate) fn partial_matching<T: Scalar>(
    question: &Question<'_, T>,
    amounts: &Amounts,
    gap: f64,
    (seed, workers): (u64, &Workers),
    watch: &mut dyn Observe,
) -> Result<Option<Moved>> {
    let (source, target) = (question.source(), question.target());
    let dim = source.dim();
    // Both move together, so that costs stay what they are.
    let middle: Vec<f64> = source.mean().iter().zip(target.mean()).map(|(m, n)| 0.5 * (m + n)).collect();
    let rows = |measure: &Measure<T>| -> Vec<f64> {
        measure
            .points()
            .chunks_exact(dim)
            .flat_map(|x| x.iter().zip(&middle).map(|(x, c)| x.to_f64() - c))
            .collect()
    };
    let Some(pair) = Pair::new(&rows(source), &rows(target), dim, workers) else { return Ok(None) };
    let unit = amounts.supply[0].min(amounts.demand[0]);
    // A part of a point is a whole one of which some stays.
    let wanted = amounts.moved.map(|units| units.div_ceil(unit) as usize);
    let mut search = Search { seed, workers, watch, bids: 0 };
    let (discard, found) = match (question.marginals(), wanted) {
        (Marginals::DiscardCost(cost), _) => {
            let halves = search.learnt(&pair, cost);
            (cost, search.matched(&pair, cost, halves, (gap, None)))
        }
        (_, Some(wanted)) => search.with_mass(&pair, wanted, gap),
        _ => return Ok(None),
    };
    let Matched { pairs, halves, is_done } = found;
    let [sources, targets] = pair.there.order();
    // What is proved is proved for all pairs, with prices as high as they may be.
    let (workers, half) = (&workers.in_grace(), 0.5 * discard);
    let (mut f, _) = pair.there.values(&halves.g, None, workers);
    f.iter_mut().for_each(|f| *f = f.min(half));
    let (mut g, _) = pair.there.prices(&f, None, workers);
    g.iter_mut().for_each(|g| *g = g.min(half));
    let mut potentials = Potentials { source: vec![0.0; source.len()], target: vec![0.0; target.len()] };
    // As they are told: those of targets at most 0.
    sources.iter().zip(&f).for_each(|(&i, f)| potentials.source[i as usize] = f + half);
    targets.iter().zip(&g).for_each(|(&j, g)| potentials.target[j as usize] = g - half);
    let mut arcs: Vec<(u32, u32, u64)> =
        pairs.iter().map(|&(i, j)| (sources[i as usize], targets[j as usize], unit)).collect();
    arcs.sort_unstable();
    let is_done = is_done && !workers.is_halted();
    Ok(Some(Moved {
        arcs,
        potentials: Some(potentials).filter(Potentials::are_finite).filter(|_| !workers.is_halted()),
        multiplier: discard,
        steps: search.bids,
        stop: if is_done { Stop::Converged } else { Stop::Interrupted },
    }))
}

struct Search<'a> {
    seed: u64,
    workers: &'a Workers,
    watch: &'a mut dyn Observe,
    bids: usize,
}

impl Search<'_> {
    /// The matching of so many pairs: the multiplier first, from samples that grow.
    fn with_mass(&mut self, pair: &Pair, wanted: usize, gap: f64) -> (f64, Matched) {
        let [n, m] = pair.sizes();
        let share = wanted as f64 / n.min(m) as f64;
        let (mut discard, mut halves) = self.tuned(pair, share);
        let (mut best, mut bracket): (Option<(f64, f64, Matched)>, Bracket) = (None, Bracket::default());
        for _ in 0..MAX_TRIES {
            let found = self.matched(pair, discard, halves, (gap, Some(wanted)));
            let (is_done, left) = (found.is_done, gap_at(pair, &found, discard, wanted));
            halves = Halves { f: found.halves.f.clone(), g: found.halves.g.clone() };
            let next = bracket.next(discard, &costs(pair, &found.pairs), aim(wanted));
            if best.as_ref().is_none_or(|best| left < best.1) {
                best = Some((discard, left, found));
            }
            if !is_done || left <= gap.max(MIN_GAP) {
                break;
            }
            discard = next;
        }
        best.map_or_else(|| (discard, Matched::nothing(halves)), |(discard, _, found)| (discard, found))
    }

    /// A multiplier at which about this share is matched, and prices that go with it: from a quarter of the points, and so on.
    fn tuned(&mut self, pair: &Pair, share: f64) -> (f64, Halves) {
        let [n, m] = pair.sizes();
        let Some((sample, rows)) = self.sample(pair) else {
            // Few points: the distance to the nearest one says what a pair costs.
            let (mut nearest, _) = pair.there.values(&vec![0.0; m], None, self.workers);
            nearest.sort_by(f64::total_cmp);
            let discard =
                2.0 * nearest[((share * n.min(m) as f64) as usize).min(n - 1)].max(f64::MIN_POSITIVE);
            return (discard, plain(pair, discard, self.workers));
        };
        let (mut discard, mut halves) = self.tuned(&sample, share);
        let few = sample.sizes();
        let wanted = (share * few[0].min(few[1]) as f64).round().max(1.0) as usize;
        let mut bracket = Bracket::default();
        for _ in 0..MAX_TRIES {
            let found = self.roughly(&sample, discard, halves);
            let next = bracket.next(discard, &costs(&sample, &found.pairs), aim(wanted));
            let count = found.pairs.len();
            halves = found.halves;
            if count.abs_diff(wanted) as f64 <= 0.01 * wanted as f64 || !found.is_done {
                discard = next;
                break;
            }
            discard = next;
        }
        (discard, self.extended(pair, discard, &rows, &halves))
    }

    /// Prices that a quarter of the points teaches, and so on.
    fn learnt(&mut self, pair: &Pair, discard: f64) -> Halves {
        let Some((sample, rows)) = self.sample(pair) else { return plain(pair, discard, self.workers) };
        let halves = self.learnt(&sample, discard);
        let found = self.roughly(&sample, discard, halves);
        self.extended(pair, discard, &rows, &found.halves)
    }

    /// One of each few neighbours on both sides, and the rows of the sources.
    fn sample(&self, pair: &Pair) -> Option<(Pair, Vec<f64>)> {
        let [n, m] = pair.sizes();
        if n.min(m) < MIN_POINTS_TO_SAMPLE {
            return None;
        }
        let mut random = self.seed ^ 0x9e37_79b9_7f4a_7c15;
        let mut pick = |block: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            block * POINTS_PER_SAMPLED_POINT + (random >> 33) as usize % POINTS_PER_SAMPLED_POINT
        };
        let x: Vec<f64> = (0..n / POINTS_PER_SAMPLED_POINT)
            .flat_map(|block| pair.there.source(pick(block)).to_vec())
            .collect();
        let y: Vec<f64> = (0..m / POINTS_PER_SAMPLED_POINT)
            .flat_map(|block| pair.there.target(pick(block)).to_vec())
            .collect();
        let sample = Pair::new(&x, &y, pair.dim, self.workers)?;
        let rows = (0..sample.sizes()[0]).flat_map(|i| sample.there.source(i).to_vec()).collect();
        Some((sample, rows))
    }

    /// Prices of all points from those of a sample.
    fn extended(&self, pair: &Pair, discard: f64, rows: &[f64], halves: &Halves) -> Halves {
        let mut g = pair.there.extended(rows, &halves.f, self.workers);
        g.iter_mut().for_each(|g| *g = g.min(0.5 * discard));
        lifted(pair, discard, g, self.workers)
    }

    /// A matching of a sample, of which only prices matter.
    fn roughly(&mut self, pair: &Pair, discard: f64, halves: Halves) -> Matched {
        let twins = Twins { pair, discard };
        let mut auction = Auction::new(&twins, prices(discard, &halves), CANDIDATES, self.workers);
        let is_done = self.phases(&mut auction, 0, &mut |_| false).is_continue();
        self.bids += auction.bids;
        matching(pair, &auction, is_done)
    }

    /// A matching within a gap of the optimum; of so many pairs, if it is known how many.
    fn matched(
        &mut self,
        pair: &Pair,
        discard: f64,
        halves: Halves,
        (gap, wanted): (f64, Option<usize>),
    ) -> Matched {
        let twins = Twins { pair, discard };
        let mut auction = Auction::new(&twins, prices(discard, &halves), CANDIDATES, self.workers);
        let mut is_close =
            |auction: &Auction<'_>| gap > 0.0 && is_within(pair, auction, discard, gap, wanted);
        let mut ended = self.phases(&mut auction, 1, &mut is_close);
        if ended.is_continue() && !is_close(&auction) {
            let free = auction.release(0.0);
            ended = Paths::new(auction.held.len()).finish(&mut auction, &free, self.watch);
        }
        self.bids += auction.bids;
        matching(pair, &auction, ended.is_continue())
    }

    fn phases(
        &mut self,
        auction: &mut Auction<'_>,
        kind: usize,
        is_close: &mut dyn FnMut(&Auction<'_>) -> bool,
    ) -> ControlFlow<()> {
        let spread = auction.spread().max(f64::MIN_POSITIVE);
        let (mut share, last) = (FIRST_EPSILON_SHARE[kind], LAST_EPSILON_SHARE[kind]);
        loop {
            auction.phase(share * spread, MAX_BIDS_PER_POINT, self.watch)?;
            if share <= last || is_close(auction) {
                return ControlFlow::Continue(());
            }
            share = if share / EPSILON_STEP < 2.0 * last { last } else { share / EPSILON_STEP };
        }
    }
}

impl Matched {
    fn nothing(halves: Halves) -> Self {
        Matched { pairs: Vec::new(), halves, is_done: false }
    }
}

/// Prices of the twins' problem.
fn prices(discard: f64, halves: &Halves) -> Vec<f64> {
    let cap = 0.5 * discard;
    halves.g.iter().chain(&halves.f).map(|half| half.min(cap)).collect()
}

/// Halves where nothing is known.
fn plain(pair: &Pair, discard: f64, workers: &Workers) -> Halves {
    lifted(pair, discard, vec![0.0; pair.sizes()[1]], workers)
}

/// Halves as large as these of the targets allow.
fn lifted(pair: &Pair, discard: f64, g: Vec<f64>, workers: &Workers) -> Halves {
    let (mut f, _) = pair.there.values(&g, None, workers);
    f.iter_mut().for_each(|f| *f = f.min(0.5 * discard));
    Halves { f, g }
}

/// The pairs of an auction, and what its prices prove.
fn matching(pair: &Pair, auction: &Auction<'_>, is_done: bool) -> Matched {
    Matched { pairs: pairs(pair, auction), halves: halves(pair, auction), is_done }
}

fn pairs(pair: &Pair, auction: &Auction<'_>) -> Vec<(u32, u32)> {
    let [n, m] = pair.sizes();
    let of = |i: usize| Some(auction.target_of[i]).filter(|&j| j != NONE && (j as usize) < m);
    (0..n).filter_map(|i| Some((i as u32, of(i)?))).collect()
}

/// Both copies of a point know half of what it is worth.
fn halves(pair: &Pair, auction: &Auction<'_>) -> Halves {
    let [n, m] = pair.sizes();
    let half = |point: usize, twin: usize| 0.5 * (auction.value(point) + auction.prices[twin]);
    Halves { f: (0..n).map(|i| half(i, m + i)).collect(), g: (0..m).map(|j| half(n + j, j)).collect() }
}

/// Whether the pairs, as many as are wanted, are within a share of what prices prove.
fn is_within(pair: &Pair, auction: &Auction<'_>, discard: f64, gap: f64, wanted: Option<usize>) -> bool {
    let found = pairs(pair, auction);
    let mut costs: Vec<f64> = found.iter().map(|&(i, j)| pair.there.cost(i as usize, j as usize)).collect();
    if let Some(wanted) = wanted.filter(|wanted| *wanted < costs.len()) {
        costs.sort_by(f64::total_cmp);
        costs.truncate(wanted);
    }
    let cost: f64 = costs.iter().sum();
    let Halves { f, g } = halves(pair, auction);
    let below: f64 = f.iter().chain(&g).map(|half| 0.5 * discard - half).sum();
    let bound = costs.len() as f64 * discard - below;
    auction.is_complete() && cost - bound <= gap * bound
}

/// What the pairs cost, cheapest first.
fn costs(pair: &Pair, pairs: &[(u32, u32)]) -> Vec<f64> {
    let mut costs: Vec<f64> = pairs.iter().map(|&(i, j)| pair.there.cost(i as usize, j as usize)).collect();
    costs.sort_by(f64::total_cmp);
    costs
}

/// A little more than is wanted: what is too much stays.
fn aim(wanted: usize) -> usize {
    wanted + (0.5 * EXCESS_SHARE * wanted as f64) as usize + 1
}

/// The gap that is left once the dearest pairs stay, as a share of the bound; none is enough as long as there are too few pairs.
fn gap_at(pair: &Pair, found: &Matched, discard: f64, wanted: usize) -> f64 {
    let costs = costs(pair, &found.pairs);
    if costs.len() < wanted {
        // Fewer missing pairs are better.
        return f64::MAX * (1.0 - costs.len() as f64 / (2.0 * wanted as f64));
    }
    let cost: f64 = costs[..wanted].iter().sum();
    let Halves { f, g } = &found.halves;
    let below: f64 = f.iter().chain(g).map(|half| 0.5 * discard - half).sum();
    let bound = wanted as f64 * discard - below;
    if bound > 0.0 { ((cost - bound) / bound).max(0.0) } else { f64::MAX / 4.0 }
}

/// Multipliers that match too few and too many pairs, as far as they are known: more are worth it as it rises.
#[derive(Default)]
struct Bracket {
    low: Option<(f64, usize)>,
    high: Option<(f64, usize)>,
}

impl Bracket {
    /// The next multiplier after one at which the pairs cost this much, cheapest first.
    fn next(&mut self, discard: f64, costs: &[f64], aim: usize) -> f64 {
        let count = costs.len();
        let side = if count < aim { &mut self.low } else { &mut self.high };
        *side = Some((discard, count));
        if let (Some((low, few)), Some((high, many))) = (self.low, self.high) {
            let share = (aim as f64 - few as f64) / (many as f64 - few as f64).max(1.0);
            return low + share.clamp(0.05, 0.95) * (high - low);
        }
        if count == 0 {
            return 4.0 * discard;
        }
        // Pairs near the multiplier, of which a small change decides; twice as far, so that there is one on the other side too.
        let near = (count / 10).max(1);
        let per_pair = (discard - costs[count - near]).max(1e-3 * discard) / near as f64;
        let step = 2.0 * per_pair * (aim as f64 - count as f64);
        (discard + step).clamp(0.5 * discard, 2.0 * discard)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::partial::{answer, cost_of, partial};
    use crate::line::sampler::Gaussians;
    use crate::run::Run;

    #[test]
    fn twins_find_what_the_simplex_finds() {
        let mut numbers = Gaussians::new(5, 0);
        let mut cloud = |n: usize| {
            let mut rows = vec![0.0; n * 2];
            numbers.fill(&mut rows);
            Measure::from_vec(rows, 2).unwrap().with_weights(&vec![1.0; n]).unwrap()
        };
        let (mu, nu) = (cloud(400), cloud(350));
        let plain = Question::new(&mu, &nu).unwrap();
        for question in [plain.with_mass(0.8).unwrap(), plain.with_discard_cost(0.05).unwrap()] {
            let amounts = Amounts::new(&question);
            let best = partial(&question, &mut Run::default()).unwrap();
            let workers = Run::default().workers().unwrap();
            let mut costs = Vec::new();
            for gap in [0.05, 0.0] {
                let found =
                    partial_matching(&question, &amounts, gap, (0, &workers), &mut ()).unwrap().unwrap();
                let found = answer(&question, &amounts, found, &|i, j| cost_of(&question, i, j));
                let bound = found.lower_bound.unwrap();
                assert!(bound <= best.cost * (1.0 + 1e-9), "{bound} {}", best.cost);
                if question.marginals() == plain.with_mass(0.8).unwrap().marginals() {
                    assert_eq!(found.plan().unwrap().len(), 280);
                    assert!(best.cost <= found.cost * (1.0 + 1e-9), "{} {}", best.cost, found.cost);
                    assert!(found.cost <= best.cost * 1.06, "{} {}", best.cost, found.cost);
                }
                costs.push(found.cost);
            }
            assert_eq!(costs.len(), 2);
        }
    }
}
