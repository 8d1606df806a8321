//! Searches for the best direction.
//!
//! | search | best for | evaluations |
//! |---|---|---|
//! | [`RandomSearch`] | low dimensions, a first look | `L` |
//! | [`Annealing`] | anything, without gradients | `K` per walk |
//! | [`Gradient`] | high dimensions | `K` blurred ones per start |
//! | [`Stein`] | high dimensions, without the blur | `2 P K` |
//! | [`Sweep`] | the plane, small clouds: the true minimum | all |
//!
//! Every search keeps the best direction it has ever seen, tells an observer about it, and depends on its seed only.

mod annealing;
pub(crate) mod descent;
mod gradient;
mod record;
mod scan;
mod start;
mod stein;
mod sweep;

pub use annealing::Annealing;
pub use descent::Optimizer;
pub use gradient::Gradient;
pub use scan::{RandomSearch, Scan};
pub use stein::Stein;
pub use sweep::Sweep;

use std::fmt;

use crate::direction::Direction;
use crate::error::Result;
use crate::observe::Observe;
use crate::problem::Problem;

/// A way to look for a good direction. It sees a [`Problem`], never the points.
pub trait Search {
    /// Its name on the command line and in reports.
    fn name(&self) -> &'static str;
    /// Looks for the direction of lowest cost; keeps the best one seen.
    fn run(&self, problem: &dyn Problem, watch: &mut dyn Observe) -> Result<Found>;
}

/// Changes of order up to which a sweep is quick: two clouds of a thousand points.
const QUICK_TURNS: usize = 1_000_000;

/// The search that suits a problem when nobody has named one.
///
/// - dimension 1: there is only one line;
/// - the plane: [`Sweep`] for up to about a thousand points, beyond that the best of 200 random directions, which miss little;
/// - from dimension 3 on: [`Stein`], whose 464 evaluations at most find lower costs than as many random directions.
pub fn recommended(problem: &dyn Problem, seed: u64, keep_costs: bool) -> Box<dyn Search> {
    let random = |directions| Box::new(RandomSearch { directions, seed, keep_costs });
    match problem.dim() {
        1 => random(1),
        2 if problem.turns().is_ok_and(|turns| turns <= QUICK_TURNS) => {
            Box::new(Sweep { start: None, keep_costs })
        }
        2 => random(RandomSearch::DIRECTIONS),
        _ => Box::new(Stein { seed, keep_costs, ..Default::default() }),
    }
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The best direction seen.
    pub theta: Direction,
    /// Its cost, `SWGG_2^2`.
    pub cost: f64,
    /// Which one it was, counted from 0 in the order tried.
    pub index: usize,
    /// How many directions were tried.
    pub tried: usize,
    /// Why the search ended.
    pub stop: Stop,
    /// The cost of every direction tried, if the search was asked to keep them.
    pub costs: Option<Vec<f64>>,
}

/// Why a search ended: a fact about the result, not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// Every direction was tried.
    AllTried,
    /// All steps were taken.
    MaxIterations,
    /// There is nowhere to go: the gradient vanishes.
    Converged,
    /// Time was up; the best so far is returned.
    TimeLimit,
    /// The observer asked to stop; the best so far is returned.
    Interrupted,
}

impl Stop {
    /// A word for reports.
    pub fn name(self) -> &'static str {
        match self {
            Stop::AllTried => "all-tried",
            Stop::MaxIterations => "max-iterations",
            Stop::Converged => "converged",
            Stop::TimeLimit => "time-limit",
            Stop::Interrupted => "interrupted",
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
