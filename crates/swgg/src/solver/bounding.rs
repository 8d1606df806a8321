//! Raising the lower bound of an answer, for every solver.

use std::time::Instant;

use super::Estimate;
use crate::answer::{Bounding, CostIs, Transport};
use crate::bound::{certify, lower_bounds};
use crate::error::Result;
use crate::number::scalar::Scalar;
use crate::question::{Question, Sizes};
use crate::run::Run;
use crate::run::stop::Stop;
use crate::run::workers::Workers;

/// Seconds after a deadline that a bound may take.
const GRACE_SECONDS: f64 = 0.3;
/// Seconds per coordinate of both clouds that the bounds of means, lines and covariances take, on the slow side.
const SECONDS_PER_COORDINATE: f64 = 4e-7;

/// Whether a bound that takes so long is still within the time of the run.
fn has_time(run: &Run<'_>, seconds: f64) -> bool {
    run.deadline.is_none_or(|deadline| {
        let left = deadline.saturating_duration_since(Instant::now()).as_secs_f64();
        seconds <= left + GRACE_SECONDS
    })
}

/// The answer with the best lower bound that its kind of bounding finds; none beyond zero where a deadline leaves no time for it.
pub(super) fn bounded<T: Scalar>(
    found: Transport,
    question: &Question<'_, T>,
    run: &Run<'_>,
) -> Result<Transport> {
    let Sizes { n, m, d } = question.sizes();
    if !has_time(run, ((n + m) * d) as f64 * SECONDS_PER_COORDINATE) {
        return Ok(Transport { lower_bound: Some(found.lower_bound.unwrap_or(0.0)), ..found });
    }
    match found.bounding {
        Bounding::Lines => by_lines(found, question, run),
        Bounding::Prices => by_prices(found, question, run),
        Bounding::Done => Ok(found),
    }
}

fn by_lines<T: Scalar>(found: Transport, question: &Question<'_, T>, run: &Run<'_>) -> Result<Transport> {
    // Whoever interrupts does not want to wait.
    if found.stop == Stop::Interrupted {
        return Ok(found);
    }
    let also = found.direction.as_slice();
    let best = lower_bounds(question.source(), question.target(), also, run.parallelism)?.best();
    let best = best.max(found.lower_bound.unwrap_or(0.0));
    // Rounding must not set them in the wrong order.
    let bound = if found.cost_is == CostIs::Upper { best.min(found.cost) } else { best };
    Ok(Transport { lower_bound: Some(bound), ..found })
}

fn by_prices<T: Scalar>(found: Transport, question: &Question<'_, T>, run: &Run<'_>) -> Result<Transport> {
    let (source, target) = (question.source(), question.target());
    let mut best = lower_bounds(source, target, &[], run.parallelism)?.best();
    let seconds = Estimate::proof_seconds(question.sizes(), run);
    if found.stop != Stop::Interrupted && has_time(run, seconds) {
        let workers = Workers::new(run.parallelism)?;
        if let Some(dual) = certify(source, target, found.plan()?, &workers, run.seed)? {
            best = best.max(dual.value);
        }
    }
    let bound = Some(best.clamp(0.0, found.cost));
    Ok(Transport { lower_bound: bound, ..found })
}
