//! Merged SWGG: all directions of a search in one plan.

use std::ops::{ControlFlow, Range};

use super::compiled::{Compiled, run_compiled};
use super::ground::{squared, with_ground};
use super::paid::Paid;
use super::{Builder, Estimate, Method, Solver};
use crate::answer::{Bounding, CostIs, Fact, Remark, Transport, counted};
use crate::cost::SqEuclidean;
use crate::ensemble::matching::Lines;
use crate::ensemble::sparse;
use crate::error::{ErrorKind, Result};
use crate::line::sampler::{Sampler, Sphere};
use crate::measure::{Measure, pairable};
use crate::number::scalar::Scalar;
use crate::paper::search::registry::DIRECTIONS;
use crate::paper::slices::{InMemory, Slices};
use crate::plan::coupling::Coupling;
use crate::question::{Question, Sizes};
use crate::run::Run;
use crate::run::observe::{Observe, Progress};
use crate::run::stop::Stop;
use crate::run::workers::Workers;
use crate::setting::Settings;

/// Merged SWGG: the plans of many directions, merged into one that is never above the best of them.
///
/// The directions are those of [`RandomSearch`](crate::paper::RandomSearch) with the same seed, but where it keeps one plan and drops the
/// others, all of them are used: two matchings differ in cycles, on each of which the cheaper one is kept, and where one sends a point
/// elsewhere, the other exchanges two targets if that pays. (Lines share one long cycle and little else, so up to dimension 3 they are
/// merged by exchanges, the cheaper plan as base, and only the last ones by cycles too.) Plans are made, merged and dropped: `O(n)`
/// memory, `O(n d)` per direction on top of the sort.
///
/// ```
/// use swgg::{Measure, Merged, Solver};
/// let source = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0], 2)?;
/// let target = Measure::from_slice(&[3.0, 1.0, 3.0, 0.0, 4.0, 0.0], 2)?;
/// let plan = Merged::default().solve(&source, &target)?;
/// assert_eq!(plan.cost, 9.0);
/// # Ok::<(), swgg::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Merged {
    /// How many directions to sort along.
    pub directions: usize,
}

impl Default for Merged {
    fn default() -> Self {
        Merged { directions: 200 }
    }
}

/// Directions that are merged among themselves before they meet the best plan: the fewer, the better the plan; the more, the more
/// there is to do at the same time.
const DIRECTIONS_PER_BATCH: usize = 16;
/// Batches between two reports, at most: threads wait for each other at a report.
const MAX_BATCHES_PER_REPORT: usize = 4;
/// Points that are sorted between two reports, at most, unless one batch has more.
const MAX_POINTS_PER_REPORT: usize = 1 << 24;
/// Quantile plans that are merged into the best one at a time.
const PLANS_PER_MERGE: usize = 4;

impl Builder for Merged {
    const METHOD: Method = Method {
        settings: &with_ground::<1, 10>([&DIRECTIONS]),
        is_proved_by_prices: true,
        ..Method::new("merged", "Merged SWGG transport", "The plans of all --directions, merged into one")
    };

    fn build(settings: &Settings) -> Result<Self> {
        Ok(Merged { directions: settings.count(&DIRECTIONS).unwrap_or(Merged::default().directions) })
    }
}

impl<T: Scalar> Solver<T> for Merged {
    fn method(&self) -> &'static Method {
        &Self::METHOD
    }

    fn validate(&self, _: Sizes) -> Result<()> {
        if self.directions == 0 { Err(ErrorKind::NoDirections.into()) } else { Ok(()) }
    }

    fn estimate(&self, sizes: Sizes, run: &Run<'_>) -> Estimate {
        let (both, d) = ((sizes.n + sizes.m) as f64, sizes.d as f64);
        let lines = self.directions as f64 * both * (2.0 + 0.1 * d) * 1e-7;
        Estimate::ensemble(sizes, lines / run.parallelism.threads() as f64, run)
    }

    run_compiled! {
        /// The observer may stop: then the directions so far are merged.
        Merged
    }
}

impl Compiled for Merged {
    fn found<T: Scalar>(&self, question: &Question<'_, T>, run: &mut Run<'_>) -> Result<Transport> {
        if !question.is_squared() {
            return self.paid(question, run);
        }
        let [source, target] = squared(question, "merged")?;
        let workers = Workers::new(run.parallelism)?;
        // On the line there is one direction.
        let directions = if source.dim() == 1 { 1 } else { self.directions };
        let sphere = Sphere::new(source.dim(), run.seed)?;
        let (coupling, lines) = if pairable(source, target) {
            let mut merged = Lines::new(source, target, &workers)?;
            let lines = walk(directions, round(source.len()), run, |range| {
                let end = range.end;
                let batch = |start: usize| sphere.batch(start..end.min(start + DIRECTIONS_PER_BATCH));
                merged.add(&range.step_by(DIRECTIONS_PER_BATCH).map(batch).collect::<Vec<_>>());
                merged.cost()
            });
            (merged.coupling(), lines)
        } else {
            merge_plans(source, target, &sphere, directions, &workers, run)?
        };
        let cost = coupling.cost(source, target, &SqEuclidean)?;
        Ok(told(coupling, cost, (lines, directions), run.seed))
    }
}

impl Merged {
    /// At another cost than squared distances: along lines between places where these resemble it, merged at what plans cost.
    fn paid<T: Scalar>(&self, question: &Question<'_, T>, run: &mut Run<'_>) -> Result<Transport> {
        let paid = Paid::new(question)?;
        let squared = paid.squared()?;
        let (source, target) = (squared.source(), squared.target());
        let directions = if source.dim() == 1 { 1 } else { self.directions };
        let sphere = Sphere::new(source.dim(), run.seed)?;
        let slices = InMemory::with_parallelism(source, target, run.parallelism)?;
        let workers = Workers::new(run.parallelism)?;
        let mut best: Option<Coupling> = None;
        let mut tried = 0;
        while tried < directions {
            let next = directions.min(tried + PLANS_PER_MERGE);
            let thetas = sphere.batch(tried..next);
            let plans = workers.map(thetas.len(), |k| slices.coupling(&thetas.get(k)));
            let mut plans = plans.into_iter().collect::<Result<Vec<Coupling>>>()?;
            plans.extend(best.take());
            let merged = paid.merged(plans, run)?;
            tried = next;
            let progress = Progress { tried, total: directions, best: paid.cost(&merged) };
            best = Some(merged);
            if run.progress(&progress).is_break() {
                break;
            }
        }
        let coupling = best.ok_or(ErrorKind::NoDirections)?;
        let cost = paid.cost(&coupling);
        let found = told(coupling, cost, (tried, directions), run.seed);
        Ok(Transport { exponent: question.exponent(), ..found })
    }
}

fn told(coupling: Coupling, cost: f64, (lines, directions): (usize, usize), seed: u64) -> Transport {
    let stop = if lines < directions { Stop::Interrupted } else { Stop::AllTried };
    let story = format!("the plans of {} merged", counted(lines, "direction"));
    Transport {
        coupling: Some(coupling),
        facts: vec![("directions", Fact::Count(lines))],
        remarks: vec![Remark::new("method", format!("{story}, seed {seed}"))],
        story,
        steps: lines,
        stop,
        bounding: Bounding::Prices,
        ..Transport::new("merged", cost, CostIs::Upper)
    }
}

/// Directions between two reports.
fn round(points: usize) -> usize {
    DIRECTIONS_PER_BATCH
        * (MAX_POINTS_PER_REPORT / (2 * DIRECTIONS_PER_BATCH * points)).clamp(1, MAX_BATCHES_PER_REPORT)
}

/// Batches of directions until all are done or the observer has had enough; how many were done.
fn walk(
    total: usize,
    batch: usize,
    watch: &mut dyn Observe,
    mut add: impl FnMut(Range<usize>) -> f64,
) -> usize {
    let mut tried = 0;
    while tried < total {
        let next = total.min(tried + batch);
        let best = add(tried..next);
        tried = next;
        if watch.progress(&Progress { tried, total, best }) == ControlFlow::Break(()) {
            break;
        }
    }
    tried
}

/// With weights: quantile plans, a few at a time merged into the best so far.
fn merge_plans<T: Scalar>(
    source: &Measure<T>,
    target: &Measure<T>,
    sphere: &Sphere,
    directions: usize,
    workers: &Workers,
    watch: &mut dyn Observe,
) -> Result<(Coupling, usize)> {
    let clouds = sparse::WeightedClouds::new(source, target, workers)?;
    let mut best: Option<sparse::Plan> = None;
    let lines = walk(directions, PLANS_PER_MERGE, watch, |range| {
        let thetas = sphere.batch(range);
        let mut plans = workers.map(thetas.len(), |k| clouds.line(thetas.row(k)));
        plans.extend(best.take());
        best = clouds.merge(&plans);
        best.as_ref().map_or(f64::INFINITY, |best| clouds.cost(best))
    });
    let best = best.ok_or(ErrorKind::NoDirections)?;
    Ok((clouds.coupling(&best), lines))
}
