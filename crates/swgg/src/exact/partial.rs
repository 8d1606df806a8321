//! Exact transport of a part of the mass.
//!
//! ```text
//! min_pi sum pi_ij c_ij    over plans with row sums at most a, column sums at most b, and the mass s in all
//!   = max { s l - sum a_i p_i - sum b_j q_j : p, q >= 0, l - p_i - q_j <= c_ij }
//! ```
//!
//! A dummy target takes what stays at the sources for nothing, a dummy source fills what is left of the targets, and between them
//! nothing goes: with them it is a transport of all mass (Chapel, Alaya and Gasso, 2020). The multiplier `l` is what
//! the last unit of mass costs. Given instead of `s`, as the cost of leaving a unit of mass out, it is the same problem seen from its dual.
//! Potentials are `u = l - p`, capped by the multiplier, and `v = -q`.

use super::extended::Extended;
use super::ground::{Distances, Ground};
use super::matrix::{self, CostMatrix};
use super::pairs::Pairs;
use super::posed::{Carriers, Centred};
use super::solver::{self, Hint, Solved};
use super::start::{SupplyDemand, cheapest_target, in_tasks};
use super::{MAX_KEPT_PAIRS, to_f64, tree::Arc};
use crate::answer::{CostIs, Fact, Transport};
use crate::error::Result;
use crate::measure::{Measure, exact_sum};
use crate::number::scalar::Scalar;
use crate::plan::coupling::Coupling;
use crate::plan::potentials::Potentials;
use crate::question::{self as asked, Marginals, Question};
use crate::run::Run;
use crate::run::observe::Observe;
use crate::run::stop::Stop;
use crate::run::workers::Workers;

/// Units in both measures together: one unit is about 4e-19 of the mass.
const UNITS: f64 = (1_u64 << 61) as f64;
/// Masses that differ by this share are equal, to rounding.
const ROUNDING_SHARE: f64 = 1e-12;

/// How much there is and how much of it moves, in units.
pub(crate) struct Amounts {
    pub supply: Vec<u64>,
    pub demand: Vec<u64>,
    /// What has to move; `None` where a cost decides.
    pub moved: Option<u64>,
    /// The mass of a unit.
    pub per_unit: f64,
}

impl Amounts {
    pub fn new<T: Scalar>(question: &Question<'_, T>) -> Self {
        let (source, target) = (question.source(), question.target());
        let per_unit = (source.total() + target.total()) / UNITS;
        let units = |measure: &Measure<T>| -> Vec<u64> {
            let scale = measure.total() / per_unit;
            (0..measure.len()).map(|i| (measure.weight(i) * scale).round() as u64).collect()
        };
        let (supply, demand) = (units(source), units(target));
        let most = supply.iter().sum::<u64>().min(demand.iter().sum());
        let moved = match question.marginals() {
            Marginals::Mass(mass) => {
                let smaller = source.total().min(target.total());
                let moved = if mass >= smaller * (1.0 - ROUNDING_SHARE) {
                    most
                } else {
                    ((mass / per_unit).round() as u64).clamp(1, most)
                };
                let step = if source.is_uniform() { supply[0] } else { 0 };
                Some(whole(moved, step).min(most))
            }
            _ => None,
        };
        Amounts { supply, demand, moved, per_unit }
    }
}

/// The nearest whole number of points, where rounding alone stands between: then no crumbs are split off.
fn whole(moved: u64, point: u64) -> u64 {
    if point == 0 {
        return moved;
    }
    let points = (moved + point / 2) / point;
    let near = points * point;
    let is_near = near.abs_diff(moved) as f64 <= ROUNDING_SHARE * moved as f64;
    if is_near && near > 0 { near } else { moved }
}

/// A plan that moves a part of the mass, and what proves it.
pub(crate) struct Moved {
    /// Between the points.
    pub arcs: Vec<Arc>,
    /// `u <= multiplier`, `v <= 0`, `u_i + v_j <= c_ij`.
    pub potentials: Option<Potentials>,
    pub multiplier: f64,
    pub steps: usize,
    pub stop: Stop,
}

/// The cheapest plan of so much mass by the simplex, for any ground cost.
pub(crate) fn partial<T: Scalar>(question: &Question<'_, T>, run: &mut Run<'_>) -> Result<Transport> {
    let amounts = Amounts::new(question);
    let (source, target) = (question.source(), question.target());
    let carriers = Carriers::with_units([&amounts.supply, &amounts.demand]);
    let workers = run.workers()?;
    let everything = |count: usize| (0..count as u32).collect::<Vec<u32>>();
    let everybody_carries = carriers.sources.len() == source.len() && carriers.targets.len() == target.len();
    let moved = match question.ground() {
        asked::Ground::Distance(power) => {
            let means = workers.join(|| source.mean(), || target.mean());
            let centred = Centred::together(means.into(), power);
            centred.check(source, target, &carriers, &workers)?;
            let all = Distances::new(to_f64(source), &to_f64(target), source.dim(), power);
            match centred.kept((source, target), &carriers, &workers) {
                Some(kept) if everybody_carries => {
                    moved(kept.costs, &all, (&amounts, &carriers), question, run, workers)
                }
                _ => {
                    let ground = centred.ground(source, target, &carriers, &workers);
                    moved(ground, &all, (&amounts, &carriers), question, run, workers)
                }
            }
        }
        asked::Ground::Matrix(costs) => {
            matrix::check(costs)?;
            let ground = CostMatrix::new(costs, &carriers.sources, &carriers.targets);
            let all = CostMatrix::new(costs, &everything(source.len()), &everything(target.len()));
            moved(ground, &all, (&amounts, &carriers), question, run, workers)
        }
        asked::Ground::Cost(cost) => {
            let dim = source.dim();
            let rows = |measure: &Measure<T>, chosen: &[u32]| -> Vec<f64> {
                chosen.iter().flat_map(|&i| measure.point(i as usize)).map(|x| x.to_f64()).collect()
            };
            let pairs =
                Pairs::new(cost, rows(source, &carriers.sources), rows(target, &carriers.targets), dim);
            let all = Pairs::new(cost, to_f64(source), to_f64(target), dim);
            if carriers.sources.len() * carriers.targets.len() <= MAX_KEPT_PAIRS {
                let kept = CostMatrix::of_pairs(&pairs, &workers);
                moved(kept, &all, (&amounts, &carriers), question, run, workers)
            } else {
                moved(pairs, &all, (&amounts, &carriers), question, run, workers)
            }
        }
    };
    let pay = |i: usize, j: usize| cost_of(question, i, j);
    Ok(answer(question, &amounts, moved, &pay))
}

/// What a pair costs.
pub(crate) fn cost_of<T: Scalar>(question: &Question<'_, T>, i: usize, j: usize) -> f64 {
    use crate::cost::Cost;
    let (x, y) = (question.source().point(i), question.target().point(j));
    match question.ground() {
        asked::Ground::Distance(power) => power.between(x, y),
        asked::Ground::Matrix(costs) => costs[[i, j]],
        asked::Ground::Cost(cost) => {
            let point = |x: &[T]| x.iter().map(|x| x.to_f64()).collect::<Vec<f64>>();
            cost.between(&point(x), &point(y))
        }
    }
}

/// Solves between the carriers and proves it for all points.
fn moved<T: Scalar, G: Ground, A: Ground>(
    ground: G,
    all: &A,
    (amounts, carriers): (&Amounts, &Carriers),
    question: &Question<'_, T>,
    run: &mut Run<'_>,
    workers: Workers,
) -> Moved {
    let discard = match question.marginals() {
        Marginals::DiscardCost(cost) => Some(cost),
        _ => None,
    };
    let load = carriers.load();
    let part = Part { supply: load.supply, demand: load.demand, moved: amounts.moved, discard };
    let seed = run.seed;
    let Solution { solved, prices, multiplier } = part.solved(ground, seed, &workers, run);
    let workers = if solved.stop == Stop::Interrupted { workers.in_grace() } else { workers };
    let potentials = everywhere(all, carriers, &prices, multiplier, &workers);
    let (n, m) = (load.supply.len(), load.demand.len());
    let mut arcs: Vec<Arc> = solved
        .arcs
        .iter()
        .filter(|arc| (arc.0 as usize) < n && (arc.1 as usize) < m)
        .map(|&(i, j, units)| (carriers.sources[i as usize], carriers.targets[j as usize], units))
        .collect();
    arcs.sort_unstable();
    let potentials = Some(potentials).filter(|_| !workers.is_halted());
    Moved { arcs, potentials, multiplier, steps: solved.iterations, stop: solved.stop }
}

/// Points of the larger side from which a part of them teaches prices.
const MIN_POINTS_TO_SAMPLE: usize = 200;
/// Of so many points one goes into the sample.
const POINTS_PER_SAMPLED_POINT: usize = 4;

/// Points that carry mass, and how much of it moves.
struct Part<'a> {
    supply: &'a [u64],
    demand: &'a [u64],
    moved: Option<u64>,
    /// What moving a unit is worth, where that decides.
    discard: Option<f64>,
}

/// What the simplex found, with dummies; prices of the targets, at most 0, and the multiplier that goes with them.
struct Solution {
    solved: Solved,
    prices: Vec<f64>,
    multiplier: f64,
}

impl Part<'_> {
    fn solved<G: Ground>(
        &self,
        ground: G,
        seed: u64,
        workers: &Workers,
        watch: &mut dyn Observe,
    ) -> Solution {
        let totals = [self.supply.iter().sum::<u64>(), self.demand.iter().sum::<u64>()];
        // With a cost of leaving mass out, the dummies have room for everything.
        let rests = match self.moved {
            Some(moved) => [totals[1] - moved, totals[0] - moved],
            None => [totals[1], totals[0]],
        };
        let dummies = rests.map(|rest| rest > 0);
        let (stay, between_dummies) = match self.discard {
            Some(cost) => (0.5 * cost, 0.0),
            None => (0.0, size(&ground)),
        };
        let hint = self.learnt(&ground, (dummies, stay), seed, workers, watch);
        let with_rest = |units: &[u64], rest: u64| -> Vec<u64> {
            units.iter().copied().chain((rest > 0).then_some(rest)).collect()
        };
        let (supply, demand) = (with_rest(self.supply, rests[0]), with_rest(self.demand, rests[1]));
        let load = SupplyDemand { supply: &supply, demand: &demand };
        let extended = Extended { inner: ground, dummies, stay, between_dummies };
        let solved = solver::solve(&extended, load, hint, seed, workers, watch);
        let (prices, multiplier) = self.priced(&solved, dummies);
        Solution { solved, prices, multiplier }
    }

    /// Prices that some of the points teach: a target is worth what the sources of the sample would pay for it.
    fn learnt<G: Ground>(
        &self,
        ground: &G,
        (dummies, stay): ([bool; 2], f64),
        seed: u64,
        workers: &Workers,
        watch: &mut dyn Observe,
    ) -> Hint {
        let (n, m) = (self.supply.len(), self.demand.len());
        if n.min(m) < MIN_POINTS_TO_SAMPLE {
            return Hint::default();
        }
        let mut random = seed ^ 0x9e37_79b9_7f4a_7c15;
        let mut drawn = |count: usize| -> Vec<u32> {
            let mut pick = |block: usize| {
                random =
                    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (block * POINTS_PER_SAMPLED_POINT + (random >> 33) as usize % POINTS_PER_SAMPLED_POINT) as u32
            };
            (0..count / POINTS_PER_SAMPLED_POINT).map(&mut pick).collect()
        };
        let (sources, targets) = (drawn(n), drawn(m));
        let (Some(few), Some(flipped)) = (ground.sample(&sources, &targets), ground.flipped(&sources)) else {
            return Hint::default();
        };
        let chosen = |units: &[u64], points: &[u32]| -> Vec<u64> {
            points.iter().map(|&i| units[i as usize]).collect()
        };
        let (supply, demand) = (chosen(self.supply, &sources), chosen(self.demand, &targets));
        let total = |units: &[u64]| units.iter().map(|&w| w as f64).sum::<f64>();
        let share = |moved: u64| moved as f64 / total(self.supply).min(total(self.demand));
        let most = total(&supply).min(total(&demand));
        let moved = self.moved.map(|moved| {
            let least = supply.iter().sum::<u64>().min(demand.iter().sum());
            ((share(moved) * most) as u64).clamp(1, least)
        });
        let part = Part { supply: &supply, demand: &demand, moved, discard: self.discard };
        let few_costs = ground.sample(&sources, &targets);
        let Solution { prices, multiplier, .. } = part.solved(few, seed, workers, watch);
        let Some(few) = few_costs else { return Hint::default() };
        let values =
            in_tasks(sources.len(), workers, |i| cheapest_target(&few, i, &prices).0.min(multiplier));
        let mut learnt = in_tasks(m, workers, |j| cheapest_target(&flipped, j, &values).0.min(0.0));
        if dummies[1] {
            learnt.push(stay - multiplier);
        }
        if workers.is_halted() || !learnt.iter().all(|price| price.is_finite()) {
            return Hint::default();
        }
        Hint { plan: Vec::new(), prices: Some(learnt) }
    }

    /// Prices of the targets, at most 0, and the multiplier that goes with them.
    fn priced(&self, solved: &Solved, [has_source, has_target]: [bool; 2]) -> (Vec<f64>, f64) {
        let (n, m) = (self.supply.len(), self.demand.len());
        let most = |numbers: &[f64]| numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let stay = self.discard.map_or(0.0, |cost| 0.5 * cost);
        // `u_dummy + v_j <= stay` becomes `v_j <= 0`.
        let shift = if has_source { solved.values[n] - stay } else { -most(&solved.prices[..m]) };
        let prices = solved.prices[..m].iter().map(|price| (price + shift).min(0.0)).collect();
        let multiplier = match self.discard {
            Some(cost) => cost,
            None if has_target => -(solved.prices[m] + shift),
            None => most(&solved.values[..n]) - shift,
        };
        (prices, multiplier)
    }
}

/// Any cost above nothing keeps the dummies apart; one of the size of the others is above rounding.
fn size<G: Ground>(ground: &G) -> f64 {
    let (n, m) = (ground.sources(), ground.targets());
    let of_first = (0..n).map(|i| ground.cost(i, 0)).chain((0..m).map(|j| ground.cost(0, j)));
    Some(of_first.fold(0.0, f64::max)).filter(|size| *size > 0.0).unwrap_or(1.0)
}

/// Potentials of all points, feasible by construction.
fn everywhere<A: Ground>(
    all: &A,
    carriers: &Carriers,
    prices: &[f64],
    multiplier: f64,
    workers: &Workers,
) -> Potentials {
    // Targets without a price cannot be reached yet, so no source counts them as its cheapest.
    let mut target = vec![f64::NEG_INFINITY; all.targets()];
    carriers.targets.iter().zip(prices).for_each(|(&j, price)| target[j as usize] = *price);
    let value = |target: &[f64], i: usize| cheapest_target(all, i, target).0.min(multiplier);
    let mut source = in_tasks(all.sources(), workers, |i| value(&target, i));
    // A target without mass is priced as high as the sources that have some allow; then the sources that have none.
    let idle: Vec<usize> = (0..target.len()).filter(|&j| target[j] == f64::NEG_INFINITY).collect();
    if idle.is_empty() {
        return Potentials { source, target };
    }
    let price = |k: usize| {
        let room = carriers.sources.iter().map(|&i| all.cost(i as usize, idle[k]) - source[i as usize]);
        room.fold(0.0, f64::min)
    };
    let found = in_tasks(idle.len(), workers, price);
    idle.iter().zip(found).for_each(|(&j, price)| target[j] = price);
    let places = Carriers::places(&carriers.sources, all.sources());
    let idle: Vec<usize> = (0..source.len()).filter(|&i| places[i].is_none()).collect();
    let found = in_tasks(idle.len(), workers, |k| value(&target, idle[k]));
    idle.iter().zip(found).for_each(|(&i, value)| source[i] = value);
    Potentials { source, target }
}

/// The answer with its cost, its bound and who stayed.
pub(crate) fn answer<T: Scalar>(
    question: &Question<'_, T>,
    amounts: &Amounts,
    moved: Moved,
    pay: &dyn Fn(usize, usize) -> f64,
) -> Transport {
    let (source, target) = (question.source(), question.target());
    let Moved { mut arcs, potentials, multiplier, steps, stop } = moved;
    match (question.marginals(), amounts.moved) {
        // A plan that was stopped on its way may hold pairs that nobody would want.
        (Marginals::DiscardCost(cost), _) => arcs.retain(|arc| pay(arc.0 as usize, arc.1 as usize) <= cost),
        (_, Some(units)) => trim(&mut arcs, units, pay),
        _ => (),
    }
    // Points of one mass in units of two totals differ by a few of them: what rounding splits off is no mass.
    arcs.retain(|&(i, j, units)| {
        let least = amounts.supply[i as usize].min(amounts.demand[j as usize]);
        units as f64 > ROUNDING_SHARE * least as f64
    });
    let mut left = [amounts.supply.clone(), amounts.demand.clone()];
    for &(i, j, units) in &arcs {
        left[0][i as usize] -= units;
        left[1][j as usize] -= units;
    }
    let units: u64 = arcs.iter().map(|arc| arc.2).sum();
    let masses: Vec<f64> = arcs.iter().map(|arc| arc.2 as f64 * amounts.per_unit).collect();
    let paid = arcs.iter().zip(&masses).map(|(arc, mass)| mass * pay(arc.0 as usize, arc.1 as usize));
    let cost = exact_sum(paid);
    let mass = units as f64 * amounts.per_unit;
    let lower_bound = potentials
        .as_ref()
        .map(|potentials| bound(potentials, multiplier, mass, [source, target]).clamp(0.0, cost));
    let stayed = |(left, all): (&[u64], &[u64])| {
        // What rounding leaves of a point is no mass that stayed.
        let is_some = |units: u64, all: u64| units as f64 > ROUNDING_SHARE * all as f64;
        let some =
            (0..).zip(left).zip(all).filter(|((_, units), all)| is_some(**units, **all)).map(|(one, _)| one);
        Fact::Masses(some.map(|(i, units)| (i, *units as f64 * amounts.per_unit)).collect())
    };
    let smaller = source.total().min(target.total());
    let facts = vec![
        ("moved", Fact::Number(mass)),
        ("moved_share", Fact::Number((mass / smaller).min(1.0))),
        ("multiplier", Fact::Number(multiplier)),
        ("unmatched_source", stayed((&left[0], &amounts.supply))),
        ("unmatched_target", stayed((&left[1], &amounts.demand))),
    ];
    let (rows, columns) = (arcs.iter().map(|arc| arc.0).collect(), arcs.iter().map(|arc| arc.1).collect());
    let coupling = Coupling::from_merge(source.len(), target.len(), rows, columns, masses);
    let found = Transport {
        exponent: question.exponent(),
        lower_bound,
        coupling: Some(coupling),
        potentials: potentials.filter(Potentials::are_finite),
        steps,
        stop,
        facts,
        bounding: crate::answer::Bounding::Done,
        ..Transport::new("exact", cost, CostIs::Upper)
    };
    found.proved()
}

/// What no plan of this mass costs less than: `sum a u + sum b v - l (sum a - s)`.
fn bound<T: Scalar>(
    potentials: &Potentials,
    multiplier: f64,
    mass: f64,
    [source, target]: [&Measure<T>; 2],
) -> f64 {
    // Each source is `multiplier - u` below the multiplier: such differences lose less than sums that cancel.
    let of_sources = potentials.source.iter().enumerate();
    let less = of_sources.map(|(i, u)| -source.total() * source.weight(i) * (multiplier - u));
    let of_targets = potentials.target.iter().enumerate();
    let prices = of_targets.map(|(j, v)| target.total() * target.weight(j) * v);
    exact_sum(less.chain(prices).chain([mass * multiplier]))
}

/// Leaves out the dearest pairs until so many units are left.
pub(crate) fn trim(arcs: &mut Vec<Arc>, units: u64, pay: &dyn Fn(usize, usize) -> f64) {
    let mut excess = arcs.iter().map(|arc| arc.2).sum::<u64>().saturating_sub(units);
    if excess == 0 {
        return;
    }
    let mut order: Vec<(f64, usize)> =
        arcs.iter().enumerate().map(|(k, arc)| (pay(arc.0 as usize, arc.1 as usize), k)).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    for (_, k) in order {
        let less = excess.min(arcs[k].2);
        arcs[k].2 -= less;
        excess -= less;
        if excess == 0 {
            break;
        }
    }
    arcs.retain(|arc| arc.2 > 0);
}
