//! For every point of one cloud the cheapest point of the other, at given prices.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};

use super::few::Few;
use super::priced::PricedTree;
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
        _ if x.len().max(y.len()) <= MAX_COMPARED_POINTS * dim => Box::new(AllPairs::new(x, y, dim)),
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

/// Every source compared with every target, for any dimension.
struct AllPairs {
    dim: usize,
    rows: [Vec<f64>; 2],
    norms: [Vec<f64>; 2],
    order: [Vec<u32>; 2],
}

/// Points of either side that are compared at a time.
const SOURCES_PER_TILE: usize = 64;
const TARGETS_PER_TILE: usize = 512;

impl AllPairs {
    fn new(x: &[f64], y: &[f64], dim: usize) -> Self {
        let norms = |rows: &[f64]| rows.chunks_exact(dim).map(|x| x.iter().map(|x| x * x).sum()).collect();
        let order = |rows: &[f64]| (0..(rows.len() / dim) as u32).collect();
        let (norms, order) = ([norms(x), norms(y)], [order(x), order(y)]);
        AllPairs { dim, rows: [x.to_vec(), y.to_vec()], norms, order }
    }

    /// By `|y|^2 - 2 <x, y> - price`, with the products of whole blocks at a time; what is paid is computed from the points.
    fn cheapest(&self, [asking, asked]: [usize; 2], prices: &[f64], workers: &Workers) -> CheapestTargets {
        let d = self.dim;
        let offers: Vec<f64> =
            self.norms[asked].iter().zip(prices).map(|(norm, price)| norm - price).collect();
        let (x, y) = (&self.rows[asking], &self.rows[asked]);
        let parts = workers.map((x.len() / d).div_ceil(SOURCES_PER_TILE), |k| {
            let x = &x[k * SOURCES_PER_TILE * d..x.len().min((k + 1) * SOURCES_PER_TILE * d)];
            let count = x.len() / d;
            if workers.is_halted() {
                return vec![(f64::NEG_INFINITY, 0); count];
            }
            let mut best = vec![(f64::INFINITY, 0_u32); count];
            let mut products = Mat::<f64>::zeros(TARGETS_PER_TILE, count);
            for (block, (y, offers)) in
                y.chunks(TARGETS_PER_TILE * d).zip(offers.chunks(TARGETS_PER_TILE)).enumerate()
            {
                let mut products = products.as_mut().subrows_mut(0, offers.len());
                let (left, right) = (
                    MatRef::from_row_major_slice(y, offers.len(), d),
                    MatRef::from_column_major_slice(x, d, count),
                );
                matmul(products.as_mut(), Accum::Replace, left, right, -2.0, Par::Seq);
                for (column, best) in best.iter_mut().enumerate() {
                    let column = products.as_ref().col(column);
                    for (row, offer) in offers.iter().enumerate() {
                        let sum = offer + column[row];
                        if sum < best.0 {
                            *best = (sum, (block * TARGETS_PER_TILE + row) as u32);
                        }
                    }
                }
            }
            let paid = |(x, &(_, j)): (&[f64], &(f64, u32))| {
                let y = &y[j as usize * d..(j as usize + 1) * d];
                (sq_distance(x, y) - prices[j as usize], j)
            };
            x.chunks_exact(d).zip(&best).map(paid).collect::<Vec<_>>()
        });
        parts.into_iter().flatten().unzip()
    }
}

impl Ground for AllPairs {
    fn order(&self) -> [&[u32]; 2] {
        [&self.order[0], &self.order[1]]
    }

    fn source(&self, i: usize) -> &[f64] {
        &self.rows[0][i * self.dim..(i + 1) * self.dim]
    }

    fn target(&self, j: usize) -> &[f64] {
        &self.rows[1][j * self.dim..(j + 1) * self.dim]
    }

    fn values(&self, prices: &[f64], _near: Option<&[u32]>, workers: &Workers) -> CheapestTargets {
        self.cheapest([0, 1], prices, workers)
    }

    fn prices(&self, values: &[f64], _near: Option<&[u32]>, workers: &Workers) -> CheapestTargets {
        self.cheapest([1, 0], values, workers)
    }

    fn extended(&self, sources: &[f64], values: &[f64], workers: &Workers) -> Vec<f64> {
        let other = AllPairs::new(sources, &self.rows[1], self.dim);
        other.cheapest([1, 0], values, workers).0
    }

    fn outlook<'a>(&'a self, _: &[f64], _: &Workers) -> Box<dyn Outlook + 'a> {
        Box::new(Everything(self))
    }
}

/// No target is left out.
struct Everything<'a>(&'a AllPairs);

impl Outlook for Everything<'_> {
    fn few(&self, asked: &[u32], count: usize, prices: &[f64], workers: &Workers) -> Few {
        let pairs = self.0;
        let targets = pairs.order[1].len();
        let count = count.min(targets);
        Few::joined(
            count,
            workers.map(asked.len(), |k| {
                if workers.is_halted() {
                    return Few::unknown(count, 1);
                }
                let i = asked[k] as usize;
                let mut offers: Vec<(f64, u32)> =
                    (0..targets).map(|j| (pairs.cost(i, j) - prices[j], j as u32)).collect();
                if count < targets {
                    offers.select_nth_unstable_by(count, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                }
                let beyond = offers.get(count).map_or(f64::INFINITY, |offer| offer.0);
                let chosen: Vec<u32> = offers[..count].iter().map(|offer| offer.1).collect();
                let costs = chosen.iter().map(|&j| pairs.cost(i, j as usize)).collect();
                Few { count, targets: chosen, costs, beyond: vec![beyond] }
            }),
        )
    }
}
