//! Costs that are given as a matrix.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use ndarray::{Array2, ArrayView2};

use super::ground::{Ground, TARGETS_PER_BLOCK, block_range, position_of_least};
use super::pairs::Pairs;
use super::start::in_tasks;
use crate::cost::sum_of;
use crate::error::{ErrorKind, Result};
use crate::run::workers::Workers;

/// Rows of products that one task makes, at least and at most: each task reads all the columns, and a few tasks keep all threads busy.
const ROWS_PER_TASK: [usize; 2] = [64, 256];
/// Tasks that there are at least, where there are enough rows.
const MIN_TASKS: usize = 4;

/// A cost per source and target.
pub(super) struct CostMatrix {
    costs: Array2<f64>,
}

impl CostMatrix {
    /// The rows and columns that carry mass.
    pub fn new(costs: ArrayView2<'_, f64>, sources: &[u32], targets: &[u32]) -> Self {
        let costs = Array2::from_shape_fn((sources.len(), targets.len()), |(i, j)| {
            costs[[sources[i] as usize, targets[j] as usize]]
        });
        CostMatrix { costs }
    }

    /// Squared distances between rows, by blocked products: `|x|^2 + |y|^2 - 2 <x, y>`.
    pub fn of_squares([x, y]: [&[f64]; 2], dim: usize, workers: &Workers) -> Self {
        let norms = |rows: &[f64]| {
            in_tasks(rows.len() / dim, workers, |i| sum_of([&rows[i * dim..(i + 1) * dim]], |[x]| x * x))
        };
        let (x_norms, y_norms) = (norms(x), norms(y));
        let (n, m) = (x_norms.len(), y_norms.len());
        let mut costs = vec![0.0; n * m];
        let per_task = n.div_ceil(MIN_TASKS).clamp(ROWS_PER_TASK[0], ROWS_PER_TASK[1]);
        workers.fill(&mut costs, per_task * m, |k, part| {
            let rows = k * per_task..n.min((k + 1) * per_task);
            if workers.is_halted() {
                return;
            }
            let left = MatRef::from_row_major_slice(&x[rows.start * dim..rows.end * dim], rows.len(), dim);
            let right = MatRef::from_column_major_slice(y, dim, m);
            let products = MatMut::from_row_major_slice_mut(part, rows.len(), m);
            matmul(products, Accum::Replace, left, right, -2.0, Par::Seq);
            for (line, x_norm) in part.chunks_exact_mut(m).zip(&x_norms[rows]) {
                // Below zero for rounding only.
                line.iter_mut().zip(&y_norms).for_each(|(cost, y)| *cost = (*cost + x_norm + y).max(0.0));
            }
        });
        CostMatrix { costs: Array2::from_shape_vec((n, m), costs).unwrap_or_default() }
    }

    /// All costs of some pairs of points, computed once.
    pub fn of_pairs(pairs: &Pairs<'_>, workers: &Workers) -> Self {
        let (n, m) = (pairs.sources(), pairs.targets());
        let mut costs = vec![0.0; n * m];
        workers.fill(&mut costs, ROWS_PER_TASK[0] * m, |k, part| {
            if workers.is_halted() {
                return;
            }
            let first = k * ROWS_PER_TASK[0];
            pairs.fill_rows(first..first + part.len() / m, part);
        });
        CostMatrix { costs: Array2::from_shape_vec((n, m), costs).unwrap_or_default() }
    }

    fn line(&self, i: usize) -> &[f64] {
        let m = self.costs.ncols();
        // Built row by row, so it is one slice.
        self.costs.as_slice().map_or(&[], |all| &all[i * m..(i + 1) * m])
    }
}

/// Refuses costs that are negative or not finite.
pub(super) fn check(costs: ArrayView2<'_, f64>) -> Result<()> {
    let bad = costs.indexed_iter().find(|(_, cost)| !(cost.is_finite() && **cost >= 0.0));
    match bad {
        Some(((row, column), &value)) => Err(ErrorKind::BadCost { row, column, value }.into()),
        None => Ok(()),
    }
}

impl Ground for CostMatrix {
    fn sources(&self) -> usize {
        self.costs.nrows()
    }

    fn targets(&self) -> usize {
        self.costs.ncols()
    }

    fn cost(&self, i: usize, j: usize) -> f64 {
        self.costs[[i, j]]
    }

    fn cheapest(&self, i: usize, block: usize, prices: &[f64]) -> usize {
        let range = block_range(block, self.targets());
        let mut values = [0.0; TARGETS_PER_BLOCK];
        let values = &mut values[..range.len()];
        let costs = &self.line(i)[range.clone()];
        for ((value, cost), price) in values.iter_mut().zip(costs).zip(&prices[range.clone()]) {
            *value = cost - price;
        }
        range.start + position_of_least(values)
    }

    fn row(&self, i: usize, prices: &[f64], values: &mut [f64]) {
        for ((value, cost), price) in values.iter_mut().zip(self.line(i)).zip(prices) {
            *value = cost - price;
        }
    }

    fn sample(&self, sources: &[u32], targets: &[u32]) -> Option<Self> {
        Some(CostMatrix::new(self.costs.view(), sources, targets))
    }

    fn flipped(&self, sources: &[u32]) -> Option<Self> {
        let targets: Vec<u32> = (0..self.targets() as u32).collect();
        Some(CostMatrix::new(self.costs.t(), &targets, sources))
    }
}
