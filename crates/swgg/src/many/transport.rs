//! Answers that say how good they are.

use crate::bounds::{certify, lower_bounds};
use crate::cost::SqEuclidean;
use crate::coupling::Coupling;
use crate::error::Result;
use crate::measure::Measure;
use crate::par::{Parallelism, Workers};
use crate::scalar::Scalar;
use crate::search::Stop;

/// A plan, what it costs, and what no plan can cost less than.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Transport {
    /// Cost of the plan, its mean squared displacement: an upper bound of `W_2^2`.
    pub cost: f64,
    /// A certified lower bound of `W_2^2`; `None` when none was asked for and none came with the plan.
    pub lower_bound: Option<f64>,
    /// The plan.
    pub coupling: Coupling,
    /// One word for what found it: `exact`, `line`, `refined`, `tree` or `merged`.
    pub solver: &'static str,
    /// One sentence about what was run.
    pub story: String,
    /// Trees grown, or directions sorted along.
    pub lines: usize,
    /// Passes of refinement.
    pub passes: usize,
    /// Why it ended.
    pub stop: Stop,
}

impl Transport {
    /// Root of the cost: an upper bound of `W_2`.
    pub fn distance(&self) -> f64 {
        self.cost.sqrt()
    }

    /// By how much the cost can be above `W_2^2`, as a share of it: `cost / lower_bound - 1`.
    ///
    /// 0 for a plan that costs nothing; `None` without a lower bound, or where it is zero and so says nothing about shares.
    pub fn gap(&self) -> Option<f64> {
        let bound = self.lower_bound?;
        match (self.cost, bound) {
            (0.0, _) => Some(0.0),
            (_, 0.0) => None,
            (cost, bound) => Some((cost / bound - 1.0).max(0.0)),
        }
    }

    /// Proves what can be proved about a plan: the best of the means, the covariances, some lines, and prices made feasible.
    pub(super) fn certified<T: Scalar>(
        mut self,
        source: &Measure<T>,
        target: &Measure<T>,
        parallelism: Parallelism,
        seed: u64,
    ) -> Result<Self> {
        let workers = Workers::new(parallelism)?;
        let mut best = lower_bounds(source, target, &[], parallelism)?.best();
        // Whoever interrupts does not want to wait.
        if self.stop != Stop::Interrupted
            && let Some(dual) = certify(source, target, &self.coupling, &workers, seed)?
        {
            best = best.max(dual.value);
        }
        self.lower_bound = Some(best.clamp(0.0, self.cost));
        Ok(self)
    }

    /// A plan that nothing is proved of yet.
    pub(super) fn unproved<T: Scalar>(
        coupling: Coupling,
        [source, target]: [&Measure<'_, T>; 2],
        (solver, story): (&'static str, String),
        (lines, passes): (usize, usize),
        stop: Stop,
    ) -> Result<Self> {
        let cost = coupling.cost(source, target, &SqEuclidean)?;
        Ok(Transport { cost, lower_bound: None, coupling, solver, story, lines, passes, stop })
    }
}
