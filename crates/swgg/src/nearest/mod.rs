//! Nearest neighbours, exactly, in any dimension.

mod neighbor;
mod search;
mod tree;

use ndarray::Array2;
use pulp::Arch;

use neighbor::Neighbor;
use search::{LeafQuery, LeafSearch};
use tree::{KdTree, Leaves, Node};

use crate::error::{ErrorKind, Result};
use crate::measure::{Measure, same_space};
use crate::number::scalar::Scalar;
use crate::run::workers::{Parallelism, Workers};

/// Points of a leaf, and queries that look together.
const POINTS_PER_LEAF: usize = 16;
/// Leaves of queries that one task answers.
const LEAVES_PER_QUERY_TASK: usize = 8;

/// The nearest points of every query, nearest first; of points at one distance, those of lower index first.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Neighbors {
    /// Index of each neighbour, one row per query.
    pub indices: Array2<u32>,
    /// Squared distance to each neighbour, one row per query.
    pub squares: Array2<f64>,
}

/// The `k` nearest points of every query, by a k-d tree; weights do not matter.
///
/// Exact, ties included: what a look at all points would give, to the bit, for any number of threads.
/// `O((n + q) log n)` time or so in low dimension, and never much more than the `O(n q d)` of looking at all points.
/// `O((n + q) d + q k)` memory.
///
/// ```
/// use swgg::{Measure, Parallelism, nearest::nearest};
/// let points = Measure::from_slice(&[0.0, 0.0, 4.0, 0.0, 0.0, 3.0], 2)?;
/// let queries = Measure::from_slice(&[0.0, 1.0, 3.0, 0.0], 2)?;
/// let found = nearest(&points, &queries, 2, Parallelism::Auto)?;
/// assert_eq!(found.indices.row(0).to_vec(), [0, 2]);
/// assert_eq!(found.squares.row(1).to_vec(), [1.0, 9.0]);
/// # Ok::<(), swgg::Error>(())
/// ```
pub fn nearest<T: Scalar>(
    points: &Measure<T>,
    queries: &Measure<T>,
    k: usize,
    parallelism: Parallelism,
) -> Result<Neighbors> {
    same_space(points, queries)?;
    PointTree::new(points, parallelism)?.nearest(queries, k, parallelism)
}

/// Points that are asked for their nearest neighbours again and again; see [`nearest`] for one time.
///
/// ```
/// use swgg::{Measure, Parallelism, nearest::PointTree};
/// let tree = PointTree::new(&Measure::from_slice(&[0.0, 0.0, 4.0, 0.0, 0.0, 3.0], 2)?, Parallelism::Auto)?;
/// let found = tree.nearest(&Measure::from_slice(&[0.0, 1.0], 2)?, 1, Parallelism::Serial)?;
/// assert_eq!((found.indices[[0, 0]], found.squares[[0, 0]]), (0, 1.0));
/// # Ok::<(), swgg::Error>(())
/// ```
pub struct PointTree(KdTree);

impl PointTree {
    /// Arranges a copy of the points; weights do not matter.
    pub fn new<T: Scalar>(points: &Measure<T>, parallelism: Parallelism) -> Result<Self> {
        Ok(PointTree(KdTree::new(points, &Workers::new(parallelism)?)))
    }

    /// Number of points.
    #[expect(clippy::len_without_is_empty, reason = "a measure has points")]
    pub fn len(&self) -> usize {
        self.0.leaves.order.len()
    }

    /// The points in an order in which neighbours in space are neighbours in memory, by index.
    pub fn order(&self) -> &[u32] {
        &self.0.leaves.order
    }

    /// The tree of the points put in its [`order`](PointTree::order), which comes with it: points are known by their places in it.
    pub fn in_order(mut self) -> (Self, Vec<u32>) {
        let n = self.len() as u32;
        let order = std::mem::replace(&mut self.0.leaves.order, (0..n).collect());
        for node in (0..self.0.nodes.len()).rev() {
            let Node { next, is_leaf, .. } = self.0.nodes[node];
            self.0.nodes[node].first =
                if is_leaf { (next * POINTS_PER_LEAF) as u32 } else { self.0.nodes[node + 1].first };
        }
        (self, order)
    }

    /// The `k` nearest points of every query, by index of the points the tree was made of.
    pub fn nearest<T: Scalar>(
        &self,
        queries: &Measure<T>,
        k: usize,
        parallelism: Parallelism,
    ) -> Result<Neighbors> {
        self.search(queries, k, None, parallelism, true)
    }

    /// [`nearest`](PointTree::nearest) of queries that are in a good [`order`](PointTree::order) already, as those of a
    /// cloud that moves are: the same answer, sooner.
    pub fn nearest_in_order<T: Scalar>(
        &self,
        queries: &Measure<T>,
        k: usize,
        parallelism: Parallelism,
    ) -> Result<Neighbors> {
        self.search(queries, k, None, parallelism, false)
    }

    /// The nearest point of every query, beginning with one that is known for each, by index: the same answer as that of
    /// [`nearest_in_order`](PointTree::nearest_in_order), the sooner the nearer the known ones are.
    ///
    /// A cloud that moves in small steps knows the neighbours of the step before.
    ///
    /// ```
    /// use swgg::{Measure, Parallelism, nearest::PointTree};
    /// let tree = PointTree::new(&Measure::from_slice(&[0.0, 0.0, 4.0, 0.0, 0.0, 3.0], 2)?, Parallelism::Auto)?;
    /// let found = tree.nearest_from(&Measure::from_slice(&[0.0, 1.0], 2)?, &[2], Parallelism::Serial)?;
    /// assert_eq!((found.indices[[0, 0]], found.squares[[0, 0]]), (0, 1.0));
    /// # Ok::<(), swgg::Error>(())
    /// ```
    pub fn nearest_from<T: Scalar>(
        &self,
        queries: &Measure<T>,
        known: &[u32],
        parallelism: Parallelism,
    ) -> Result<Neighbors> {
        let (found, expected) = (known.len(), queries.len());
        if found != expected {
            let expected = "give a known neighbour for each query";
            return Err(ErrorKind::BadSetting { name: "known", value: found as f64, expected }.into());
        }
        if let Some(&index) = known.iter().find(|index| **index as usize >= self.len()) {
            let expected = "give indices of points of the tree";
            return Err(ErrorKind::BadSetting { name: "known", value: f64::from(index), expected }.into());
        }
        self.search(queries, 1, Some(known), parallelism, false)
    }

    fn search<T: Scalar>(
        &self,
        queries: &Measure<T>,
        k: usize,
        known: Option<&[u32]>,
        parallelism: Parallelism,
        arranged: bool,
    ) -> Result<Neighbors> {
        let tree = &self.0;
        if queries.dim() != tree.leaves.dim {
            let (source_dim, target_dim) = (queries.dim(), tree.leaves.dim);
            return Err(ErrorKind::DimensionMismatch { source_dim, target_dim }.into());
        }
        if k == 0 || k > self.len() {
            let expected = "give at least 1 and at most the number of points";
            return Err(ErrorKind::BadSetting { name: "k", value: k as f64, expected }.into());
        }
        let workers = Workers::new(parallelism)?;
        let asking = if arranged { Leaves::new(queries, &workers) } else { Leaves::as_they_are(queries) };
        let places = known.map(|_| tree.leaves.places());
        let known = |query: u32| match (known, &places) {
            (Some(known), Some(places)) => {
                let index = known[query as usize];
                Neighbor {
                    square: tree.leaves.square(places[index as usize], queries.point(query as usize)),
                    index,
                }
            }
            _ => Neighbor { square: f64::INFINITY, index: u32::MAX },
        };
        let arch = Arch::new();
        let tasks = asking.count().div_ceil(LEAVES_PER_QUERY_TASK);
        let parts: Vec<Vec<Neighbor>> = workers.map(tasks, |task| {
            let mut found = Vec::new();
            let mut search = LeafSearch::new(tree, k);
            for leaf in task * LEAVES_PER_QUERY_TASK..asking.count().min((task + 1) * LEAVES_PER_QUERY_TASK) {
                search.begin(asking.members(leaf).iter().map(|&query| known(query)));
                arch.dispatch(LeafQuery { search: &mut search, asking: asking.leaf(leaf) });
                search.take(&mut found);
            }
            found
        });
        let mut indices = Array2::zeros((queries.len(), k));
        let mut squares = Array2::zeros((queries.len(), k));
        let found = parts.iter().flat_map(|part| part.chunks_exact(k));
        for (&query, found) in asking.order.iter().zip(found) {
            for (rank, near) in found.iter().enumerate() {
                indices[[query as usize, rank]] = near.index;
                squares[[query as usize, rank]] = near.square;
            }
        }
        Ok(Neighbors { indices, squares })
    }
}

#[cfg(test)]
mod tests;
