//! Poses of clouds that correspond in part.

use swgg::run::Workers;

use crate::registration::cloud::Cloud;
use crate::registration::error::{Error, Result};
use crate::registration::indexed_cloud::IndexedPair;
use crate::registration::inputs::Inputs;
use crate::registration::matcher::{Limits, NearestNeighbors, iterate};
use crate::registration::motion::{Group, Motion};
use crate::registration::settings::Settings;

use super::{Candidate, Candidates, oriented, poses};

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
    Level { queries: 1000, points: 8000, steps: 20, both_ways: true, keep: 6 },
];

/// Poses of pairs of points with normals.
const ORIENTED: usize = 200;

/// Turns of all kinds, refined with nearest neighbours of few points, then of more.
pub(super) fn search(inputs: &Inputs) -> Result<Candidates> {
    let Inputs { source, target, settings, workers } = inputs;
    let Settings { group, seed, .. } = **settings;
    let turns = match source.dim() {
        2 => 72,
        3 => 400,
        _ => 600,
    };
    let mut poses = oriented::poses(inputs, ORIENTED)?;
    poses.extend(poses::by_axes(source, target, group, seed));
    poses.extend(poses::by_turns(source, target, group, seed, turns));
    let mut found = Candidates(Vec::new());
    for (k, level) in LEVELS.iter().enumerate() {
        let seed = seed.wrapping_add(2 * k as u64);
        let sample = |cloud: &Cloud, number: u64| cloud.sample(level.points, seed ^ number);
        let clouds = IndexedPair::new([source, target], sample, level.queries, workers)?;
        let refined = workers.map_items(&poses, |pose| level.refine(inputs, &clouds, pose.clone()));
        found = Candidates::new(refined.into_iter().collect::<Result<_>>()?, source, level.keep);
        poses = found.0.iter().map(|candidate| candidate.pose.clone()).collect();
    }
    Ok(found)
}

impl Level {
    /// A pose after some steps, and how well it fits.
    fn refine(&self, inputs: &Inputs, clouds: &IndexedPair, mut pose: Motion) -> Result<Candidate> {
        let Settings { group, overlap, .. } = *inputs.settings;
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
