//! From the plan of many lines to the optimum, or as close to it as is asked for.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::answer::{Bounding, Transport};
use crate::dual::has_candidates;
use crate::error::Result;
use crate::exact::{merges_well, paid};
use crate::flow::{Goal, improved};
use crate::measure::pairable;
use crate::number::scalar::Scalar;
use crate::plan::potentials::Potentials;
use crate::pricing::finds_candidates;
use crate::question::{Ground, Question, Sizes};
use crate::run::Run;
use crate::run::observe::{Observe, Progress};
use crate::run::stop::Stop;

/// Points of a side from which candidates and auctions are quicker than looking at all pairs.
const MIN_POINTS: usize = 600;
/// Dimensions in which trees find candidates quickly.
const MAX_DIM: usize = 8;
/// Seconds per point that an optimum may take, on the slow side.
const SECONDS_PER_POINT: f64 = 5e-5;
/// Seconds per point of both sides that the proof of what was reached takes.
const PROOF_SECONDS_PER_POINT: f64 = 1.5e-6;
/// Dimension from which trees take longer than an auction with all pairs of points before it.
const MIN_DIM_WITHOUT_TREES: usize = 128;
/// Seconds per product of two coordinates, on the slow side.
const SECONDS_PER_PRODUCT: f64 = 5e-11;
/// Seconds per pair of points of an auction with all pairs before it.
const SECONDS_PER_DENSE_PAIR: f64 = 5e-8;
/// Seconds per pair of points for plans that split points.
const SECONDS_PER_SPLIT_PAIR: f64 = 4e-9;

/// Points of both sides up to which plans that split points are made optimal by default: the simplex along candidates grows like the square.
const MAX_SPLIT_POINTS: usize = 40_000;

/// Bytes per point: trees, candidates, and the graph they make.
pub(super) const BYTES_PER_POINT: f64 = 1000.0;

/// Whether clouds of these sizes are large enough, in a dimension in which trees find candidates.
pub(super) fn are_at_scale(sizes: Sizes) -> bool {
    sizes.n.min(sizes.m) >= MIN_POINTS && (2..=MAX_DIM).contains(&sizes.d)
}

/// Whether the optimum is looked for by candidates and auctions: many points in low dimension, unless points coincide so often
/// that there are few of them.
pub(super) fn is_at_scale<T: Scalar>(question: &Question<'_, T>) -> bool {
    let sizes = question.sizes();
    match question.ground() {
        Ground::Distance(_) => are_at_scale(sizes) && !are_few(question),
        // Points on a line have no closed form at any cost.
        Ground::Cost(_) => {
            are_at_scale(Sizes { d: sizes.d.max(2), ..sizes })
                && has_candidates(question)
                && !are_few(question)
        }
        Ground::Matrix(_) => false,
    }
}

/// Whether points coincide so often that exact transport between their places is a small problem.
fn are_few<T: Scalar>(question: &Question<'_, T>) -> bool {
    // Exact transport sees places for distances only.
    let sees_places = matches!(question.ground(), Ground::Distance(_));
    sees_places && merges_well(question.source(), question.target())
}

/// Whether an auction has all pairs of points before it: matchings of some thousand points in more dimensions than trees are good for, and
/// plans that split points where trees are slow.
pub(super) fn is_dense<T: Scalar>(question: &Question<'_, T>) -> bool {
    let (Sizes { n, d, .. }, [source, target]) = (question.sizes(), [question.source(), question.target()]);
    d > MAX_DIM
        && n >= MIN_POINTS
        && has_candidates(question)
        && (pairable(source, target) || splits_densely(question.sizes()))
        && !are_few(question)
}

/// Whether plans that split points have all pairs before them.
fn splits_densely(sizes: Sizes) -> bool {
    trees_are_slow(sizes) && sizes.n + sizes.m <= MAX_SPLIT_POINTS && sizes.m >= MIN_POINTS
}

/// Whether trees take longer than an auction with all pairs before it.
pub(super) fn trees_are_slow(sizes: Sizes) -> bool {
    sizes.d >= MIN_DIM_WITHOUT_TREES
}

/// Bytes of an auction with all pairs before it, none where there is none: products, and the points twice.
pub(super) fn dense_bytes(sizes: Sizes) -> f64 {
    let Sizes { n, m, d } = sizes;
    let fits = n == m || splits_densely(sizes);
    let is_dense = d > MAX_DIM && n >= MIN_POINTS && fits && finds_candidates(n, m, d, true);
    if is_dense { n as f64 * m as f64 * 4.0 + (n + m) as f64 * d as f64 * 24.0 } else { 0.0 }
}

/// Seconds that an auction with all pairs before it may take.
pub(super) fn dense_seconds(Sizes { n, m, d }: Sizes) -> f64 {
    n as f64 * m as f64 * (d as f64 * SECONDS_PER_PRODUCT + SECONDS_PER_DENSE_PAIR)
}

/// Whether all of that, the simplex included, is quick enough to be done without being asked for.
pub(super) fn is_quick<T: Scalar>(question: &Question<'_, T>) -> bool {
    let (source, target) = (question.source(), question.target());
    pairable(source, target) || source.len() + target.len() <= MAX_SPLIT_POINTS
}

/// Seconds that the optimum may take, for matchings and for plans that split points.
pub(super) fn seconds(sizes: Sizes, is_matching: bool) -> f64 {
    let both = (sizes.n + sizes.m) as f64;
    if is_matching { both * SECONDS_PER_POINT } else { both * both * SECONDS_PER_SPLIT_PAIR }
}

/// The plan made better until the goal is reached or the run ends, with prices that prove how good it is. Its cost is never above that of
/// the plan it began with.
pub(super) fn pursued<T: Scalar>(
    question: &Question<'_, T>,
    from: Transport,
    goal: Goal,
    run: &mut Run<'_>,
) -> Result<Transport> {
    if matches!(from.stop, Stop::Interrupted | Stop::TimeLimit) {
        return Ok(from);
    }
    let (source, target) = (question.source(), question.target());
    let workers = run.workers()?;
    let seed = run.seed;
    // The proof at the end takes a while too.
    let proof = Duration::from_secs_f64(PROOF_SECONDS_PER_POINT * (source.len() + target.len()) as f64);
    let begin_proof = run.deadline.and_then(|deadline| deadline.checked_sub(proof));
    // Steps are counted on from those of the plan; how many there will be nobody knows.
    let (mut tried, best) = (from.steps, from.cost);
    let mut watch = |_: &Progress| {
        tried += 1;
        if begin_proof.is_some_and(|time| Instant::now() >= time) {
            run.is_late = true;
            return ControlFlow::Break(());
        }
        run.progress(&Progress { tried, total: 2 * tried, best })
    };
    let Some(found) = improved(question, from.plan()?, goal, (seed, &workers), &mut watch)? else {
        return Ok(from);
    };
    let cost = paid(question, &found.coupling)?;
    // An optimum that was reached is proved, even where rounding puts it above a plan that is as good.
    let (cost, coupling) = match (goal, found.is_done) {
        (Goal::Optimal, true) => (cost, Some(found.coupling)),
        _ if cost < from.cost => (cost, Some(found.coupling)),
        _ => (from.cost, from.coupling),
    };
    let stop = if found.is_done { Stop::Converged } else { run.reason(Stop::Interrupted) };
    let (coupling, steps) = (coupling, found.steps);
    let Some(dual) = found.dual else { return Ok(Transport { cost, coupling, steps, stop, ..from }) };
    Ok(Transport {
        cost,
        coupling,
        lower_bound: Some(dual.value.clamp(0.0, cost)),
        potentials: Some(dual.potentials).filter(Potentials::are_finite),
        steps,
        stop,
        bounding: Bounding::Done,
        ..from
    })
}
