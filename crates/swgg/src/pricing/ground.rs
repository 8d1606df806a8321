//! For every point of one cloud the cheapest point of the other, at given prices.

use std::sync::Arc;

use super::compared::Compared;
use super::few::Few;
use super::kernel::{Distance, Function, Kernel, Squared};
use super::metric::Metric;
use super::pairs::AllPairs;
use super::priced::PricedTree;
use super::products::are_kept;
use super::tree::KdTree;
use crate::cost::Power;
use crate::question::Sizes;
use crate::run::workers::Workers;

/// Beyond this dimension a tree looks at nearly everything.
pub(crate) const MAX_TREE_DIM: usize = 8;
/// Points per side that may be compared all with all.
const MAX_COMPARED_POINTS: usize = 20_000;

/// For every point the least it pays, and the point of the other cloud it pays that to.
pub(crate) type CheapestTargets = (Vec<f64>, Vec<u32>);

/// Two clouds, each in an order of its own, in which neighbours are close where that can be had.
pub(crate) trait Ground: Sync {
    /// The indices the sources and the targets were given with.
    fn order(&self) -> [&[u32]; 2];
    fn source(&self, i: usize) -> &[f64];
    fn target(&self, j: usize) -> &[f64];
    /// What a pair costs, for grounds of other points.
    fn metric(&self) -> Metric<'_>;
    fn cost(&self, i: usize, j: usize) -> f64;
    /// `u_i = min_j c(x_i, y_j) - v_j` for every source; `near` are targets to look at first. Minus infinity once the threads are told
    /// to stop, here and below.
    fn values(&self, prices: &[f64], near: Option<&[u32]>, workers: &Workers) -> CheapestTargets;
    /// `v_j = min_i c(x_i, y_j) - u_i` for every target; `near` are sources to look at first.
    fn prices(&self, values: &[f64], near: Option<&[u32]>, workers: &Workers) -> CheapestTargets;

    /// `v_j = min_i c(x_i, y_j) - u_i` for every target and other sources, given as rows.
    fn extended(&self, sources: &[f64], values: &[f64], workers: &Workers) -> Vec<f64>;
    /// What is known of the targets at these prices, for many questions.
    fn outlook<'a>(&'a self, prices: &[f64], workers: &Workers) -> Box<dyn Outlook + 'a>;

    /// The same clouds with the sides changed, so that targets can ask; `None` where that is not quick.
    fn mirrored<'a>(&'a self) -> Option<Box<dyn Ground + 'a>> {
        None
    }
}

/// Targets at prices that may fall from question to question, and never rise.
pub(crate) trait Outlook: Sync {
    /// The `count` cheapest targets of some sources.
    fn few(&self, asked: &[u32], count: usize, prices: &[f64], workers: &Workers) -> Few {
        self.few_below(asked, &[], count, prices, workers)
    }

    /// The same where it is known that so many targets cost each source less than this, less their prices; nothing is known where the
    /// list is empty. The better it is known the less is looked at.
    fn few_below(&self, asked: &[u32], below: &[f64], count: usize, prices: &[f64], workers: &Workers)
    -> Few;
}

/// Whether candidates are found quickly between so many points: by trees, if the cost knows boxes, or by costs that are kept.
pub(crate) fn finds_candidates(n: usize, m: usize, dim: usize, knows_boxes: bool) -> bool {
    (dim <= MAX_TREE_DIM && knows_boxes) || (are_kept(n, m) && n.max(m) <= MAX_COMPARED_POINTS)
}

/// Whether so many points can be compared in reasonable time.
pub(crate) fn has_ground(Sizes { n, m, d }: Sizes, knows_boxes: bool) -> bool {
    (d <= MAX_TREE_DIM && knows_boxes) || n.max(m) <= MAX_COMPARED_POINTS
}

/// Two clouds given as rows; `None` where comparing them takes too long.
pub(crate) fn ground<'a>(
    x: &[f64],
    y: &[f64],
    dim: usize,
    metric: Metric<'a>,
    workers: &Workers,
) -> Option<Box<dyn Ground + 'a>> {
    let knows_boxes = metric.knows_boxes([x, y], dim);
    let has_trees = dim <= MAX_TREE_DIM && knows_boxes;
    if !has_ground(Sizes { n: x.len() / dim, m: y.len() / dim, d: dim }, knows_boxes) {
        return None;
    }
    let rows = (x, y, dim);
    match metric {
        Metric::Distance(power) if has_trees && power == Power::SQUARED => {
            Some(squared_trees(rows, (Squared, metric), workers))
        }
        Metric::Distance(power) if has_trees && power == Power::PLAIN => {
            Some(trees(rows, (Distance::<true>(power), metric), workers))
        }
        Metric::Distance(power) if has_trees => {
            Some(trees(rows, (Distance::<false>(power), metric), workers))
        }
        Metric::Function { cost, is_flipped } if has_trees => {
            Some(trees(rows, (Function { cost, is_flipped, dim }, metric), workers))
        }
        _ if metric.is_squared() => Some(Box::new(AllPairs::new(x, y, dim, workers))),
        _ => Some(Box::new(Compared::new(x, y, dim, metric, workers))),
    }
}

/// Rows of both clouds and their dimension.
type Rows<'r> = (&'r [f64], &'r [f64], usize);

/// Trees for each dimension up to eight, for the cost that is asked about most.
fn squared_trees<'a>(rows: Rows<'_>, cost: (Squared, Metric<'a>), workers: &Workers) -> Box<dyn Ground + 'a> {
    match rows.2 {
        1 => Box::new(KdTrees::<1, _>::new(rows, cost, workers)),
        5 => Box::new(KdTrees::<5, _>::new(rows, cost, workers)),
        6 => Box::new(KdTrees::<6, _>::new(rows, cost, workers)),
        7 => Box::new(KdTrees::<7, _>::new(rows, cost, workers)),
        _ => trees(rows, cost, workers),
    }
}

/// Trees for some dimensions; points of others are given zeros beyond their coordinates, which change no distance. Each
/// dimension is compiled by itself, for each cost and each set of instructions: this is what keeps the program small.
fn trees<'a, K>(rows: Rows<'_>, cost: (K, Metric<'a>), workers: &Workers) -> Box<dyn Ground + 'a>
where
    K: Kernel<2> + Kernel<3> + Kernel<4> + Kernel<MAX_TREE_DIM> + 'a,
{
    match rows.2 {
        1 | 2 => Box::new(KdTrees::<2, K>::new(rows, cost, workers)),
        3 => Box::new(KdTrees::<3, K>::new(rows, cost, workers)),
        4 => Box::new(KdTrees::<4, K>::new(rows, cost, workers)),
        _ => Box::new(KdTrees::<MAX_TREE_DIM, K>::new(rows, cost, workers)),
    }
}

/// A tree over each cloud.
struct KdTrees<'a, const D: usize, K> {
    sources: Arc<KdTree<D>>,
    targets: Arc<KdTree<D>>,
    kernel: K,
    metric: Metric<'a>,
    /// Coordinates that there are, `D` or fewer.
    dim: usize,
}

impl<'a, const D: usize, K: Kernel<D>> KdTrees<'a, D, K> {
    fn new((x, y, dim): Rows<'_>, (kernel, metric): (K, Metric<'a>), workers: &Workers) -> Self {
        let (sources, targets) =
            workers.join(|| KdTree::new(x, dim, workers), || KdTree::new(y, dim, workers));
        KdTrees { sources: Arc::new(sources), targets: Arc::new(targets), kernel, metric, dim }
    }
}

impl<const D: usize, K: Kernel<D>> Ground for KdTrees<'_, D, K> {
    fn order(&self) -> [&[u32]; 2] {
        [self.sources.order(), self.targets.order()]
    }

    fn source(&self, i: usize) -> &[f64] {
        &self.sources.points()[i][..self.dim]
    }

    fn target(&self, j: usize) -> &[f64] {
        &self.targets.points()[j][..self.dim]
    }

    fn metric(&self) -> Metric<'_> {
        self.metric
    }

    fn cost(&self, i: usize, j: usize) -> f64 {
        self.kernel.between(&self.sources.points()[i], &self.targets.points()[j])
    }

    fn values(&self, prices: &[f64], near: Option<&[u32]>, workers: &Workers) -> CheapestTargets {
        self.targets.priced(self.kernel, prices, workers).cheapest(&self.sources, near, workers)
    }

    fn prices(&self, values: &[f64], near: Option<&[u32]>, workers: &Workers) -> CheapestTargets {
        self.sources.priced(self.kernel.flipped(), values, workers).cheapest(&self.targets, near, workers)
    }

    fn extended(&self, sources: &[f64], values: &[f64], workers: &Workers) -> Vec<f64> {
        let tree = KdTree::<D>::new(sources, self.dim, workers);
        let values: Vec<f64> = tree.order().iter().map(|&i| values[i as usize]).collect();
        tree.priced(self.kernel.flipped(), &values, workers).cheapest(&self.targets, None, workers).0
    }

    fn outlook<'a>(&'a self, prices: &[f64], workers: &Workers) -> Box<dyn Outlook + 'a> {
        let priced = self.targets.priced(self.kernel, prices, workers);
        Box::new(PricedTrees { asking: &self.sources, priced })
    }

    fn mirrored<'a>(&'a self) -> Option<Box<dyn Ground + 'a>> {
        Some(Box::new(KdTrees {
            sources: Arc::clone(&self.targets),
            targets: Arc::clone(&self.sources),
            kernel: self.kernel.flipped(),
            metric: self.metric.flipped(),
            dim: self.dim,
        }))
    }
}

/// A tree of targets with prices, and the sources that ask.
struct PricedTrees<'a, const D: usize, K: Kernel<D>> {
    asking: &'a KdTree<D>,
    priced: PricedTree<'a, D, K>,
}

impl<const D: usize, K: Kernel<D>> Outlook for PricedTrees<'_, D, K> {
    fn few_below(
        &self,
        asked: &[u32],
        below: &[f64],
        count: usize,
        prices: &[f64],
        workers: &Workers,
    ) -> Few {
        self.priced.few(self.asking, (asked, below), count, prices, workers)
    }
}
