//! A k-d tree: points in an order in which neighbours in space are neighbours in memory.

use super::kernel::Kernel;
use crate::run::workers::Workers;

/// Points of a leaf, looked at together.
pub(super) const POINTS_PER_LEAF: usize = 16;
/// Leaves of a subtree that one task builds or prices.
pub(super) const LEAVES_PER_BUILD_TASK: usize = 256;

/// A number for each point of a leaf, or for each of some points that look together.
pub(super) type Lanes = [f64; POINTS_PER_LEAF];

/// Points of `R^D` in the order of a balanced k-d tree: neighbours in space are neighbours in memory.
///
/// A node is a range of leaves, cut in the middle. Nodes are numbered as they are met, left before right, so that the children of
/// node `k` are `k + 1` and what comes after the left subtree; nothing is stored for that.
pub(super) struct KdTree<const D: usize> {
    /// The points in the order of the tree.
    points: Vec<[f64; D]>,
    /// The index each of them was given with.
    order: Vec<u32>,
    /// The same points by leaf, a coordinate at a time; a last leaf that is not full repeats its last point.
    leaves: Vec<[Lanes; D]>,
}

/// Leaves `first..last` and the number of the node that holds them.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub node: usize,
    pub first: usize,
    pub last: usize,
}

impl Span {
    pub fn whole(leaves: usize) -> Self {
        Span { node: 0, first: 0, last: leaves }
    }

    #[inline(always)]
    pub fn leaves(self) -> usize {
        self.last - self.first
    }

    #[inline(always)]
    pub fn children(self) -> [Span; 2] {
        let half = self.leaves().div_ceil(2);
        let middle = self.first + half;
        let left = Span { node: self.node + 1, first: self.first, last: middle };
        [left, Span { node: self.node + 2 * half, first: middle, last: self.last }]
    }
}

impl<const D: usize> KdTree<D> {
    /// `O(n log n)`, from rows of at most `D` coordinates; those that are missing are zero. Equal coordinates are ordered by index.
    pub fn new(rows: &[f64], dim: usize, workers: &Workers) -> Self {
        let point = |row: &[f64]| std::array::from_fn(|c| row.get(c).copied().unwrap_or(0.0));
        let mut placed: Vec<([f64; D], u32)> = rows.chunks_exact(dim).map(point).zip(0..).collect();
        arrange(&mut placed, workers);
        let points: Vec<[f64; D]> = placed.iter().map(|point| point.0).collect();
        let order = placed.into_iter().map(|point| point.1).collect();
        let leaf = |points: &[[f64; D]]| {
            std::array::from_fn(|c| std::array::from_fn(|lane| points[lane.min(points.len() - 1)][c]))
        };
        let leaves = points.chunks(POINTS_PER_LEAF).map(leaf).collect();
        KdTree { points, order, leaves }
    }

    pub fn points(&self) -> &[[f64; D]] {
        &self.points
    }

    pub fn order(&self) -> &[u32] {
        &self.order
    }

    pub fn leaf_count(&self) -> usize {
        self.leaves.len()
    }

    /// The points of a leaf, a coordinate at a time.
    pub fn leaf(&self, leaf: usize) -> &[Lanes; D] {
        &self.leaves[leaf]
    }

    /// What the points of a leaf cost from another point, less their prices, and the least of that.
    #[inline(always)]
    pub fn less_prices(
        &self,
        kernel: impl Kernel<D>,
        leaf: usize,
        point: &[f64; D],
        prices: &Lanes,
    ) -> (Lanes, f64) {
        let mut sums = kernel.costs(point, &self.leaves[leaf]);
        let mut least = f64::INFINITY;
        for other in 0..POINTS_PER_LEAF {
            sums[other] -= prices[other];
            least = if sums[other] < least { sums[other] } else { least };
        }
        (sums, least)
    }
}

/// Cuts a range of points in the middle of its leaves across its longest side, again and again.
fn arrange<const D: usize>(points: &mut [([f64; D], u32)], workers: &Workers) {
    let leaves = points.len().div_ceil(POINTS_PER_LEAF);
    if leaves <= 1 {
        return;
    }
    let (mut low, mut high) = (points[0].0, points[0].0);
    for (point, _) in points.iter() {
        for c in 0..D {
            low[c] = low[c].min(point[c]);
            high[c] = high[c].max(point[c]);
        }
    }
    let longest = (0..D).fold(0, |best, c| if high[c] - low[c] > high[best] - low[best] { c } else { best });
    let middle = leaves.div_ceil(2) * POINTS_PER_LEAF;
    points.select_nth_unstable_by(middle, |a, b| a.0[longest].total_cmp(&b.0[longest]).then(a.1.cmp(&b.1)));
    let (left, right) = points.split_at_mut(middle);
    if leaves > LEAVES_PER_BUILD_TASK {
        workers.join(|| arrange(left, workers), || arrange(right, workers));
    } else {
        arrange(left, workers);
        arrange(right, workers);
    }
}
