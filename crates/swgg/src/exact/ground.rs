//! Ground costs, computed when asked for.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::guess::gaussian_prices;
use super::start::SupplyDemand;
use crate::cost::Power;
use crate::number::mass::Unit;

/// Where a point belongs.
#[derive(Clone, Copy)]
pub(super) enum Side {
    Source,
    Target,
}

/// What moving mass from source `i` to target `j` costs, and the cheapest of some targets at given prices.
pub(super) trait Ground: Sync + Sized {
    fn sources(&self) -> usize;
    fn targets(&self) -> usize;
    fn cost(&self, i: usize, j: usize) -> f64;
    /// How many blocks the targets of a source come in.
    fn blocks(&self) -> usize {
        self.targets().div_ceil(TARGETS_PER_BLOCK)
    }
    /// Sources whose cheapest targets the simplex looks at before it takes the best of these arcs.
    fn sources_per_pivot(&self) -> usize {
        1
    }
    /// The target among a block of those of source `i` that minimises `cost(i, j) - prices[j]`, to rounding.
    fn cheapest(&self, i: usize, block: usize, prices: &[f64]) -> usize;
    /// The same target, and what it costs.
    fn offer(&self, i: usize, block: usize, prices: &[f64]) -> (usize, f64) {
        let j = self.cheapest(i, block, prices);
        (j, self.cost(i, j))
    }
    /// `cost(i, j) - prices[j]` of every target, less something that is the same for all.
    fn row(&self, i: usize, prices: &[f64], values: &mut [f64]);
    /// The same costs between some of the points; `None` where that says little about the rest.
    fn sample(&self, sources: &[u32], targets: &[u32]) -> Option<Self>;
    /// The same costs seen from the targets, with some of the sources for targets; `None` where only some arcs are there.
    fn flipped(&self, sources: &[u32]) -> Option<Self>;
    /// Prices that the shapes of the clouds suggest.
    fn guess<U: Unit>(&self, load: SupplyDemand<'_, U>) -> Option<Vec<f64>> {
        let _ = load;
        None
    }
    /// Where a point is along some line, for plans in a hurry; 0 where points have no place.
    fn along(&self, side: Side, point: usize) -> f64 {
        let _ = (side, point);
        0.0
    }
    /// The sources a target may be reached from; `None` for all of them.
    fn sources_of(&self, target: usize) -> Option<&[u32]> {
        let _ = target;
        None
    }
}

/// The targets of a block.
pub(super) fn block_range(block: usize, targets: usize) -> Range<usize> {
    block * TARGETS_PER_BLOCK..targets.min((block + 1) * TARGETS_PER_BLOCK)
}

/// Powers of Euclidean distances between points, stored centred: sources row by row, targets column by column.
pub(super) struct Distances {
    pub sources: Vec<f64>,
    pub columns: Vec<f64>,
    pub dim: usize,
    pub power: Power,
    /// `|y|^2` of every target.
    norms: Vec<f64>,
}

impl Distances {
    /// From rows of both sides.
    pub fn new(sources: Vec<f64>, targets: &[f64], dim: usize, power: Power) -> Self {
        let m = targets.len() / dim;
        let mut columns = vec![0.0; targets.len()];
        for (j, row) in targets.chunks_exact(dim).enumerate() {
            row.iter().enumerate().for_each(|(c, y)| columns[c * m + j] = *y);
        }
        let norms = targets.chunks_exact(dim).map(|y| y.iter().map(|y| y * y).sum()).collect();
        Distances { sources, columns, dim, power, norms }
    }

    fn source_rows(&self, sources: &[u32]) -> Vec<f64> {
        sources.iter().flat_map(|&i| self.source(i as usize)).copied().collect()
    }

    pub fn target_rows(&self, targets: impl Iterator<Item = u32>) -> Vec<f64> {
        let m = self.targets();
        targets.flat_map(|j| (0..self.dim).map(move |c| self.columns[c * m + j as usize])).collect()
    }

    fn source(&self, i: usize) -> &[f64] {
        &self.sources[i * self.dim..(i + 1) * self.dim]
    }
}

/// Numbers looked at together for the least of them.
const LANES: usize = 8;

impl Ground for Distances {
    fn sources(&self) -> usize {
        self.sources.len() / self.dim
    }

    fn targets(&self) -> usize {
        self.norms.len()
    }

    fn cost(&self, i: usize, j: usize) -> f64 {
        let m = self.targets();
        let square: f64 =
            self.source(i).iter().enumerate().map(|(c, x)| (x - self.columns[c * m + j]).powi(2)).sum();
        if self.power.exponent() == 2.0 { square } else { self.power.of_distance(square.sqrt()) }
    }

    fn cheapest(&self, i: usize, block: usize, prices: &[f64]) -> usize {
        let range = block_range(block, self.targets());
        let start = range.start;
        let place = Arch::new().dispatch(Cheapest { ground: self, i, range, prices });
        start + place
    }

    fn row(&self, i: usize, prices: &[f64], values: &mut [f64]) {
        Arch::new().dispatch(Row { ground: self, i, prices, values });
    }

    fn sample(&self, sources: &[u32], targets: &[u32]) -> Option<Self> {
        let (x, y) = (self.source_rows(sources), self.target_rows(targets.iter().copied()));
        Some(Distances::new(x, &y, self.dim, self.power))
    }

    fn guess<U: Unit>(&self, load: SupplyDemand<'_, U>) -> Option<Vec<f64>> {
        gaussian_prices(self, load)
    }

    /// Along the diagonal.
    fn along(&self, side: Side, point: usize) -> f64 {
        match side {
            Side::Source => self.source(point).iter().sum(),
            Side::Target => self.columns[point..].iter().step_by(self.targets()).sum(),
        }
    }

    fn flipped(&self, sources: &[u32]) -> Option<Self> {
        let (x, y) = (self.source_rows(sources), self.target_rows(0..self.targets() as u32));
        Some(Distances::new(y, &x, self.dim, self.power))
    }
}

/// Kernels are types of their own: a closure that could be called twice is not compiled for the wide instructions.
struct Cheapest<'a> {
    ground: &'a Distances,
    i: usize,
    range: Range<usize>,
    prices: &'a [f64],
}

impl WithSimd for Cheapest<'_> {
    type Output = usize;
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        let Cheapest { ground, i, range, prices } = self;
        match (ground.power.exponent(), ground.source(i)) {
            (2.0, &[a, b]) => ground.cheapest_square([a, b], range, prices),
            (2.0, &[a, b, c]) => ground.cheapest_square([a, b, c], range, prices),
            (_, x) => ground.cheapest_of_any(x, range, prices),
        }
    }
}

struct Row<'a> {
    ground: &'a Distances,
    i: usize,
    prices: &'a [f64],
    values: &'a mut [f64],
}

impl WithSimd for Row<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Row { ground, i, prices, values } = self;
        ground.fill(ground.source(i), 0..ground.targets(), prices, values);
    }
}

/// Targets priced together.
pub(super) const TARGETS_PER_BLOCK: usize = 1024;

impl Distances {
    /// By `|y|^2 - 2 <x, y> - price`, which differs from the cost less the price by the same amount for every target.
    #[inline(always)]
    fn cheapest_square<const D: usize>(&self, x: [f64; D], range: Range<usize>, prices: &[f64]) -> usize {
        let m = self.targets();
        let (norms, norms_rest) = self.norms[range.clone()].as_chunks::<LANES>();
        let (prices, prices_rest) = prices[range.clone()].as_chunks::<LANES>();
        let columns: [(&[[f64; LANES]], &[f64]); D] =
            std::array::from_fn(|c| self.columns[c * m + range.start..c * m + range.end].as_chunks());
        let twice = x.map(|x| 2.0 * x);
        // The least of each lane, and the chunk it was in: numbers rather than integers, so that both are one width.
        let (mut least, mut place) = ([f64::INFINITY; LANES], [0.0; LANES]);
        let whole = norms.len();
        for (k, (norm, price)) in norms.iter().zip(prices).enumerate() {
            let mut sum: [f64; LANES] = std::array::from_fn(|l| norm[l] - price[l]);
            for c in 0..D {
                let column = &columns[c].0[k];
                (0..LANES).for_each(|l| sum[l] -= twice[c] * column[l]);
            }
            for l in 0..LANES {
                let lower = sum[l] < least[l];
                place[l] = if lower { k as f64 } else { place[l] };
                least[l] = if lower { sum[l] } else { least[l] };
            }
        }
        let mut best = (f64::INFINITY, 0);
        for l in 0..LANES {
            let at = place[l] as usize * LANES + l;
            if least[l] < best.0 || (least[l] == best.0 && at < best.1) {
                best = (least[l], at);
            }
        }
        for (l, (norm, price)) in norms_rest.iter().zip(prices_rest).enumerate() {
            let sum = (0..D).fold(norm - price, |sum, c| sum - twice[c] * columns[c].1[l]);
            if sum < best.0 {
                best = (sum, whole * LANES + l);
            }
        }
        best.1
    }

    #[inline(always)]
    fn cheapest_of_any(&self, x: &[f64], range: Range<usize>, prices: &[f64]) -> usize {
        let mut values = [0.0; TARGETS_PER_BLOCK];
        let values = &mut values[..range.len()];
        self.fill(x, range, prices, values);
        position_of_least(values)
    }

    /// Costs less prices of some targets.
    #[inline(always)]
    fn fill(&self, x: &[f64], range: Range<usize>, prices: &[f64], values: &mut [f64]) {
        values.fill(0.0);
        for (x, column) in x.iter().zip(self.columns.chunks_exact(self.targets())) {
            values.iter_mut().zip(&column[range.clone()]).for_each(|(sum, y)| *sum += (x - y) * (x - y));
        }
        if self.power.exponent() != 2.0 {
            values.iter_mut().for_each(|square| *square = self.power.of_distance(square.sqrt()));
        }
        values.iter_mut().zip(&prices[range]).for_each(|(cost, price)| *cost -= price);
    }
}

/// The first of the least numbers.
#[inline(always)]
pub(super) fn position_of_least(numbers: &[f64]) -> usize {
    let (blocks, rest) = numbers.as_chunks::<LANES>();
    let mut least = [f64::INFINITY; LANES];
    for block in blocks {
        for lane in 0..LANES {
            least[lane] = if block[lane] < least[lane] { block[lane] } else { least[lane] };
        }
    }
    let least = rest.iter().chain(&least).fold(f64::INFINITY, |a, b| if *b < a { *b } else { a });
    numbers.iter().position(|number| *number <= least).unwrap_or(0)
}
