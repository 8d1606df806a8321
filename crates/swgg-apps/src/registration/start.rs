//! The pose to begin with, among many.

use swgg::ndarray::{Array2, Axis};
use swgg::{Parallelism, Trees};

use super::climb::{Plan, Transports};
use super::cloud::{Cloud, measure};
use super::crew::Crew;
use super::error::{Error, Result};
use super::motion::{Group, Motion};
use super::pairs::{Known, Sides};
use super::poses;
use super::settings::{Overlap, Settings};

/// Poses whose images of the cloud are nearer than this share of its size are one pose.
pub(super) const SAME: f64 = 0.1;
/// Costs that differ by less are of poses between which the clouds do not tell.
const ALIKE: f64 = 1.25;

/// Points of a close look, poses that are looked at, steps of a look.
const LOOK: (usize, usize, usize) = (512, 8, 6);
/// Poses that score worse than this many times the best are not looked at.
const HOPE: f64 = 4.0;
/// A look that costs more than this many times the best is no rival.
const CONTEST: f64 = 1.6;
/// Points of a contest, poses that take part, steps.
const FINAL: (usize, usize, usize) = (4096, 3, 3);

/// Points of both halves when the fit as a whole is judged.
const JUDGE: usize = 2048;

/// A look at fewer and fewer poses with more and more points.
struct Level {
    /// Points of each cloud that ask for neighbours.
    asking: usize,
    /// Points of each cloud that are asked.
    points: usize,
    steps: usize,
    /// Poses that go on to the next level.
    keep: usize,
}

const LEVELS: [Level; 3] = [
    Level { asking: 100, points: 1000, steps: 8, keep: 64 },
    Level { asking: 300, points: 3000, steps: 12, keep: 12 },
    Level { asking: 1000, points: 8000, steps: 20, keep: 6 },
];

/// Poses, the best first, with what they cost; far enough from each other.
pub(super) struct Found(pub Vec<(f64, Motion)>);

impl Found {
    fn new(mut poses: Vec<(f64, Motion)>, cloud: &Cloud, most: usize) -> Self {
        poses.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut kept: Vec<(f64, Motion)> = Vec::new();
        for (cost, pose) in poses {
            if kept.len() < most && kept.iter().all(|(_, other)| cloud.apart(&pose, other) > SAME) {
                kept.push((cost, pose));
            }
        }
        Found(kept)
    }

    /// The best pose.
    pub fn best(&self) -> Result<Motion> {
        self.0.first().map(|(_, pose)| pose.clone()).ok_or(Error::NoFit)
    }

    /// Poses that cost about as much as the best one; costs up to `nothing` are rounding.
    pub fn rivals(&self, nothing: f64) -> impl Iterator<Item = &Motion> {
        let limit = self.0.first().map_or(0.0, |(cost, _)| ALIKE * cost + nothing);
        self.0.iter().skip(1).take_while(move |(cost, _)| *cost <= limit).map(|(_, pose)| pose)
    }

    fn poses(self) -> Vec<Motion> {
        self.0.into_iter().map(|(_, pose)| pose).collect()
    }

    /// What the next best pose costs against the best one.
    pub fn ratio(&self) -> Option<f64> {
        let [(best, _), (next, _), ..] = &self.0[..] else { return None };
        Some(if *best > 0.0 { next / best } else { f64::INFINITY })
    }
}

/// Poses of clouds that correspond as a whole: principal axes, ranked on lines, the best few refined by transport of samples.
pub(super) fn whole(source: &Cloud, target: &Cloud, settings: &Settings, crew: &Crew) -> Result<Found> {
    let seed = settings.seed;
    let poses = poses::by_axes(source, target, settings.group, seed);
    let ranked = poses::ranked(poses, source, target, seed, crew)?;
    let best = ranked.first().map_or(0.0, |(score, _)| *score);
    let (points, most, steps) = LOOK;
    let hopeful = ranked.into_iter().enumerate().filter(|(k, (score, _))| *k < 2 || *score <= HOPE * best);
    let hopeful: Vec<Motion> = Found::new(hopeful.map(|(_, pose)| pose).collect(), source, most).poses();
    let count = points.min(source.len()).min(target.len());
    let (x, y) = (source.part(count, seed)?, target.part(count, seed ^ 1)?);
    let found = look(&x, &y, Plan::Trees(3), hopeful, (settings, steps), crew)?;
    let found = Found::new(found, source, most);
    let limit = found.0.first().map_or(0.0, |(cost, _)| CONTEST * cost);
    let close = found.0.iter().filter(|(cost, _)| *cost <= limit).count();
    if close < 2 || count == source.len().max(target.len()) {
        return Ok(found);
    }
    // Samples do not tell: more points do.
    let (points, most, steps) = FINAL;
    let (contest, rest) = found.0.split_at(close.min(most));
    let contest: Vec<Motion> = contest.iter().map(|(_, pose)| pose.clone()).collect();
    let count = points.min(source.len()).min(target.len());
    let (x, y) = (source.part(count, seed)?, target.part(count, seed ^ 1)?);
    let mut found = look(&x, &y, Plan::Trees(8), contest, (settings, steps), crew)?;
    let worst = found.iter().fold(0.0_f64, |worst, (cost, _)| worst.max(*cost));
    found.extend(rest.iter().map(|(cost, pose)| (cost.max(worst), pose.clone())));
    Ok(Found::new(found, source, LOOK.1))
}

/// Every pose after some steps between two samples.
fn look(
    source: &Cloud,
    target: &Cloud,
    plan: Plan,
    poses: Vec<Motion>,
    (settings, steps): (&Settings, usize),
    crew: &Crew,
) -> Result<Vec<(f64, Motion)>> {
    // Trees need clouds that can be paired.
    let is_paired = source.len() == target.len() && source.weights.is_none() && target.weights.is_none();
    let plan = if is_paired { plan } else { Plan::Chosen(super::settings::Matching::Auto) };
    let (group, seed, parallelism) = (settings.group, settings.seed, Parallelism::Serial);
    let transports = Transports { source, target, group, plan, seed, parallelism };
    crew.map(&poses, |pose| transports.climb(pose.clone(), 0.01, steps).map(|(pose, cost)| (cost, pose)))
        .into_iter()
        .collect()
}

/// What transport between halves of samples of the clouds costs at a pose, against that between two halves of the target.
pub(super) fn misfit(source: &Cloud, target: &Cloud, motion: &Motion, seed: u64, crew: &Crew) -> Result<f64> {
    let half = JUDGE.min(source.len()).min(target.len()) / 2;
    let x = motion.apply(source.sample(half, seed).view());
    let both = target.sample(2 * half, seed ^ 1);
    let order = Cloud::shuffled(both.nrows(), seed);
    let halves = [&order[..half], &order[half..2 * half]].map(|rows| both.select(Axis(0), rows));
    let cost = |x: &&Array2<f64>| -> Result<f64> {
        let trees = Trees { trees: 8, bounds: false, seed, parallelism: Parallelism::Serial };
        Ok(trees.solve(&measure(&x.view())?, &measure(&halves[0].view())?)?.cost)
    };
    let costs: Vec<f64> = crew.map(&[&halves[1], &x], cost).into_iter().collect::<Result<_>>()?;
    Ok(if costs[0] > 0.0 { costs[1] / costs[0] } else { 1.0 })
}

/// Poses of clouds that correspond in part: turns of all kinds, refined with nearest neighbours of few points, then of more.
pub(super) fn part(source: &Cloud, target: &Cloud, settings: &Settings, crew: &Crew) -> Result<Found> {
    let Settings { group, overlap, seed, .. } = *settings;
    let turns = match source.dim() {
        2 => 72,
        3 => 400,
        _ => 600,
    };
    let mut poses = poses::by_axes(source, target, group, seed);
    poses.extend(poses::by_turns(source, target, group, seed, turns));
    let mut found = Found(poses.into_iter().map(|pose| (0.0, pose)).collect());
    for (k, level) in LEVELS.iter().enumerate() {
        let seed = seed.wrapping_add(2 * k as u64);
        let sample = |cloud: &Cloud, side: u64| cloud.sample(level.points, seed ^ side);
        let sides = Sides::new([source, target], sample, level.asking, crew)?;
        let poses = found.poses();
        let looks =
            crew.map(&poses, |pose| trimmed(&sides, pose.clone(), (group, overlap), level.steps, k > 0));
        found = Found::new(looks.into_iter().collect::<Result<_>>()?, source, level.keep);
    }
    Ok(found)
}

/// A pose after some steps, and how well it fits.
fn trimmed(
    sides: &Sides,
    mut pose: Motion,
    (group, overlap): (Group, Overlap),
    steps: usize,
    back: bool,
) -> Result<(f64, Motion)> {
    // A cloud that may shrink must be asked for from the other side.
    let back = back || group == Group::Similarity;
    let mut known = Known::default();
    for _ in 0..steps {
        let pairs = sides.pairs_after(&mut known, &pose, overlap, (back, 1), Parallelism::Serial)?;
        match sides.fit(&pairs, group) {
            Ok(next) => pose = next,
            Err(Error::NoFit) => return Ok((f64::INFINITY, pose)),
            Err(other) => return Err(other),
        }
    }
    let pairs = sides.pairs_after(&mut known, &pose, overlap, (true, 1), Parallelism::Serial)?;
    Ok((pairs.score, pose))
}
