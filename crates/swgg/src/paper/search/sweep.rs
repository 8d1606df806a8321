//! Every direction of the plane.

use std::ops::ControlFlow;

use super::record::Record;
use super::registry::{KEEP_COSTS, START, SearchKind};
use super::{Search, SearchOutcome};
use crate::error::Result;
use crate::line::direction::{Direction, DirectionSet};
use crate::paper::plane::Arc;
use crate::paper::slices::Slices;
use crate::run::observe::Observe;
use crate::run::stop::Stop;

/// min-SWGG in the plane, exactly: the lowest cost over all directions.
///
/// Turns through the [arcs](Arc) on which plan and cost stand still, then evaluates the middle of the best ones anew. Directions
/// where several points project alike (ties, ordered by index) are no arcs: of these it tries the axes, the principal axes and
/// the start. `O(n^2 log n)`, for up to about 2000 points; arcs narrower than 1e-13 are not told apart.
///
/// Paper: the counting argument behind the number of permutations in Section 3, made a search.
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    /// A direction to try besides all others.
    pub start: Option<Direction>,
    /// Whether to keep the cost of every arc.
    pub keep_costs: bool,
}

/// Arcs whose middle is evaluated anew: costs brought forward from arc to arc are off by rounding.
const MAX_FINALISTS: usize = 16;
/// Arcs between two reports to the observer.
const ARCS_PER_REPORT: usize = 1 << 14;

impl Sweep {
    /// Its line in the list of searches.
    pub(super) const KIND: SearchKind = SearchKind {
        name: "sweep",
        about: "Every direction of the plane, for up to about 2000 points: the true minimum",
        settings: &[&START],
        build: |settings, _, dim| {
            let (start, keep_costs) = (settings.direction(&START, dim)?, settings.flag(&KEEP_COSTS));
            Ok(Box::new(Sweep { start, keep_costs }))
        },
    };
}

impl Search for Sweep {
    fn name(&self) -> &'static str {
        "sweep"
    }

    fn run(&self, problem: &dyn Slices, watch: &mut dyn Observe) -> Result<SearchOutcome> {
        let mut others = problem.axes()?;
        for axis in 0..problem.dim() {
            others.push(&Direction::axis(problem.dim(), axis)?);
        }
        if let Some(start) = &self.start {
            start.check(problem.dim())?;
            others.push(start);
        }
        let total = problem.turns()? + others.len() + MAX_FINALISTS;
        let mut record = Record::new(problem, watch, total, self.keep_costs);
        let mut finalists: Vec<Arc> = Vec::with_capacity(MAX_FINALISTS + 1);
        let mut passed = Vec::with_capacity(ARCS_PER_REPORT);
        problem.turn(&mut |arc| {
            if finalists.len() < MAX_FINALISTS || finalists.last().is_some_and(|last| arc.cost < last.cost) {
                let place = finalists.partition_point(|other| other.cost <= arc.cost);
                finalists.insert(place, arc);
                finalists.truncate(MAX_FINALISTS);
            }
            passed.push(arc.cost);
            if passed.len() == ARCS_PER_REPORT {
                record.pass(&passed, finalists[0].cost);
                passed.clear();
            }
            if record.interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if let Some(best) = finalists.first() {
            record.pass(&passed, best.cost);
        }
        let mut last = DirectionSet::with_capacity(problem.dim(), MAX_FINALISTS + others.len());
        for arc in &finalists {
            last.push(&Direction::at_angle(arc.middle())?);
        }
        (0..others.len()).for_each(|k| last.push(&others.get(k)));
        let costs = problem.costs(&last)?;
        record.see(&last, &costs);
        record.finish(Stop::AllTried)
    }
}
