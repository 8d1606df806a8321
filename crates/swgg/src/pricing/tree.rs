//! A k-d tree that knows prices: the cheapest of many targets at their prices without looking at all of them.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use crate::cost::total;
use crate::run::workers::Workers;

/// Points of a leaf, looked at together.
pub(super) const POINTS_PER_LEAF: usize = 16;
/// Leaves whose points look for their cheapest target one after the other, each beginning at the answer of the last one.
const LEAVES_PER_QUERY_TASK: usize = 16;
/// Leaves of a subtree that one task builds or prices.
const LEAVES_PER_BUILD_TASK: usize = 256;

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
    leaves: Vec<[[f64; POINTS_PER_LEAF]; D]>,
}

/// Leaves `first..last` and the number of the node that holds them.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub node: usize,
    pub first: usize,
    last: usize,
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
    /// `O(n log n)`, from rows. Equal coordinates are ordered by index.
    pub fn new(rows: &[f64], workers: &Workers) -> Self {
        let (rows, _) = rows.as_chunks::<D>();
        let mut placed: Vec<([f64; D], u32)> = rows.iter().copied().zip(0..).collect();
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
    pub fn leaf(&self, leaf: usize) -> &[[f64; POINTS_PER_LEAF]; D] {
        &self.leaves[leaf]
    }

    /// The tree with a price on every point, given in the order of the tree. `O(D^2 n log n)`.
    pub fn priced(&self, prices: &[f64], workers: &Workers) -> PricedTree<'_, D> {
        let (whole, rest) = prices.as_chunks::<POINTS_PER_LEAF>();
        let mut by_leaf = whole.to_vec();
        if !rest.is_empty() {
            // What fills the last leaf up is never chosen.
            by_leaf.push(std::array::from_fn(|lane| rest.get(lane).copied().unwrap_or(f64::NEG_INFINITY)));
        }
        let mut tasks = Vec::new();
        self.cut(Span::whole(self.leaves.len()), &mut tasks);
        let parts = workers.map(tasks.len(), |k| {
            let (span, with_children) = tasks[k];
            let mut nodes = Vec::new();
            if with_children {
                self.price(span, prices, [1.0; D], &mut nodes);
            } else {
                nodes.push(self.node(span, prices, [1.0; D]));
            }
            nodes
        });
        PricedTree { tree: self, prices: by_leaf, nodes: parts.into_iter().flatten().collect() }
    }

    /// Subtrees for one task each, and the nodes above them, in the order of the nodes.
    fn cut(&self, span: Span, tasks: &mut Vec<(Span, bool)>) {
        tasks.push((span, span.leaves() <= LEAVES_PER_BUILD_TASK));
        if span.leaves() > LEAVES_PER_BUILD_TASK {
            span.children().into_iter().for_each(|child| self.cut(child, tasks));
        }
    }

    fn price(&self, span: Span, prices: &[f64], bend: [f64; D], nodes: &mut Vec<Node<D>>) {
        let node = self.node(span, prices, bend);
        nodes.push(node);
        if span.leaves() > 1 {
            span.children().into_iter().for_each(|child| self.price(child, prices, node.bend, nodes));
        }
    }

    fn node(&self, span: Span, prices: &[f64], bend: [f64; D]) -> Node<D> {
        let range = span.first * POINTS_PER_LEAF..self.points.len().min(span.last * POINTS_PER_LEAF);
        Node::of(&self.points[range.clone()], &prices[range], bend)
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

/// What is known of the points of a node: their box, and a paraboloid above their prices,
/// `price(y) <= sum_c slope_c y_c + (1 - bend_c) y_c^2 + top`.
///
/// The highest price alone says nothing of a cell whose points come from far away: prices that fit a plan have a slope of twice the
/// displacement, and bend where the plan stretches.
#[derive(Clone, Copy)]
pub(super) struct Node<const D: usize> {
    low: [f64; D],
    high: [f64; D],
    slope: [f64; D],
    bend: [f64; D],
    top: f64,
}

/// Points that a paraboloid is fitted to: any is above once it is raised, a few points find a good one.
const MAX_FITTED_POINTS: usize = 256;
/// How flat cost less price may be taken for: where it is flat every place is as good as another.
const MIN_BEND: f64 = 0.02;

impl<const D: usize> Node<D> {
    /// `bend` is that of the parent, for cells of too few points to tell.
    fn of(points: &[[f64; D]], prices: &[f64], bend: [f64; D]) -> Self {
        let step = points.len().div_ceil(MAX_FITTED_POINTS);
        let fitted = || points.iter().zip(prices).step_by(step);
        let count = points.len().div_ceil(step) as f64;
        let mut mean = [0.0; D];
        fitted().for_each(|(point, _)| (0..D).for_each(|c| mean[c] += point[c] / count));
        let bend = if points.len() < 16 * D { bend } else { bends(fitted(), &mean, count).unwrap_or(bend) };
        let beyond = |point: &[f64; D], price: f64| {
            price - (0..D).map(|c| (1.0 - bend[c]) * point[c] * point[c]).sum::<f64>()
        };
        let level = fitted().map(|(point, price)| beyond(point, *price)).sum::<f64>() / count;
        let (mut spread, mut along) = ([[0.0; D]; D], [0.0; D]);
        for (point, price) in fitted() {
            let rise = beyond(point, *price) - level;
            let gap: [f64; D] = std::array::from_fn(|c| point[c] - mean[c]);
            for c in 0..D {
                along[c] += gap[c] * rise;
                for e in 0..=c {
                    spread[c][e] += gap[c] * gap[e];
                }
            }
        }
        let slope = if solve(&mut spread, &mut along) { along } else { [0.0; D] };
        let (mut low, mut high) = (points[0], points[0]);
        let (mut top, mut size) = (f64::NEG_INFINITY, 0.0_f64);
        for (point, price) in points.iter().zip(prices) {
            for c in 0..D {
                low[c] = low[c].min(point[c]);
                high[c] = high[c].max(point[c]);
            }
            top = top.max(beyond(point, *price) - (0..D).map(|c| slope[c] * point[c]).sum::<f64>());
            size = size.max(price.abs());
        }
        for c in 0..D {
            let reach = low[c].abs().max(high[c].abs());
            size += reach * (reach * (1.0 + bend[c]) + slope[c].abs());
        }
        // Rounding must not make the paraboloid too low for a point.
        Node { low, high, slope, bend, top: top + 8.0 * (D + 4) as f64 * f64::EPSILON * size }
    }

    /// No target of the node is cheaper than this from each of the points: every coordinate at its best place in the box.
    #[inline(always)]
    pub fn least(&self, asking: &[[f64; POINTS_PER_LEAF]; D]) -> [f64; POINTS_PER_LEAF] {
        let mut sums = [-self.top; POINTS_PER_LEAF];
        for (c, asking) in asking.iter().enumerate() {
            let (slope, bend, half) = (self.slope[c], self.bend[c], 0.5 / self.bend[c]);
            for (sum, x) in sums.iter_mut().zip(asking) {
                let pull = 2.0 * x + slope;
                let z = pull * half;
                let z = if z > self.low[c] { z } else { self.low[c] };
                let z = if z < self.high[c] { z } else { self.high[c] };
                *sum += x * x + z * (bend * z - pull);
            }
        }
        sums
    }
}

impl<const D: usize> Node<D> {
    /// [`least`](Node::least) for one point.
    #[inline(always)]
    pub fn least_of_one(&self, point: &[f64; D]) -> f64 {
        let mut sum = -self.top;
        for (c, &x) in point.iter().enumerate() {
            let pull = 2.0 * x + self.slope[c];
            let z = pull * (0.5 / self.bend[c]);
            let z = if z > self.low[c] { z } else { self.low[c] };
            let z = if z < self.high[c] { z } else { self.high[c] };
            sum += x * x + z * (self.bend[c] * z - pull);
        }
        sum
    }
}

/// How cost less price bends along each axis, by least squares over slopes and bends.
fn bends<'a, const D: usize>(
    fitted: impl Iterator<Item = (&'a [f64; D], &'a f64)> + Clone,
    mean: &[f64; D],
    count: f64,
) -> Option<[f64; D]> {
    let (mut squares, mut level) = ([0.0; D], 0.0);
    for (point, price) in fitted.clone() {
        level += price / count;
        (0..D).for_each(|c| squares[c] += (point[c] - mean[c]).powi(2) / count);
    }
    // Unknowns of one size: coordinates in units of their deviation.
    let mut matrix = vec![[0.0; 16]; 2 * D];
    let mut right = [0.0; 16];
    for (point, price) in fitted {
        let mut features = [0.0; 16];
        for c in 0..D {
            if squares[c] > 0.0 {
                let gap = point[c] - mean[c];
                features[c] = gap / squares[c].sqrt();
                features[D + c] = gap * gap / squares[c] - 1.0;
            }
        }
        for c in 0..2 * D {
            right[c] += features[c] * (price - level);
            for e in 0..=c {
                matrix[c][e] += features[c] * features[e];
            }
        }
    }
    if !solve(&mut matrix, &mut right[..2 * D]) {
        return None;
    }
    let bend = |c: usize| if squares[c] > 0.0 { 1.0 - right[D + c] / squares[c] } else { 1.0 };
    Some(std::array::from_fn(|c| bend(c).max(MIN_BEND)))
}

/// Solves a positive semi-definite system, lower half given, with a little added to the diagonal. False where that fails.
fn solve<const N: usize>(matrix: &mut [[f64; N]], right: &mut [f64]) -> bool {
    let n = right.len();
    let ridge = 1e-6 * (0..n).map(|c| matrix[c][c]).sum::<f64>();
    for c in 0..n {
        for e in 0..c {
            let known: f64 = (0..e).map(|k| matrix[c][k] * matrix[e][k]).sum();
            matrix[c][e] = (matrix[c][e] - known) / matrix[e][e];
        }
        let pivot = matrix[c][c] + ridge - (0..c).map(|k| matrix[c][k] * matrix[c][k]).sum::<f64>();
        if !(pivot > 0.5 * ridge && pivot.is_finite()) {
            return false;
        }
        matrix[c][c] = pivot.sqrt();
    }
    for c in 0..n {
        right[c] = (right[c] - (0..c).map(|k| matrix[c][k] * right[k]).sum::<f64>()) / matrix[c][c];
    }
    for c in (0..n).rev() {
        right[c] = (right[c] - (c + 1..n).map(|k| matrix[k][c] * right[k]).sum::<f64>()) / matrix[c][c];
    }
    right.iter().all(|x| x.is_finite())
}

/// A tree with prices.
pub(super) struct PricedTree<'a, const D: usize> {
    pub tree: &'a KdTree<D>,
    /// By leaf.
    prices: Vec<[f64; POINTS_PER_LEAF]>,
    pub nodes: Vec<Node<D>>,
}

/// Depth of the deepest tree: of 2^32 points.
pub(super) const MAX_TREE_DEPTH: usize = 34;

impl<const D: usize> PricedTree<'_, D> {
    /// `min_j |x_i - y_j|^2 - price_j` for every point of another tree and the `j` where it is, both in the order of the trees.
    /// `near` are guesses: the better they are the less is looked at. Once the threads are told to stop nothing is looked at, and the
    /// least is minus infinity.
    pub fn cheapest(
        &self,
        asking: &KdTree<D>,
        near: Option<&[u32]>,
        workers: &Workers,
    ) -> (Vec<f64>, Vec<u32>) {
        let arch = Arch::new();
        let parts = workers.map(asking.leaves.len().div_ceil(LEAVES_PER_QUERY_TASK), |k| {
            let leaves = k * LEAVES_PER_QUERY_TASK..asking.leaves.len().min((k + 1) * LEAVES_PER_QUERY_TASK);
            if workers.is_halted() {
                let points =
                    leaves.start * POINTS_PER_LEAF..asking.points.len().min(leaves.end * POINTS_PER_LEAF);
                return vec![(f64::NEG_INFINITY, 0); points.len()];
            }
            arch.dispatch(LeafQueries { priced: self, asking, near, leaves })
        });
        parts.into_iter().flatten().unzip()
    }

    /// For the points of a leaf together: neighbours look at the same nodes.
    #[inline(always)]
    fn cheapest_of(&self, asking: &[[f64; POINTS_PER_LEAF]; D], guess: [u32; POINTS_PER_LEAF]) -> Best {
        let mut best = Best { paid: [0.0; POINTS_PER_LEAF], place: guess };
        for lane in 0..POINTS_PER_LEAF {
            let j = guess[lane] as usize;
            let (columns, price) = (
                &self.tree.leaves[j / POINTS_PER_LEAF],
                self.prices[j / POINTS_PER_LEAF][j % POINTS_PER_LEAF],
            );
            let square =
                (0..D).fold(0.0, |sum, c| sum + (asking[c][lane] - columns[c][j % POINTS_PER_LEAF]).powi(2));
            best.paid[lane] = square - price;
        }
        let root = Span::whole(self.tree.leaves.len());
        let mut stack = [(root, [f64::NEG_INFINITY; POINTS_PER_LEAF]); MAX_TREE_DEPTH];
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let (span, least) = stack[height];
            if !best.may_fall(&least) {
                continue;
            }
            if span.leaves() == 1 {
                self.scan(asking, span.first, &least, &mut best);
                continue;
            }
            let [left, right] = span.children();
            let (first, second) = (self.nodes[left.node].least(asking), self.nodes[right.node].least(asking));
            // The more promising half is on top of the stack.
            let upper = usize::from(total(&second) < total(&first));
            let halves = [(left, first), (right, second)];
            for half in [&halves[1 - upper], &halves[upper]] {
                if best.may_fall(&half.1) {
                    stack[height] = *half;
                    height += 1;
                }
            }
        }
        best
    }

    #[inline(always)]
    fn scan(
        &self,
        asking: &[[f64; POINTS_PER_LEAF]; D],
        leaf: usize,
        least: &[f64; POINTS_PER_LEAF],
        best: &mut Best,
    ) {
        let (columns, prices) = (&self.tree.leaves[leaf], &self.prices[leaf]);
        for lane in 0..POINTS_PER_LEAF {
            if least[lane] >= best.paid[lane] {
                continue;
            }
            let mut sums = [0.0; POINTS_PER_LEAF];
            for c in 0..D {
                let x = asking[c][lane];
                for other in 0..POINTS_PER_LEAF {
                    let gap = x - columns[c][other];
                    sums[other] += gap * gap;
                }
            }
            let mut found = f64::INFINITY;
            for other in 0..POINTS_PER_LEAF {
                sums[other] -= prices[other];
                found = if sums[other] < found { sums[other] } else { found };
            }
            if found < best.paid[lane]
                && let Some(place) = sums.iter().position(|sum| *sum == found)
            {
                best.paid[lane] = found;
                best.place[lane] = (leaf * POINTS_PER_LEAF + place) as u32;
            }
        }
    }
}

/// A run of leaves that look for their cheapest targets, as a kernel of its own: a closure that could be called twice would not be
/// compiled for the wide instructions.
struct LeafQueries<'a, const D: usize> {
    priced: &'a PricedTree<'a, D>,
    asking: &'a KdTree<D>,
    near: Option<&'a [u32]>,
    leaves: Range<usize>,
}

impl<const D: usize> WithSimd for LeafQueries<'_, D> {
    type Output = Vec<(f64, u32)>;
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let LeafQueries { priced, asking, near, leaves } = self;
        let (count, mut last) = (asking.points.len(), 0);
        let mut found = Vec::with_capacity(LEAVES_PER_QUERY_TASK * POINTS_PER_LEAF);
        for leaf in leaves {
            let guess = std::array::from_fn(|lane| {
                near.map_or(last, |near| near[(leaf * POINTS_PER_LEAF + lane).min(count - 1)])
            });
            let best = priced.cheapest_of(&asking.leaves[leaf], guess);
            last = best.place[0];
            let lanes = POINTS_PER_LEAF.min(count - leaf * POINTS_PER_LEAF);
            found.extend(best.paid.into_iter().zip(best.place).take(lanes));
        }
        found
    }
}

/// What the points of a leaf have found.
struct Best {
    paid: [f64; POINTS_PER_LEAF],
    place: [u32; POINTS_PER_LEAF],
}

impl Best {
    /// Whether something of a node may be cheaper for one of the points.
    #[inline(always)]
    fn may_fall(&self, least: &[f64; POINTS_PER_LEAF]) -> bool {
        // No early end: all lanes at once are faster.
        least.iter().zip(&self.paid).fold(false, |may, (least, paid)| may | (least < paid))
    }
}
