//! Trees as a method of their own.

use super::auto::count;
use super::climb::{Walk, climb};
use super::transport::Transport;
use crate::error::{ErrorKind, Result};
use crate::measure::{Measure, same_space};
use crate::observe::Observe;
use crate::par::{Parallelism, Workers};
use crate::scalar::Scalar;
use crate::search::Stop;

/// Hierarchical SWGG: plans by trees with a line per cell, merged; nothing is refined.
///
/// A cell holds equally much of both clouds. It is cut across a line, both sides at the same rank (or mass), and so are its parts,
/// until little is left, which is solved exactly. One line for all cells would give SWGG back. Lines are drawn at random, long where
/// the cell is, and seen through the Gaussian map of the cell, so that both sides are cut alike.
///
/// ```
/// use swgg::{Measure, Trees};
/// let source = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0], 2)?;
/// let target = Measure::from_slice(&[3.0, 1.0, 3.0, 0.0, 4.0, 0.0], 2)?;
/// let plan = Trees { trees: 4, ..Default::default() }.solve(&source, &target)?;
/// assert_eq!(plan.cost, 9.0);
/// # Ok::<(), swgg::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Trees {
    /// How many trees to grow.
    pub trees: usize,
    /// Whether to look for a lower bound.
    pub bounds: bool,
    /// Seed of all lines.
    pub seed: u64,
    /// How many threads to use; the answer does not depend on it.
    pub parallelism: Parallelism,
}

impl Default for Trees {
    fn default() -> Self {
        Trees { trees: 16, bounds: true, seed: 0, parallelism: Parallelism::Auto }
    }
}

impl Trees {
    /// Solves.
    pub fn solve<T: Scalar>(&self, source: &Measure<T>, target: &Measure<T>) -> Result<Transport> {
        self.solve_watched(source, target, &mut ())
    }

    /// [`solve`](Trees::solve) with an observer, which is told about trees, and may stop: then those grown so far are merged.
    pub fn solve_watched<T: Scalar>(
        &self,
        source: &Measure<T>,
        target: &Measure<T>,
        watch: &mut dyn Observe,
    ) -> Result<Transport> {
        same_space(source, target)?;
        if self.trees == 0 {
            return Err(ErrorKind::NoTrees.into());
        }
        let workers = Workers::new(self.parallelism)?;
        let mut climb = climb(source, target, self.seed, &workers)?;
        let mut walk = Walk::new(watch, None, self.trees);
        walk.stage(&mut *climb, self.trees - 1, 0);
        let (lines, stop) = (walk.trees, walk.stop.unwrap_or(Stop::AllTried));
        let what = ("tree", format!("{} merged", count(lines, "tree")));
        let found = Transport::unproved(climb.coupling(), [source, target], what, (lines, 0), stop)?;
        if self.bounds { found.certified(source, target, self.parallelism, self.seed) } else { Ok(found) }
    }
}
