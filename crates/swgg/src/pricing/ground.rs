//! For every point of one cloud the cheapest point of the other, at given prices.

use super::few::Few;
use super::pairs::AllPairs;
use super::priced::PricedTree;
use super::products::are_kept;
use super::tree::KdTree;
use crate::cost::sq_distance;
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
    /// `u_i = min_j |x_i - y_j|^2 - v_j` for every source; `near` are targets to look at first. Minus infinity once the threads are told
    /// to stop, here and below.
    fn values(&self, prices: &[f64], near: Option<&[u32]>, workers: &Workers) -> CheapestTargets;
    /// `v_j = min_i |x_i - y_j|^2 - u_i` for every target; `near` are sources to look at first.
    fn prices(&self, values: &[f64], near: Option<&[u32]>, workers: &Workers) -> CheapestTargets;

    /// `v_j = min_i |x_i - y_j|^2 - u_i` for every target and other sources, given as rows.
    fn extended(&self, sources: &[f64], values: &[f64], workers: &Workers) -> Vec<f64>;
    /// What is known of the targets at these prices, for many questions.
    fn outlook<'a>(&'a self, prices: &[f64], workers: &Workers) -> Box<dyn Outlook + 'a>;

    fn cost(&self, i: usize, j: usize) -> f64 {
        sq_distance(self.source(i), self.target(j))
    }
}

/// Targets at prices that may fall from question to question, and never rise.
pub(crate) trait Outlook: Sync {
    /// The `count` cheapest targets of some sources.
    fn few(&self, asked: &[u32], count: usize, prices: &[f64], workers: &Workers) -> Few;
}

/// Whether candidates are found quickly between so many points: by trees, or by products that are kept.
pub(crate) fn finds_candidates(n: usize, m: usize, dim: usize) -> bool {
    dim <= MAX_TREE_DIM || (are_kept(n, m) && n.max(m) <= MAX_COMPARED_POINTS)
}

/// Two clouds given as rows; `None` where comparing them takes too long.
pub(crate) fn ground(x: &[f64], y: &[f64], dim: usize, workers: &Workers) -> Option<Box<dyn Ground>> {
    Some(match dim {
        1 => Box::new(KdTrees::<1>::new(x, y, workers)),
        2 => Box::new(KdTrees::<2>::new(x, y, workers)),
        3 => Box::new(KdTrees::<3>::new(x, y, workers)),
        4 => Box::new(KdTrees::<4>::new(x, y, workers)),
        5 => Box::new(KdTrees::<5>::new(x, y, workers)),
        6 => Box::new(KdTrees::<6>::new(x, y, workers)),
        7 => Box::new(KdTrees::<7>::new(x, y, workers)),
        MAX_TREE_DIM => Box::new(KdTrees::<MAX_TREE_DIM>::new(x, y, workers)),
        _ if x.len().max(y.len()) <= MAX_COMPARED_POINTS * dim => Box::new(AllPairs::new(x, y, dim, workers)),
        _ => return None,
    })
}

/// A tree over each cloud.
struct KdTrees<const D: usize> {
    sources: KdTree<D>,
    targets: KdTree<D>,
}

impl<const D: usize> KdTrees<D> {
    fn new(x: &[f64], y: &[f64], workers: &Workers) -> Self {
        let (sources, targets) = workers.join(|| KdTree::new(x, workers), || KdTree::new(y, workers));
        KdTrees { sources, targets }
    }
}

impl<const D: usize> Ground for KdTrees<D> {
    fn order(&self) -> [&[u32]; 2] {
        [self.sources.order(), self.targets.order()]
    }

    fn source(&self, i: usize) -> &[f64] {
        &self.sources.points()[i]
    }

    fn target(&self, j: usize) -> &[f64] {
        &self.targets.points()[j]
    }

    fn values(&self, prices: &[f64], near: Option<&[u32]>, workers: &Workers) -> CheapestTargets {
        self.targets.priced(prices, workers).cheapest(&self.sources, near, workers)
    }

    fn prices(&self, values: &[f64], near: Option<&[u32]>, workers: &Workers) -> CheapestTargets {
        self.sources.priced(values, workers).cheapest(&self.targets, near, workers)
    }

    fn extended(&self, sources: &[f64], values: &[f64], workers: &Workers) -> Vec<f64> {
        let tree = KdTree::<D>::new(sources, workers);
        let values: Vec<f64> = tree.order().iter().map(|&i| values[i as usize]).collect();
        tree.priced(&values, workers).cheapest(&self.targets, None, workers).0
    }

    fn outlook<'a>(&'a self, prices: &[f64], workers: &Workers) -> Box<dyn Outlook + 'a> {
        Box::new(PricedTrees { asking: &self.sources, priced: self.targets.priced(prices, workers) })
    }
}

/// A tree of targets with prices, and the sources that ask.
struct PricedTrees<'a, const D: usize> {
    asking: &'a KdTree<D>,
    priced: PricedTree<'a, D>,
}

impl<const D: usize> Outlook for PricedTrees<'_, D> {
    fn few(&self, asked: &[u32], count: usize, prices: &[f64], workers: &Workers) -> Few {
        self.priced.few(self.asking, asked, count, prices, workers)
    }
}
