//! The dual bound: prices prove that no plan is cheaper.

use crate::dual::{DualBound, Posed};
use crate::error::Result;
use crate::measure::Measure;
use crate::number::scalar::Scalar;
use crate::plan::coupling::Coupling;
use crate::question::{Question, Sizes};
use crate::run::workers::{Parallelism, Workers};

/// The bound that prices of the targets prove, any prices.
///
/// ```text
/// u_i = min_j |x_i - y_j|^2 - v_j,    v'_j = min_i |x_i - y_j|^2 - u_i,    W_2^2 >= sum a_i u_i + sum b_j v'_j
/// ```
///
/// Loglinear up to dimension 8. `None` where it takes too long: more dimensions and more than 20 000 points.
///
/// ```
/// use swgg::{Measure, Parallelism, bound::dual_bound};
/// let mu = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0], 2)?;
/// let nu = Measure::from_slice(&[1.0, 1.0, 0.0, 1.0], 2)?;
/// let bound = dual_bound(&mu, &nu, &[0.0, 0.0], Parallelism::Serial)?;
/// assert!(bound.is_some_and(|bound| (bound.value - 1.0).abs() < 1e-9));
/// # Ok::<(), swgg::Error>(())
/// ```
pub fn dual_bound<T: Scalar>(
    source: &Measure<T>,
    target: &Measure<T>,
    prices: &[f64],
    parallelism: Parallelism,
) -> Result<Option<DualBound>> {
    proved(&Question::new(source, target)?, prices, None, 0, &Workers::new(parallelism)?)
}

/// [`dual_bound`], where a plan, which tells where to look and where prices should go, betters them for some `rounds` first.
pub(super) fn proved<T: Scalar>(
    question: &Question<'_, T>,
    prices: &[f64],
    plan: Option<&Coupling>,
    rounds: usize,
    workers: &Workers,
) -> Result<Option<DualBound>> {
    let Some(posed) = Posed::new(question, workers)? else { return Ok(None) };
    let planned = posed.planned(plan)?;
    let prices = posed.given(prices)?;
    let near = plan.map(|_| planned.images());
    let first = planned.priced(prices, near.as_deref(), workers);
    let best = if plan.is_some() { planned.ascend(first, rounds, workers) } else { first };
    Ok(Some(posed.bound(&planned, best, workers)))
}

/// Rounds of ascent that a certificate may take.
const MAX_CERTIFY_ROUNDS: usize = 8;
/// Points of a side up to which it takes any: beyond, the last per mille is not worth as much time as the plan took.
const MAX_POINTS_TO_ASCEND: usize = 1 << 17;

/// The best bound that a plan can be made to prove in the time of about ten sweeps over the points.
///
/// From a plan that is nearly optimal the bound is nearly its cost, unless distances between neighbours are as large as the
/// displacements, as they are between two samples of one law. `None` where it takes too long, see [`dual_bound`], and if the threads
/// are told to stop before there is one; told so later they return what there is.
pub(crate) fn certify<T: Scalar>(
    question: &Question<'_, T>,
    plan: &Coupling,
    workers: &Workers,
    seed: u64,
) -> Result<Option<DualBound>> {
    let Some(posed) = Posed::new(question, workers)? else { return Ok(None) };
    let planned = posed.planned(Some(plan))?;
    let near = planned.images();
    let learnt = planned.learn(question.sizes().d, seed, workers)?;
    let best = planned.priced(learnt, Some(&near), workers);
    // Told to stop before anything is proved.
    if workers.is_halted() {
        return Ok(None);
    }
    let Sizes { n, m, .. } = question.sizes();
    let is_small = n.max(m) <= MAX_POINTS_TO_ASCEND;
    let rounds = if is_small { MAX_CERTIFY_ROUNDS } else { 0 };
    let best = planned.ascend(best, rounds, workers);
    Ok(Some(posed.bound(&planned, best, workers)))
}
