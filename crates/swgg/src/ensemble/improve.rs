//! What both kinds of plans have in common: steps that make the best one better.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::ensemble::matching;
use crate::ensemble::sparse;
use crate::error::Result;
use crate::line::sampler::{Sampler, Sphere};
use crate::measure::{Measure, pairable};
use crate::number::scalar::Scalar;
use crate::plan::coupling::Coupling;
use crate::run::observe::{Observe, Progress};
use crate::run::stop::Stop;
use crate::run::workers::Workers;

/// A plan that only ever gets cheaper.
pub(crate) trait Improvable {
    /// Cost of the best plan.
    fn cost(&self) -> f64;
    /// Grows some trees, at most this many, towards a group; returns how many.
    fn grow(&mut self, most: usize) -> usize;
    /// Merges the group into the best plan.
    fn merge(&mut self);
    /// One pass of refinement; whether it gained anything.
    fn refine(&mut self) -> bool;
    /// The best plan.
    fn coupling(&self) -> Coupling;
}

/// Matchings of uniform clouds of one size.
pub(crate) struct BestMatching<'w, T> {
    pub engine: matching::Engine<T>,
    workers: &'w Workers,
}

impl<'w, T: Scalar> BestMatching<'w, T> {
    pub fn new(source: &Measure<T>, target: &Measure<T>, seed: u64, workers: &'w Workers) -> Self {
        BestMatching { engine: matching::Engine::new(source, target, seed, workers), workers }
    }
}

impl<T: Scalar> Improvable for BestMatching<'_, T> {
    fn cost(&self) -> f64 {
        self.engine.cost()
    }

    fn grow(&mut self, most: usize) -> usize {
        self.engine.grow(most, self.workers)
    }

    fn merge(&mut self) {
        self.engine.merge();
    }

    fn refine(&mut self) -> bool {
        self.engine.refine(self.workers)
    }

    fn coupling(&self) -> Coupling {
        self.engine.coupling()
    }
}

/// Plans between weighted clouds, or clouds of different sizes.
struct BestPlan<'w> {
    clouds: sparse::WeightedClouds<'w>,
    best: sparse::Plan,
    cost: f64,
    group: Vec<sparse::Plan>,
    seed: u64,
    trees: u64,
    passes: u64,
}

impl<'w> BestPlan<'w> {
    pub fn new<T: Scalar>(
        source: &Measure<T>,
        target: &Measure<T>,
        seed: u64,
        workers: &'w Workers,
    ) -> Result<Self> {
        let clouds = sparse::WeightedClouds::new(source, target, workers)?;
        let best = clouds.tree(seed, 0);
        let cost = clouds.cost(&best);
        // Between a cloud and a shifted or scaled copy of it the plan of any line is optimal; that of a tree need not be.
        let theta = Sphere::new(source.dim(), seed)?.batch(0..1);
        let group = vec![clouds.line(theta.row(0))];
        let mut plan = BestPlan { clouds, best, cost, group, seed, trees: 1, passes: 0 };
        plan.merge();
        Ok(plan)
    }
}

impl Improvable for BestPlan<'_> {
    fn cost(&self) -> f64 {
        self.cost
    }

    fn grow(&mut self, most: usize) -> usize {
        let grown = most.min(1);
        if grown > 0 {
            self.group.push(self.clouds.tree(self.seed, self.trees));
            self.trees += 1;
        }
        // A plan is dropped as soon as it is merged: memory stays that of a few.
        if self.group.len() >= 4 {
            self.merge();
        }
        grown
    }

    fn merge(&mut self) {
        let mut plans = std::mem::take(&mut self.group);
        plans.push(self.best.clone());
        if let Some(best) = self.clouds.merge(&plans) {
            self.best = best;
            self.cost = self.clouds.cost(&self.best).min(self.cost);
        }
    }

    fn refine(&mut self) -> bool {
        let gained = self.clouds.refine(&mut self.best, self.seed, self.passes);
        self.passes += 1;
        self.cost = self.clouds.cost(&self.best).min(self.cost);
        gained > 0.0
    }

    fn coupling(&self) -> Coupling {
        self.clouds.coupling(&self.best)
    }
}

/// The kind that suits the measures.
pub(crate) fn improvable<'w, T: Scalar>(
    source: &Measure<T>,
    target: &Measure<T>,
    seed: u64,
    workers: &'w Workers,
) -> Result<Box<dyn Improvable + 'w>> {
    Ok(if pairable(source, target) {
        Box::new(BestMatching::new(source, target, seed, workers))
    } else {
        Box::new(BestPlan::new(source, target, seed, workers)?)
    })
}

/// The steps taken so far, with the observer and the deadline that may end them.
pub(crate) struct Schedule<'a> {
    watch: &'a mut dyn Observe,
    deadline: Option<Instant>,
    total: usize,
    pub trees: usize,
    pub passes: usize,
    pub stop: Option<Stop>,
    /// What the last trees and the last pass took, and how many they were.
    took: [(Duration, usize); 2],
    /// The step that is being taken, and since when.
    step: Option<(Step, Instant)>,
}

/// A kind of step.
#[derive(Clone, Copy)]
enum Step {
    Tree,
    Pass,
}

/// How much later than the deadline a step may end, going by the one before it.
const MAX_DELAY: Duration = Duration::from_millis(100);

fn is_late(end: Instant, deadline: Instant) -> bool {
    end.saturating_duration_since(deadline) > MAX_DELAY
}

impl<'a> Schedule<'a> {
    /// A schedule of `total` steps, as far as one can tell beforehand; the first tree is grown already.
    pub fn new(watch: &'a mut dyn Observe, deadline: Option<Instant>, total: usize) -> Self {
        let took = [(Duration::ZERO, 1); 2];
        Schedule { watch, deadline, total, trees: 1, passes: 0, stop: None, took, step: None }
    }

    /// The same, where one step is expected to take this long.
    pub fn expecting(mut self, step: Duration) -> Self {
        self.took = [(step, 1); 2];
        self
    }

    /// How many trees of so many there is time for, one at least.
    fn affordable(&self, trees: usize) -> usize {
        let (took, grown) = self.took[Step::Tree as usize];
        let Some(deadline) = self.deadline.filter(|_| !took.is_zero()) else { return trees };
        let left = deadline.saturating_duration_since(Instant::now()).as_secs_f64();
        ((left / took.as_secs_f64() * grown as f64) as usize).clamp(1, trees)
    }

    /// A group of trees, then some passes; stops where it has to. Whether anything was gained.
    pub fn stage(&mut self, improvable: &mut dyn Improvable, trees: usize, passes: usize) -> bool {
        let before = improvable.cost();
        let mut left = trees;
        while left > 0 && self.goes_on(Step::Tree, improvable) {
            let grown = improvable.grow(self.affordable(left));
            self.took[Step::Tree as usize].1 = grown.max(1);
            left -= grown;
            self.trees += grown;
        }
        if left < trees {
            improvable.merge();
        }
        for _ in 0..passes {
            if !self.goes_on(Step::Pass, improvable) {
                break;
            }
            self.passes += 1;
            if !improvable.refine() {
                break;
            }
        }
        improvable.cost() < before
    }

    /// Tells the observer, and asks whether to go on with this step.
    fn goes_on(&mut self, next: Step, improvable: &dyn Improvable) -> bool {
        if self.stop.is_some() {
            return false;
        }
        let now = Instant::now();
        if let Some((step, since)) = self.step.replace((next, now)) {
            self.took[step as usize].0 = now - since;
        }
        let end = now + self.took[next as usize].0;
        let tried = self.trees + self.passes;
        let progress = Progress { tried, total: self.total.max(tried), best: improvable.cost() };
        if self.watch.progress(&progress) == ControlFlow::Break(()) {
            self.stop = Some(Stop::Interrupted);
        } else if self.deadline.is_some_and(|deadline| now >= deadline || is_late(end, deadline)) {
            self.stop = Some(Stop::TimeLimit);
        }
        self.stop.is_none()
    }
}
