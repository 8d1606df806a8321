//! Clouds with search trees.

use swgg::ndarray::{Array2, Axis, s};
use swgg::{
    Parallelism,
    nearest::{Neighbors, PointTree},
    run::Workers,
};

use super::cloud::{Cloud, measure};
use super::error::{Error, Result};
use super::motion::{Group, Motion, fit_rows};
use super::pairs::Pairs;

/// Points that are enough to come near, for all of a cloud.
const COARSE_POINTS: usize = 3000;
/// Points that are asked how far apart points are.
const SPACING_QUERIES: usize = 2000;

/// A cloud with a search tree, its points in an order in which neighbours are found soonest.
pub(super) struct IndexedCloud {
    pub points: Array2<f64>,
    pub tree: PointTree,
    /// Squared distance between neighbours, the median.
    spacing_sq: f64,
    queries: Queries,
}

/// Some points of a cloud, for which neighbours are looked for: the first one and then every so many of them, which is an even choice.
pub(super) struct Queries {
    pub points: Array2<f64>,
    /// From the index of one to that of the next.
    pub step: usize,
}

impl Queries {
    /// About so many of the points, in their order.
    fn new(points: &Array2<f64>, most: usize) -> Self {
        let step = points.nrows().div_ceil(most).max(1);
        Queries { points: points.slice(s![..;step, ..]).to_owned(), step }
    }
}

impl IndexedCloud {
    /// Neighbours are looked for of about `max_queries` of the points.
    pub fn new(points: Array2<f64>, max_queries: usize, parallelism: Parallelism) -> Result<Self> {
        let (tree, order) = PointTree::new(&measure(&points.view())?, parallelism)?.in_order();
        let order: Vec<usize> = order.iter().map(|&i| i as usize).collect();
        let points = points.select(Axis(0), &order);
        let some = Queries::new(&points, SPACING_QUERIES).points;
        let near = tree.nearest_in_order(&measure(&some.view())?, 2.min(points.nrows()), parallelism)?;
        let mut squares = near.squares.column(1).to_vec();
        let middle = squares.len() / 2;
        let spacing_sq = *squares.select_nth_unstable_by(middle, f64::total_cmp).1;
        let queries = Queries::new(&points, max_queries);
        Ok(IndexedCloud { points, tree, spacing_sq, queries })
    }

    /// One in so many of the points for which neighbours are looked for.
    pub fn queries(&self, every: usize) -> Queries {
        let Queries { points, step } = &self.queries;
        Queries { points: points.slice(s![..;every, ..]).to_owned(), step: step * every }
    }

    /// The nearest point for each of some others. Begins with those in `last` if there are as many, and leaves what it finds there.
    pub fn nearest(
        &self,
        queries: &Array2<f64>,
        last: &mut Vec<u32>,
        parallelism: Parallelism,
    ) -> Result<Neighbors> {
        let queries = queries.view();
        let queries = measure(&queries)?;
        let found = match last.len() == queries.len() {
            true => self.tree.nearest_from(&queries, last, parallelism)?,
            false => self.tree.nearest_in_order(&queries, 1, parallelism)?,
        };
        last.clear();
        last.extend(&found.indices);
        Ok(found)
    }
}

/// Both clouds with search trees.
pub(super) struct IndexedPair {
    pub source: IndexedCloud,
    pub target: IndexedCloud,
    /// Squared distance between neighbours of the coarser cloud: nearer than this, points tell nothing about the overlap.
    pub spacing_sq: f64,
}

impl IndexedPair {
    /// Of points of both clouds: `choose` takes some of a cloud, given its number, 0 or 1. Neighbours are looked for of about
    /// `max_queries` of them.
    pub fn new(
        [source, target]: [&Cloud; 2],
        choose: impl Fn(&Cloud, u64) -> Array2<f64> + Sync + Send,
        max_queries: usize,
        workers: &Workers,
    ) -> Result<Self> {
        let parallelism = workers.parallelism();
        let index = |cloud, number| IndexedCloud::new(choose(cloud, number), max_queries, parallelism);
        let (source, target) = workers.join(|| index(source, 0), || index(target, 1));
        let (source, target) = (source?, target?);
        Ok(IndexedPair { spacing_sq: source.spacing_sq.max(target.spacing_sq), source, target })
    }

    /// One in so many points is enough to come near.
    pub fn coarse(&self) -> usize {
        (self.source.points.nrows().min(self.target.points.nrows()) / COARSE_POINTS).max(1)
    }

    /// Share of the source that a pose puts within a squared distance of the target.
    pub fn share_within(&self, pose: &Motion, limit_sq: f64, workers: &Workers) -> Result<f64> {
        let moved = pose.apply(self.source.points.slice(s![..;self.coarse(), ..]));
        let near = workers.run(|parallelism| -> Result<_> {
            Ok(self.target.tree.nearest_in_order(&measure(&moved.view())?, 1, parallelism)?)
        })?;
        let count = near.squares.iter().filter(|square| **square <= limit_sq).count();
        Ok(count as f64 / moved.nrows() as f64)
    }

    /// The motion that fits pairs best.
    pub fn fit(&self, pairs: &Pairs, group: Group) -> Result<Motion> {
        let d = self.source.points.ncols();
        let (Some(x), Some(y)) = (self.source.points.as_slice(), self.target.points.as_slice()) else {
            return Err(Error::NoFit);
        };
        let row = |i: u32| i as usize * d..(i as usize + 1) * d;
        let rows = pairs.pairs.iter().map(|pair| (&x[row(pair.source)], &y[row(pair.target)], 1.0));
        fit_rows(d, rows, group)
    }
}
