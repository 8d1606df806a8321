//! The default solver.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::climb::{Walk, climb};
use super::transport::Transport;
use crate::closed_form::{line_transport, supporting_line};
use crate::error::{ErrorKind, Result};
use crate::exact::{Exact, Start};
use crate::measure::{Measure, same_space};
use crate::observe::{Observe, Progress};
use crate::par::{Parallelism, Workers};
use crate::scalar::Scalar;
use crate::search::Stop;

/// The plan to take unless there is a reason to take another one; see [`Auto`].
///
/// ```
/// use swgg::Measure;
/// let source = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0], 2)?;
/// let target = Measure::from_slice(&[3.0, 1.0, 3.0, 0.0, 4.0, 0.0], 2)?;
/// let plan = swgg::solve(&source, &target)?;
/// assert_eq!((plan.cost, plan.gap()), (9.0, Some(0.0)));
/// assert_eq!(plan.coupling.target_of(0), Some(1));
/// # Ok::<(), swgg::Error>(())
/// ```
pub fn solve<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> Result<Transport> {
    Auto::default().solve(source, target)
}

/// The default solver: exact where that is cheap, otherwise many lines made into one plan.
///
/// - A cloud on a line, or dimension one: the closed form, which is exact.
/// - Small problems ([`is_exact`](Auto::is_exact)): exact transport; with a time limit, as far as the time goes.
/// - Otherwise trees with a line per cell are grown and merged, and the plan is refined by exact transport inside small blocks of
///   neighbouring pairs, in stages. More effort means more stages of the same walk, so with the same seed the cost never rises
///   with the effort. `O(n log n)` time a stage, `O(n)` memory.
///
/// ```
/// use swgg::{Auto, Measure};
/// # let points: Vec<f64> = (0..3000).map(|k| f64::from(k * k % 1009)).collect();
/// # let source = Measure::from_slice(&points[..1500], 3)?;
/// # let target = Measure::from_slice(&points[1500..], 3)?;
/// let plan = Auto { effort: 2, seed: 7, ..Default::default() }.solve(&source, &target)?;
/// println!("{}: at most {:.1} % above the optimum", plan.story, 100.0 * plan.gap().unwrap_or(f64::INFINITY));
/// assert!(plan.lower_bound.is_some_and(|bound| bound <= plan.cost));
/// # Ok::<(), swgg::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Auto {
    /// From 1, a quick look, to 10, close to the optimum.
    pub effort: u8,
    /// Use this much time for the plan instead, and return the best one so far: then the answer depends on the machine, and the
    /// effort does not matter. A step that has begun is finished, and bounds come on top.
    pub time_limit: Option<Duration>,
    /// Whether to look for a lower bound, which may take longer than the plan.
    pub bounds: bool,
    /// Seed of all lines.
    pub seed: u64,
    /// How many threads to use; the answer does not depend on it.
    pub parallelism: Parallelism,
}

impl Default for Auto {
    fn default() -> Self {
        Auto { effort: 5, time_limit: None, bounds: true, seed: 0, parallelism: Parallelism::Auto }
    }
}

/// Trees to merge and passes to make, effort by effort: each goes on where the one before it ended.
const STAGES: [(usize, usize); 10] =
    [(3, 1), (0, 5), (8, 2), (0, 3), (12, 3), (0, 5), (24, 6), (0, 10), (32, 16), (0, 32)];

/// What exact transport of `n` points to `m` in `d` dimensions takes grows like this, from case to case.
fn work((n, m, d): (usize, usize, usize)) -> f64 {
    n as f64 * m as f64 * (8 + d) as f64
}

/// Seconds for a unit of it, on the slow side.
const SECONDS: f64 = 1.5e-9;

/// Points of a side that are few in any dimension.
const FEW: usize = 2000;

/// Stages before the exact solver is tried within a time limit.
const BRIEF: usize = 4;

/// What a time limit goes on with when all stages are done.
const MORE: (usize, usize) = (16, 16);

impl Auto {
    /// Solves.
    pub fn solve<T: Scalar>(&self, source: &Measure<T>, target: &Measure<T>) -> Result<Transport> {
        self.solve_watched(source, target, &mut ())
    }

    /// [`solve`](Auto::solve) with an observer, which is told about trees and passes, and may stop: then the best plan so far is
    /// returned.
    pub fn solve_watched<T: Scalar>(
        &self,
        source: &Measure<T>,
        target: &Measure<T>,
        watch: &mut dyn Observe,
    ) -> Result<Transport> {
        let deadline = self.validate()?;
        same_space(source, target)?;
        if let Some(done) = on_a_line(source, target)? {
            return Ok(done);
        }
        let size = (source.len(), target.len(), source.dim());
        // Half of the time must be enough for it, as far as one can tell.
        let is_exact = self.is_exact(size)
            && self.time_limit.is_none_or(|limit| limit.as_secs_f64() >= 2.0 * SECONDS * work(size));
        if is_exact && deadline.is_none() {
            return self.exact(source, target, Start::default(), deadline, watch);
        }
        let found = self.refined(source, target, is_exact, deadline, watch)?;
        if is_exact && found.stop != Stop::Interrupted {
            // There is time for the optimum, or there is not.
            let start = Start { plan: Some(&found.coupling), potentials: None };
            let best = self.exact(source, target, start, deadline, watch)?;
            // An optimum that was reached is proved, even where rounding puts it above a plan that is as good.
            let is_done = !matches!(best.stop, Stop::Interrupted | Stop::TimeLimit);
            if is_done || best.cost <= found.cost {
                return Ok(best);
            }
            let found = Transport { stop: best.stop, ..found };
            return self.certified(found, source, target);
        }
        self.certified(found, source, target)
    }

    pub(super) fn certified<T: Scalar>(
        &self,
        found: Transport,
        source: &Measure<T>,
        target: &Measure<T>,
    ) -> Result<Transport> {
        if self.bounds { found.certified(source, target, self.parallelism, self.seed) } else { Ok(found) }
    }

    /// Trees, merged and refined, stage by stage; only some, in half of the time, if `is_brief`.
    pub(super) fn refined<T: Scalar>(
        &self,
        source: &Measure<T>,
        target: &Measure<T>,
        is_brief: bool,
        deadline: Option<Instant>,
        watch: &mut dyn Observe,
    ) -> Result<Transport> {
        let workers = Workers::new(self.parallelism)?;
        let mut climb = climb(source, target, self.seed, &workers)?;
        let stages = match deadline {
            _ if is_brief => BRIEF,
            Some(_) => STAGES.len(),
            None => usize::from(self.effort),
        };
        let total = 1 + STAGES[..stages].iter().map(|(trees, passes)| trees + passes).sum::<usize>();
        // Half of the time is for the optimum.
        let half = self.time_limit.filter(|_| is_brief).and_then(|limit| Some(deadline? - limit / 2));
        let mut walk = Walk::new(watch, half.or(deadline), total);
        let mut gained = true;
        for (trees, passes) in STAGES[..stages].iter().copied() {
            gained = walk.stage(&mut *climb, trees, passes);
        }
        while deadline.is_some() && !is_brief && walk.stop.is_none() && gained {
            gained = walk.stage(&mut *climb, MORE.0, MORE.1);
        }
        let (lines, passes) = (walk.trees, walk.passes);
        let stop = walk.stop.unwrap_or(if gained { Stop::AllTried } else { Stop::Converged });
        let story = format!("{} merged, then {} of refinement", count(lines, "tree"), count(passes, "pass"));
        Transport::unproved(climb.coupling(), [source, target], ("refined", story), (lines, passes), stop)
    }

    /// Whether a problem of `n` and `m` points in `d` dimensions is solved exactly: at the default effort and above, and within a time
    /// limit, up to 2000 points a side, and about 4500 in low dimensions; below it, up to about 1000 in low dimensions.
    pub fn is_exact(&self, size: (usize, usize, usize)) -> bool {
        let (work, few) = (work(size), size.0.max(size.1) <= FEW);
        let is_patient = self.effort >= 5 || self.time_limit.is_some();
        work <= if is_patient { 2.5e8 } else { 1.2e7 } || (is_patient && few)
    }

    /// All checks, before work; when to stop, if there is a limit.
    fn validate(&self) -> Result<Option<Instant>> {
        if !(1..=10).contains(&self.effort) {
            return Err(ErrorKind::BadEffort { effort: self.effort }.into());
        }
        Ok(self.time_limit.and_then(|limit| Instant::now().checked_add(limit)))
    }

    fn exact<T: Scalar>(
        &self,
        source: &Measure<T>,
        target: &Measure<T>,
        start: Start<'_>,
        deadline: Option<Instant>,
        watch: &mut dyn Observe,
    ) -> Result<Transport> {
        let exact = Exact { seed: self.seed, parallelism: self.parallelism, ..Default::default() };
        let mut is_late = false;
        let mut until = |progress: &Progress| {
            is_late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if is_late { ControlFlow::Break(()) } else { watch.progress(progress) }
        };
        let found = exact.solve_from(source, target, start, &mut until)?;
        let stop = if is_late && found.stop == Stop::Interrupted { Stop::TimeLimit } else { found.stop };
        let (n, m) = (source.len(), target.len());
        Ok(Transport {
            cost: found.cost,
            // It comes with the plan, asked for or not.
            lower_bound: Some(found.lower_bound.clamp(0.0, found.cost)),
            coupling: found.coupling,
            solver: "exact",
            story: match stop {
                Stop::Interrupted | Stop::TimeLimit => {
                    format!("exact transport of {n} points to {m}, stopped before the end")
                }
                _ => format!("exact transport of {n} points to {m}"),
            },
            lines: 0,
            passes: 0,
            stop,
        })
    }
}

/// `1 tree`, `2 trees`, `3 passes`.
pub(super) fn count(number: usize, what: &str) -> String {
    let plural = if what.ends_with('s') { "es" } else { "s" };
    format!("{number} {what}{}", if number == 1 { "" } else { plural })
}

/// The closed form, when one of the clouds lies on a line.
fn on_a_line<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> Result<Option<Transport>> {
    if supporting_line(source)?.is_none() && supporting_line(target)?.is_none() {
        return Ok(None);
    }
    let found = line_transport(source, target)?;
    Ok(Some(Transport {
        cost: found.cost,
        lower_bound: Some(found.cost),
        coupling: found.coupling,
        solver: "line",
        story: "one cloud lies on a line, and sorting along it is exact".into(),
        lines: 1,
        passes: 0,
        stop: Stop::AllTried,
    }))
}
