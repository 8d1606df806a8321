//! Poses of clouds that correspond in part.

use swgg::run::Workers;

use crate::registration::agreement::Agreement;
use crate::registration::cloud::Cloud;
use crate::registration::error::{Error, Result};
use crate::registration::indexed_cloud::IndexedPair;
use crate::registration::inputs::Inputs;
use crate::registration::matcher::{Limits, NearestNeighbors, Planes, iterate};
use crate::registration::motion::{Group, Motion};
use crate::registration::settings::{Overlap, Settings};

use super::{Candidate, Candidates, RIVAL_COST_RATIO, oriented, poses};

/// A look at fewer and fewer poses with more and more points.
struct Level {
    /// Points of each cloud for which neighbours are looked for.
    queries: usize,
    /// Points of each cloud that may be neighbours.
    points: usize,
    steps: usize,
    /// Whether target points are paired with source points too.
    both_ways: bool,
    /// Poses that go on to the next level.
    keep: usize,
}

const LEVELS: [Level; 3] = [
    Level { queries: 100, points: 1000, steps: 8, both_ways: false, keep: 64 },
    Level { queries: 300, points: 3000, steps: 12, both_ways: true, keep: 12 },
    Level { queries: 1000, points: 8000, steps: 20, both_ways: true, keep: 8 },
];
/// Poses of pairs of points with normals, and how many of them are near enough to skip the first level.
const ORIENTED: usize = 200;
const SEEDED: usize = 24;
/// The overlap for which these are refined where nobody says it: points that should not take part draw them away from where they are.
const SEEDED_OVERLAP: f64 = 0.5;
/// How poses between which neighbours do not tell are brought to planes.
const PLANE_LIMITS: Limits = Limits { steps: 25, tolerance: 1e-3 };

/// Turns of all kinds and poses that pairs of points are for, refined with nearest neighbours of few points, then of more; which of them
/// is best is what the clouds agree in.
pub(super) fn search(inputs: &Inputs) -> Result<Candidates> {
    let Inputs { source, target, settings, workers } = inputs;
    let Settings { group, seed, overlap, .. } = **settings;
    let turns = match source.dim() {
        2 => 72,
        3 => 400,
        _ => 600,
    };
    let mut poses = oriented::poses(inputs, ORIENTED)?;
    let mut seeded: Vec<Motion> = poses.iter().take(SEEDED).cloned().collect();
    poses.extend(poses::by_axes(source, target, group, seed));
    poses.extend(poses::by_turns(source, target, group, seed, turns));
    let seeded_overlap = if overlap == Overlap::Auto { Overlap::Share(SEEDED_OVERLAP) } else { overlap };
    let mut last = None;
    for (k, level) in LEVELS.iter().enumerate() {
        let seed = seed.wrapping_add(2 * k as u64);
        let sample = |cloud: &Cloud, number: u64| cloud.sample(level.points, seed ^ number);
        let clouds = IndexedPair::new([source, target], sample, level.queries, workers)?;
        poses = level.best(inputs, &clouds, &poses, overlap)?;
        if k > 0 {
            seeded = level.best(inputs, &clouds, &seeded, seeded_overlap)?;
        }
        if workers.is_halted() {
            // The best so far: nobody waits for a better one.
            poses.extend(seeded);
            let hasty =
                poses.into_iter().enumerate().map(|(k, pose)| Candidate { cost: 1.0 + k as f64, pose });
            return Ok(Candidates(hasty.collect()));
        }
        last = Some(clouds);
    }
    poses.extend(seeded);
    let clouds = last.ok_or(Error::NoFit)?;
    agreed(inputs, &clouds, poses)
}

impl Level {
    /// The best of some poses after some steps, the best first.
    fn best(
        &self,
        inputs: &Inputs,
        clouds: &IndexedPair,
        poses: &[Motion],
        overlap: Overlap,
    ) -> Result<Vec<Motion>> {
        let workers = &inputs.workers;
        let refined = workers.map_items(poses, |pose| match workers.is_halted() {
            true => Ok(Candidate { cost: f64::INFINITY, pose: pose.clone() }),
            false => self.refine(inputs, clouds, pose.clone(), overlap),
        });
        let refined = refined.into_iter().collect::<Result<Vec<_>>>()?;
        Ok(Candidates::new(refined, &inputs.source, self.keep).into_poses())
    }

    /// A pose after some steps, and how well it fits.
    fn refine(
        &self,
        inputs: &Inputs,
        clouds: &IndexedPair,
        mut pose: Motion,
        overlap: Overlap,
    ) -> Result<Candidate> {
        let group = inputs.settings.group;
        // One thread a pose.
        let alone = Workers::Caller;
        let mut neighbors = NearestNeighbors::new(clouds, group, overlap, &alone);
        // A cloud that may shrink must be looked at from the other side.
        neighbors.both_ways = self.both_ways || group == Group::Similarity;
        match iterate(&mut neighbors, &inputs.source, &mut pose, Limits::steps(self.steps), None) {
            Ok(()) => {}
            Err(Error::NoFit) => return Ok(Candidate { cost: f64::INFINITY, pose }),
            Err(other) => return Err(other),
        }
        neighbors.both_ways = true;
        Ok(Candidate { cost: neighbors.pairs(&pose)?.score, pose })
    }
}

/// Poses by what the clouds agree in. Those that come near the best are brought to planes first, where there are any: along a surface
/// neighbours leave them wherever they happen to be.
fn agreed(inputs: &Inputs, clouds: &IndexedPair, poses: Vec<Motion>) -> Result<Candidates> {
    let Inputs { source, settings, workers, .. } = inputs;
    let most = LEVELS[LEVELS.len() - 1].keep;
    let agreement = Agreement::new(clouds, workers)?;
    let judged = |pose: Motion| -> Result<Candidate> {
        Ok(Candidate { cost: 1.0 / agreement.of(&pose, &Workers::Caller)?, pose })
    };
    let all = workers.map_items(&poses, |pose| judged(pose.clone()));
    let mut found = Candidates::new(all.into_iter().collect::<Result<_>>()?, source, most);
    let limit = found.0.first().map_or(0.0, |best| RIVAL_COST_RATIO * best.cost);
    let close = found.0.iter().filter(|next| next.cost <= limit).count();
    let Some(normals) = agreement.normals().filter(|_| close > 1) else { return Ok(found) };
    let rest = found.0.split_off(close);
    let settled = workers.map_items(&found.0, |candidate| {
        let (alone, mut pose) = (Workers::Caller, candidate.pose.clone());
        let mut planes = Planes::new(clouds, normals, settings.group, Some(0.0), &alone);
        match iterate(&mut planes, source, &mut pose, PLANE_LIMITS, None) {
            Ok(()) => judged(pose),
            Err(Error::NoFit) => Ok(candidate.clone()),
            Err(other) => Err(other),
        }
    });
    let mut all = settled.into_iter().collect::<Result<Vec<_>>>()?;
    all.extend(rest);
    Ok(Candidates::new(all, source, most))
}
