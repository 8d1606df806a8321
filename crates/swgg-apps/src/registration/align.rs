//! Matching and fitting in turn.

use std::time::Instant;

use swgg::ndarray::{Array2, ArrayView2};
use swgg::{Auto, Exact, Measure, MinSwgg, Parallelism, nearest};

use super::cloud::{Cloud, measure};
use super::error::{Error, Result};
use super::motion::{Group, Motion, fit};
use super::start;

/// Where to begin.
#[derive(Clone, Debug, Default)]
pub enum Start {
    /// Anywhere: principal axes with all signs, and turns where these do not tell.
    #[default]
    Global,
    /// Here.
    At(Motion),
}

/// Who belongs to whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Matching {
    /// The default solver at low effort.
    #[default]
    Auto,
    /// The best of so many random lines, as in the paper.
    MinSwgg(usize),
    /// Exact transport.
    Exact,
    /// The nearest target point, whoever else has it.
    Nearest,
}

/// How to register.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where to begin.
    pub start: Start,
    /// How points are matched.
    pub matching: Matching,
    /// Which motions are allowed.
    pub group: Group,
    /// Steps at most.
    pub max_steps: usize,
    /// A step that moves less than this share of the cloud's size is the last one.
    pub tolerance: f64,
    /// Seed of samples, lines and turns.
    pub seed: u64,
    /// How many threads to use; the answer does not depend on it.
    pub parallelism: Parallelism,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            start: Start::Global,
            matching: Matching::Auto,
            group: Group::Rigid,
            max_steps: 50,
            tolerance: 1e-4,
            seed: 0,
            parallelism: Parallelism::Auto,
        }
    }
}

/// One step: what the matches cost before the fit, and how far it moved the cloud.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Points that took part.
    pub points: usize,
    /// Mean squared distance of the matches.
    pub cost: f64,
    /// How far points moved, as a share of the size of the cloud.
    pub change: f64,
}

/// A motion that brings the source onto the target.
#[derive(Clone, Debug)]
pub struct Registration {
    /// From the frame of the source to that of the target.
    pub motion: Motion,
    /// Mean squared distance of the last matches after the last fit.
    pub cost: f64,
    /// Every step of the pose that was chosen.
    pub steps: Vec<Step>,
    /// Whether the last step moved less than the tolerance.
    pub converged: bool,
    /// Another pose that fits nearly as well, if there is one: then the shape does not tell.
    pub rival: Option<Motion>,
    /// Seconds for finding poses, and for refining the best one.
    pub seconds: (f64, f64),
}

/// Points that settle which pose is best.
const SAMPLE: usize = 1000;
/// Poses that are looked at closely.
const CLOSELY: usize = 8;
/// Steps of a close look.
const LOOKS: usize = 12;
/// Costs that differ by less are of poses between which the clouds do not tell.
const ALIKE: f64 = 1.1;

/// Registers two clouds.
pub fn align(source: ArrayView2<f64>, target: ArrayView2<f64>, settings: &Settings) -> Result<Registration> {
    let clock = Instant::now();
    let (source, target) =
        (Cloud::new("source", source.to_owned())?, Cloud::new("target", target.to_owned())?);
    if source.mean.len() != target.mean.len() {
        return Err(swgg::Error::from(swgg::ErrorKind::DimensionMismatch {
            source_dim: source.mean.len(),
            target_dim: target.mean.len(),
        })
        .into());
    }
    let mut rival = None;
    let begin = match &settings.start {
        Start::At(motion) => motion.clone(),
        Start::Global => {
            let (best, other) = best_pose(&source, &target, settings)?;
            rival = other;
            best
        }
    };
    let found = clock.elapsed().as_secs_f64();
    let mut climb = Climb {
        source: source.points.view(),
        target: target.points.view(),
        size: source.size(),
        settings,
        steps: Vec::new(),
    };
    let (motion, cost, converged) = climb.run(begin, settings.max_steps)?;
    let steps = climb.steps;
    Ok(Registration {
        motion,
        cost,
        steps,
        converged,
        rival,
        seconds: (found, clock.elapsed().as_secs_f64() - found),
    })
}

/// The pose that fits samples best after some steps, and a rival if there is one.
fn best_pose(source: &Cloud, target: &Cloud, settings: &Settings) -> Result<(Motion, Option<Motion>)> {
    let poses = start::poses(source, target, settings.group, settings.seed, false);
    let ranked = start::ranked(poses, source, target, settings.seed)?;
    let (x, y) = (source.sample(SAMPLE, settings.seed), target.sample(SAMPLE, settings.seed ^ 1));
    let mut looks = Vec::new();
    for (_, pose) in ranked.into_iter().take(CLOSELY) {
        let mut climb =
            Climb { source: x.view(), target: y.view(), size: source.size(), settings, steps: Vec::new() };
        let (motion, cost, _) = climb.run(pose, LOOKS)?;
        looks.push((cost, motion));
    }
    looks.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut looks = looks.into_iter();
    let (cost, best) = looks.next().ok_or(Error::NoFit)?;
    let rival = looks
        .find(|(other, motion)| *other <= ALIKE * cost + 1e-12 && motion.degrees_to(&best) > 10.0)
        .map(|(_, motion)| motion);
    Ok((best, rival))
}

/// Matching and fitting in turn, from one pose.
struct Climb<'a> {
    source: ArrayView2<'a, f64>,
    target: ArrayView2<'a, f64>,
    size: f64,
    settings: &'a Settings,
    steps: Vec<Step>,
}

impl Climb<'_> {
    fn run(&mut self, mut motion: Motion, most: usize) -> Result<(Motion, f64, bool)> {
        let target = measure(&self.target)?;
        let mut moved = motion.apply(self.source);
        let mut cost = f64::INFINITY;
        for _ in 0..most {
            let images = self.images(moved.view(), &target)?;
            motion = fit(self.source, images.view(), None, self.settings.group)?;
            let next = motion.apply(self.source);
            let n = next.nrows() as f64;
            let mean = |a: &Array2<f64>, b: &Array2<f64>| {
                a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / n
            };
            let change = mean(&moved, &next).sqrt() / self.size;
            cost = mean(&next, &images);
            self.steps.push(Step { points: next.nrows(), cost: mean(&moved, &images), change });
            moved = next;
            if change <= self.settings.tolerance {
                return Ok((motion, cost, true));
            }
        }
        Ok((motion, cost, false))
    }

    fn images(&self, moved: ArrayView2<f64>, target: &Measure<f64>) -> Result<Array2<f64>> {
        let source = measure(&moved)?;
        let Settings { seed, parallelism, .. } = *self.settings;
        let coupling = match self.settings.matching {
            Matching::Auto => {
                let auto = Auto { effort: 1, bounds: false, seed, parallelism, ..Default::default() };
                auto.solve(&source, target)?.coupling
            }
            Matching::MinSwgg(directions) => {
                // Other lines in every step: what is a minimum for some is none for others.
                let seed = seed.wrapping_add(self.steps.len() as u64);
                MinSwgg::new()
                    .directions(directions)
                    .seed(seed)
                    .parallelism(parallelism)
                    .solve(&source, target)?
                    .coupling
            }
            Matching::Exact => {
                Exact { seed, parallelism, ..Default::default() }.solve(&source, target)?.coupling
            }
            Matching::Nearest => {
                let near = nearest(target, &source, 1, parallelism)?;
                let mut images = Array2::zeros(moved.dim());
                images.rows_mut().into_iter().zip(&near.indices).for_each(|(mut row, &j)| {
                    row.assign(&self.target.row(j as usize));
                });
                return Ok(images);
            }
        };
        Ok(coupling.barycentric_map(&source, target)?)
    }
}
