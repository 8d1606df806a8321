//! Lower bounds beside plans, and words about both.

use swgg::{Direction, Measure, Parallelism, Scalar, Stop, lower_bounds};

use crate::errors::Outcome;
use crate::solve::Found;

/// Raises the lower bound of a plan for squared distances to the best that is cheap to know, as the command line does.
pub fn bounded<T: Scalar>(
    found: Found,
    mu: &Measure<'_, T>,
    nu: &Measure<'_, T>,
    parallelism: Parallelism,
) -> Outcome<Found> {
    let own = found.lower_bound.unwrap_or(0.0);
    // Somebody who stopped early does not want to wait, and what is proven needs no further proof.
    if found.stop == Stop::Interrupted || found.value - own <= 1e-9 * found.value {
        return Ok(found);
    }
    let also: Vec<Direction> = found.theta.iter().filter_map(|theta| Direction::new(theta).ok()).collect();
    let best = lower_bounds(mu, nu, &also, parallelism)?.best().max(own);
    // Rounding must not set them in the wrong order.
    Ok(Found { lower_bound: Some(best.min(found.value)), ..found })
}

/// A little lower: coordinates in another basis are rounded, and a bound must not be above for that.
pub fn below(bound: f64) -> f64 {
    bound * (1.0 - 1e-12)
}

/// `1 point`, `2 points`.
pub fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
