//! Ground costs, computed when asked for.

use std::ops::Range;

use crate::cost::Power;

/// What moving mass from source `i` to target `j` costs, and the cheapest of some targets at given prices.
pub(super) trait Ground: Sync {
    fn cost(&self, i: usize, j: usize) -> f64;
    /// The target among `range` that minimises `cost(i, j) - prices[j]`, to rounding.
    fn cheapest(&self, i: usize, range: Range<usize>, prices: &[f64]) -> usize;
    /// An upper bound of all costs, for tolerances.
    fn scale(&self) -> f64;
}

/// Powers of Euclidean distances between points, stored centred: sources row by row, targets column by column.
pub(super) struct Distances {
    pub sources: Vec<f64>,
    pub columns: Vec<f64>,
    pub dim: usize,
    pub power: Power,
    /// `|y|^2` of every target.
    norms: Vec<f64>,
    scale: f64,
}

impl Distances {
    /// From rows of both sides.
    pub fn new(sources: Vec<f64>, targets: &[f64], dim: usize, power: Power) -> Self {
        let m = targets.len() / dim;
        let mut columns = vec![0.0; targets.len()];
        for (j, row) in targets.chunks_exact(dim).enumerate() {
            row.iter().enumerate().for_each(|(c, y)| columns[c * m + j] = *y);
        }
        let radius = |rows: &[f64]| {
            rows.chunks_exact(dim).map(|x| x.iter().map(|x| x * x).sum::<f64>()).fold(0.0, f64::max).sqrt()
        };
        let scale = power.of_distance(radius(&sources) + radius(targets));
        let norms = targets.chunks_exact(dim).map(|y| y.iter().map(|y| y * y).sum()).collect();
        Distances { sources, columns, dim, power, norms, scale }
    }

    fn targets(&self) -> usize {
        self.columns.len() / self.dim
    }
}

/// Numbers looked at together for the least of them.
const LANES: usize = 8;

impl Ground for Distances {
    fn cost(&self, i: usize, j: usize) -> f64 {
        let (m, x) = (self.targets(), &self.sources[i * self.dim..(i + 1) * self.dim]);
        let square: f64 = x.iter().enumerate().map(|(c, x)| (x - self.columns[c * m + j]).powi(2)).sum();
        if self.power.exponent() == 2.0 { square } else { self.power.of_distance(square.sqrt()) }
    }

    fn cheapest(&self, i: usize, range: Range<usize>, prices: &[f64]) -> usize {
        let x = &self.sources[i * self.dim..(i + 1) * self.dim];
        let start = range.start;
        start
            + match (self.power.exponent(), x) {
                (2.0, &[a, b]) => self.cheapest_square([a, b], range, prices),
                (2.0, &[a, b, c]) => self.cheapest_square([a, b, c], range, prices),
                _ => self.cheapest_of_any(x, range, prices),
            }
    }

    fn scale(&self) -> f64 {
        self.scale
    }
}

/// Targets priced together.
pub(super) const BLOCK: usize = 512;

impl Distances {
    /// By `|y|^2 - 2 <x, y> - price`, which differs from the cost less the price by the same amount for every target.
    #[inline(always)]
    fn cheapest_square<const D: usize>(&self, x: [f64; D], range: Range<usize>, prices: &[f64]) -> usize {
        let m = self.targets();
        let columns: [&[f64]; D] =
            std::array::from_fn(|c| &self.columns[c * m + range.start..c * m + range.end]);
        let (norms, prices) = (&self.norms[range.clone()], &prices[range]);
        let mut values = [0.0; BLOCK];
        let values = &mut values[..norms.len()];
        let mut least = [f64::INFINITY; LANES];
        let twice = x.map(|x| 2.0 * x);
        for (k, chunk) in values.chunks_mut(LANES).enumerate() {
            for (lane, value) in chunk.iter_mut().enumerate() {
                let j = k * LANES + lane;
                let mut sum = norms[j] - prices[j];
                for c in 0..D {
                    sum -= twice[c] * columns[c][j];
                }
                *value = sum;
                least[lane] = if sum < least[lane] { sum } else { least[lane] };
            }
        }
        let least = least.iter().fold(f64::INFINITY, |a, b| if *b < a { *b } else { a });
        values.iter().position(|value| *value <= least).unwrap_or(0)
    }

    fn cheapest_of_any(&self, x: &[f64], range: Range<usize>, prices: &[f64]) -> usize {
        let m = self.targets();
        let mut values = [0.0; BLOCK];
        let values = &mut values[..range.len()];
        for (x, column) in x.iter().zip(self.columns.chunks_exact(m)) {
            values.iter_mut().zip(&column[range.clone()]).for_each(|(sum, y)| *sum += (x - y) * (x - y));
        }
        if self.power.exponent() != 2.0 {
            values.iter_mut().for_each(|square| *square = self.power.of_distance(square.sqrt()));
        }
        values.iter_mut().zip(&prices[range]).for_each(|(cost, price)| *cost -= price);
        position_of_least(values)
    }
}

/// The first of the least numbers.
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
