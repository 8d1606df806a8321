//! Every source compared with every target, for any dimension.

use pulp::{Arch, Simd, WithSimd};

use super::few::Few;
use super::ground::{CheapestTargets, Ground, Outlook};
use super::metric::Metric;
use super::products::Products;
use crate::cost::{sq_distance, sum_of};
use crate::run::workers::Workers;

/// Points of either side that are compared at a time.
const SOURCES_PER_TILE: usize = 64;
const TARGETS_PER_TILE: usize = 512;
/// Points whose norms one task computes.
const ROWS_PER_TASK: usize = 256;
/// Sources that one task finds candidates for.
const SOURCES_PER_TASK: usize = 8;
/// Targets between which single precision cannot decide, and which are compared by their points: more of them are in one place.
const MAX_DOUBTS: usize = 64;
/// Values that are looked at to guess where the lowest end.
const MAX_SAMPLED_VALUES: usize = 256;

/// Two clouds, and the products of all pairs in single precision: they tell which targets may be the cheapest, and the points decide between
/// these.
pub(super) struct AllPairs {
    dim: usize,
    rows: [Vec<f64>; 2],
    norms: [Vec<f64>; 2],
    order: [Vec<u32>; 2],
    products: Products,
}

impl AllPairs {
    /// Products are kept where there is room for them.
    pub fn new(x: &[f64], y: &[f64], dim: usize, workers: &Workers) -> Self {
        let once = Self::once(x, y, dim, workers);
        AllPairs { products: once.products.keep(workers), ..once }
    }

    /// To be asked once: products are computed on the way.
    fn once(x: &[f64], y: &[f64], dim: usize, workers: &Workers) -> Self {
        let norms = [x, y].map(|rows| {
            let mut norms = vec![0.0; rows.len() / dim];
            workers.fill(&mut norms, ROWS_PER_TASK, |k, part| {
                let rows = rows[k * ROWS_PER_TASK * dim..].chunks_exact(dim);
                part.iter_mut().zip(rows).for_each(|(norm, x)| *norm = sum_of([x], |[x]| x * x));
            });
            norms
        });
        let order = |rows: &[f64]| (0..(rows.len() / dim) as u32).collect();
        let products = Products::new([x, y], [&norms[0], &norms[1]], dim, workers);
        AllPairs { dim, rows: [x.to_vec(), y.to_vec()], norms, order: [order(x), order(y)], products }
    }

    fn point(&self, side: usize, i: usize) -> &[f64] {
        &self.rows[side][i * self.dim..(i + 1) * self.dim]
    }

    fn offers(&self, asked: usize, prices: &[f64]) -> Offers {
        let each: Vec<f64> = self.norms[asked].iter().zip(prices).map(|(norm, price)| norm - price).collect();
        let most = each.iter().fold(0.0_f64, |most, offer| most.max(offer.abs()));
        Offers { each, most }
    }

    /// By how much an offer less twice the product may be off for a point, rounding of the sum included.
    fn error(&self, side: usize, i: usize, offers: &Offers) -> f64 {
        self.products.error(side, i) + 8.0 * f64::EPSILON * offers.most.max(self.norms[side][i])
    }

    /// By `|y|^2 - 2 <x, y> - price`; what is paid is computed from the points.
    fn cheapest(&self, [asking, asked]: [usize; 2], prices: &[f64], workers: &Workers) -> CheapestTargets {
        let offers = self.offers(asked, prices);
        let count = self.order[asking].len();
        let parts = workers.map(count.div_ceil(SOURCES_PER_TILE), |k| {
            let points = k * SOURCES_PER_TILE..count.min((k + 1) * SOURCES_PER_TILE);
            if workers.is_halted() {
                return vec![(f64::NEG_INFINITY, 0); points.len()];
            }
            let mut found: Vec<Cheapest> = vec![Cheapest::default(); points.len()];
            let errors: Vec<f64> = points.clone().map(|i| self.error(asking, i, &offers)).collect();
            let mut buffer = Vec::new();
            for (block, offers) in offers.each.chunks(TARGETS_PER_TILE).enumerate() {
                let first = block * TARGETS_PER_TILE;
                let tile =
                    self.products.tile(asking, [points.clone(), first..first + offers.len()], &mut buffer);
                for (row, (found, error)) in found.iter_mut().zip(&errors).enumerate() {
                    found.look(first, offers, tile.row(row), self.products.scale, 2.0 * error);
                }
            }
            let paid = |(row, found): (usize, &Cheapest)| {
                let i = points.start + row;
                let pays = |j: u32| {
                    let (x, y) = (self.point(asking, i), self.point(asked, j as usize));
                    Arch::new().dispatch(Square(x, y)) - prices[j as usize]
                };
                found.decided(errors[row], self.norms[asking][i], pays)
            };
            found.iter().enumerate().map(paid).collect::<Vec<_>>()
        });
        parts.into_iter().flatten().unzip()
    }

    /// The `count` cheapest targets of a source.
    fn few_of(&self, i: usize, count: usize, offers: &Offers, buffers: &mut Buffers) -> Few {
        let error = self.error(0, i, offers);
        let offers = &offers.each;
        let Buffers { products, values } = buffers;
        let tile = self.products.tile(0, [i..i + 1, 0..offers.len()], products);
        values.resize(offers.len(), 0.0);
        Arch::new().dispatch(Values { offers, products: tile.row(0), scale: self.products.scale, values });
        let (chosen, beyond) = lowest(values, count);
        // What is not among them costs at least this much, however products were rounded.
        let beyond = self.norms[0][i] + beyond - error;
        let costs = chosen.iter().map(|&j| self.cost(i, j as usize)).collect();
        Few { count, targets: chosen, costs, beyond: vec![beyond] }
    }
}

/// `|y|^2 - price` of every target, and the largest of them in size.
struct Offers {
    each: Vec<f64>,
    most: f64,
}

/// Room for the products and values of a source, from one to the next.
#[derive(Default)]
struct Buffers {
    products: Vec<f32>,
    values: Vec<f64>,
}

/// The least of the values seen, and all that may be as low.
#[derive(Clone)]
struct Cheapest {
    least: f64,
    doubtful: Vec<(f64, u32)>,
}

impl Default for Cheapest {
    fn default() -> Self {
        Cheapest { least: f64::INFINITY, doubtful: Vec::new() }
    }
}

impl Cheapest {
    /// Looks at the targets from `first` on; values that are `doubt` above the least may be the least.
    fn look(&mut self, first: usize, offers: &[f64], products: &[f32], scale: f64, doubt: f64) {
        let mut values = [0.0; TARGETS_PER_TILE];
        let values = &mut values[..offers.len()];
        let least = Arch::new().dispatch(Values { offers, products, scale, values });
        if least > self.least + doubt {
            return;
        }
        self.least = self.least.min(least);
        let limit = self.least + doubt;
        let low = values.iter().zip(first as u32..).filter(|(value, _)| **value <= limit);
        self.doubtful.extend(low.map(|(value, j)| (*value, j)));
    }

    /// The cheapest target, and what is paid there: by its points, unless too many are in doubt; then what any pays at least.
    fn decided(&self, error: f64, norm: f64, pays: impl Fn(u32) -> f64) -> (f64, u32) {
        let limit = self.least + 2.0 * error;
        let mut low: Vec<(f64, u32)> = self.doubtful.iter().copied().filter(|low| low.0 <= limit).collect();
        let mut rest = f64::INFINITY;
        if low.len() > MAX_DOUBTS {
            low.select_nth_unstable_by(MAX_DOUBTS, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            rest = norm + low[MAX_DOUBTS].0 - error;
            low.truncate(MAX_DOUBTS);
            low.sort_unstable_by_key(|low| low.1);
        }
        let exact = low.iter().map(|&(_, j)| (pays(j), j));
        // Nothing is lower than infinity where numbers overflow.
        let start = if low.is_empty() { (pays(0), 0) } else { (f64::INFINITY, 0) };
        let (paid, j) = exact.fold(start, |best, offer| if offer.0 < best.0 { offer } else { best });
        (paid.min(rest), j)
    }
}

/// `|x - y|^2`, with the bits it has elsewhere.
struct Square<'a>(&'a [f64], &'a [f64]);

impl WithSimd for Square<'_> {
    type Output = f64;
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        sq_distance(self.0, self.1)
    }
}

/// Numbers looked at together.
const LANES: usize = 8;

/// `offers + scale products`, and the least of them.
struct Values<'a> {
    offers: &'a [f64],
    products: &'a [f32],
    scale: f64,
    values: &'a mut [f64],
}

impl WithSimd for Values<'_> {
    type Output = f64;
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let Values { offers, products, scale, values } = self;
        let (offers, offers_rest) = offers.as_chunks::<LANES>();
        let (products, products_rest) = products.as_chunks::<LANES>();
        let (values, values_rest) = values.as_chunks_mut::<LANES>();
        let mut least = [f64::INFINITY; LANES];
        for ((value, offer), product) in values.iter_mut().zip(offers).zip(products) {
            for lane in 0..LANES {
                value[lane] = offer[lane] + scale * f64::from(product[lane]);
                least[lane] = if value[lane] < least[lane] { value[lane] } else { least[lane] };
            }
        }
        for ((value, offer), product) in values_rest.iter_mut().zip(offers_rest).zip(products_rest) {
            *value = offer + scale * f64::from(*product);
        }
        values_rest.iter().chain(&least).fold(f64::INFINITY, |a, b| if *b < a { *b } else { a })
    }
}

/// Positions of the `count` lowest values, in no order, and the lowest of the others.
pub(super) fn lowest(values: &[f64], count: usize) -> (Vec<u32>, f64) {
    let mut all: Vec<(f64, u32)> = Vec::new();
    if count >= values.len() {
        return ((0..values.len() as u32).collect(), f64::INFINITY);
    }
    // A few values tell about where the line is; fewer lie below it than there are.
    let step = values.len().div_ceil(MAX_SAMPLED_VALUES);
    let mut few: Vec<f64> = values.iter().copied().step_by(step).collect();
    let rank = (2 * count) / step + 4;
    if rank < few.len() {
        let limit = *few.select_nth_unstable_by(rank, f64::total_cmp).1;
        all.extend(
            values.iter().zip(0..).filter(|(value, _)| **value <= limit).map(|(value, j)| (*value, j)),
        );
    }
    if all.len() <= count {
        all = values.iter().copied().zip(0..).collect();
    }
    all.select_nth_unstable_by(count, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    (all[..count].iter().map(|low| low.1).collect(), all[count].0)
}

impl Ground for AllPairs {
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
        Metric::SQUARED
    }

    fn values(&self, prices: &[f64], _near: Option<&[u32]>, workers: &Workers) -> CheapestTargets {
        self.cheapest([0, 1], prices, workers)
    }

    fn prices(&self, values: &[f64], _near: Option<&[u32]>, workers: &Workers) -> CheapestTargets {
        self.cheapest([1, 0], values, workers)
    }

    fn extended(&self, sources: &[f64], values: &[f64], workers: &Workers) -> Vec<f64> {
        let other = AllPairs::once(sources, &self.rows[1], self.dim, workers);
        other.cheapest([1, 0], values, workers).0
    }

    fn cost(&self, i: usize, j: usize) -> f64 {
        Arch::new().dispatch(Square(self.source(i), self.target(j)))
    }

    fn outlook<'a>(&'a self, _: &[f64], _: &Workers) -> Box<dyn Outlook + 'a> {
        Box::new(Everything(self))
    }
}

/// No target is left out.
struct Everything<'a>(&'a AllPairs);

impl Outlook for Everything<'_> {
    fn few_below(&self, asked: &[u32], _: &[f64], count: usize, prices: &[f64], workers: &Workers) -> Few {
        let pairs = self.0;
        let count = count.min(prices.len());
        let offers = pairs.offers(1, prices);
        let parts = workers.map(asked.len().div_ceil(SOURCES_PER_TASK), |k| {
            let asked = &asked[k * SOURCES_PER_TASK..asked.len().min((k + 1) * SOURCES_PER_TASK)];
            if workers.is_halted() {
                return Few::unknown(count, asked.len());
            }
            let mut buffers = Buffers::default();
            let each = asked.iter().map(|&i| pairs.few_of(i as usize, count, &offers, &mut buffers));
            Few::joined(count, each.collect())
        });
        Few::joined(count, parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::workers::Parallelism;

    /// Points on a lattice or not, with some in one place.
    fn rows(count: usize, dim: usize, seed: f64, step: Option<f64>) -> Vec<f64> {
        let coordinate = |k: usize| {
            let x = ((k % ((count - 3) * dim)) as f64 * 12.9898 + seed).sin() * 3.0;
            step.map_or(x, |step| (x / step).round() * step)
        };
        (0..count * dim).map(coordinate).collect()
    }

    #[test]
    fn the_cheapest_are_those_of_double_precision() {
        for (dim, step) in [(9, None), (40, Some(0.5)), (200, None), (12, Some(6.0))] {
            let (x, y) = (rows(150, dim, 0.3, step), rows(700, dim, 1.7, step));
            let prices: Vec<f64> = (0..700).map(|j| (j as f64).cos()).collect();
            let values: Vec<f64> = (0..150).map(|i| (i as f64).sin()).collect();
            let workers = [0, 1, 3].map(|threads| Workers::new(Parallelism::from_count(threads)).unwrap());
            let kept = AllPairs::new(&x, &y, dim, &workers[0]);
            let once = AllPairs::once(&x, &y, dim, &workers[1]);
            let pays = |i: usize, j: usize| kept.cost(i, j) - prices[j];
            let least: Vec<f64> =
                (0..150).map(|i| (0..700).map(|j| pays(i, j)).fold(f64::INFINITY, f64::min)).collect();
            let found = kept.values(&prices, None, &workers[0]);
            for (i, (&value, &j)) in found.0.iter().zip(&found.1).enumerate() {
                let exact = least[i];
                // Where too many are in one place what is paid is a bound, and close.
                assert!(value <= exact && value > exact - 1e-4 * (1.0 + exact.abs()), "{value} {exact}");
                assert!(pays(i, j as usize) <= exact + 1e-4 * (1.0 + exact.abs()));
            }
            for workers in &workers {
                assert_eq!(kept.values(&prices, None, workers), found);
                assert_eq!(once.values(&prices, None, workers).0, found.0);
                assert_eq!(kept.prices(&values, None, workers), kept.prices(&values, None, &Workers::Caller));
            }
            let back: Vec<f64> = kept.prices(&values, None, &workers[0]).0;
            for (j, price) in back.iter().enumerate() {
                let room = (0..150).map(|i| kept.cost(i, j) - values[i]).fold(f64::INFINITY, f64::min);
                assert!(*price <= room && *price > room - 1e-4 * (1.0 + room.abs()));
            }
        }
    }

    #[test]
    fn nobody_beyond_the_few_is_cheaper() {
        for (dim, step) in [(9, None), (64, Some(1.0))] {
            let (x, y) = (rows(40, dim, 0.3, step), rows(500, dim, 1.7, step));
            let prices: Vec<f64> = (0..500).map(|j| (j as f64).cos()).collect();
            let pairs = AllPairs::new(&x, &y, dim, &Workers::Caller);
            let asked = [3, 17, 39];
            for count in [1, 16, 499, 500, 900] {
                let few =
                    pairs.outlook(&prices, &Workers::Caller).few(&asked, count, &prices, &Workers::Caller);
                for (k, &i) in asked.iter().enumerate() {
                    let chosen = &few.targets[k * few.count..(k + 1) * few.count];
                    let pays = |j: usize| pairs.cost(i as usize, j) - prices[j];
                    let others = (0..500).filter(|j| !chosen.contains(&(*j as u32))).map(pays);
                    assert!(few.beyond[k] <= others.fold(f64::INFINITY, f64::min));
                    let costs = &few.costs[k * few.count..(k + 1) * few.count];
                    assert!(chosen.iter().zip(costs).all(|(&j, c)| *c == pairs.cost(i as usize, j as usize)));
                }
            }
        }
    }
}
