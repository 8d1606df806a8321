//! What trees do with points depends on the cost: what a pair pays, and what a node can promise.

use super::metric::Metric;
use super::node::Node;
use super::slab::Slab;
use super::tree::{Lanes, POINTS_PER_LEAF};
use crate::cost::{GroundCost, Power};

/// A cost between points of `R^D`, seen from those that ask.
pub(super) trait Kernel<const D: usize>: Copy + Send + Sync {
    /// What is known of the points of a node and of their prices.
    type Node: Copy + Send + Sync;

    /// `above` is the node that this one is a half of.
    fn node(self, points: &[[f64; D]], prices: &[f64], above: Option<&Self::Node>) -> Self::Node;

    /// No target of the node is cheaper than this from each of the points.
    fn least(self, node: &Self::Node, asking: &[Lanes; D]) -> Lanes;

    /// [`least`](Kernel::least) for one point.
    fn least_of_one(self, node: &Self::Node, point: &[f64; D]) -> f64;

    fn between(self, asking: &[f64; D], asked: &[f64; D]) -> f64;

    /// What the points of a leaf cost from another point.
    fn costs(self, asking: &[f64; D], columns: &[Lanes; D]) -> Lanes;

    /// The same cost, asked from the other side.
    fn flipped(self) -> Self {
        self
    }
}

/// `|x - y|^2`.
#[derive(Clone, Copy)]
pub(super) struct Squared;

#[inline(always)]
fn square<const D: usize>(x: &[f64; D], y: &[f64; D]) -> f64 {
    (0..D).fold(0.0, |sum, c| sum + (x[c] - y[c]).powi(2))
}

#[inline(always)]
fn squares<const D: usize>(x: &[f64; D], columns: &[Lanes; D]) -> Lanes {
    let mut sums = [0.0; POINTS_PER_LEAF];
    for c in 0..D {
        for other in 0..POINTS_PER_LEAF {
            let gap = x[c] - columns[c][other];
            sums[other] += gap * gap;
        }
    }
    sums
}

impl<const D: usize> Kernel<D> for Squared {
    type Node = Node<D>;

    fn node(self, points: &[[f64; D]], prices: &[f64], above: Option<&Node<D>>) -> Node<D> {
        Node::of(points, prices, above.map_or([1.0; D], |above| above.bend))
    }

    #[inline(always)]
    fn least(self, node: &Node<D>, asking: &[Lanes; D]) -> Lanes {
        node.least(asking)
    }

    #[inline(always)]
    fn least_of_one(self, node: &Node<D>, point: &[f64; D]) -> f64 {
        node.least_of_one(point)
    }

    #[inline(always)]
    fn between(self, asking: &[f64; D], asked: &[f64; D]) -> f64 {
        square(asking, asked)
    }

    #[inline(always)]
    fn costs(self, asking: &[f64; D], columns: &[Lanes; D]) -> Lanes {
        squares(asking, columns)
    }
}

/// `|x - y|`, which has no powers to compute, or `|x - y|^p`.
#[derive(Clone, Copy)]
pub(super) struct Distance<const IS_PLAIN: bool>(pub Power);

impl<const IS_PLAIN: bool> Distance<IS_PLAIN> {
    #[inline(always)]
    fn of_square(self, square: f64) -> f64 {
        if IS_PLAIN { square.sqrt() } else { self.0.of_square(square) }
    }

    #[inline(always)]
    fn of_squares(self, squares: Lanes) -> Lanes {
        let mut costs = [0.0; POINTS_PER_LEAF];
        for lane in 0..POINTS_PER_LEAF {
            costs[lane] = self.of_square(squares[lane]);
        }
        costs
    }
}

impl<const D: usize, const IS_PLAIN: bool> Kernel<D> for Distance<IS_PLAIN> {
    type Node = Slab<D>;

    fn node(self, points: &[[f64; D]], prices: &[f64], _: Option<&Slab<D>>) -> Slab<D> {
        Slab::of(points, prices, true)
    }

    /// The better of two bounds: how far the box is, less the highest price; and the tangent of the cost at the middle of the box,
    /// which lies below it everywhere, less the plane above the prices. The first is good for boxes that are close, the second for those that
    /// are far.
    #[inline(always)]
    fn least(self, node: &Slab<D>, asking: &[Lanes; D]) -> Lanes {
        let (mut near, mut far) = ([0.0; POINTS_PER_LEAF], [0.0; POINTS_PER_LEAF]);
        for (c, x) in asking.iter().enumerate() {
            let (middle, half) = (node.middle[c], node.half[c]);
            for lane in 0..POINTS_PER_LEAF {
                let way = middle - x[lane];
                let gap = way.abs() - half;
                let gap = if gap > 0.0 { gap } else { 0.0 };
                near[lane] += gap * gap;
                far[lane] += way * way;
            }
        }
        // Loops of one step each: only such are compiled to roots of several numbers at a time.
        let near = self.of_squares(near);
        let costs = self.of_squares(far);
        let mut pull = [0.0; POINTS_PER_LEAF];
        for lane in 0..POINTS_PER_LEAF {
            let square = if far[lane] > f64::MIN_POSITIVE { far[lane] } else { f64::MIN_POSITIVE };
            pull[lane] = self.0.exponent() * costs[lane] / square;
        }
        let mut losses = [0.0; POINTS_PER_LEAF];
        for (c, x) in asking.iter().enumerate() {
            let (middle, half, slope) = (node.middle[c], node.half[c], node.slope[c]);
            for lane in 0..POINTS_PER_LEAF {
                losses[lane] += (pull[lane] * (middle - x[lane]) - slope).abs() * half;
            }
        }
        let mut least = [0.0; POINTS_PER_LEAF];
        for lane in 0..POINTS_PER_LEAF {
            let by_box = near[lane] * node.less - node.highest;
            let tangent = costs[lane] * node.less - node.top - losses[lane] * node.more;
            least[lane] = if tangent > by_box { tangent } else { by_box };
        }
        least
    }

    #[inline(always)]
    fn least_of_one(self, node: &Slab<D>, point: &[f64; D]) -> f64 {
        let (mut near, mut far) = (0.0, 0.0);
        for (c, x) in point.iter().enumerate() {
            let way = node.middle[c] - x;
            let gap = (way.abs() - node.half[c]).max(0.0);
            near += gap * gap;
            far += way * way;
        }
        let cost = self.of_square(far);
        let pull = if far > 0.0 { self.0.exponent() * cost / far } else { 0.0 };
        let loss = |(c, x): (usize, &f64)| (pull * (node.middle[c] - x) - node.slope[c]).abs() * node.half[c];
        let loss: f64 = point.iter().enumerate().map(loss).sum();
        let near = self.of_square(near) * node.less - node.highest;
        let tangent = cost * node.less - node.top - loss * node.more;
        if tangent > near { tangent } else { near }
    }

    #[inline(always)]
    fn between(self, asking: &[f64; D], asked: &[f64; D]) -> f64 {
        self.of_square(square(asking, asked))
    }

    #[inline(always)]
    fn costs(self, asking: &[f64; D], columns: &[Lanes; D]) -> Lanes {
        self.of_squares(squares(asking, columns))
    }
}

/// Any function of two points.
#[derive(Clone, Copy)]
pub(super) struct Function<'a> {
    pub cost: &'a dyn GroundCost,
    pub is_flipped: bool,
    /// Coordinates that there are; trees may have room for more.
    pub dim: usize,
}

impl Function<'_> {
    fn metric(&self) -> Metric<'_> {
        Metric::Function { cost: self.cost, is_flipped: self.is_flipped }
    }
}

impl<const D: usize> Kernel<D> for Function<'_> {
    type Node = Slab<D>;

    fn node(self, points: &[[f64; D]], prices: &[f64], _: Option<&Slab<D>>) -> Slab<D> {
        Slab::of(points, prices, false)
    }

    fn least(self, node: &Slab<D>, asking: &[Lanes; D]) -> Lanes {
        std::array::from_fn(|lane| self.least_of_one(node, &std::array::from_fn(|c| asking[c][lane])))
    }

    fn least_of_one(self, node: &Slab<D>, point: &[f64; D]) -> f64 {
        self.metric().least(&point[..self.dim], &node.low[..self.dim], &node.high[..self.dim]) * node.less
            - node.highest
    }

    fn between(self, asking: &[f64; D], asked: &[f64; D]) -> f64 {
        self.metric().between(&asking[..self.dim], &asked[..self.dim])
    }

    fn costs(self, asking: &[f64; D], columns: &[Lanes; D]) -> Lanes {
        let mut costs = [0.0; POINTS_PER_LEAF];
        let columns = columns.each_ref().map(|column| &column[..]);
        self.metric().fill(&asking[..self.dim], &columns[..self.dim], &mut costs);
        costs
    }

    fn flipped(self) -> Self {
        Function { is_flipped: !self.is_flipped, ..self }
    }
}
