//! From the plan of many lines to the optimum, or as close to it as is asked for.

use crate::answer::{Bounding, Transport};
use crate::cost::SqEuclidean;
use crate::error::Result;
use crate::exact::merges_well;
use crate::flow::{Goal, improved};
use crate::measure::pairable;
use crate::number::scalar::Scalar;
use crate::question::Question;
use crate::run::Run;
use crate::run::stop::Stop;
use crate::run::workers::Workers;

/// Points of a side from which candidates and auctions are quicker than looking at all pairs.
const MIN_POINTS: usize = 600;
/// Dimensions in which trees find candidates quickly.
const MAX_DIM: usize = 8;
/// Seconds per point that an optimum may take on one thread, on the slow side.
const SECONDS_PER_POINT: f64 = 2e-4;

/// Whether the optimum is looked for by candidates and auctions: matchings of many points in low dimension, unless points coincide so often
/// that there are few of them.
pub(super) fn is_at_scale<T: Scalar>(question: &Question<'_, T>) -> bool {
    let (source, target) = (question.source(), question.target());
    let dims = 2..=MAX_DIM;
    question.is_squared()
        && source.len() >= MIN_POINTS
        && dims.contains(&source.dim())
        && pairable(source, target)
        && !merges_well(source, target)
}

/// Seconds that the optimum may take.
pub(super) fn seconds(n: usize) -> f64 {
    n as f64 * SECONDS_PER_POINT
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
    let [source, target] = question.squared(from.method)?;
    let workers = Workers::new(run.parallelism)?;
    let seed = run.seed;
    let Some(found) = improved(source, target, from.plan()?, goal, (seed, &workers), run)? else {
        return Ok(from);
    };
    let cost = found.coupling.cost(source, target, &SqEuclidean)?;
    // An optimum that was reached is proved, even where rounding puts it above a plan that is as good.
    let (cost, coupling) = match (goal, found.is_done) {
        (Goal::Optimal, true) => (cost, Some(found.coupling)),
        _ if cost < from.cost => (cost, Some(found.coupling)),
        _ => (from.cost, from.coupling),
    };
    let stop = if found.is_done { Stop::Converged } else { run.reason(Stop::Interrupted) };
    Ok(Transport {
        cost,
        coupling,
        lower_bound: Some(found.dual.value.clamp(0.0, cost)),
        potentials: Some(found.dual.potentials),
        steps: found.steps,
        stop,
        bounding: Bounding::Done,
        ..from
    })
}
