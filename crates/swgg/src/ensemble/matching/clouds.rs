//! Two clouds of one size, as solvers of matchings see them.

use crate::cost::{sq_distance, sum_of};
use crate::line::direction::dot;
use crate::number::scalar::Scalar;

/// Rows of points.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a, T> {
    points: &'a [T],
    dim: usize,
}

impl<'a, T: Scalar> Rows<'a, T> {
    fn new(points: &'a [T], dim: usize) -> Self {
        Rows { points, dim }
    }

    pub fn len(&self) -> usize {
        self.points.len() / self.dim
    }

    pub fn dim(&self) -> usize {
        self.dim
    }

    #[inline(always)]
    pub fn row(&self, i: usize) -> &'a [T] {
        &self.points[i * self.dim..(i + 1) * self.dim]
    }

    /// `<row i, theta>`, unrolled in the dimensions most clouds have.
    #[inline(always)]
    pub fn along(&self, i: usize, theta: &[f64]) -> f64 {
        match (self.dim, theta) {
            (2, &[a, b]) => {
                let p = &self.points[2 * i..2 * i + 2];
                a * p[0].to_f64() + b * p[1].to_f64()
            }
            (3, &[a, b, c]) => {
                let p = &self.points[3 * i..3 * i + 3];
                a * p[0].to_f64() + b * p[1].to_f64() + c * p[2].to_f64()
            }
            _ => dot(self.row(i), theta),
        }
    }

    /// The rows in another order.
    pub fn gathered(&self, order: &[u32]) -> Vec<T> {
        let mut rows = Vec::with_capacity(self.points.len());
        order.iter().for_each(|&i| rows.extend_from_slice(self.row(i as usize)));
        rows
    }
}

/// Source and target rows of equal number.
#[derive(Clone, Copy)]
pub(super) struct UniformClouds<'a, T> {
    pub x: Rows<'a, T>,
    pub y: Rows<'a, T>,
    /// What coordinates are multiplied by before they go to single precision: a power of two that takes the clouds near one.
    pub unit: f64,
}

impl<'a, T: Scalar> UniformClouds<'a, T> {
    pub fn new(x: &'a [T], y: &'a [T], dim: usize) -> Self {
        let spread = |points: &[T]| {
            let first = &points[..dim];
            let apart = |row: &[T]| {
                row.iter().zip(first).fold(0.0_f64, |most, (x, o)| most.max((x.to_f64() - o.to_f64()).abs()))
            };
            points.chunks_exact(dim).map(apart).fold(0.0, f64::max)
        };
        let spread = spread(x).max(spread(y));
        let unit = if spread > 0.0 { (-spread.log2().ceil()).clamp(-1000.0, 1000.0).exp2() } else { 1.0 };
        Self::with_unit(x, y, dim, unit)
    }

    pub fn with_unit(x: &'a [T], y: &'a [T], dim: usize, unit: f64) -> Self {
        UniformClouds { x: Rows::new(x, dim), y: Rows::new(y, dim), unit }
    }

    pub fn len(&self) -> usize {
        self.x.len()
    }

    pub fn dim(&self) -> usize {
        self.x.dim()
    }

    /// `<x_a - x_b, y_i - y_j>`: positive when sending `a` to `i` and `b` to `j` is cheaper than crosswise, by twice as much.
    #[inline(always)]
    pub fn swap_rise(&self, [a, b]: [usize; 2], [i, j]: [usize; 2]) -> f64 {
        fn of<T: Scalar>(xa: &[T], xb: &[T], yi: &[T], yj: &[T]) -> f64 {
            let x = xa.iter().zip(xb).map(|(a, b)| a.to_f64() - b.to_f64());
            let y = yi.iter().zip(yj).map(|(i, j)| i.to_f64() - j.to_f64());
            x.zip(y).map(|(x, y)| x * y).sum()
        }
        let (xa, xb, yi, yj) = (self.x.row(a), self.x.row(b), self.y.row(i), self.y.row(j));
        // Loops of a known length are unrolled.
        match self.dim() {
            2 => of(&xa[..2], &xb[..2], &yi[..2], &yj[..2]),
            3 => of(&xa[..3], &xb[..3], &yi[..3], &yj[..3]),
            _ => sum_of([xa, xb, yi, yj], |[xa, xb, yi, yj]| (xa - xb) * (yi - yj)),
        }
    }

    /// `|x_a - y_i|^2 - |x_a - y_j|^2`.
    #[inline(always)]
    pub fn dearer(&self, a: usize, [i, j]: [usize; 2]) -> f64 {
        fn of<T: Scalar>(x: &[T], yi: &[T], yj: &[T]) -> f64 {
            let targets = yi.iter().zip(yj).map(|(i, j)| (i.to_f64(), j.to_f64()));
            x.iter().zip(targets).map(|(x, (i, j))| (i - j) * ((i - x.to_f64()) + (j - x.to_f64()))).sum()
        }
        let (x, yi, yj) = (self.x.row(a), self.y.row(i), self.y.row(j));
        match self.dim() {
            2 => of(&x[..2], &yi[..2], &yj[..2]),
            3 => of(&x[..3], &yi[..3], &yj[..3]),
            _ => sum_of([x, yi, yj], |[x, i, j]| (i - j) * ((i - x) + (j - x))),
        }
    }

    /// The mean squared displacement of a matching, in sums of fixed blocks.
    pub fn cost(&self, target_of: &[u32]) -> f64 {
        // Loops of a known length are unrolled.
        match self.dim() {
            2 => self.cost_by(target_of, |x, y| sq_distance(&x[..2], &y[..2])),
            3 => self.cost_by(target_of, |x, y| sq_distance(&x[..3], &y[..3])),
            _ => self.cost_by(target_of, |x, y| sq_distance(x, y)),
        }
    }

    #[inline(always)]
    fn cost_by(&self, target_of: &[u32], sq_distance: impl Fn(&[T], &[T]) -> f64) -> f64 {
        const PAIRS_PER_SUM: usize = 1024;
        let blocks = target_of.chunks(PAIRS_PER_SUM).enumerate().map(|(block, targets)| {
            let pairs = targets.iter().enumerate();
            let costs = pairs
                .map(|(k, &j)| sq_distance(self.x.row(block * PAIRS_PER_SUM + k), self.y.row(j as usize)));
            costs.sum::<f64>()
        });
        blocks.sum::<f64>() / target_of.len() as f64
    }
}
