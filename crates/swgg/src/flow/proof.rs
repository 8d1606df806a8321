//! From measures and a plan to a better plan and its proof.

use super::matching::{Goal, matching};
use super::transport::{Moved, transport};
use crate::bound::{DualBound, Posed};
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
    pub dual: DualBound,
    /// Bids and paths.
    pub steps: usize,
    /// Whether the goal was reached; if not, the observer asked to stop.
    pub is_done: bool,
}

/// A plan at least as good as the one given; `None` where candidates cannot be found quickly: many points in dimensions beyond those of trees.
pub(crate) fn improved<T: Scalar>(
    question: &Question<'_, T>,
    plan: &Coupling,
    goal: Goal,
    (seed, workers): (u64, &Workers),
    watch: &mut dyn Observe,
) -> Result<Option<Optimal>> {
    let (source, target) = (question.source(), question.target());
    let Some(posed) = Posed::with_candidates(source, target, workers)? else { return Ok(None) };
    let planned = posed.planned(Some(plan))?;
    if !pairable(source, target) {
        let found = transport(question, &posed, (plan, &planned), goal, (seed, workers), watch)?;
        let Moved { coupling, priced, steps, is_done } = found;
        let dual = posed.bound(&planned, priced, workers);
        return Ok(Some(Optimal { coupling, dual, steps, is_done }));
    }
    let start = planned.images();
    let found = matching(&*posed.ground, &start, (goal, posed.constant()), seed, workers, watch);
    let mut targets = vec![0; start.len()];
    for (&i, &j) in posed.carriers[0].iter().zip(&found.target_of) {
        targets[i as usize] = posed.carriers[1][j as usize];
    }
    let priced = planned.priced(found.prices, Some(&found.target_of), workers);
    let dual = posed.bound(&planned, priced, workers);
    let (steps, is_done) = (found.steps, found.is_done);
    Ok(Some(Optimal { coupling: Coupling::from_targets(targets), dual, steps, is_done }))
}
