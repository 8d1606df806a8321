//! Sweeps: a few directions at a time, so that the points are read once for all of them.

use super::Slices;
use super::in_memory::{InMemory, Scratch};
use super::kernel::{
    block_sum, fixed_sq_distance, gap_along, long_block_sum, maps_of_orders, sort_long, sort_short,
    sums_of_pairs,
};
use crate::cost::{Power, sq_distance};
use crate::line::direction::{DirectionSet, Projected, dot};
use crate::line::{self, MassBuffers};
use crate::measure::pairable;
use crate::number::scalar::Scalar;

/// Directions evaluated in one sweep over the points, so that these are read once for all of them.
const DIRECTIONS_PER_SWEEP: usize = 2;
/// The same for points of at least [`MIN_LONG_DIM`] coordinates, where reading them is most of the work.
const MAX_DIRECTIONS_PER_LONG_SWEEP: usize = 64;
pub(crate) const MIN_LONG_DIM: usize = 12;
/// Projections that a sweep over long points keeps, per thread and side.
const MAX_KEPT_PROJECTIONS: usize = 1 << 20;
/// Coordinates of the directions of such a sweep.
const MAX_SWEPT_COORDINATES: usize = 1 << 23;
/// Directions that the usual vector registers take together.
const DIRECTIONS_PER_GROUP: usize = 8;
/// Clouds beyond this size are swept one direction at a time, to save memory.
const MAX_POINTS_TO_SWEEP_TOGETHER: usize = 1 << 20;
/// Sides above this size are sorted at the same time when a direction has several threads to itself.
const MAX_SERIAL_POINTS: usize = 1 << 15;

impl<T: Scalar> InMemory<'_, T> {
    /// Sorts both sides along `theta` into the first pair of orders, with all threads for itself.
    pub(super) fn sort_both(&self, theta: &[f64], scratch: &mut Scratch) {
        let Scratch { sorter, sibling, orders, .. } = scratch;
        orders.resize_with(orders.len().max(1), Default::default);
        let [sigma, tau] = &mut orders[0];
        let source = Projected { points: self.source.points(), theta };
        let target = Projected { points: self.target.points(), theta };
        if self.workers.count() > 1 && self.source.len().min(self.target.len()) > MAX_SERIAL_POINTS {
            self.workers.join(|| sorter.sort(&source, sigma), || sibling.sort(&target, tau));
        } else {
            sorter.sort(&source, sigma);
            sorter.sort(&target, tau);
        }
    }

    /// How many directions one task evaluates together.
    pub(crate) fn sweep_len(&self) -> usize {
        let n = self.source.len().max(self.target.len());
        match self.dim() {
            _ if n > MAX_POINTS_TO_SWEEP_TOGETHER => 1,
            d @ MIN_LONG_DIM.. => {
                let most = (MAX_KEPT_PROJECTIONS / n).min(MAX_SWEPT_COORDINATES / d);
                let most = most.clamp(1, MAX_DIRECTIONS_PER_LONG_SWEEP);
                // Whole groups of directions, where there is more than one.
                if most > DIRECTIONS_PER_GROUP {
                    most / DIRECTIONS_PER_GROUP * DIRECTIONS_PER_GROUP
                } else {
                    most
                }
            }
            _ => DIRECTIONS_PER_SWEEP,
        }
    }

    /// `W_p^p` along each line, by the sweeps of [`costs`](Slices::costs); for points of fewer than [`MIN_LONG_DIM`] coordinates.
    pub(crate) fn sweep_along(&self, thetas: &DirectionSet, power: Power) -> Vec<f64> {
        self.sweeps(thetas, |rows, scratch| {
            self.sort_sweep(rows, scratch);
            self.costs_along(rows, scratch, power)
        })
    }

    /// Cuts directions into sweeps and shares them among the threads.
    pub(super) fn sweeps(
        &self,
        thetas: &DirectionSet,
        sweep: impl Fn(&[&[f64]], &mut Scratch) -> Vec<f64> + Sync + Send,
    ) -> Vec<f64> {
        // Few directions for many threads: a sweep must not keep the others idle.
        let len = self.sweep_len().min(thetas.len().div_ceil(self.workers.count())).max(1);
        let sweeps = self.workers.map(thetas.len().div_ceil(len), |k| {
            let range = k * len..thetas.len().min((k + 1) * len);
            let rows: Vec<&[f64]> = range.map(|k| thetas.row(k)).collect();
            self.with_scratch(|scratch| sweep(&rows, scratch))
        });
        sweeps.into_iter().flatten().collect()
    }

    /// Targets of equal rank along a few directions, for as many points on either side.
    pub(crate) fn maps(&self, thetas: &[&[f64]]) -> Vec<Vec<u32>> {
        self.with_scratch(|scratch| {
            self.sort_sweep(thetas, scratch);
            let maps = maps_of_orders(&mut scratch.orders[..thetas.len()], &mut scratch.sorter);
            maps.into_iter().map(<[u32]>::to_vec).collect()
        })
    }

    /// Costs of a few directions in one sweep.
    pub(super) fn sweep(&self, thetas: &[&[f64]], scratch: &mut Scratch) -> Vec<f64> {
        self.sort_sweep(thetas, scratch);
        let mut costs = Vec::with_capacity(thetas.len());
        self.costs_of_orders(thetas.len(), scratch, &mut costs);
        costs
    }

    /// Orders of both sides along a few directions.
    fn sort_sweep(&self, thetas: &[&[f64]], scratch: &mut Scratch) {
        let Scratch { sorter, orders, projections, .. } = scratch;
        orders.resize_with(orders.len().max(thetas.len()), Default::default);
        for (side, measure) in [self.source, self.target].into_iter().enumerate() {
            if self.dim() >= MIN_LONG_DIM {
                sort_long(measure, thetas, sorter, &mut projections[side], &mut orders[..thetas.len()], side);
            } else {
                sort_short(measure, thetas, sorter, &mut orders[..thetas.len()], side);
            }
        }
    }

    /// Costs of the plans that the first `count` pairs of orders induce.
    pub(super) fn costs_of_orders(&self, count: usize, scratch: &mut Scratch, costs: &mut Vec<f64>) {
        let Scratch { sorter, orders, masses, .. } = scratch;
        let orders = &mut orders[..count];
        if let Some(table) = self.table() {
            return costs
                .extend(orders.iter().map(|[sigma, tau]| self.tabled_cost(table, sigma, tau, masses)));
        }
        if !pairable(self.source, self.target) {
            return costs.extend(orders.iter().map(|[sigma, tau]| self.quantile_cost(sigma, tau, masses)));
        }
        let maps = maps_of_orders(orders, sorter);
        let (x, y) = (self.source.points(), self.target.points());
        let sums = match self.dim() {
            1 => sums_of_pairs(x, y, 1, &maps, |_, x, y, map| block_sum::<T, 1>(x, y, map)),
            2 => sums_of_pairs(x, y, 2, &maps, |_, x, y, map| block_sum::<T, 2>(x, y, map)),
            3 => sums_of_pairs(x, y, 3, &maps, |_, x, y, map| block_sum::<T, 3>(x, y, map)),
            4 => sums_of_pairs(x, y, 4, &maps, |_, x, y, map| block_sum::<T, 4>(x, y, map)),
            d => sums_of_pairs(x, y, d, &maps, |_, x, y, map| long_block_sum(x, y, d, map)),
        };
        costs.extend(sums.iter().map(|sum| sum / self.source.len() as f64));
    }

    /// Costs along the lines of the plans that the orders of a sweep induce.
    fn costs_along(&self, thetas: &[&[f64]], scratch: &mut Scratch, power: Power) -> Vec<f64> {
        match power.exponent() {
            1.0 => self.costs_along_by(thetas, scratch, f64::abs),
            2.0 => self.costs_along_by(thetas, scratch, |gap| gap * gap),
            _ => self.costs_along_by(thetas, scratch, |gap| power.of_distance(gap.abs())),
        }
    }

    #[inline(always)]
    fn costs_along_by(
        &self,
        thetas: &[&[f64]],
        scratch: &mut Scratch,
        cost: impl Fn(f64) -> f64 + Copy,
    ) -> Vec<f64> {
        match self.dim() {
            2 => self.costs_along_fixed(thetas, scratch, gap_along::<T, 2>, cost),
            3 => self.costs_along_fixed(thetas, scratch, gap_along::<T, 3>, cost),
            d => {
                let gap = |theta: &[f64], x: &[T], y: &[T]| dot(&x[..d], theta) - dot(&y[..d], theta);
                self.costs_along_fixed(thetas, scratch, gap, cost)
            }
        }
    }

    #[inline(always)]
    fn costs_along_fixed(
        &self,
        thetas: &[&[f64]],
        scratch: &mut Scratch,
        gap: impl Fn(&[f64], &[T], &[T]) -> f64,
        cost: impl Fn(f64) -> f64,
    ) -> Vec<f64> {
        let Scratch { sorter, orders, masses, .. } = scratch;
        let orders = &mut orders[..thetas.len()];
        let (x, y, d) = (self.source.points(), self.target.points(), self.dim());
        if !pairable(self.source, self.target) {
            let of_orders = thetas.iter().zip(orders.iter()).map(|(theta, [sigma, tau])| {
                self.quantile_cost_by(sigma, tau, masses, |x, y| cost(gap(theta, x, y)))
            });
            return of_orders.collect();
        }
        let maps = maps_of_orders(orders, sorter);
        let sums = sums_of_pairs(x, y, d, &maps, |k, x, y, map| {
            let pairs = x.chunks_exact(d).zip(map);
            pairs.map(|(x, &j)| cost(gap(thetas[k], x, &y[j as usize * d..]))).sum()
        });
        sums.iter().map(|sum| sum / self.source.len() as f64).collect()
    }

    /// What the plan of two orders costs, by a table of all squared distances.
    fn tabled_cost(&self, table: &[f64], sigma: &[u32], tau: &[u32], masses: &mut MassBuffers) -> f64 {
        let m = self.target.len();
        if pairable(self.source, self.target) {
            let pairs = sigma.iter().zip(tau);
            return pairs.map(|(&i, &j)| table[i as usize * m + j as usize]).sum::<f64>() / m as f64;
        }
        let mut sum = 0.0;
        line::merge(self.source, sigma, self.target, tau, masses, |i, j, mass| {
            sum += mass.fraction() * table[i * m + j];
        });
        sum
    }

    fn quantile_cost(&self, sigma: &[u32], tau: &[u32], masses: &mut MassBuffers) -> f64 {
        match self.dim() {
            1 => self.quantile_cost_by(sigma, tau, masses, fixed_sq_distance::<T, 1>),
            2 => self.quantile_cost_by(sigma, tau, masses, fixed_sq_distance::<T, 2>),
            3 => self.quantile_cost_by(sigma, tau, masses, fixed_sq_distance::<T, 3>),
            d => self.quantile_cost_by(sigma, tau, masses, |x, y| sq_distance(&x[..d], &y[..d])),
        }
    }

    #[inline(always)]
    fn quantile_cost_by(
        &self,
        sigma: &[u32],
        tau: &[u32],
        masses: &mut MassBuffers,
        sq_distance: impl Fn(&[T], &[T]) -> f64,
    ) -> f64 {
        let (x, y, d) = (self.source.points(), self.target.points(), self.dim());
        // Sums of blocks lose less than one long sum.
        let (mut sum, mut block, mut count) = (0.0, 0.0, 0);
        line::merge(self.source, sigma, self.target, tau, masses, |i, j, mass| {
            block += mass.fraction() * sq_distance(&x[i * d..], &y[j * d..]);
            count += 1;
            if count % 1024 == 0 {
                sum += std::mem::take(&mut block);
            }
        });
        sum + block
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::direction::Direction;
    use crate::line::sampler::{Sampler, Sphere};
    use crate::measure::Measure;
    use crate::run::workers::Parallelism;
    use rand::{RngExt, SeedableRng};

    fn cloud(n: usize, d: usize, seed: u64) -> Measure<'static, f64> {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        Measure::from_vec((0..n * d).map(|_| rng.random_range(-1.0..1.0)).collect(), d).unwrap()
    }

    #[test]
    fn sweeps_threads_and_single_calls_agree_to_the_bit() {
        for (n, d) in [(300, 2), (300, 11), (300, 12), (200, 40), (MAX_SERIAL_POINTS + 5, 3)] {
            let (mu, nu) = (cloud(n, d, 1), cloud(n, d, 2));
            let thetas = Sphere::new(d, 3).unwrap().batch(0..if n > 1000 { 3 } else { 21 });
            let single = InMemory::new(&mu, &nu).unwrap();
            let expected: Vec<f64> =
                (0..thetas.len()).map(|k| single.cost(&thetas.get(k)).unwrap()).collect();
            for threads in [1, 2, 5] {
                let parallelism = Parallelism::from_count(threads);
                let problem = InMemory::with_parallelism(&mu, &nu, parallelism).unwrap();
                assert_eq!(problem.costs(&thetas).unwrap(), expected, "n {n}, d {d}, {threads} threads");
                assert_eq!(problem.cost(&thetas.get(1)).unwrap(), expected[1]);
            }
        }
    }

    #[test]
    fn a_table_of_distances_changes_nothing_but_the_last_digits() {
        for (n, m, weights) in [(40, 40, false), (40, 31, false), (40, 31, true)] {
            let (mu, nu) = (cloud(n, 70, 1), cloud(m, 70, 2));
            let weigh: Vec<f64> = (0..n).map(|k| 1.0 + (k % 3) as f64).collect();
            let mu = if weights { mu.with_weights(&weigh).unwrap() } else { mu };
            let thetas = Sphere::new(70, 3).unwrap().batch(0..9);
            let plain = InMemory::new(&mu, &nu).unwrap();
            let expected = plain.costs(&thetas).unwrap();
            assert!(plain.table().is_none());
            assert!(InMemory::new(&mu, &nu).unwrap().expecting(4).table().is_none());
            for threads in [1, 3] {
                let parallelism = Parallelism::from_count(threads);
                let tabled = InMemory::with_parallelism(&mu, &nu, parallelism).unwrap().expecting(9);
                assert!(tabled.table().is_some());
                let found = tabled.costs(&thetas).unwrap();
                assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12 * b), "{found:?}");
                assert_eq!(tabled.cost(&thetas.get(2)).unwrap(), found[2]);
            }
        }
    }

    #[test]
    fn gradients_without_values_are_the_same() {
        use crate::paper::smooth::{Blur, BlurWidth};
        for (n, m) in [(30, 30), (30, 23)] {
            let (mu, nu) = (cloud(n, 80, 1), cloud(m, 80, 2));
            let thetas = Sphere::new(80, 3).unwrap().batch(0..3);
            for blur in [Blur::default(), Blur { copies: Some(7), width: BlurWidth::Epsilon(0.5), seed: 4 }] {
                let problem = InMemory::new(&mu, &nu).unwrap();
                let values = problem.smoothed(&thetas, &blur).unwrap();
                let slopes = problem.slopes(&thetas, &blur).unwrap();
                for (value, slope) in values.iter().zip(&slopes) {
                    let size: f64 = slope.iter().map(|x| x.abs()).fold(0.0, f64::max);
                    let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-11 * size;
                    assert!(size > 0.0 && value.gradient.iter().zip(slope).all(near), "{n} {m}");
                }
            }
        }
    }

    #[test]
    fn no_directions_cost_nothing() {
        let mu = cloud(3, 2, 1);
        let problem = InMemory::new(&mu, &mu).unwrap();
        assert!(problem.costs(&DirectionSet::with_capacity(2, 0)).unwrap().is_empty());
        assert!(problem.cost(&Direction::axis(3, 0).unwrap()).is_err());
    }
}
