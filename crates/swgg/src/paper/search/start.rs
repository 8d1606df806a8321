//! Where searches begin.

use super::record::Record;
use crate::error::Result;
use crate::line::direction::{Direction, DirectionSet};
use crate::line::sampler::{Sampler, Sphere};
use crate::paper::slices::Slices;

/// Random directions tried for a place to start, besides the principal axes, unless more starts are wanted.
const MIN_RANDOM_DIRECTIONS: usize = 32;

/// Directions that are looked at before a search chooses among them: those given, the principal axes, random ones.
pub(super) fn candidates(
    problem: &dyn Slices,
    given: Option<&Direction>,
    starts: usize,
    seed: u64,
) -> Result<DirectionSet> {
    let axes = problem.axes()?;
    let drawn = Sphere::new(problem.dim(), seed)?.batch(0..starts.max(MIN_RANDOM_DIRECTIONS));
    let mut set = DirectionSet::with_capacity(problem.dim(), axes.len() + drawn.len() + 1);
    if let Some(theta) = given {
        theta.check(problem.dim())?;
        set.push(theta);
    }
    for others in [&axes, &drawn] {
        (0..others.len()).for_each(|k| set.push(&others.get(k)));
    }
    Ok(set)
}

/// The best `count` candidates with their costs; a direction that was given comes first whatever it costs.
pub(super) fn choose(
    candidates: &DirectionSet,
    given: Option<&Direction>,
    count: usize,
    record: &mut Record,
) -> Result<Vec<(Direction, f64)>> {
    let costs = record.costs(candidates)?;
    let first = usize::from(given.is_some());
    let mut order: Vec<usize> = (first..costs.len()).collect();
    order.sort_by(|&k, &l| costs[k].total_cmp(&costs[l]).then(k.cmp(&l)));
    let chosen = (0..first.min(costs.len())).chain(order).take(count.max(1));
    Ok(chosen.map(|k| (candidates.get(k), costs[k])).collect())
}
