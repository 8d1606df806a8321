//! From measures and a plan to a better plan and its proof.

use super::matching::{Goal, matching};
use super::transport::{Moved, transport};
use crate::dual::{DualBound, Planned, Posed};
use crate::error::Result;
use crate::measure::pairable;
use crate::number::scalar::Scalar;
use crate::plan::coupling::Coupling;
use crate::question::Question;
use crate::run::observe::Observe;
use crate::run::workers::Workers;

/// A plan, and the bound that proves how good it is.
pub(crate) struct Optimal {
    pub coupling: Coupling,
    /// None if it was stopped with no time left to prove anything.
    pub dual: Option<DualBound>,
    /// Bids and paths.
    pub steps: usize,
    /// Whether the goal was reached; if not, the observer asked to stop.
    pub is_done: bool,
}

/// Points of both sides from which it is worth a look whether the plan is good enough already.
const MIN_POINTS_TO_PROVE_FIRST: usize = 50_000;

/// A plan at least as good as the one given; `None` where candidates cannot be found quickly: many points in dimensions beyond those of trees.
pub(crate) fn improved<T: Scalar>(
    question: &Question<'_, T>,
    plan: &Coupling,
    goal: Goal,
    (seed, workers): (u64, &Workers),
    watch: &mut dyn Observe,
) -> Result<Option<Optimal>> {
    let (source, target) = (question.source(), question.target());
    let Some(posed) = Posed::with_candidates(question, workers)? else { return Ok(None) };
    let planned = posed.planned(Some(plan))?;
    // Many points whose plan can be proved to be good enough at once need no auction. At other costs than squared distances plans are
    // those of another cost, and what they teach about prices is worth more than they are themselves.
    let is_squared = question.is_squared();
    let mut known = None;
    if goal != Goal::Optimal && (source.len() + target.len() >= MIN_POINTS_TO_PROVE_FIRST || !is_squared) {
        let learnt = planned.learn(source.dim(), seed, workers)?;
        let first = planned.priced(learnt, Some(&planned.images()), workers);
        let constant = posed.constant();
        if goal.is_reached(planned.cost() + constant, first.worth + constant) && !workers.is_halted() {
            let dual = Some(posed.bound(&planned, first, workers));
            return Ok(Some(Optimal { coupling: plan.clone(), dual, steps: 0, is_done: true }));
        }
        if !is_squared {
            let (prices, _) = posed.ground.prices(&first.values, None, workers);
            known = Some(prices).filter(|_| !workers.is_halted());
        }
    }
    if !pairable(source, target) {
        let Moved { coupling, prices, steps, is_done } =
            transport(question, &posed, (plan, &planned, known), goal, (seed, workers), watch)?;
        let dual = proof(&posed, &planned, prices, &planned.images(), workers);
        return Ok(Some(Optimal { coupling, dual, steps, is_done: is_done && !workers.is_halted() }));
    }
    let start = planned.images();
    let found = matching(&*posed.ground, (&start, known), (goal, posed.constant()), seed, workers, watch);
    let mut targets = vec![0; start.len()];
    for (&i, &j) in posed.carriers[0].iter().zip(&found.target_of) {
        targets[i as usize] = posed.carriers[1][j as usize];
    }
    let (steps, is_done) = (found.steps, found.is_done && !workers.is_halted());
    let dual = proof(&posed, &planned, found.prices, &found.target_of, workers);
    Ok(Some(Optimal { coupling: Coupling::from_targets(targets), dual, steps, is_done }))
}

/// The bound that prices prove; `near` are targets to look at first. `None` if there is no time left for it.
fn proof<T: Scalar>(
    posed: &Posed<'_, T>,
    planned: &Planned<'_>,
    prices: Vec<f64>,
    near: &[u32],
    workers: &Workers,
) -> Option<DualBound> {
    let workers = &workers.in_grace();
    if !prices.iter().all(|price| price.is_finite()) {
        return None;
    }
    let priced = planned.priced(prices, Some(near), workers);
    // Values that nobody had the time to look for prove nothing.
    (!workers.is_halted()).then(|| posed.bound(planned, priced, workers))
}
