//! Matching and fitting in turn, from one pose.

use std::ops::ControlFlow;

use swgg::ndarray::Array2;
use swgg::{Auto, Exact, ExactTransport, Measure, MinSwgg, Observe, Parallelism, Progress, Trees};

use super::cloud::{Cloud, measure};
use super::crew::Crew;
use super::error::Result;
use super::follow::Followed;
use super::motion::{Group, Motion, fit};
use super::outcome::{Stage, Step, Stop};
use super::pairs::{Known, Sides};
use super::planes::Normals;
use super::settings::{Matching, Overlap};

/// What is said and asked along the way.
pub(super) struct Story<'a> {
    pub steps: Vec<Step>,
    /// Steps there may be.
    pub most: usize,
    pub tolerance: f64,
    pub watch: &'a mut dyn Observe,
    pub stop: Option<Stop>,
}

impl Story<'_> {
    /// Notes a step; whether it was the last one of all.
    fn add(&mut self, step: Step) -> bool {
        let best = step.cost;
        self.steps.push(step);
        let progress = Progress { tried: self.steps.len(), total: self.most, best };
        if self.watch.progress(&progress) == ControlFlow::Break(()) {
            self.stop = Some(Stop::Interrupted);
        } else if self.steps.len() >= self.most {
            self.stop = Some(Stop::Steps);
        }
        self.stop.is_some()
    }

    fn change(&self) -> f64 {
        self.steps.last().map_or(f64::INFINITY, |step| step.change)
    }

    /// Why it ended, now that it has.
    pub fn ending(&self) -> Stop {
        let converged = self.change() <= self.tolerance;
        match self.stop {
            Some(Stop::Interrupted) => Stop::Interrupted,
            _ if converged => Stop::Converged,
            _ => Stop::Steps,
        }
    }
}

/// How transport plans are made.
#[derive(Clone, Copy)]
pub(super) enum Plan {
    /// Trees, merged: for samples of one size.
    Trees(usize),
    Chosen(Matching),
}

/// Two clouds, matched by transport.
pub(super) struct Transports<'a> {
    pub source: &'a Cloud,
    pub target: &'a Cloud,
    pub group: Group,
    pub plan: Plan,
    pub seed: u64,
    pub parallelism: Parallelism,
}

impl Transports<'_> {
    /// One step from a pose: the next one, what the plan cost before, and after the fit.
    ///
    /// An exact plan is kept for the next step, which begins with it.
    pub fn step(
        &self,
        motion: &Motion,
        round: usize,
        known: &mut Option<ExactTransport>,
    ) -> Result<(Motion, f64, f64)> {
        let moved = motion.apply(self.source.points.view());
        let images = self.images(&moved, round, known)?;
        let weights = self.source.weights.as_deref();
        let next = fit(self.source.points.view(), images.view(), weights, self.group)?;
        let after = next.apply(self.source.points.view());
        let mean = |a: &Array2<f64>| {
            let rows = a.rows().into_iter().zip(images.rows());
            let squares = rows.map(|(a, b)| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>());
            match weights {
                Some(weights) => squares.zip(weights).map(|(square, w)| square * w).sum(),
                None => squares.sum::<f64>() / a.nrows() as f64,
            }
        };
        Ok((next, mean(&moved), mean(&after)))
    }

    /// Steps until one moves less than the tolerance; the last pose and its cost.
    pub fn climb(&self, mut motion: Motion, tolerance: f64, most: usize) -> Result<(Motion, f64)> {
        let (mut cost, mut known) = (f64::INFINITY, None);
        for round in 0..most {
            let (next, _, after) = self.step(&motion, round, &mut known)?;
            let change = self.source.apart(&next, &motion);
            (motion, cost) = (next, after);
            if change <= tolerance {
                break;
            }
        }
        Ok((motion, cost))
    }

    /// Where the plan sends every point.
    fn images(
        &self,
        moved: &Array2<f64>,
        round: usize,
        known: &mut Option<ExactTransport>,
    ) -> Result<Array2<f64>> {
        let moved = moved.view();
        let source = weighted(measure(&moved)?, self.source)?;
        let target = self.target.points.view();
        let target = weighted(measure(&target)?, self.target)?;
        let Transports { seed, parallelism, .. } = *self;
        let auto = Auto { effort: 1, bounds: false, seed, parallelism, ..Default::default() };
        let is_small = auto.is_exact((source.len(), target.len(), source.dim()));
        let coupling = match self.plan {
            Plan::Trees(trees) => {
                Trees { trees, bounds: false, seed, parallelism }.solve(&source, &target)?.coupling
            }
            Plan::Chosen(Matching::MinSwgg(directions)) => {
                // Other lines in every step: what is a minimum for some is none for others.
                let seed = seed.wrapping_add(round as u64);
                let search = MinSwgg::new().directions(directions).seed(seed).parallelism(parallelism);
                search.solve(&source, &target)?.coupling
            }
            Plan::Chosen(matching) if matching == Matching::Exact || is_small => {
                let exact = Exact { seed, parallelism, ..Default::default() };
                let solved =
                    exact.solve_from(&source, &target, swgg::Start::after(known.as_ref()), &mut ())?;
                known.insert(solved).coupling.clone()
            }
            Plan::Chosen(_) => auto.solve(&source, &target)?.coupling,
        };
        Ok(coupling.barycentric_map(&source, &target)?)
    }
}

fn weighted<'a>(measure: Measure<'a, f64>, cloud: &Cloud) -> Result<Measure<'a, f64>> {
    Ok(match &cloud.weights {
        Some(weights) => measure.with_weights(weights)?,
        None => measure,
    })
}

/// Transport steps with their story, until one moves less than the tolerance.
pub(super) fn by_transport(
    transports: &Transports,
    mut motion: Motion,
    crew: &Crew,
    tolerance: f64,
    most: usize,
    story: &mut Story,
) -> Result<(Motion, f64)> {
    let (mut cost, mut known) = (f64::INFINITY, None);
    for _ in 0..most {
        let round = story.steps.len();
        let (next, before, after) = crew.run(|_| transports.step(&motion, round, &mut known))?;
        let change = transports.source.apart(&next, &motion);
        (motion, cost) = (next, after);
        let points = transports.source.len();
        let step = Step { stage: Stage::Transport, motion: motion.clone(), points, cost: before, change };
        if story.add(step) || change <= tolerance {
            break;
        }
    }
    Ok((motion, cost))
}

/// Steps to nearest neighbours, until one moves less than the tolerance; `known` are those of the last one.
pub(super) fn by_neighbors(
    (sides, cloud): (&Sides, &Cloud),
    (mut motion, known): (Motion, &mut Known),
    (group, overlap, asking): (Group, Overlap, (bool, usize)),
    crew: &Crew,
    (tolerance, most): (f64, usize),
    story: &mut Story,
) -> Result<Motion> {
    for _ in 0..most {
        let (pairs, next) = crew.run(|parallelism| -> Result<_> {
            let pairs = sides.pairs_after(known, &motion, overlap, asking, parallelism)?;
            let next = sides.fit(&pairs, group)?;
            Ok((pairs, next))
        })?;
        let change = cloud.apart(&next, &motion);
        motion = next;
        let (stage, points) = (Stage::Nearest, pairs.pairs.len());
        let is_last = story.add(Step { stage, motion: motion.clone(), points, cost: pairs.cost, change });
        if is_last || change <= tolerance {
            break;
        }
    }
    Ok(motion)
}

/// Pairs are within this many grains, squared, or within what the overlap says.
const REACH: f64 = 16.0;

/// A step that moves points by less than this share of the size of the cloud is narrow.
const NARROW: f64 = 1e-4;

/// The width does not become smaller than this share of what it is at first.
const LEAST: f64 = 0.2;

/// Steps to the planes of nearest neighbours, until one moves less than the tolerance; of neighbours within reach, squared, if there is
/// one.
///
/// All points are followed once steps are narrow. Which gaps are large is not known at first: the width within which they count
/// halves from step to step.
pub(super) fn by_planes(
    (sides, cloud): (&Sides, &Cloud),
    (normals, followed): (&Normals, &mut Followed),
    (mut motion, reach): (Motion, Option<f64>),
    group: Group,
    crew: &Crew,
    tolerance: f64,
    story: &mut Story,
) -> Result<Motion> {
    let limit = reach.map_or(f64::INFINITY, |reach| reach.max(REACH * sides.grain));
    let mut width = limit.min(REACH * sides.grain).sqrt();
    let least = LEAST * width;
    // Some of the points as long as steps are wide, all of them at the end.
    let (mut every, mut known) = (sides.sparse(), Vec::new());
    for _ in 0..story.most {
        let before = (&mut known, &mut *followed);
        // Threads are called once a step.
        let (pairs, next) = crew.run(|parallelism| -> Result<_> {
            let pairs = sides.within(&motion, limit, every, before, parallelism)?;
            let next = normals.step(sides, &pairs, &motion, group, width, crew)?;
            Ok((pairs, next))
        })?;
        let change = cloud.apart(&next, &motion);
        motion = next;
        let (stage, points) = (Stage::Planes, pairs.pairs.len());
        let is_last = story.add(Step { stage, motion: motion.clone(), points, cost: pairs.cost, change });
        if is_last || (change <= tolerance && width <= least && every == 1) {
            break;
        }
        if change <= NARROW.max(tolerance) && width <= least {
            every = 1;
        }
        width = (0.5 * width).max(least);
    }
    Ok(motion)
}
