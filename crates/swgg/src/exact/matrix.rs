//! Costs that are given as a matrix.

use ndarray::{Array2, ArrayView2};

use super::ground::{Ground, TARGETS_PER_BLOCK, block_range, position_of_least};
use crate::error::{ErrorKind, Result};

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
