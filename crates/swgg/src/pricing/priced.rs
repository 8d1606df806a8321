//! A k-d tree that knows prices: the cheapest of many targets at their prices without looking at all of them.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::kernel::Kernel;
use super::tree::{KdTree, LEAVES_PER_BUILD_TASK, Lanes, POINTS_PER_LEAF, Span};
use crate::cost::total;
use crate::run::workers::Workers;

/// Leaves whose points look for their cheapest target one after the other, each beginning at the answer of the last one.
const LEAVES_PER_QUERY_TASK: usize = 16;

impl<const D: usize> KdTree<D> {
    /// The tree with a price on every point, given in the order of the tree. `O(D^2 n log n)`.
    pub fn priced<K: Kernel<D>>(&self, kernel: K, prices: &[f64], workers: &Workers) -> PricedTree<'_, D, K> {
        let (whole, rest) = prices.as_chunks::<POINTS_PER_LEAF>();
        let mut by_leaf = whole.to_vec();
        if !rest.is_empty() {
            // What fills the last leaf up is never chosen.
            by_leaf.push(std::array::from_fn(|lane| rest.get(lane).copied().unwrap_or(f64::NEG_INFINITY)));
        }
        let mut tasks = Vec::new();
        self.cut(Span::whole(self.leaf_count()), &mut tasks);
        let parts = workers.map(tasks.len(), |k| {
            let (span, with_children) = tasks[k];
            let mut nodes = Vec::new();
            if with_children {
                self.price(kernel, span, prices, None, &mut nodes);
            } else {
                nodes.push(self.node(kernel, span, prices, None));
            }
            nodes
        });
        PricedTree { tree: self, kernel, prices: by_leaf, nodes: parts.into_iter().flatten().collect() }
    }

    /// Subtrees for one task each, and the nodes above them, in the order of the nodes.
    fn cut(&self, span: Span, tasks: &mut Vec<(Span, bool)>) {
        tasks.push((span, span.leaves() <= LEAVES_PER_BUILD_TASK));
        if span.leaves() > LEAVES_PER_BUILD_TASK {
            span.children().into_iter().for_each(|child| self.cut(child, tasks));
        }
    }

    fn price<K: Kernel<D>>(
        &self,
        kernel: K,
        span: Span,
        prices: &[f64],
        above: Option<&K::Node>,
        nodes: &mut Vec<K::Node>,
    ) {
        let node = self.node(kernel, span, prices, above);
        nodes.push(node);
        if span.leaves() > 1 {
            span.children()
                .into_iter()
                .for_each(|child| self.price(kernel, child, prices, Some(&node), nodes));
        }
    }

    fn node<K: Kernel<D>>(&self, kernel: K, span: Span, prices: &[f64], above: Option<&K::Node>) -> K::Node {
        let range = span.first * POINTS_PER_LEAF..self.points().len().min(span.last * POINTS_PER_LEAF);
        kernel.node(&self.points()[range.clone()], &prices[range], above)
    }
}

/// A tree with prices.
pub(super) struct PricedTree<'a, const D: usize, K: Kernel<D>> {
    pub tree: &'a KdTree<D>,
    /// Seen from the points that ask.
    pub kernel: K,
    /// By leaf.
    prices: Vec<Lanes>,
    pub nodes: Vec<K::Node>,
}

/// Depth of the deepest tree: of 2^32 points.
pub(super) const MAX_TREE_DEPTH: usize = 34;

impl<const D: usize, K: Kernel<D>> PricedTree<'_, D, K> {
    /// `min_j c(x_i, y_j) - price_j` for every point of another tree and the `j` where it is, both in the order of the trees.
    /// `near` are guesses: the better they are the less is looked at. Once the threads are told to stop nothing is looked at, and the
    /// least is minus infinity.
    pub fn cheapest(
        &self,
        asking: &KdTree<D>,
        near: Option<&[u32]>,
        workers: &Workers,
    ) -> (Vec<f64>, Vec<u32>) {
        let arch = Arch::new();
        let parts = workers.map(asking.leaf_count().div_ceil(LEAVES_PER_QUERY_TASK), |k| {
            let leaves = k * LEAVES_PER_QUERY_TASK..asking.leaf_count().min((k + 1) * LEAVES_PER_QUERY_TASK);
            if workers.is_halted() {
                let end = asking.points().len().min(leaves.end * POINTS_PER_LEAF);
                return vec![(f64::NEG_INFINITY, 0); end - leaves.start * POINTS_PER_LEAF];
            }
            arch.dispatch(LeafQueries { priced: self, asking, near, leaves })
        });
        parts.into_iter().flatten().unzip()
    }

    /// For the points of a leaf together: neighbours look at the same nodes.
    #[inline(always)]
    fn cheapest_of(&self, asking: &[Lanes; D], guess: [u32; POINTS_PER_LEAF]) -> Best {
        let mut best = Best { paid: [0.0; POINTS_PER_LEAF], place: guess };
        for lane in 0..POINTS_PER_LEAF {
            let j = guess[lane] as usize;
            let price = self.prices[j / POINTS_PER_LEAF][j % POINTS_PER_LEAF];
            let point = std::array::from_fn(|c| asking[c][lane]);
            best.paid[lane] = self.kernel.between(&point, &self.tree.points()[j]) - price;
        }
        let mut found = Cheapest { kernel: self.kernel, prices: &self.prices, best };
        self.descend(asking, &mut found);
        found.best
    }

    /// Visits the leaves that may have something for some points that look together: neighbours look at the same nodes.
    #[inline(always)]
    pub fn descend(&self, asking: &[Lanes; D], found: &mut impl LeafVisitor<D>) {
        let root = Span::whole(self.tree.leaf_count());
        let mut stack = [(root, [f64::NEG_INFINITY; POINTS_PER_LEAF]); MAX_TREE_DEPTH];
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let (span, least) = stack[height];
            if !may_fall(&least, found.worst()) {
                continue;
            }
            if span.leaves() == 1 {
                for lane in 0..POINTS_PER_LEAF {
                    if least[lane] < found.worst()[lane] {
                        let point = std::array::from_fn(|c| asking[c][lane]);
                        found.visit(self.tree, span.first, lane, &point);
                    }
                }
                continue;
            }
            let [left, right] = span.children();
            let (first, second) = (self.least(left, asking), self.least(right, asking));
            // The more promising half is on top of the stack.
            let upper = usize::from(total(&second) < total(&first));
            let halves = [(left, first), (right, second)];
            for half in [&halves[1 - upper], &halves[upper]] {
                if may_fall(&half.1, found.worst()) {
                    stack[height] = *half;
                    height += 1;
                }
            }
        }
    }
}

impl<const D: usize, K: Kernel<D>> PricedTree<'_, D, K> {
    #[inline(always)]
    fn least(&self, span: Span, asking: &[Lanes; D]) -> Lanes {
        self.kernel.least(&self.nodes[span.node], asking)
    }
}

/// What points that look together have found, and what a leaf adds to it.
pub(super) trait LeafVisitor<const D: usize> {
    /// What a target has to be cheaper than for each of the points.
    fn worst(&self) -> &Lanes;

    /// A leaf that may have something for the point of a lane.
    fn visit(&mut self, tree: &KdTree<D>, leaf: usize, lane: usize, point: &[f64; D]);
}

/// Whether something of a node may be cheaper for one of the points.
#[inline(always)]
fn may_fall(least: &Lanes, worst: &Lanes) -> bool {
    // No early end: all lanes at once are faster.
    least.iter().zip(worst).fold(false, |may, (least, worst)| may | (least < worst))
}

/// A run of leaves that look for their cheapest targets, as a kernel of its own: a closure that could be called twice would not be
/// compiled for the wide instructions.
struct LeafQueries<'a, const D: usize, K: Kernel<D>> {
    priced: &'a PricedTree<'a, D, K>,
    asking: &'a KdTree<D>,
    near: Option<&'a [u32]>,
    leaves: Range<usize>,
}

impl<const D: usize, K: Kernel<D>> WithSimd for LeafQueries<'_, D, K> {
    type Output = Vec<(f64, u32)>;
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let LeafQueries { priced, asking, near, leaves } = self;
        let (count, mut last) = (asking.points().len(), 0);
        let mut found = Vec::with_capacity(LEAVES_PER_QUERY_TASK * POINTS_PER_LEAF);
        for leaf in leaves {
            let guess = std::array::from_fn(|lane| {
                near.map_or(last, |near| near[(leaf * POINTS_PER_LEAF + lane).min(count - 1)])
            });
            let best = priced.cheapest_of(asking.leaf(leaf), guess);
            last = best.place[0];
            let lanes = POINTS_PER_LEAF.min(count - leaf * POINTS_PER_LEAF);
            found.extend(best.paid.into_iter().zip(best.place).take(lanes));
        }
        found
    }
}

/// What the points of a leaf have found.
struct Best {
    paid: Lanes,
    place: [u32; POINTS_PER_LEAF],
}

/// The cheapest target of each point.
struct Cheapest<'a, K> {
    kernel: K,
    /// By leaf.
    prices: &'a [Lanes],
    best: Best,
}

impl<const D: usize, K: Kernel<D>> LeafVisitor<D> for Cheapest<'_, K> {
    #[inline(always)]
    fn worst(&self) -> &Lanes {
        &self.best.paid
    }

    #[inline(always)]
    fn visit(&mut self, tree: &KdTree<D>, leaf: usize, lane: usize, point: &[f64; D]) {
        let (sums, least) = tree.less_prices(self.kernel, leaf, point, &self.prices[leaf]);
        if least < self.best.paid[lane]
            && let Some(place) = sums.iter().position(|sum| *sum == least)
        {
            self.best.paid[lane] = least;
            self.best.place[lane] = (leaf * POINTS_PER_LEAF + place) as u32;
        }
    }
}
