//! Searches for the best direction.

mod scan;

pub use scan::{RandomSearch, Scan};

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
    /// The observer asked to stop; the best so far is returned.
    Interrupted,
}

impl Stop {
    /// A word for reports.
    pub fn name(self) -> &'static str {
        match self {
            Stop::AllTried => "all-tried",
            Stop::Interrupted => "interrupted",
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
