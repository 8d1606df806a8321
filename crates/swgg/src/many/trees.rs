//! Trees as a method of their own.

use super::auto::count;
use super::climb::{Climb, Matched, Walk, climb};
use super::transport::Transport;
use crate::coupling::Coupling;
use crate::error::{ErrorKind, Result};
use crate::measure::{Measure, pairable, same_space};
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
        let workers = self.workers(source, target)?;
        let mut climb = climb(source, target, self.seed, &workers)?;
        self.run(&mut *climb, source, target, watch)
    }

    /// [`solve_watched`](Trees::solve_watched), together with the matching of every tree by itself; the plan costs no more than any of
    /// them, and is the same as without. For uniform clouds of one size only. `O(trees n)` memory.
    ///
    /// ```
    /// use swgg::{Measure, SqEuclidean, Trees};
    /// let points: Vec<f64> = (0..400).map(|k| f64::from(k * k % 101)).collect();
    /// let source = Measure::from_slice(&points[..200], 2)?;
    /// let target = Measure::from_slice(&points[200..], 2)?;
    /// let (plan, trees) = Trees { trees: 3, ..Default::default() }.solve_with_trees(&source, &target, &mut ())?;
    /// assert_eq!(trees.len(), 3);
    /// for tree in trees {
    ///     assert!(plan.cost <= tree.cost(&source, &target, &SqEuclidean)?);
    /// }
    /// # Ok::<(), swgg::Error>(())
    /// ```
    pub fn solve_with_trees<T: Scalar>(
        &self,
        source: &Measure<T>,
        target: &Measure<T>,
        watch: &mut dyn Observe,
    ) -> Result<(Transport, Vec<Coupling>)> {
        let workers = self.workers(source, target)?;
        paired(source, target)?;
        let mut matched = Matched::new(source, target, self.seed, &workers);
        matched.engine.keep_trees();
        let found = self.run(&mut matched, source, target, watch)?;
        Ok((found, matched.engine.take_trees()))
    }

    fn workers<T: Scalar>(&self, source: &Measure<T>, target: &Measure<T>) -> Result<Workers> {
        same_space(source, target)?;
        if self.trees == 0 {
            return Err(ErrorKind::NoTrees.into());
        }
        Workers::new(self.parallelism)
    }

    fn run<T: Scalar>(
        &self,
        climb: &mut dyn Climb,
        source: &Measure<T>,
        target: &Measure<T>,
        watch: &mut dyn Observe,
    ) -> Result<Transport> {
        let mut walk = Walk::new(watch, None, self.trees);
        walk.stage(climb, self.trees - 1, 0);
        let (lines, stop) = (walk.trees, walk.stop.unwrap_or(Stop::AllTried));
        let what = ("tree", format!("{} merged", count(lines, "tree")));
        let found = Transport::unproved(climb.coupling(), [source, target], what, (lines, 0), stop)?;
        if self.bounds { found.certified(source, target, self.parallelism, self.seed) } else { Ok(found) }
    }
}

/// Refuses clouds whose plans are not matchings.
pub(super) fn paired<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> Result<()> {
    if pairable(source, target) {
        return Ok(());
    }
    let weighted = !(source.is_uniform() && target.is_uniform());
    Err(ErrorKind::NotPairable { n: source.len(), m: target.len(), weighted }.into())
}
