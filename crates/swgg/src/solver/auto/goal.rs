//! How close to the optimum the default solver goes.

use std::time::{Duration, Instant};

use super::super::optimal;
use super::{Auto, SECONDS_PER_WORK, work};
use crate::flow::Goal;
use crate::measure::pairable;
use crate::number::scalar::Scalar;
use crate::question::{Question, Sizes};
use crate::run::Run;

/// The effort from which plans are made nearly optimal by an auction.
const AUCTION_EFFORT: u8 = 5;
/// The effort from which that is done even if it takes much longer than the stages.
const PATIENT_EFFORT: u8 = 8;
/// The certified gap at which each of these efforts stops; the last one goes on to the optimum.
const GAP_BY_EFFORT: [f64; 5] = [5e-3, 2e-3, 1e-3, 3e-4, 5e-5];
/// The same at other costs than squared distances, where prices are flat and the last digits take long.
const OTHER_GAP_BY_EFFORT: [f64; 5] = [1e-2, 5e-3, 2e-3, 1e-3, 2e-4];
/// The same of the efforts below, where an auction is quicker than trees.
const GAP_BY_LESS_EFFORT: [f64; 4] = [3e-2, 2e-2, 1.5e-2, 1e-2];

impl Auto {
    /// Whether exact transport looks at all pairs, within this time if it is limited: half of it must be enough, as far as one can tell.
    pub(super) fn looks_at_all(&self, sizes: Sizes, is_patient: bool, limit: Option<Duration>) -> bool {
        self.is_exact(sizes, is_patient)
            && limit.is_none_or(|limit| limit.as_secs_f64() >= 2.0 * SECONDS_PER_WORK * work(sizes))
    }

    /// How close to the optimum an auction should bring the plan; `None` where there is none.
    pub(super) fn goal<T: Scalar>(&self, question: &Question<'_, T>, run: &Run<'_>) -> Option<Goal> {
        let sizes = question.sizes();
        if !question.is_squared() {
            // Prices at other costs are flat, and auctions long: what is small is looked at pair by pair, whatever the gap.
            let limit = run.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let is_patient = limit.is_some() || run.gap.is_some();
            if self.looks_at_all(sizes, is_patient, limit) {
                return None;
            }
        }
        if optimal::is_dense(question) {
            return self.dense_goal(sizes, run);
        }
        let goal = match (run.gap, run.deadline) {
            (Some(gap), _) => Some(Goal::Gap(gap)),
            // Trees and passes know squared distances only: what there is of time is for the auction.
            (None, Some(_)) if !question.is_squared() => Some(Goal::Optimal),
            (None, Some(deadline)) => {
                // Where time is short it is better spent on the plan.
                let left = deadline.saturating_duration_since(Instant::now()).as_secs_f64();
                let is_matching = pairable(question.source(), question.target());
                (left >= optimal::seconds(sizes, is_matching)).then_some(Goal::Optimal)
            }
            _ if self.is_exact(sizes, false) => Some(Goal::Optimal),
            _ if self.effort < AUCTION_EFFORT => None,
            _ => {
                let gaps = if question.is_squared() { &GAP_BY_EFFORT } else { &OTHER_GAP_BY_EFFORT };
                let gap = gaps.get(usize::from(self.effort - AUCTION_EFFORT));
                let is_quick = optimal::is_quick(question);
                Some(match gap {
                    Some(&gap) if is_quick => Goal::Gap(gap),
                    Some(&gap) if self.effort < PATIENT_EFFORT => Goal::AuctionedGap(gap),
                    _ => Goal::Optimal,
                })
            }
        };
        goal.filter(|_| optimal::is_at_scale(question))
    }

    /// The same where all pairs of points are before the auction: in high dimension it is quicker than trees at any effort.
    fn dense_goal(&self, sizes: Sizes, run: &Run<'_>) -> Option<Goal> {
        let left = run.deadline.map(|end| end.saturating_duration_since(Instant::now()).as_secs_f64());
        let is_brief = left.is_some_and(|left| left < optimal::dense_seconds(sizes));
        let prefers_trees =
            self.effort < AUCTION_EFFORT && run.gap.is_none() && !optimal::trees_are_slow(sizes);
        if is_brief || prefers_trees || self.is_exact(sizes, false) {
            return None;
        }
        let by_effort = GAP_BY_LESS_EFFORT.iter().chain(&GAP_BY_EFFORT).nth(usize::from(self.effort - 1));
        let by_effort = by_effort.filter(|_| left.is_none()).copied();
        Some(run.gap.or(by_effort).map_or(Goal::Optimal, Goal::Gap))
    }
}
