//! Ground costs that are functions of two points, computed when asked for.

use std::ops::Range;

use super::ground::{Ground, Side, TARGETS_PER_BLOCK, block_range, position_of_least};
use crate::cost::GroundCost;

/// Points of both sides and what a pair of them costs.
pub(super) struct Pairs<'a> {
    cost: &'a dyn GroundCost,
    dim: usize,
    /// Row by row.
    sources: Vec<f64>,
    /// Row by row, and column by column.
    targets: Vec<f64>,
    columns: Vec<f64>,
    /// Whether sources and targets have changed places.
    is_flipped: bool,
}

impl<'a> Pairs<'a> {
    /// From rows of both sides.
    pub fn new(cost: &'a dyn GroundCost, sources: Vec<f64>, targets: Vec<f64>, dim: usize) -> Self {
        Pairs::turned(cost, sources, targets, dim, false)
    }

    fn turned(
        cost: &'a dyn GroundCost,
        sources: Vec<f64>,
        targets: Vec<f64>,
        dim: usize,
        is_flipped: bool,
    ) -> Self {
        let m = targets.len() / dim;
        let mut columns = vec![0.0; targets.len()];
        for (j, row) in targets.chunks_exact(dim).enumerate() {
            row.iter().enumerate().for_each(|(c, y)| columns[c * m + j] = *y);
        }
        Pairs { cost, dim, sources, targets, columns, is_flipped }
    }

    fn source(&self, i: usize) -> &[f64] {
        &self.sources[i * self.dim..(i + 1) * self.dim]
    }

    fn target(&self, j: usize) -> &[f64] {
        &self.targets[j * self.dim..(j + 1) * self.dim]
    }

    /// Costs of some targets of a source.
    pub fn fill(&self, i: usize, range: Range<usize>, costs: &mut [f64]) {
        if self.is_flipped {
            return costs.iter_mut().zip(range).for_each(|(cost, j)| *cost = self.cost(i, j));
        }
        let m = self.targets();
        let columns: Vec<&[f64]> =
            (0..self.dim).map(|c| &self.columns[c * m + range.start..c * m + range.end]).collect();
        self.cost.fill(self.source(i), &columns, costs);
    }
}

impl Pairs<'_> {
    /// Costs of all targets of some sources, a row per source.
    pub fn fill_rows(&self, sources: Range<usize>, costs: &mut [f64]) {
        let rows = &self.sources[sources.start * self.dim..sources.end * self.dim];
        if !self.is_flipped && self.cost.fill_block(rows, &self.targets, self.dim, costs) {
            return;
        }
        let m = self.targets();
        costs.chunks_exact_mut(m).zip(sources).for_each(|(line, i)| self.fill(i, 0..m, line));
    }
}

fn chosen(rows: &[f64], dim: usize, which: &[u32]) -> Vec<f64> {
    which.iter().flat_map(|&i| &rows[i as usize * dim..(i as usize + 1) * dim]).copied().collect()
}

impl Ground for Pairs<'_> {
    fn sources(&self) -> usize {
        self.sources.len() / self.dim
    }

    fn targets(&self) -> usize {
        self.targets.len() / self.dim
    }

    fn cost(&self, i: usize, j: usize) -> f64 {
        let (x, y) = (self.source(i), self.target(j));
        if self.is_flipped { self.cost.between(y, x) } else { self.cost.between(x, y) }
    }

    fn cheapest(&self, i: usize, block: usize, prices: &[f64]) -> usize {
        let range = block_range(block, self.targets());
        let mut values = [0.0; TARGETS_PER_BLOCK];
        let values = &mut values[..range.len()];
        self.fill(i, range.clone(), values);
        values.iter_mut().zip(&prices[range.clone()]).for_each(|(cost, price)| *cost -= price);
        range.start + position_of_least(values)
    }

    fn row(&self, i: usize, prices: &[f64], values: &mut [f64]) {
        self.fill(i, 0..self.targets(), values);
        values.iter_mut().zip(prices).for_each(|(cost, price)| *cost -= price);
    }

    fn sample(&self, sources: &[u32], targets: &[u32]) -> Option<Self> {
        let (x, y) = (chosen(&self.sources, self.dim, sources), chosen(&self.targets, self.dim, targets));
        Some(Pairs::turned(self.cost, x, y, self.dim, self.is_flipped))
    }

    fn flipped(&self, sources: &[u32]) -> Option<Self> {
        let x = chosen(&self.sources, self.dim, sources);
        Some(Pairs::turned(self.cost, self.targets.clone(), x, self.dim, !self.is_flipped))
    }

    /// Along the diagonal.
    fn along(&self, side: Side, point: usize) -> f64 {
        match side {
            Side::Source => self.source(point).iter().sum(),
            Side::Target => self.target(point).iter().sum(),
        }
    }
}
