//! Partial matchings at scale: auctions in which both sides bid, and the multiplier that moves as much as is asked for.
//!
//! A discard cost is the multiplier of the mass, shared between both sides as what staying is worth. For a mass it is found on a sample
//! first and mended phase by phase; at full size the plan moves a little more than is asked for, and the dearest pairs stay. The bound is that of
//! the multiplier, `s l - sum p - sum q`, whose error is of second order in it. Where all points of one side move there is no
//! multiplier to find: staying is worth nothing to the other side and out of the question for this one.

use std::ops::ControlFlow;

use super::pair::Pair;
use super::two_sided::TwoSided;
use crate::dual::metric;
use crate::error::Result;
use crate::exact::partial::{Amounts, Moved};
use crate::measure::Measure;
use crate::number::scalar::Scalar;
use crate::plan::potentials::Potentials;
use crate::pricing::{Ground, ground};
use crate::question::{Marginals, Question};
use crate::run::observe::Observe;
use crate::run::stop::Stop;
use crate::run::workers::Workers;

/// The first epsilon, as a share of how far apart candidates are.
const FIRST_EPSILON_SHARE: f64 = 8.0;
/// The last one of a sample, of which only values matter.
const SAMPLE_EPSILON_SHARE: f64 = 0.1;
/// From here on the number of pairs is told, and the gap.
const FINE_EPSILON_SHARE: f64 = 0.1;
/// No epsilon is smaller.
const LAST_EPSILON_SHARE: f64 = 1e-8;
/// Each phase has an epsilon so many times smaller than the one before.
const EPSILON_STEP: f64 = 5.0;
/// Bids of both sides in a phase, at most, for each point.
const MAX_BIDS_PER_POINT: usize = 100;
/// Of so many points one may be left to bid by a coarse phase: the last ones take long, and the next phase parts most pairs.
const POINTS_PER_LEFT_POINT: usize = 256;
/// Of so many points one goes into the sample that teaches values.
const POINTS_PER_SAMPLED_POINT: usize = 4;
/// Fewer points than this learn nothing from a sample.
const MIN_POINTS_TO_SAMPLE: usize = 300;
/// How much more than was asked for may move before the dearest stay, as a share.
const EXCESS_SHARE: f64 = 2e-3;
/// Multipliers that are tried with one epsilon, as long as phases are coarse, and once they are fine.
const MAX_TRIES: [usize; 2] = [2, 12];
/// A gap that is small enough where the optimum is asked for: what is left is who stays among equals.
const MIN_GAP: f64 = 1e-7;

/// Whether points are of one mass on both sides, in raw weights: then a partial plan is a partial matching.
pub(crate) fn pairs_points<T: Scalar>(question: &Question<'_, T>) -> bool {
    let (source, target) = (question.source(), question.target());
    let each = |measure: &Measure<T>| measure.total() / measure.len() as f64;
    let (a, b) = (each(source), each(target));
    source.is_uniform() && target.is_uniform() && (a - b).abs() <= 1e-12 * a
}

/// How many pairs there will be.
#[derive(Clone, Copy)]
enum Wanted {
    /// As many as are worth it at this multiplier.
    At(f64),
    /// So many, fewer than there are points on either side.
    Pairs(usize),
    /// All points of this side.
    Side(usize),
}

impl Wanted {
    /// The same of a sample.
    fn among(self, [n, m]: [usize; 2], few: [usize; 2]) -> Self {
        match self {
            Wanted::Pairs(pairs) => {
                let (all, least) = (n.min(m) as f64, few[0].min(few[1]));
                Wanted::Pairs(((pairs as f64 / all * least as f64).round() as usize).clamp(1, least))
            }
            same => same,
        }
    }

    fn pairs(self, found: usize, sizes: [usize; 2]) -> usize {
        match self {
            Wanted::At(_) => found,
            Wanted::Pairs(pairs) => pairs,
            Wanted::Side(side) => sizes[side],
        }
    }
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
    let Some(metric) = metric(question) else { return Ok(None) };
    let dim = source.dim();
    // Both move together, so that costs stay what they are.
    let middle: Vec<f64> = match metric.is_squared() {
        true => source.mean().iter().zip(target.mean()).map(|(m, n)| 0.5 * (m + n)).collect(),
        false => vec![0.0; dim],
    };
    let rows = |measure: &Measure<T>| -> Vec<f64> {
        let rows = measure.points().chunks_exact(dim);
        rows.flat_map(|x| x.iter().zip(&middle).map(|(x, c)| x.to_f64() - c)).collect()
    };
    let Some(clouds) = ground(&rows(source), &rows(target), dim, metric, workers) else { return Ok(None) };
    let Some(pair) = Pair::of(&*clouds) else { return Ok(None) };
    let unit = amounts.supply[0].min(amounts.demand[0]);
    let sizes = pair.sizes();
    // A part of a point is a whole one of which some stays.
    let wanted = match (question.marginals(), amounts.moved.map(|units| units.div_ceil(unit) as usize)) {
        (Marginals::DiscardCost(cost), _) => Wanted::At(cost),
        (_, Some(pairs)) if pairs >= sizes[0].min(sizes[1]) => Wanted::Side(usize::from(sizes[1] < sizes[0])),
        (_, Some(pairs)) => Wanted::Pairs(pairs),
        _ => return Ok(None),
    };
    let mut search = Search { seed, workers, watch, bids: 0 };
    let (caps, values) = search.learnt(&pair, wanted);
    let mut sides = TwoSided::new(&pair, caps, values, workers);
    let found = search.pursue(&pair, &mut sides, (wanted, Some(gap)));
    let is_done = found.is_done && !workers.is_halted();
    // Fewer pairs than were asked for are no answer, unless somebody wanted to leave.
    if is_done && found.pairs.len() < wanted.pairs(0, sizes) {
        return Ok(None);
    }
    // What is proved is proved for all pairs, also where time is up.
    let workers = &workers.in_grace();
    sides.set_targets(found.caps, found.values);
    let [f, g] = sides.proof(workers);
    let [sources, targets] = pair.ground(0).order();
    // Potentials are given with those of the targets at most 0; sources take what is added to make them so.
    let mut potentials = Potentials { source: vec![0.0; sizes[0]], target: vec![0.0; sizes[1]] };
    let highest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    let [cap, other] = [(sides.caps[0], &f), (sides.caps[1], &g)]
        .map(|(cap, values)| if cap.is_finite() { cap } else { highest(values) });
    sources.iter().zip(&f).for_each(|(&i, f)| potentials.source[i as usize] = f + other);
    targets.iter().zip(&g).for_each(|(&j, g)| potentials.target[j as usize] = g - other);
    let multiplier = if let Wanted::At(cost) = wanted { cost } else { cap + other };
    let mut arcs: Vec<(u32, u32, u64)> =
        found.pairs.iter().map(|&(i, j)| (sources[i as usize], targets[j as usize], unit)).collect();
    arcs.sort_unstable();
    Ok(Some(Moved {
        arcs,
        potentials: Some(potentials).filter(Potentials::are_finite).filter(|_| !workers.is_halted()),
        multiplier,
        steps: search.bids,
        stop: if is_done { Stop::Converged } else { Stop::Interrupted },
    }))
}

/// The best pairs so far, and what proves it.
struct PartialMatching {
    pairs: Vec<(u32, u32)>,
    caps: [f64; 2],
    /// Of the targets.
    values: Vec<f64>,
    gap: f64,
    is_done: bool,
}

struct Search<'a> {
    seed: u64,
    workers: &'a Workers,
    watch: &'a mut dyn Observe,
    bids: usize,
}

impl Search<'_> {
    /// What staying is worth, and values of the targets, as a quarter of the points teaches them, and so on.
    fn learnt(&mut self, pair: &Pair<'_>, wanted: Wanted) -> ([f64; 2], Vec<f64>) {
        let sizes = pair.sizes();
        let sampled = self.sample(pair);
        let Some((rows, sample)) = sampled.as_ref().and_then(|(few, rows)| Some((rows, Pair::of(&**few)?)))
        else {
            let caps = caps(wanted, || self.first_multiplier(pair, wanted));
            return (caps, vec![if caps[1].is_finite() { caps[1] } else { 0.0 }; sizes[1]]);
        };
        let fewer = wanted.among(sizes, sample.sizes());
        let (caps, values) = self.learnt(&sample, fewer);
        let mut sides = TwoSided::new(&sample, caps, values, self.workers);
        self.pursue(&sample, &mut sides, (fewer, None));
        let [f, _] = sides.proof(self.workers);
        let order = sample.ground(0).order()[0];
        let mut of_rows = vec![0.0; f.len()];
        order.iter().zip(&f).for_each(|(&i, f)| of_rows[i as usize] = *f);
        let values = pair.ground(0).extended(rows, &of_rows, self.workers);
        (sides.caps, values)
    }

    /// One of each few neighbours on both sides, and the rows of the sources.
    fn sample<'p>(&self, pair: &'p Pair<'_>) -> Option<(Box<dyn Ground + 'p>, Vec<f64>)> {
        let [n, m] = pair.sizes();
        if n.min(m) < MIN_POINTS_TO_SAMPLE {
            return None;
        }
        let mut random = self.seed ^ 0x9e37_79b9_7f4a_7c15;
        let mut pick = |block: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            block * POINTS_PER_SAMPLED_POINT + (random >> 33) as usize % POINTS_PER_SAMPLED_POINT
        };
        let all = pair.ground(0);
        let x: Vec<f64> =
            (0..n / POINTS_PER_SAMPLED_POINT).flat_map(|block| all.source(pick(block)).to_vec()).collect();
        let y: Vec<f64> =
            (0..m / POINTS_PER_SAMPLED_POINT).flat_map(|block| all.target(pick(block)).to_vec()).collect();
        Some((ground(&x, &y, all.source(0).len(), all.metric(), self.workers)?, x))
    }

    /// Where nothing is known, what the nearest targets cost.
    fn first_multiplier(&self, pair: &Pair<'_>, wanted: Wanted) -> f64 {
        let [n, m] = pair.sizes();
        let (mut nearest, _) = pair.ground(0).values(&vec![0.0; m], None, self.workers);
        nearest.sort_by(f64::total_cmp);
        let share = wanted.pairs(0, [n, m]) as f64 / n.min(m) as f64;
        2.0 * nearest[((share * n.min(m) as f64) as usize).min(n - 1)].max(f64::MIN_POSITIVE)
    }

    /// Phases with smaller and smaller epsilons, and multipliers that match as many pairs as are wanted, until the gap is reached; without one
    /// until values are good enough for a sample.
    fn pursue(
        &mut self,
        pair: &Pair<'_>,
        sides: &mut TwoSided<'_>,
        (wanted, gap): (Wanted, Option<f64>),
    ) -> PartialMatching {
        let (spread, sizes) = (sides.spread(), pair.sizes());
        let mut best = PartialMatching {
            pairs: Vec::new(),
            caps: sides.caps,
            values: sides.values[1].clone(),
            gap: f64::INFINITY,
            is_done: false,
        };
        let mut share = FIRST_EPSILON_SHARE;
        loop {
            let is_fine = share <= FINE_EPSILON_SHARE;
            let measures = gap.is_some() && is_fine;
            let leave = if measures { 0 } else { sizes[0].min(sizes[1]) / POINTS_PER_LEFT_POINT };
            let mut bracket = Bracket::default();
            for _ in 0..MAX_TRIES[usize::from(is_fine)] {
                let before = sides.bids;
                let ended = sides.phase(share * spread, (MAX_BIDS_PER_POINT, leave), self.watch);
                self.bids += sides.bids - before;
                let pairs = sides.pairs();
                let (count, costs) = (pairs.len(), costs(pair, &pairs));
                let left = if measures {
                    self.gap(sides, wanted.pairs(count, sizes), &costs)
                } else {
                    f64::INFINITY
                };
                if left < best.gap || !measures {
                    best = PartialMatching {
                        pairs,
                        caps: sides.caps,
                        values: sides.values[1].clone(),
                        gap: left,
                        is_done: false,
                    };
                }
                let is_close = gap.is_some_and(|gap| best.gap <= gap.max(MIN_GAP));
                if ended == ControlFlow::Break(()) || self.workers.is_halted() {
                    return best;
                }
                if is_close {
                    return PartialMatching { is_done: true, ..best };
                }
                let Wanted::Pairs(pairs) = wanted else { break };
                let most = pairs + (EXCESS_SHARE * pairs as f64) as usize;
                if count >= pairs && count <= most {
                    break;
                }
                let discard = bracket.next(sides.caps[0] + sides.caps[1], &costs, slightly_more_than(pairs));
                sides.set_caps([0.5 * discard; 2]);
            }
            let last = if gap.is_some() { LAST_EPSILON_SHARE } else { SAMPLE_EPSILON_SHARE };
            if share <= last {
                return PartialMatching { is_done: true, ..best };
            }
            share /= EPSILON_STEP;
        }
    }

    /// The gap that is left once the dearest pairs stay, as a share of the bound; none is small as long as there are too few pairs. What
    /// the pairs cost, cheapest first.
    fn gap(&self, sides: &TwoSided<'_>, pairs: usize, costs: &[f64]) -> f64 {
        if costs.len() < pairs {
            // Fewer missing pairs are better.
            return f64::MAX * (1.0 - costs.len() as f64 / (2.0 * pairs as f64));
        }
        let cost: f64 = costs[..pairs].iter().sum();
        let [f, g] = sides.proof(self.workers);
        let sums = |values: &[f64]| values.iter().sum::<f64>();
        let bound = match sides.caps {
            [cap, other] if cap.is_finite() && other.is_finite() => {
                let below = |values: &[f64], cap: f64| values.iter().map(|value| cap - value).sum::<f64>();
                pairs as f64 * (cap + other) - below(&f, cap) - below(&g, other)
            }
            // All of one side moves, and the other is capped by zero.
            _ => sums(&f) + sums(&g),
        };
        if bound > 0.0 { ((cost - bound) / bound).max(0.0) } else { f64::MAX / 4.0 }
    }
}

/// What staying is worth: half of the multiplier on either side, or nothing where all of the other side moves.
fn caps(wanted: Wanted, multiplier: impl FnOnce() -> f64) -> [f64; 2] {
    match wanted {
        Wanted::At(cost) => [0.5 * cost; 2],
        Wanted::Pairs(_) => [0.5 * multiplier(); 2],
        Wanted::Side(0) => [f64::INFINITY, 0.0],
        Wanted::Side(_) => [0.0, f64::INFINITY],
    }
}

/// What the pairs cost, cheapest first.
fn costs(pair: &Pair<'_>, pairs: &[(u32, u32)]) -> Vec<f64> {
    let mut costs: Vec<f64> = pairs.iter().map(|&(i, j)| pair.cost(i, j)).collect();
    costs.sort_by(f64::total_cmp);
    costs
}

/// A little more than is wanted: what is too much stays.
fn slightly_more_than(wanted: usize) -> usize {
    wanted + (0.5 * EXCESS_SHARE * wanted as f64) as usize
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
    use crate::question::Side;
    use crate::run::Run;

    fn clouds(sizes: [usize; 2], dim: usize, shift: f64) -> [Measure<'static, f64>; 2] {
        let mut numbers = Gaussians::new(5, 0);
        let mut cloud = |n: usize, shift: f64| {
            let mut rows = vec![0.0; n * dim];
            numbers.fill(&mut rows);
            rows.iter_mut().for_each(|x| *x += shift);
            Measure::from_vec(rows, dim).unwrap().with_weights(&vec![1.0; n]).unwrap()
        };
        [cloud(sizes[0], 0.0), cloud(sizes[1], shift)]
    }

    #[test]
    fn both_sides_find_what_the_simplex_finds() {
        for (sizes, dim, shift, p) in [
            ([400, 350], 2, 0.0, 2.0),
            ([340, 420], 3, 1.0, 2.0),
            ([420, 340], 2, 0.5, 1.0),
            ([320, 320], 2, 3.0, 1.5),
        ] {
            let [mu, nu] = clouds(sizes, dim, shift);
            let plain = Question::new(&mu, &nu).unwrap().with_power(p).unwrap();
            let smaller = if sizes[0] < sizes[1] { Side::Source } else { Side::Target };
            for question in [
                plain.with_mass(0.8).unwrap(),
                plain.with_mass(0.05).unwrap(),
                plain.with_discard_cost(0.05).unwrap(),
                plain.with_mass_of(smaller, 1.0).unwrap(),
            ] {
                let amounts = Amounts::new(&question);
                let best = partial(&question, &mut Run::default()).unwrap();
                let workers = Run::default().workers().unwrap();
                for gap in [0.02, 0.0] {
                    let found =
                        partial_matching(&question, &amounts, gap, (0, &workers), &mut ()).unwrap().unwrap();
                    assert_eq!(found.stop, Stop::Converged);
                    let found = answer(&question, &amounts, found, &|i, j| cost_of(&question, i, j));
                    // Seen from the multiplier, what counts is what is paid less what is saved.
                    let saved = |found: &crate::answer::Transport| match question.marginals() {
                        Marginals::DiscardCost(cost) => cost * found.number("moved").unwrap(),
                        _ => 0.0,
                    };
                    if !matches!(question.marginals(), Marginals::DiscardCost(_)) {
                        assert_eq!(found.plan().unwrap().len(), best.plan().unwrap().len());
                    }
                    let bound = found.lower_bound.unwrap() - saved(&found);
                    let (paid, least) = (found.cost - saved(&found), best.cost - saved(&best));
                    assert!(bound <= least + 1e-9 * best.cost, "{bound} {least}");
                    let most = least + gap.max(1e-6) * (1.0 + gap) * found.cost;
                    assert!(paid >= least - 1e-9 * least.abs(), "{paid} {least}");
                    assert!(
                        paid <= most,
                        "{sizes:?} {:?}: {paid} {least} within {gap}",
                        question.marginals()
                    );
                }
            }
        }
    }

    /// Has had enough after some reports.
    struct Leaves(usize);

    impl Observe for Leaves {
        fn progress(&mut self, _: &crate::run::observe::Progress) -> ControlFlow<()> {
            self.0 = self.0.saturating_sub(1);
            if self.0 == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }

    #[test]
    fn whoever_leaves_gets_what_there_is() {
        let [mu, nu] = clouds([500, 450], 2, 0.3);
        let question = Question::new(&mu, &nu).unwrap().with_mass(0.7).unwrap();
        let amounts = Amounts::new(&question);
        let best = partial(&question, &mut Run::default()).unwrap();
        let check = |found: Moved| {
            let found = answer(&question, &amounts, found, &|i, j| cost_of(&question, i, j));
            let is_whole = found.number("moved").unwrap() > best.number("moved").unwrap() * (1.0 - 1e-12);
            assert!(!is_whole || found.lower_bound.is_none_or(|bound| bound <= best.cost * (1.0 + 1e-9)));
        };
        let workers = Run::default().workers().unwrap();
        for reports in (1..40).step_by(3) {
            check(
                partial_matching(&question, &amounts, 0.0, (0, &workers), &mut Leaves(reports))
                    .unwrap()
                    .unwrap(),
            );
        }
        // Out of time from the beginning, and a little later.
        for moment in [0, 1, 5, 20] {
            let deadline = Some(std::time::Instant::now() + std::time::Duration::from_millis(moment));
            let workers = Run { deadline, ..Run::default() }.workers().unwrap();
            if let Some(found) = partial_matching(&question, &amounts, 0.0, (0, &workers), &mut ()).unwrap() {
                check(found);
            }
        }
    }

    #[test]
    fn the_same_for_any_number_of_threads() {
        let [mu, nu] = clouds([500, 450], 2, 0.3);
        let question = Question::new(&mu, &nu).unwrap().with_mass(0.7).unwrap();
        let amounts = Amounts::new(&question);
        let mut plans = [1, 2, 5].map(|threads| {
            let workers = Workers::new(crate::run::Parallelism::from_count(threads)).unwrap();
            partial_matching(&question, &amounts, 1e-3, (3, &workers), &mut ()).unwrap().unwrap().arcs
        });
        plans.sort();
        assert_eq!(plans[0], plans[2]);
    }
}
