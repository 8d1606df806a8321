//! Raising the lower bound of an answer, for every solver.

use std::time::{Duration, Instant};

use super::Estimate;
use crate::answer::{Bounding, CostIs, Transport};
use crate::bound::{bounds_until, certify};
use crate::error::Result;
use crate::number::scalar::{Scalar, by_precision};
use crate::question::{Question, QuestionHolder, Sizes};
use crate::run::Run;
use crate::run::halt::Halt;
use crate::run::stop::Stop;
use crate::run::workers::Workers;

/// Seconds after a deadline that a bound may take.
const GRACE_SECONDS: f64 = 0.3;
/// Seconds per coordinate of both clouds that the bounds of the means and of the first lines take; the others end when time is up.
const SECONDS_PER_COORDINATE: f64 = 5e-8;
/// Seconds per cube of the dimension that the principal axes take, up to the dimension from which they are found otherwise.
const SECONDS_PER_CUBE: f64 = 1e-9;
const MAX_CUBED_DIM: usize = 1024;

/// What a bound takes at least, if the run asks for one.
pub(super) fn quick(sizes: Sizes, run: &Run<'_>) -> Duration {
    let Sizes { n, m, d } = sizes;
    let axes = SECONDS_PER_CUBE * (d.min(MAX_CUBED_DIM) as f64).powi(3);
    let seconds = SECONDS_PER_COORDINATE * ((n + m) * d) as f64 + axes;
    if run.bounds { Duration::from_secs_f64(seconds) } else { Duration::ZERO }
}

/// Whether a bound that takes so long is still within the time of the run.
fn has_time(run: &Run<'_>, seconds: f64) -> bool {
    run.deadline.is_none_or(|deadline| {
        let left = deadline.saturating_duration_since(Instant::now()).as_secs_f64();
        seconds <= left + GRACE_SECONDS
    })
}

/// The answer with the best lower bound that its kind of bounding finds; that of the means where there is no time for more.
///
/// Whoever stops the run meanwhile gets the best bound so far.
pub(super) fn bounded<T: Scalar>(
    found: Transport,
    question: &Question<'_, T>,
    run: &Run<'_>,
) -> Result<Transport> {
    by_precision!(
        T: QuestionHolder<'_, '_> = question,
        (found: Transport = found, run: &Run<'_> = run) -> Result<Transport>,
        |question| raised(found, question, run)
    )
}

fn raised<T: Scalar>(found: Transport, question: &Question<'_, T>, run: &Run<'_>) -> Result<Transport> {
    let was_stopped = matches!(found.stop, Stop::Interrupted | Stop::TimeLimit);
    let seconds = quick(question.sizes(), run).as_secs_f64();
    // Whoever interrupts does not want to wait.
    let is_brief = !has_time(run, seconds) || found.stop == Stop::Interrupted && seconds > GRACE_SECONDS;
    let workers = if is_brief { run.workers()?.until(Halt::told()) } else { run.workers()?.in_grace() };
    let mut found = match found.bounding {
        Bounding::Lines => by_lines(found, question, &workers)?,
        Bounding::Prices => by_prices(found, question, run, &workers)?,
        Bounding::Done => return Ok(found),
    };
    if workers.is_halted() && !is_brief && !was_stopped && found.stop != Stop::ClosedForm {
        found.stop = run.reason(Stop::Interrupted);
    }
    Ok(found)
}

fn by_lines<T: Scalar>(found: Transport, question: &Question<'_, T>, workers: &Workers) -> Result<Transport> {
    // Whoever interrupts does not want to wait; and what means and lines prove is about squared distances.
    if found.stop == Stop::Interrupted || !question.is_squared() {
        return Ok(found);
    }
    let also = found.direction.as_slice();
    let best = bounds_until(question.source(), question.target(), also, workers)?.best();
    let best = best.max(found.lower_bound.unwrap_or(0.0));
    // Rounding must not set them in the wrong order.
    let bound = if found.cost_is == CostIs::Upper { best.min(found.cost) } else { best };
    Ok(Transport { lower_bound: Some(bound), ..found })
}

fn by_prices<T: Scalar>(
    found: Transport,
    question: &Question<'_, T>,
    run: &Run<'_>,
    workers: &Workers,
) -> Result<Transport> {
    let (source, target) = (question.source(), question.target());
    let mut best = found.lower_bound;
    if question.is_squared() {
        best = Some(bounds_until(source, target, &[], workers)?.best());
    }
    let seconds = Estimate::proof_seconds(question.sizes(), run);
    let is_worth_it = found.stop != Stop::Interrupted && has_time(run, seconds) && !workers.is_halted();
    if is_worth_it && let Some(dual) = certify(question, found.plan()?, workers, run.seed)? {
        best = Some(best.map_or(dual.value, |best| best.max(dual.value)));
    }
    let bound = best.map(|best| best.clamp(0.0, found.cost));
    Ok(Transport { lower_bound: bound, ..found })
}
