//! The dual problem: prices of the targets, what a plan teaches about them, and what they prove.
//!
//! Bounds ask how much a plan can be made to prove, and the solvers for the optimum how far they still are from it. Both pose two measures
//! ([`Posed`]), put a plan between them ([`Planned`]) and look at prices ([`Planned::priced`]).

mod ascent;
mod posed;

pub(crate) use ascent::{Pair, Planned};
pub(crate) use posed::{Posed, has_candidates, has_prices, metric};

use crate::plan::potentials::Potentials;

/// A lower bound of the optimum, `W_2^2` for squared distances, and the potentials that prove it.
#[derive(Clone, Debug, PartialEq)]
pub struct DualBound {
    /// Never above the optimum, whatever the prices were and however sums were rounded.
    pub value: f64,
    /// Feasible to rounding, points without mass included.
    pub potentials: Potentials,
}
