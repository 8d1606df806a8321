//! Every source compared with every target at any cost, for dimensions and costs that trees are no good for.

use std::ops::Range;

use super::few::Few;
use super::ground::{CheapestTargets, Ground, Outlook};
use super::metric::Metric;
use super::pairs::lowest;
use crate::run::workers::Workers;

/// Points that one task compares with all others.
const POINTS_PER_TASK: usize = 32;
/// Others that are compared at a time.
const OTHERS_PER_BLOCK: usize = 512;
/// Costs that may be kept in double precision: 512 MB of them.
const MAX_KEPT_COSTS: usize = 1 << 26;
/// Costs that may be kept in single precision: 1 GB of them. More are computed again whenever they are asked for.
const MAX_NARROW_COSTS: usize = 1 << 28;

/// Two clouds, and what all pairs cost where there is room for that.
pub(super) struct Compared<'a> {
    metric: Metric<'a>,
    dim: usize,
    rows: [Vec<f64>; 2],
    order: [Vec<u32>; 2],
    kept: Kept,
}

/// Costs of all pairs, a row per source.
enum Kept {
    Nothing,
    Doubles(Vec<f64>),
    /// Never above what a pair costs: what holds for these holds for the true ones.
    Singles(Vec<f32>),
}

/// A number as large as fits into single precision without being above this one.
fn narrowed(cost: f64) -> f32 {
    let near = cost as f32;
    if f64::from(near) > cost { near.next_down() } else { near }
}

impl<'a> Compared<'a> {
    /// Costs are kept where there is room for them.
    pub fn new(x: &[f64], y: &[f64], dim: usize, metric: Metric<'a>, workers: &Workers) -> Self {
        let mut all = Self::once(x, y, dim, metric);
        let [n, m] = [0, 1].map(|side| all.order[side].len());
        let pairs = n.saturating_mul(m);
        let kept = if pairs <= MAX_KEPT_COSTS {
            let mut kept = vec![0.0; pairs];
            all.fill_all(&mut kept, |cost| cost, workers);
            Kept::Doubles(kept)
        } else if pairs <= MAX_NARROW_COSTS {
            let mut kept = vec![0.0; pairs];
            all.fill_all(&mut kept, narrowed, workers);
            Kept::Singles(kept)
        } else {
            Kept::Nothing
        };
        // Told to stop on the way, some are missing.
        all.kept = if workers.is_halted() { Kept::Nothing } else { kept };
        all
    }

    /// To be asked once: costs are computed on the way.
    fn once(x: &[f64], y: &[f64], dim: usize, metric: Metric<'a>) -> Self {
        let order = |rows: &[f64]| (0..(rows.len() / dim) as u32).collect();
        let order = [order(x), order(y)];
        Compared { metric, dim, rows: [x.to_vec(), y.to_vec()], order, kept: Kept::Nothing }
    }

    fn fill_all<R: Send>(&self, kept: &mut [R], narrow: impl Fn(f64) -> R + Sync + Send, workers: &Workers) {
        let (n, m) = (self.order[0].len(), self.order[1].len());
        workers.fill(kept, POINTS_PER_TASK * m.max(1), |k, part| {
            let points = k * POINTS_PER_TASK..n.min((k + 1) * POINTS_PER_TASK);
            for first in (0..m).step_by(OTHERS_PER_BLOCK) {
                if workers.is_halted() {
                    return;
                }
                let others = first..m.min(first + OTHERS_PER_BLOCK);
                let tile = self.computed(0, points.clone(), others.clone());
                for (row, costs) in tile.chunks_exact(others.len()).enumerate() {
                    let places = &mut part[row * m + first..][..others.len()];
                    places.iter_mut().zip(costs).for_each(|(place, cost)| *place = narrow(*cost));
                }
            }
        });
    }

    fn point(&self, side: usize, i: usize) -> &[f64] {
        &self.rows[side][i * self.dim..(i + 1) * self.dim]
    }

    /// What some points pay to, or from, some others, a row per point, computed.
    fn computed(&self, asking: usize, points: Range<usize>, others: Range<usize>) -> Vec<f64> {
        let some = |side: usize, range: &Range<usize>| {
            &self.rows[side][range.start * self.dim..range.end * self.dim]
        };
        let (asking_rows, asked_rows) = (some(asking, &points), some(1 - asking, &others));
        let metric = if asking == 0 { self.metric } else { self.metric.flipped() };
        let mut costs = vec![0.0; points.len() * others.len()];
        if metric.fill_block(asking_rows, asked_rows, self.dim, &mut costs) {
            return costs;
        }
        let count = others.len();
        let mut columns = vec![0.0; count * self.dim];
        for (k, row) in asked_rows.chunks_exact(self.dim).enumerate() {
            row.iter().enumerate().for_each(|(c, x)| columns[c * count + k] = *x);
        }
        let columns: Vec<&[f64]> = columns.chunks_exact(count).collect();
        for (i, costs) in points.zip(costs.chunks_exact_mut(count)) {
            metric.fill(self.point(asking, i), &columns, costs);
        }
        costs
    }

    /// The same, from what is kept where there is something.
    fn tile(&self, asking: usize, points: Range<usize>, others: Range<usize>) -> Vec<f64> {
        match &self.kept {
            Kept::Nothing => self.computed(asking, points, others),
            Kept::Doubles(kept) => self.picked(kept, asking, points, others),
            Kept::Singles(kept) => self.picked(kept, asking, points, others),
        }
    }

    fn picked<R: Copy + Into<f64>>(
        &self,
        kept: &[R],
        asking: usize,
        points: Range<usize>,
        others: Range<usize>,
    ) -> Vec<f64> {
        let (m, count) = (self.order[1].len(), others.len());
        let mut tile = vec![0.0; points.len() * count];
        if asking == 0 {
            for (i, costs) in points.zip(tile.chunks_exact_mut(count)) {
                let line = &kept[i * m + others.start..][..count];
                costs.iter_mut().zip(line).for_each(|(cost, kept)| *cost = (*kept).into());
            }
        } else {
            // Rows of what is kept are read one after the other.
            for (column, j) in others.enumerate() {
                let line = &kept[j * m + points.start..][..points.len()];
                line.iter().enumerate().for_each(|(row, kept)| tile[row * count + column] = (*kept).into());
            }
        }
        tile
    }

    fn cheapest(&self, asking: usize, prices: &[f64], workers: &Workers) -> CheapestTargets {
        let count = self.order[asking].len();
        let parts = workers.map(count.div_ceil(POINTS_PER_TASK), |k| {
            let points = k * POINTS_PER_TASK..count.min((k + 1) * POINTS_PER_TASK);
            let mut best = vec![(f64::INFINITY, 0); points.len()];
            for (block, prices) in prices.chunks(OTHERS_PER_BLOCK).enumerate() {
                if workers.is_halted() {
                    return vec![(f64::NEG_INFINITY, 0); points.len()];
                }
                let first = block * OTHERS_PER_BLOCK;
                let mut tile = self.tile(asking, points.clone(), first..first + prices.len());
                for (costs, best) in tile.chunks_exact_mut(prices.len()).zip(&mut best) {
                    costs.iter_mut().zip(prices).for_each(|(cost, price)| *cost -= price);
                    let least = costs.iter().fold(f64::INFINITY, |a, b| if *b < a { *b } else { a });
                    if least < best.0
                        && let Some(place) = costs.iter().position(|cost| *cost == least)
                    {
                        *best = (least, (first + place) as u32);
                    }
                }
            }
            best
        });
        parts.into_iter().flatten().unzip()
    }

    /// The `count` cheapest targets of a source.
    fn few_of(&self, i: usize, count: usize, prices: &[f64], values: &mut Vec<f64>) -> Few {
        let m = prices.len();
        values.clear();
        match &self.kept {
            Kept::Doubles(kept) => values.extend(&kept[i * m..(i + 1) * m]),
            Kept::Singles(kept) => values.extend(kept[i * m..(i + 1) * m].iter().map(|c| f64::from(*c))),
            Kept::Nothing => values.extend(self.computed(0, i..i + 1, 0..m)),
        }
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
        let place = i * self.order[1].len() + j;
        match &self.kept {
            Kept::Doubles(kept) => kept[place],
            Kept::Singles(kept) => f64::from(kept[place]),
            Kept::Nothing => self.metric.between(self.source(i), self.target(j)),
        }
    }

    fn outlook<'b>(&'b self, _: &[f64], _: &Workers) -> Box<dyn Outlook + 'b> {
        Box::new(Everything(self))
    }
}

/// No target is left out.
struct Everything<'b>(&'b Compared<'b>);

impl Outlook for Everything<'_> {
    fn few_below(&self, asked: &[u32], _: &[f64], count: usize, prices: &[f64], workers: &Workers) -> Few {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Norm;
    use crate::run::workers::Parallelism;

    #[test]
    fn single_precision_is_never_above() {
        for cost in [0.0, 0.1, 1.0 / 3.0, 1e-50, 1e300, 16_777_217.0, f64::from(f32::MAX)] {
            let narrow = narrowed(cost);
            assert!(f64::from(narrow) <= cost && narrow.is_finite(), "{cost}");
            let is_far = !(1e-40..=1e38).contains(&cost);
            assert!(is_far || f64::from(narrow) > cost * (1.0 - 2e-7));
        }
    }

    /// What is kept in either precision, and what is computed, say the same from both sides.
    #[test]
    fn whatever_is_kept_the_cheapest_are_found() {
        let rows = |count: usize, seed: f64| -> Vec<f64> {
            (0..count * 9).map(|k| (k as f64 * 12.9898 + seed).sin()).collect()
        };
        let (x, y, norm) = (rows(70, 0.3), rows(1100, 1.7), Norm::cityblock());
        let metric = Metric::of(&norm);
        let workers = Workers::new(Parallelism::from_count(3)).unwrap();
        let doubles = Compared::new(&x, &y, 9, metric, &workers);
        let (once, mut singles) = (Compared::once(&x, &y, 9, metric), Compared::once(&x, &y, 9, metric));
        let mut kept = vec![0.0; 70 * 1100];
        singles.fill_all(&mut kept, narrowed, &workers);
        singles.kept = Kept::Singles(kept);
        let prices: Vec<f64> = (0..1100).map(|j| (j as f64).cos()).collect();
        let values: Vec<f64> = (0..70).map(|i| (i as f64).sin()).collect();
        let asked = [doubles.values(&prices, None, &workers), doubles.prices(&values, None, &workers)];
        for (i, value) in asked[0].0.iter().enumerate() {
            let least = (0..1100).map(|j| doubles.cost(i, j) - prices[j]).fold(f64::INFINITY, f64::min);
            assert_eq!(*value, least);
        }
        assert_eq!(once.values(&prices, None, &workers).1, asked[0].1);
        assert_eq!(once.prices(&values, None, &Workers::Caller).1, asked[1].1);
        let below = [singles.values(&prices, None, &workers), singles.prices(&values, None, &workers)];
        for (below, exact) in below.iter().zip(&asked) {
            let pairs = below.0.iter().zip(&exact.0);
            assert!(pairs.into_iter().all(|(low, exact)| low <= exact && *low > exact - 1e-5));
        }
        let few = singles.outlook(&prices, &workers).few(&[3, 69], 5, &prices, &workers);
        let exact = doubles.outlook(&prices, &workers).few(&[3, 69], 5, &prices, &workers);
        assert!(few.beyond.iter().zip(&exact.beyond).all(|(low, exact)| low <= exact));
    }
}
