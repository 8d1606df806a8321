//! Matches by transport plans.

use swgg::exact::{Start, from_start};
use swgg::ndarray::{Array2, ArrayView2};
use swgg::run::Workers;
use swgg::setting::Settings as SolverSettings;
use swgg::solver::{build, find};
use swgg::{Auto, Coupling, Exact, Measure, MinSwgg, Parallelism, Question, Run, Solver, Transport, Trees};

use crate::registration::cloud::{Cloud, measure};
use crate::registration::error::Result;
use crate::registration::matching::Matching;
use crate::registration::motion::{Motion, fit};
use crate::registration::outcome::Stage;
use crate::registration::settings::Settings;

use super::{Fit, Matcher};

/// How transport plans are made.
#[derive(Clone, Copy)]
pub(in crate::registration) enum PlanKind {
    /// So many trees, merged: for samples of one size.
    Trees(usize),
    /// As the settings say.
    Chosen(Matching),
}

/// Matches every source point with the mean of the places to which a transport plan sends its mass.
pub(in crate::registration) struct TransportPlans<'a> {
    source: &'a Cloud,
    target: &'a Cloud,
    kind: PlanKind,
    settings: &'a Settings,
    workers: &'a Workers,
    /// Steps so far.
    steps: u64,
    /// The exact plan of the last step, with which the next one begins.
    last: Option<Transport>,
    /// Mean squared distance of the last matches after the fit.
    pub residual: f64,
}

impl<'a> TransportPlans<'a> {
    pub fn new(
        [source, target]: [&'a Cloud; 2],
        kind: PlanKind,
        settings: &'a Settings,
        workers: &'a Workers,
    ) -> Self {
        let (steps, last, residual) = (0, None, f64::INFINITY);
        TransportPlans { source, target, kind, settings, workers, steps, last, residual }
    }

    /// Where the plan sends every point, and how much of each it moves where that is not all of it.
    fn images(&mut self, moved: &Array2<f64>, parallelism: Parallelism) -> Result<Images> {
        let moved = moved.view();
        let source = weighted(measure(&moved)?, self.source)?;
        let target = self.target.points.view();
        let target = weighted(measure(&target)?, self.target)?;
        let seed = self.settings.seed;
        let (auto, question) = (Auto { effort: 1 }, Question::new(&source, &target)?);
        let is_small = auto.is_exact(question.sizes(), false);
        let mut run = Run { seed, parallelism, bounds: false, halt: self.workers.halt(), ..Run::default() };
        if let Some(share) = self.settings.moved_share() {
            let plan = Exact.answer(&question.with_mass(share)?, &mut run)?.into_plan()?;
            return Ok(Images::of_part(&plan, moved, &target));
        }
        let coupling = match self.kind {
            PlanKind::Trees(trees) => Trees { trees }.answer(&question, &mut run)?.into_plan()?,
            PlanKind::Chosen(Matching::MinSwgg(directions)) => {
                // Other lines in every step: what is a minimum for some is none for others.
                run.seed = seed.wrapping_add(self.steps);
                MinSwgg::new().directions(directions).answer(&question, &mut run)?.into_plan()?
            }
            PlanKind::Chosen(Matching::Registered(name)) => {
                let solver = build::<f64>(find(name)?, &SolverSettings::new())?;
                solver.answer(&question, &mut run)?.into_plan()?
            }
            PlanKind::Chosen(matching) if matching == Matching::Exact || is_small => {
                let solved = from_start(&question, Start::after(self.last.as_ref()), &mut run)?;
                self.last.insert(solved).plan()?.clone()
            }
            PlanKind::Chosen(_) => auto.answer(&question, &mut run)?.into_plan()?,
        };
        let points = coupling.barycentric_map(&source, &target)?;
        Ok(Images { points, masses: self.source.weights.clone() })
    }

    fn fit(&mut self, pose: &Motion, parallelism: Parallelism) -> Result<Fit> {
        let points = self.source.points.view();
        let moved = pose.apply(points);
        let images = self.images(&moved, parallelism)?;
        let weights = images.masses.as_deref();
        // A plan that was stopped half-way is not worth following: the cloud stays where it is.
        let motion = match self.workers.is_halted() {
            true => pose.clone(),
            false => fit(points, images.points.view(), weights, self.settings.group)?,
        };
        let after = motion.apply(points);
        let total: f64 = weights.map_or(moved.nrows() as f64, |weights| weights.iter().sum());
        let cost = |moved: &Array2<f64>| {
            let rows = moved.rows().into_iter().zip(images.points.rows());
            let squares = rows.map(|(a, b)| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>());
            let sum: f64 = match weights {
                Some(weights) => squares.zip(weights).map(|(square, w)| square * w).sum(),
                None => squares.sum(),
            };
            sum / total
        };
        self.steps += 1;
        self.residual = cost(&after);
        let count = weights.map_or(self.source.len(), |weights| weights.iter().filter(|w| **w > 0.0).count());
        Ok(Fit { motion, points: count, cost: cost(&moved) })
    }
}

/// Where a plan sends the points of the source, in the mean, and how much of each it moves; all of them alike where nothing is said.
struct Images {
    points: Array2<f64>,
    masses: Option<Vec<f64>>,
}

impl Images {
    /// Of a plan that leaves some points, or some of their mass, where they are.
    fn of_part(plan: &Coupling, moved: ArrayView2<'_, f64>, target: &Measure<'_, f64>) -> Self {
        let (mut points, mut masses) = (Array2::zeros(moved.dim()), vec![0.0; moved.nrows()]);
        for (i, j, mass) in plan.entries() {
            masses[i] += mass;
            points.row_mut(i).iter_mut().zip(target.point(j)).for_each(|(sum, y)| *sum += mass * y);
        }
        for ((mut image, mass), place) in points.rows_mut().into_iter().zip(&masses).zip(moved.rows()) {
            match *mass > 0.0 {
                true => image.mapv_inplace(|sum| sum / mass),
                false => image.assign(&place),
            }
        }
        Images { points, masses: Some(masses) }
    }
}

impl Matcher for TransportPlans<'_> {
    fn stage(&self) -> Stage {
        Stage::Transport
    }

    fn step(&mut self, pose: &Motion) -> Result<Fit> {
        self.workers.run(|parallelism| self.fit(pose, parallelism))
    }
}

fn weighted<'a>(measure: Measure<'a, f64>, cloud: &Cloud) -> Result<Measure<'a, f64>> {
    Ok(match &cloud.weights {
        Some(weights) => measure.with_weights(weights)?,
        None => measure,
    })
}
