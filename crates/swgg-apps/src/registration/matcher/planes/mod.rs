//! Matches of points with the planes through their neighbours, along which they may slide.
//!
//! The objective is the symmetric one of Rusinkiewicz (2019): with the normals `n` of both points, `((x - y) . (n_x + n_y))^2`.

mod equations;
mod neighbor_cache;
mod normals;

pub(in crate::registration) use normals::Normals;

use equations::PlaneFit;
use neighbor_cache::NeighborCache;
use swgg::ndarray::s;
use swgg::{Parallelism, run::Workers};

use crate::registration::error::Result;
use crate::registration::indexed_cloud::IndexedPair;
use crate::registration::motion::{Group, Motion};
use crate::registration::outcome::Stage;
use crate::registration::pairs::Pair;

use super::{Fit, Matcher};

/// Pairs are within this many squared spacings, or within what the overlap says.
const REACH_SPACINGS: f64 = 16.0;
/// A step that moves points by less than this share of the size of the cloud is narrow.
const NARROW: f64 = 1e-4;
/// The width does not become smaller than this share of what it is at first.
const LEAST_WIDTH: f64 = 0.2;

/// Pairs source points with the planes of their neighbours.
///
/// All points take part once steps are narrow. Which gaps are large is not known at first: the width within which they count
/// halves from step to step.
pub(in crate::registration) struct Planes<'a> {
    fit: PlaneFit<'a>,
    workers: &'a Workers,
    /// Neighbours farther than this are none.
    limit_sq: f64,
    width: f64,
    least_width: f64,
    /// One in so many points takes part.
    every: usize,
    /// Neighbours of the last step, as long as some of the points take part.
    last: Vec<u32>,
    /// Neighbours of all points, once they take part.
    cache: NeighborCache,
}

impl<'a> Planes<'a> {
    /// With neighbours at most so far away, squared, if there is a limit.
    pub fn new(
        clouds: &'a IndexedPair,
        normals: &'a Normals,
        group: Group,
        reach_sq: Option<f64>,
        workers: &'a Workers,
    ) -> Self {
        let near_sq = REACH_SPACINGS * clouds.spacing_sq;
        let limit_sq = reach_sq.map_or(f64::INFINITY, |reach_sq| reach_sq.max(near_sq));
        let width = limit_sq.min(near_sq).sqrt();
        Planes {
            fit: PlaneFit { clouds, normals, group, workers },
            workers,
            limit_sq,
            width,
            least_width: LEAST_WIDTH * width,
            // Some of the points as long as steps are wide, all of them at the end.
            every: clouds.coarse(),
            last: Vec::new(),
            cache: NeighborCache::default(),
        }
    }

    /// The neighbours of all source points in the last step; none if it was one of some points.
    pub fn into_neighbors(self) -> Vec<u32> {
        self.cache.indices
    }

    /// Source points and their neighbours, and the mean of their squared distances.
    fn pairs(&mut self, pose: &Motion, parallelism: Parallelism) -> Result<(Vec<Pair>, f64)> {
        let IndexedPair { source, target, .. } = self.fit.clouds;
        let moved = pose.apply(source.points.slice(s![..;self.every, ..]));
        let found;
        let (squares, neighbors) = if self.every == 1 {
            self.cache.update(target, &moved, parallelism)?;
            (&self.cache.squares[..], &self.cache.indices[..])
        } else {
            found = target.nearest(&moved, &mut self.last, parallelism)?;
            (found.squares.as_slice().unwrap_or_default(), &self.last[..])
        };
        let (mut sum, mut pairs) = (0.0, Vec::with_capacity(moved.nrows()));
        for (i, (square, &target)) in squares.iter().zip(neighbors).enumerate() {
            if *square <= self.limit_sq {
                sum += square;
                pairs.push(Pair { source: (i * self.every) as u32, target });
            }
        }
        let cost = sum / pairs.len().max(1) as f64;
        Ok((pairs, cost))
    }
}

impl Matcher for Planes<'_> {
    fn stage(&self) -> Stage {
        Stage::Planes
    }

    fn step(&mut self, pose: &Motion) -> Result<Fit> {
        // Threads are called once a step.
        self.workers.run(|parallelism| {
            let (pairs, cost) = self.pairs(pose, parallelism)?;
            Ok(Fit { motion: self.fit.next(&pairs, pose, self.width)?, points: pairs.len(), cost })
        })
    }

    fn is_settled(&mut self, change: f64, tolerance: f64) -> bool {
        let is_least = self.width <= self.least_width;
        if change <= tolerance && is_least && self.every == 1 {
            return true;
        }
        if change <= NARROW.max(tolerance) && is_least {
            self.every = 1;
        }
        self.width = (0.5 * self.width).max(self.least_width);
        false
    }
}
