//! Who would buy what: for every point of one cloud the cheapest point of the other, at given prices.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};

use super::tree::Tree;
use crate::cost::sq_distance;
use crate::run::workers::Workers;

/// Beyond this dimension a tree looks at nearly everything.
const MOST_TREE_DIMENSIONS: usize = 8;
/// Points per side that may be compared all with all.
const MOST_COMPARED: usize = 20_000;

/// For every point what it pays at best, and whom it pays.
pub(super) type Bought = (Vec<f64>, Vec<u32>);

/// Two clouds, each in an order of its own, in which neighbours are close where that can be had.
pub(super) trait Ground: Sync {
    /// The indices the sources and the targets were given with.
    fn order(&self) -> [&[u32]; 2];
    fn source(&self, i: usize) -> &[f64];
    fn target(&self, j: usize) -> &[f64];
    /// `u_i = min_j |x_i - y_j|^2 - v_j` for every source; `near` are targets to look at first.
    fn values(&self, prices: &[f64], near: Option<&[u32]>, workers: &Workers) -> Bought;
    /// `v_j = min_i |x_i - y_j|^2 - u_i` for every target; `near` are sources to look at first.
    fn prices(&self, values: &[f64], near: Option<&[u32]>, workers: &Workers) -> Bought;

    fn cost(&self, i: usize, j: usize) -> f64 {
        sq_distance(self.source(i), self.target(j))
    }
}

/// Two clouds given as rows; `None` where comparing them takes too long.
pub(super) fn ground(x: &[f64], y: &[f64], dim: usize, workers: &Workers) -> Option<Box<dyn Ground>> {
    Some(match dim {
        1 => Box::new(Trees::<1>::new(x, y, workers)),
        2 => Box::new(Trees::<2>::new(x, y, workers)),
        3 => Box::new(Trees::<3>::new(x, y, workers)),
        4 => Box::new(Trees::<4>::new(x, y, workers)),
        5 => Box::new(Trees::<5>::new(x, y, workers)),
        6 => Box::new(Trees::<6>::new(x, y, workers)),
        7 => Box::new(Trees::<7>::new(x, y, workers)),
        MOST_TREE_DIMENSIONS => Box::new(Trees::<MOST_TREE_DIMENSIONS>::new(x, y, workers)),
        _ if x.len().max(y.len()) <= MOST_COMPARED * dim => Box::new(Compared::new(x, y, dim)),
        _ => return None,
    })
}

/// A tree over each cloud.
struct Trees<const D: usize> {
    sources: Tree<D>,
    targets: Tree<D>,
}

impl<const D: usize> Trees<D> {
    fn new(x: &[f64], y: &[f64], workers: &Workers) -> Self {
        let (sources, targets) = workers.join(|| Tree::new(x, workers), || Tree::new(y, workers));
        Trees { sources, targets }
    }
}

impl<const D: usize> Ground for Trees<D> {
    fn order(&self) -> [&[u32]; 2] {
        [self.sources.order(), self.targets.order()]
    }

    fn source(&self, i: usize) -> &[f64] {
        &self.sources.points()[i]
    }

    fn target(&self, j: usize) -> &[f64] {
        &self.targets.points()[j]
    }

    fn values(&self, prices: &[f64], near: Option<&[u32]>, workers: &Workers) -> Bought {
        self.targets.priced(prices, workers).cheapest(&self.sources, near, workers)
    }

    fn prices(&self, values: &[f64], near: Option<&[u32]>, workers: &Workers) -> Bought {
        self.sources.priced(values, workers).cheapest(&self.targets, near, workers)
    }
}

/// All with all, for any dimension.
struct Compared {
    dim: usize,
    rows: [Vec<f64>; 2],
    norms: [Vec<f64>; 2],
    order: [Vec<u32>; 2],
}

/// Points of either side that are compared at a time.
const ASKING: usize = 64;
const ASKED: usize = 512;

impl Compared {
    fn new(x: &[f64], y: &[f64], dim: usize) -> Self {
        let norms = |rows: &[f64]| rows.chunks_exact(dim).map(|x| x.iter().map(|x| x * x).sum()).collect();
        let order = |rows: &[f64]| (0..(rows.len() / dim) as u32).collect();
        let (norms, order) = ([norms(x), norms(y)], [order(x), order(y)]);
        Compared { dim, rows: [x.to_vec(), y.to_vec()], norms, order }
    }

    /// By `|y|^2 - 2 <x, y> - price`, with the products of whole blocks at a time; what is paid is computed from the points.
    fn cheapest(&self, [asking, asked]: [usize; 2], prices: &[f64], workers: &Workers) -> Bought {
        let d = self.dim;
        let offers: Vec<f64> =
            self.norms[asked].iter().zip(prices).map(|(norm, price)| norm - price).collect();
        let (x, y) = (&self.rows[asking], &self.rows[asked]);
        let parts = workers.map((x.len() / d).div_ceil(ASKING), |k| {
            let x = &x[k * ASKING * d..x.len().min((k + 1) * ASKING * d)];
            let count = x.len() / d;
            let mut best = vec![(f64::INFINITY, 0_u32); count];
            let mut products = Mat::<f64>::zeros(ASKED, count);
            for (block, (y, offers)) in y.chunks(ASKED * d).zip(offers.chunks(ASKED)).enumerate() {
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
                            *best = (sum, (block * ASKED + row) as u32);
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

impl Ground for Compared {
    fn order(&self) -> [&[u32]; 2] {
        [&self.order[0], &self.order[1]]
    }

    fn source(&self, i: usize) -> &[f64] {
        &self.rows[0][i * self.dim..(i + 1) * self.dim]
    }

    fn target(&self, j: usize) -> &[f64] {
        &self.rows[1][j * self.dim..(j + 1) * self.dim]
    }

    fn values(&self, prices: &[f64], _near: Option<&[u32]>, workers: &Workers) -> Bought {
        self.cheapest([0, 1], prices, workers)
    }

    fn prices(&self, values: &[f64], _near: Option<&[u32]>, workers: &Workers) -> Bought {
        self.cheapest([1, 0], values, workers)
    }
}
