//! Raising the lower bound of an answer, for every solver.

use crate::answer::{Bounding, CostIs, Transport};
use crate::bound::{certify, lower_bounds};
use crate::error::Result;
use crate::number::scalar::Scalar;
use crate::question::Question;
use crate::run::Run;
use crate::run::stop::Stop;
use crate::run::workers::Workers;

/// The answer with the best lower bound that its kind of bounding finds.
pub(super) fn bounded<T: Scalar>(
    found: Transport,
    question: &Question<'_, T>,
    run: &Run<'_>,
) -> Result<Transport> {
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
    if found.stop != Stop::Interrupted {
        let workers = Workers::new(run.parallelism)?;
        if let Some(dual) = certify(source, target, found.plan()?, &workers, run.seed)? {
            best = best.max(dual.value);
        }
    }
    let bound = Some(best.clamp(0.0, found.cost));
    Ok(Transport { lower_bound: bound, ..found })
}
