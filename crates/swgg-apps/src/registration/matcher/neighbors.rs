//! Matches of nearest neighbours, without those that have no counterpart.

use swgg::{Parallelism, run::Workers};

use crate::registration::error::Result;
use crate::registration::indexed_cloud::IndexedPair;
use crate::registration::motion::{Group, Motion};
use crate::registration::outcome::Stage;
use crate::registration::pairs::{Pair, Pairs, Trimmed};
use crate::registration::settings::Overlap;

use super::{Fit, Matcher};

/// Pairs every point with its nearest neighbour in the other cloud: iterative closest points, trimmed to the overlap.
pub(in crate::registration) struct NearestNeighbors<'a> {
    clouds: &'a IndexedPair,
    group: Group,
    overlap: Overlap,
    /// Whether target points are paired with their neighbours in the source too.
    pub both_ways: bool,
    /// One in so many points takes part.
    every: usize,
    workers: &'a Workers,
    /// Neighbours of the last step, of source points and of target points, near which those of the next one are found sooner.
    last: [Vec<u32>; 2],
}

impl<'a> NearestNeighbors<'a> {
    /// Of all points, both ways.
    pub fn new(clouds: &'a IndexedPair, group: Group, overlap: Overlap, workers: &'a Workers) -> Self {
        let (both_ways, every, last) = (true, 1, Default::default());
        NearestNeighbors { clouds, group, overlap, both_ways, every, workers, last }
    }

    /// Source points to their neighbours only.
    pub fn one_way(self) -> Self {
        NearestNeighbors { both_ways: false, ..self }
    }

    /// Of one in so many points.
    pub fn every(self, every: usize) -> Self {
        NearestNeighbors { every, ..self }
    }

    /// Begins with neighbours of the source points that are known.
    pub fn after(self, neighbors: Vec<u32>) -> Self {
        NearestNeighbors { last: [neighbors, Vec::new()], ..self }
    }

    /// The pairs where a pose puts the source.
    pub fn pairs(&mut self, pose: &Motion) -> Result<Pairs> {
        self.workers.run(|parallelism| self.search(pose, parallelism))
    }

    fn search(&mut self, pose: &Motion, parallelism: Parallelism) -> Result<Pairs> {
        let IndexedPair { source, target, spacing_sq } = self.clouds;
        let [last_of_source, last_of_target] = &mut self.last;
        let asking = source.queries(self.every);
        let moved = pose.apply(asking.points.view());
        let found = target.nearest(&moved, last_of_source, parallelism)?;
        let squares = found.squares.column(0).to_vec();
        let there = Trimmed::new(squares, found.indices.column(0).to_vec(), self.overlap, *spacing_sq);
        let pair = |(i, target)| Pair { source: i * asking.step as u32, target };
        let mut pairs: Vec<Pair> = there.members().map(pair).collect();
        let (mut sum, mut score, mut share) = (there.sum, there.score, [there.share(), 1.0]);
        if self.both_ways {
            let asking = target.queries(self.every);
            let moved = pose.inverse().apply(asking.points.view());
            let found = source.nearest(&moved, last_of_target, parallelism)?;
            let scale = pose.scale * pose.scale;
            let squares = found.squares.column(0).iter().map(|square| scale * square).collect();
            let back = Trimmed::new(squares, found.indices.column(0).to_vec(), self.overlap, *spacing_sq);
            let pair = |(j, source)| Pair { source, target: j * asking.step as u32 };
            pairs.extend(back.members().map(pair));
            sum += back.sum;
            score += back.score;
            share[1] = back.share();
        }
        let cost = sum / pairs.len() as f64;
        Ok(Pairs { pairs, cost, share, score, farthest_sq: there.limit })
    }
}

impl Matcher for NearestNeighbors<'_> {
    fn stage(&self) -> Stage {
        Stage::Nearest
    }

    fn step(&mut self, pose: &Motion) -> Result<Fit> {
        let (clouds, group) = (self.clouds, self.group);
        self.workers.run(|parallelism| {
            let pairs = self.search(pose, parallelism)?;
            Ok(Fit { motion: clouds.fit(&pairs, group)?, points: pairs.pairs.len(), cost: pairs.cost })
        })
    }
}
