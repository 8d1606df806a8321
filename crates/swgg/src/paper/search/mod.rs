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
pub(crate) mod registry;
mod scan;
mod start;
mod stein;
mod sweep;

pub use annealing::Annealing;
pub use descent::Optimizer;
pub use gradient::Gradient;
pub use registry::{SEARCHES, SearchKind, SearchSpec};
pub use scan::{RandomSearch, Scan};
pub use stein::Stein;
pub use sweep::Sweep;

use crate::error::Result;
use crate::line::direction::Direction;
use crate::paper::slices::Slices;
use crate::run::observe::Observe;
use crate::run::stop::Stop;

/// A way to look for a good direction. It sees a [`Slices`], never the points.
pub trait Search {
    /// Its name on the command line and in reports.
    fn name(&self) -> &'static str;
    /// Refuses settings that make no sense whatever the points are; asked before anything is computed.
    fn validate(&self) -> Result<()> {
        Ok(())
    }
    /// Looks for the direction of lowest cost; keeps the best one seen.
    fn run(&self, problem: &dyn Slices, watch: &mut dyn Observe) -> Result<SearchOutcome>;
}

/// Changes of order up to which a sweep is quick: two clouds of a thousand points.
const QUICK_TURNS: usize = 1_000_000;

/// The search that suits a problem when nobody has named one.
///
/// - dimension 1: there is only one line;
/// - the plane: [`Sweep`] for up to about a thousand points, beyond that the best of 200 random directions, which miss little;
/// - from dimension 3 on: [`Stein`], whose 464 evaluations at most find lower costs than as many random directions.
pub fn recommended(problem: &dyn Slices, seed: u64, keep_costs: bool) -> Box<dyn Search> {
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
pub struct SearchOutcome {
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
