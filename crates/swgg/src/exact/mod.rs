//! Exact transport: the cheapest plan of all, with the potentials that prove it.
//!
//! ```text
//! W_p^p(mu, nu) = min_pi sum pi_ij |x_i - y_j|^p = max { sum a_i u_i + sum b_j v_j : u_i + v_j <= |x_i - y_j|^p }
//! ```
//!
//! Uniform clouds of one size are matched by shortest augmenting paths among the arcs that matter, checked against all others at the
//! end; everything else goes to a network simplex on the complete bipartite graph. Both begin with what the matching of a sample
//! teaches. Masses are whole numbers, so the plan is exact to the last unit; costs are computed when they are needed, so
//! memory is `O((n + m) d)`. Time grows a little faster than `n^2`: some thousand points take a fraction of a second.
//!
//! These are the parts: they answer without a story, and do not look for bounds elsewhere. The method is [`Exact`](crate::Exact). Paper: Definition "Wasserstein distance".

mod assignment;
mod extended;
mod ground;
mod guess;
mod matrix;
mod paid;
mod pairs;
pub(crate) mod partial;
mod posed;
mod simplex;
mod solver;
mod start;
mod support;
pub(crate) mod tree;
mod twins;

use ndarray::ArrayView2;

use crate::answer::{CostIs, Transport};
use crate::cost::GroundCost;
use crate::error::{ErrorKind, Result};
use crate::measure::Measure;
use crate::number::mass::{Unit, are_far_apart};
use crate::number::scalar::{Scalar, by_precision};
use crate::plan::coupling::Coupling;
use crate::plan::potentials::Potentials;
use crate::question::{self as asked, Question, QuestionHolder};
use crate::run::Run;
use crate::run::stop::Stop;
use crate::run::workers::Workers;
use ground::Distances;
pub(crate) use guess::are_gaussian_images;
use matrix::CostMatrix;
pub(crate) use paid::paid;
use pairs::Pairs;
use posed::{Carriers, Centred};
use simplex::Simplex;
use solver::Hint;
use start::{PartialPlan, in_tasks};
use support::Support;
use twins::Groups;

/// `W_2^2` and the cheapest plan, from scratch, on all threads; see [`from_start`] for other powers, starts and runs.
///
/// ```
/// use swgg::{Measure, exact::exact};
/// let mu = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0], 2)?;
/// let nu = Measure::from_slice(&[1.0, 1.0, 0.0, 1.0], 2)?;
/// let found = exact(&mu, &nu)?;
/// assert_eq!((found.cost, found.plan()?.target_of(0)), (1.0, Some(1)));
/// # Ok::<(), swgg::Error>(())
/// ```
pub fn exact<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> Result<Transport> {
    from_start(&Question::new(source, target)?, Start::default(), &mut Run::default())
}

/// Where to begin: a plan, potentials, or both, as good as they are known.
#[derive(Clone, Copy, Debug, Default)]
pub struct Start<'a> {
    /// A plan between the measures, such as that of [`MinSwgg`](crate::MinSwgg).
    pub plan: Option<&'a Coupling>,
    /// Dual potentials, such as those of a similar problem; those of the targets are used.
    pub potentials: Option<&'a Potentials>,
}

impl<'a> Start<'a> {
    /// From the answer to a similar problem, if there is one: whatever it has of a plan and of potentials.
    pub fn after(answer: Option<&'a Transport>) -> Self {
        Start {
            plan: answer.and_then(|answer| answer.coupling.as_ref()),
            potentials: answer.and_then(|answer| answer.potentials.as_ref()),
        }
    }
}

/// The cheapest plan, from what is known; costs that are given as a matrix need no start. The cost is the same whatever the start.
///
/// The answer has a plan (a matching of uniform clouds of one size, otherwise at most `n + m - 1` entries), potentials, and the bound that
/// they prove: the cost itself to rounding, unless the solver was stopped. Its steps are augmenting paths and changes of the basis of
/// the simplex.
///
/// The observer of the run is told how many sources are in order, which falls back now and then; it may stop, and then the best
/// plan so far is returned. The seed is that of the samples that teach the first prices: the cost does not depend on it, the
/// plan only among equals.
///
/// ```
/// use swgg::exact::{Start, from_start};
/// use swgg::{Measure, Question, Run};
/// let mu = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0], 2)?;
/// let nu = Measure::from_slice(&[1.0, 1.0, 0.0, 1.0], 2)?;
/// let found = from_start(&Question::new(&mu, &nu)?, Start::default(), &mut Run::default())?;
/// assert_eq!((found.cost, found.lower_bound), (1.0, Some(1.0)));
/// # Ok::<(), swgg::Error>(())
/// ```
pub fn from_start<T: Scalar>(
    question: &Question<'_, T>,
    start: Start<'_>,
    run: &mut Run<'_>,
) -> Result<Transport> {
    by_precision!(
        T: QuestionHolder<'_, '_> = question,
        (start: Start<'_> = start, run: &mut Run<'_> = run) -> Result<Transport>,
        |question| started(question, start, run)
    )
}

/// [`from_start`] with its precision known.
fn started<T: Scalar>(question: &Question<'_, T>, start: Start<'_>, run: &mut Run<'_>) -> Result<Transport> {
    let power = match question.ground() {
        asked::Ground::Distance(power) => power,
        asked::Ground::Matrix(costs) => {
            return by_costs(costs, question.source().weights(), question.target().weights(), run);
        }
        asked::Ground::Cost(cost) => return at_cost(question, cost, start, run),
    };
    let (source, target, seed) = (question.source(), question.target(), run.seed);
    let workers = run.workers()?;
    let carriers = Carriers::new(source, target);
    let centred = Centred::new(source, target, power, &workers);
    let price = |j: usize, v: f64| v - centred.beyond_price(target.point(j));
    let hint = carriers.hint(&start, (source.len(), target.len()), price)?;
    centred.check(source, target, &carriers, &workers)?;
    let (of_sources, of_targets) =
        workers.join(|| Groups::new(source, &carriers.sources), || Groups::new(target, &carriers.targets));
    let groups = [of_sources, of_targets];
    let kept = centred.kept((source, target), &carriers, &workers).filter(|_| !workers.is_halted());
    // Many points in one place make many plans that cost the same: as one point they make one. Such problems are small, and go
    // without a start.
    let mut solved = if groups.iter().any(Groups::are_crowded) {
        carriers.solve_merged(groups, |merged| {
            let ground = centred.ground(source, target, merged, &workers);
            solver::solve(&ground, merged.load(), Hint::default(), seed, &workers, run)
        })
    } else if let Some(kept) = &kept {
        solver::solve(&kept.costs, carriers.load(), hint, seed, &workers, run)
    } else {
        let ground = centred.ground(source, target, &carriers, &workers);
        solver::solve(&ground, carriers.load(), hint, seed, &workers, run)
    };
    // Told to stop, the threads still have a moment to prove what there is.
    let workers = if solved.stop == Stop::Interrupted { workers.in_grace() } else { workers };
    let everybody_carries = carriers.sources.len() == source.len() && carriers.targets.len() == target.len();
    let kept = kept.filter(|_| everybody_carries);
    if let Some(kept) = &kept {
        solved.values = carriers.values_by(kept, &solved.prices, &workers);
        if workers.is_halted() {
            solved.forget_potentials();
        }
    }
    let beyond = |k: usize| centred.beyond_value(source.point(carriers.sources[k] as usize));
    let beyond_values = in_tasks(solved.values.len(), &workers, beyond);
    solved.values.iter_mut().zip(beyond_values).for_each(|(u, beyond)| *u += beyond);
    let beyond = |k: usize| centred.beyond_price(target.point(carriers.targets[k] as usize));
    let beyond_prices = in_tasks(solved.prices.len(), &workers, beyond);
    solved.prices.iter_mut().zip(beyond_prices).for_each(|(v, beyond)| *v += beyond);
    let potentials = if kept.is_some() {
        Potentials { source: solved.values.clone(), target: solved.prices.clone() }
    } else {
        let all = Distances::new(to_f64(source), &to_f64(target), source.dim(), power);
        let found = carriers.potentials(&all, &solved.values, &solved.prices, &workers);
        if workers.is_halted() { centred.plain_potentials(source, target) } else { found }
    };
    let plan = carriers.coupling(&solved, (source.len(), target.len()));
    let cost = plan.cost(source, target, &power)?;
    let found = carriers.answer(&solved, cost, potentials, (source, target));
    Ok(Transport { exponent: question.exponent(), ..found })
}

/// Transport at given costs, `costs[[i, j]]` from source `i` to target `j`; weights are equal unless given.
///
/// ```
/// use swgg::{Run, exact::by_costs, ndarray::array};
/// let costs = array![[4.0, 1.0], [2.0, 3.0]];
/// let found = by_costs(costs.view(), None, None, &mut Run::default())?;
/// assert_eq!((found.cost, found.plan()?.target_of(0)), (1.5, Some(1)));
/// # Ok::<(), swgg::Error>(())
/// ```
pub fn by_costs(
    costs: ArrayView2<'_, f64>,
    source_weights: Option<&[f64]>,
    target_weights: Option<&[f64]>,
    run: &mut Run<'_>,
) -> Result<Transport> {
    matrix::check(costs)?;
    let (source, target) = (bare(costs.nrows(), source_weights)?, bare(costs.ncols(), target_weights)?);
    let measures = (&source, &target);
    if [&source, &target].iter().any(|side| side.weights().is_some_and(are_far_apart)) {
        return carried(costs, &Carriers::wide(&source, &target), measures, run);
    }
    carried(costs, &Carriers::new(&source, &target), measures, run)
}

/// [`by_costs`] in the units of the carriers.
fn carried<U: Unit>(
    costs: ArrayView2<'_, f64>,
    carriers: &Carriers<U>,
    (source, target): (&Measure<f64>, &Measure<f64>),
    run: &mut Run<'_>,
) -> Result<Transport> {
    let workers = run.workers()?;
    let ground = CostMatrix::new(costs, &carriers.sources, &carriers.targets);
    let solved = solver::solve(&ground, carriers.load(), Default::default(), run.seed, &workers, run);
    drop(ground);
    let everything = |count: usize| (0..count as u32).collect::<Vec<u32>>();
    let all = CostMatrix::new(costs, &everything(source.len()), &everything(target.len()));
    Ok(proved(carriers, solved, &all, (source, target), workers))
}

/// Costs that are kept, at most, for functions of two points: 256 MB.
const MAX_KEPT_PAIRS: usize = 32 << 20;

/// [`from_start`] for any function of two points.
fn at_cost<T: Scalar>(
    question: &Question<'_, T>,
    cost: &dyn GroundCost,
    start: Start<'_>,
    run: &mut Run<'_>,
) -> Result<Transport> {
    let (source, target) = (question.source(), question.target());
    let (workers, dim) = (run.workers()?, source.dim());
    let carriers = Carriers::new(source, target);
    let hint = carriers.hint(&start, (source.len(), target.len()), |_, v| v)?;
    let rows = |measure: &Measure<T>, chosen: &[u32]| -> Vec<f64> {
        chosen.iter().flat_map(|&i| measure.point(i as usize)).map(|x| x.to_f64()).collect()
    };
    let pairs = Pairs::new(cost, rows(source, &carriers.sources), rows(target, &carriers.targets), dim);
    let seed = run.seed;
    let solved = if carriers.sources.len() * carriers.targets.len() <= MAX_KEPT_PAIRS {
        let kept = CostMatrix::of_pairs(&pairs, &workers);
        let solved = solver::solve(&kept, carriers.load(), hint, seed, &workers, run);
        if carriers.sources.len() == source.len() && carriers.targets.len() == target.len() {
            return Ok(proved(&carriers, solved, &kept, (source, target), workers));
        }
        solved
    } else {
        solver::solve(&pairs, carriers.load(), hint, seed, &workers, run)
    };
    let all = Pairs::new(cost, to_f64(source), to_f64(target), dim);
    Ok(proved(&carriers, solved, &all, (source, target), workers))
}

/// The answer with potentials that hold for all pairs, those of points without mass included.
fn proved<T: Scalar, G: ground::Ground, U: Unit>(
    carriers: &Carriers<U>,
    solved: solver::Solved<U>,
    all: &G,
    (source, target): (&Measure<T>, &Measure<T>),
    workers: Workers,
) -> Transport {
    let workers = if solved.stop == Stop::Interrupted { workers.in_grace() } else { workers };
    let mut potentials = carriers.potentials(all, &solved.values, &solved.prices, &workers);
    if workers.is_halted() {
        potentials = Potentials { source: vec![0.0; source.len()], target: vec![0.0; target.len()] };
    }
    let plan = carriers.coupling(&solved, (source.len(), target.len()));
    let cost = plan.entries().map(|(i, j, mass)| mass * all.cost(i, j)).sum();
    let found = carriers.answer(&solved, cost, potentials, (source, target));
    Transport { exponent: None, ..found }
}

/// Transport along some arcs only, such as those of several plans together: the cheapest plan whose entries are all among
/// `support`. Refused if there is none. The potentials are feasible along the support, and so prove nothing about other plans: the
/// answer has no lower bound.
pub fn on_support<T: Scalar>(
    question: &Question<'_, T>,
    support: &[(u32, u32)],
    start: Start<'_>,
    run: &mut Run<'_>,
) -> Result<Transport> {
    by_precision!(
        T: QuestionHolder<'_, '_> = question,
        (support: &[(u32, u32)] = support, start: Start<'_> = start, run: &mut Run<'_> = run) -> Result<Transport>,
        |question| along(question, support, start, run)
    )
}

/// [`on_support`] with its precision known.
fn along<T: Scalar>(
    question: &Question<'_, T>,
    support: &[(u32, u32)],
    start: Start<'_>,
    run: &mut Run<'_>,
) -> Result<Transport> {
    let (source, target) = (question.source(), question.target());
    let (n, m) = (source.len(), target.len());
    for (position, &(i, j)) in support.iter().enumerate() {
        for (what, index, count) in [("source", i as usize, n), ("target", j as usize, m)] {
            if index >= count {
                return Err(ErrorKind::IndexOutOfRange { position, what, index, count }.into());
            }
        }
    }
    let workers = Workers::new(run.parallelism)?;
    let carriers = Carriers::new(source, target);
    let hint = carriers.hint(&start, (n, m), |_, v| v)?;
    let places = [Carriers::places(&carriers.sources, n), Carriers::places(&carriers.targets, m)];
    let pays = question.pays();
    let costs: Vec<f64> = support.iter().map(|&(i, j)| pays.between(i as usize, j as usize)).collect();
    let arcs = support
        .iter()
        .zip(&costs)
        .filter_map(|(&(i, j), cost)| Some((places[0][i as usize]?, places[1][j as usize]?, *cost)));
    let mut ground = Support::new(carriers.sources.len(), carriers.targets.len(), arcs);
    let prices = hint.prices.unwrap_or_else(|| vec![0.0; carriers.targets.len()]);
    let mut partial = PartialPlan::new(carriers.load());
    partial.follow(&hint.plan);
    // There are few arcs, so these threads are never told to stop.
    let start = Simplex::from_plan(&ground, carriers.load(), partial, &prices, &workers);
    let mut simplex = start.unwrap_or_else(|_| unreachable!("nobody stops these threads"));
    let (solved, strays) = loop {
        let stop = simplex.run(run);
        let strays: u64 = simplex
            .arcs()
            .filter(|arc| !ground.contains(arc.0 as usize, arc.1 as usize))
            .map(|arc| arc.2)
            .sum();
        if strays == 0 || stop == Stop::Interrupted || ground.penalty >= ground.highest_penalty() {
            break (solver::from_simplex(&simplex, 0, stop), strays);
        }
        // Some arc that is not there is still worth its penalty: raise it.
        let (tree, pivots) = simplex.into_parts();
        ground.penalty *= 64.0;
        simplex = Simplex::resume(&ground, carriers.load(), tree, pivots);
    };
    if strays > 0 {
        let share = strays as f64 / carriers.load().supply.iter().sum::<u64>() as f64;
        return Err(ErrorKind::InfeasibleSupport { share }.into());
    }
    let all = Support::new(n, m, support.iter().zip(&costs).map(|(&(i, j), cost)| (i, j, *cost)));
    let potentials = carriers.potentials(&all, &solved.values, &solved.prices, &workers);
    let cost = paid(question, &carriers.coupling(&solved, (n, m)))?;
    let found = carriers.answer(&solved, cost, potentials, (source, target));
    Ok(Transport { exponent: question.exponent(), lower_bound: None, cost_is: CostIs::Upper, ..found })
}

/// Places up to which clouds are seen as the places of their points, where points coincide often.
const MAX_MERGED_PLACES: usize = 5000;

/// Whether so many points coincide that exact transport between their places is a small problem.
pub(crate) fn merges_well<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> bool {
    let carriers = Carriers::new(source, target);
    let groups = [Groups::new(source, &carriers.sources), Groups::new(target, &carriers.targets)];
    groups.iter().any(Groups::are_crowded) && groups.iter().all(|side| side.firsts.len() <= MAX_MERGED_PLACES)
}

/// A measure that is nothing but its weights.
fn bare(count: usize, weights: Option<&[f64]>) -> Result<Measure<'static, f64>> {
    let measure = Measure::from_vec(vec![0.0; count], 1)?;
    match weights {
        Some(weights) => measure.with_weights(weights),
        None => Ok(measure),
    }
}

fn to_f64<T: Scalar>(measure: &Measure<T>) -> Vec<f64> {
    measure.points().iter().map(|x| x.to_f64()).collect()
}
