//! Every source compared with every target at any cost, for dimensions and costs that trees are no good for.

use super::few::Few;
use super::ground::{CheapestTargets, Ground, Outlook};
use super::metric::Metric;
use super::pairs::lowest;
use crate::run::workers::Workers;

/// Points that one task compares with all others.
const POINTS_PER_TASK: usize = 16;
/// Others that are compared at a time.
const OTHERS_PER_BLOCK: usize = 512;
/// Costs that may be kept: 512 MB of them. More are computed again whenever they are asked for.
const MAX_KEPT_COSTS: usize = 1 << 26;

/// Two clouds, the coordinates of both a column each, and what all pairs cost where there is room for that.
pub(super) struct Compared<'a> {
    metric: Metric<'a>,
    dim: usize,
    rows: [Vec<f64>; 2],
    columns: [Vec<f64>; 2],
    order: [Vec<u32>; 2],
    kept: Option<Vec<f64>>,
}

impl<'a> Compared<'a> {
    /// Costs are kept where there is room for them.
    pub fn new(x: &[f64], y: &[f64], dim: usize, metric: Metric<'a>, workers: &Workers) -> Self {
        let mut all = Self::once(x, y, dim, metric);
        let [n, m] = [0, 1].map(|side| all.order[side].len());
        if n.saturating_mul(m) <= MAX_KEPT_COSTS {
            let mut kept = vec![0.0; n * m];
            workers.fill(&mut kept, POINTS_PER_TASK * m, |k, part| {
                for (row, costs) in part.chunks_exact_mut(m).enumerate() {
                    if !workers.is_halted() {
                        all.fill(0, k * POINTS_PER_TASK + row, 0, costs);
                    }
                }
            });
            // Told to stop on the way, some are missing.
            all.kept = (!workers.is_halted()).then_some(kept);
        }
        all
    }

    /// To be asked once: costs are computed on the way.
    fn once(x: &[f64], y: &[f64], dim: usize, metric: Metric<'a>) -> Self {
        let columns = |rows: &[f64]| {
            let count = rows.len() / dim;
            let mut columns = vec![0.0; rows.len()];
            for (k, row) in rows.chunks_exact(dim).enumerate() {
                row.iter().enumerate().for_each(|(c, x)| columns[c * count + k] = *x);
            }
            columns
        };
        let order = |rows: &[f64]| (0..(rows.len() / dim) as u32).collect();
        let (columns, order) = ([columns(x), columns(y)], [order(x), order(y)]);
        Compared { metric, dim, rows: [x.to_vec(), y.to_vec()], columns, order, kept: None }
    }

    fn point(&self, side: usize, i: usize) -> &[f64] {
        &self.rows[side][i * self.dim..(i + 1) * self.dim]
    }

    /// What a point pays to, or from, as many others as there is room for, the first of them included.
    fn fill(&self, asking: usize, i: usize, first: usize, costs: &mut [f64]) {
        if let (Some(kept), 0) = (&self.kept, asking) {
            let m = self.order[1].len();
            return costs.copy_from_slice(&kept[i * m + first..][..costs.len()]);
        }
        let (count, columns) = (self.order[1 - asking].len(), &self.columns[1 - asking]);
        let columns: Vec<&[f64]> =
            (0..self.dim).map(|c| &columns[c * count + first..][..costs.len()]).collect();
        let metric = if asking == 0 { self.metric } else { self.metric.flipped() };
        metric.fill(self.point(asking, i), &columns, costs);
    }

    fn cheapest(&self, asking: usize, prices: &[f64], workers: &Workers) -> CheapestTargets {
        let count = self.order[asking].len();
        let parts = workers.map(count.div_ceil(POINTS_PER_TASK), |k| {
            let points = k * POINTS_PER_TASK..count.min((k + 1) * POINTS_PER_TASK);
            if workers.is_halted() {
                return vec![(f64::NEG_INFINITY, 0); points.len()];
            }
            points.map(|i| self.cheapest_of(asking, i, prices)).collect::<Vec<_>>()
        });
        parts.into_iter().flatten().unzip()
    }

    fn cheapest_of(&self, asking: usize, i: usize, prices: &[f64]) -> (f64, u32) {
        let mut costs = [0.0; OTHERS_PER_BLOCK];
        let mut best = (f64::INFINITY, 0);
        for (block, prices) in prices.chunks(OTHERS_PER_BLOCK).enumerate() {
            let (first, costs) = (block * OTHERS_PER_BLOCK, &mut costs[..prices.len()]);
            self.fill(asking, i, first, costs);
            costs.iter_mut().zip(prices).for_each(|(cost, price)| *cost -= price);
            let least = costs.iter().fold(f64::INFINITY, |a, b| if *b < a { *b } else { a });
            if least < best.0
                && let Some(place) = costs.iter().position(|cost| *cost == least)
            {
                best = (least, (first + place) as u32);
            }
        }
        best
    }

    /// The `count` cheapest targets of a source.
    fn few_of(&self, i: usize, count: usize, prices: &[f64], values: &mut Vec<f64>) -> Few {
        values.resize(prices.len(), 0.0);
        self.fill(0, i, 0, values);
        values.iter_mut().zip(prices).for_each(|(cost, price)| *cost -= price);
        let (chosen, beyond) = lowest(values, count);
        let costs = chosen.iter().map(|&j| self.cost(i, j as usize)).collect();
        Few { count, targets: chosen, costs, beyond: vec![beyond] }
    }
}

impl Ground for Compared<'_> {
    fn order(&self) -> [&[u32]; 2] {
        [&self.order[0], &self.order[1]]
    }

    fn source(&self, i: usize) -> &[f64] {
        self.point(0, i)
    }

    fn target(&self, j: usize) -> &[f64] {
        self.point(1, j)
    }

    fn metric(&self) -> Metric<'_> {
        self.metric
    }

    fn values(&self, prices: &[f64], _: Option<&[u32]>, workers: &Workers) -> CheapestTargets {
        self.cheapest(0, prices, workers)
    }

    fn prices(&self, values: &[f64], _: Option<&[u32]>, workers: &Workers) -> CheapestTargets {
        self.cheapest(1, values, workers)
    }

    fn extended(&self, sources: &[f64], values: &[f64], workers: &Workers) -> Vec<f64> {
        let other = Compared::once(sources, &self.rows[1], self.dim, self.metric);
        other.cheapest(1, values, workers).0
    }

    fn cost(&self, i: usize, j: usize) -> f64 {
        match &self.kept {
            Some(kept) => kept[i * self.order[1].len() + j],
            None => self.metric.between(self.source(i), self.target(j)),
        }
    }

    fn outlook<'b>(&'b self, _: &[f64], _: &Workers) -> Box<dyn Outlook + 'b> {
        Box::new(Everything(self))
    }
}

/// No target is left out.
struct Everything<'b>(&'b Compared<'b>);

impl Outlook for Everything<'_> {
    fn few(&self, asked: &[u32], count: usize, prices: &[f64], workers: &Workers) -> Few {
        let count = count.min(prices.len());
        let parts = workers.map(asked.len().div_ceil(POINTS_PER_TASK), |k| {
            let asked = &asked[k * POINTS_PER_TASK..asked.len().min((k + 1) * POINTS_PER_TASK)];
            if workers.is_halted() {
                return Few::unknown(count, asked.len());
            }
            let mut values = Vec::new();
            let each = asked.iter().map(|&i| self.0.few_of(i as usize, count, prices, &mut values));
            Few::joined(count, each.collect())
        });
        Few::joined(count, parts)
    }
}
