//! What a search works on: costs of directions, wherever the points live.

pub(crate) mod along;
mod kernel;
mod project;

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use kernel::{
    block_sum, fixed_sq_distance, gap_along, long_block_sum, maps_of_orders, sort_long, sort_short,
    sums_of_pairs,
};

use crate::cost::{Power, sq_distance};
use crate::error::{ErrorKind, Result};
use crate::line::direction::{Direction, DirectionSet, Projected, dot};
use crate::line::sampler::principal_axes;
use crate::line::{self, MassBuffers, Sorter};
use crate::measure::{Measure, pairable, same_space};
use crate::number::scalar::Scalar;
use crate::paper::plane::Arc;
use crate::paper::smooth::{Blur, NUMBERS_PER_NOISE_CHUNK, SmoothScratch, Smoothed, Surrogate, Task, noise};
use crate::plan::coupling::Coupling;
use crate::plan::permutation::Permutation;
use crate::run::workers::{Parallelism, Workers};
use along::SliceScratch;

/// Two measures and the cost between them, seen through directions only.
///
/// A search proposes directions and never touches a point, so the points may live in memory or elsewhere.
pub trait Slices: Sync {
    /// Dimension of the space.
    fn dim(&self) -> usize;
    /// `SWGG_2^2` of each direction. A batch is one call, so that it can be shared among threads.
    fn costs(&self, thetas: &DirectionSet) -> Result<Vec<f64>>;
    /// The plan of one direction.
    fn coupling(&self, theta: &Direction) -> Result<Coupling>;
    /// The smoothed surrogate and its gradient at each direction; refused by problems that cannot.
    fn smoothed(&self, thetas: &DirectionSet, blur: &Blur) -> Result<Vec<Smoothed>> {
        let _ = (thetas, blur);
        Err(ErrorKind::Unsupported { what: "be smoothed" }.into())
    }
    /// Directions worth trying first: the principal axes, as far as they are known.
    fn axes(&self) -> Result<DirectionSet> {
        Ok(DirectionSet::with_capacity(self.dim(), 0))
    }
    /// Changes of order that [`turn`](Slices::turn) meets; refused by problems that cannot turn.
    fn turns(&self) -> Result<usize> {
        Err(ErrorKind::Unsupported { what: "be swept" }.into())
    }
    /// Visits every arc of directions of the plane that share a plan, until told to break.
    fn turn(&self, visit: &mut dyn FnMut(Arc) -> ControlFlow<()>) -> Result<()> {
        let _ = visit;
        Err(ErrorKind::Unsupported { what: "be swept" }.into())
    }
    /// How many directions make a call worth its overhead and short enough to watch.
    fn batch_len(&self) -> usize {
        64
    }
}

/// Coordinates of both clouds, beyond which smoothed directions are not evaluated at the same time.
const MAX_COORDINATES_AT_ONCE: usize = 1 << 23;

/// Points that fit in memory. Scratch memory is `O(n + m)` per thread and is kept from call to call.
pub struct InMemory<'a, T: Scalar> {
    source: &'a Measure<'a, T>,
    target: &'a Measure<'a, T>,
    workers: Workers,
    scratch: Mutex<Vec<Scratch>>,
    /// Noise of the last blur, for its seed.
    noise: Mutex<Option<(u64, std::sync::Arc<Vec<f32>>)>>,
}

/// What one thread needs to evaluate a few directions at a time.
#[derive(Default)]
struct Scratch {
    sorter: Sorter,
    /// A second sorter, for the rare case that both sides are sorted at once.
    sibling: Sorter,
    /// By direction: the order of the source, later the map, and the order of the target.
    orders: Vec<[Vec<u32>; 2]>,
    projections: [Vec<f64>; 2],
    masses: MassBuffers,
    smooth: SmoothScratch,
    slices: SliceScratch,
}

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
/// Principal axes that are offered as directions to start from.
const MAX_PRINCIPAL_AXES: usize = 32;
/// Products of coordinates that go into the covariance behind them: larger clouds are thinned out.
const MAX_COVARIANCE_PRODUCTS: usize = 1 << 27;
/// Beyond this dimension they come from the span of a few points, not from a covariance,
const MAX_COVARIANCE_DIM: usize = 1024;
/// and finding it takes so many products of coordinates.
const MAX_SPAN_PRODUCTS: usize = 1 << 30;

impl<'a, T: Scalar> InMemory<'a, T> {
    /// A problem on the calling thread; see [`with_parallelism`](InMemory::with_parallelism).
    pub fn new(source: &'a Measure<'a, T>, target: &'a Measure<'a, T>) -> Result<Self> {
        Self::with_parallelism(source, target, Parallelism::Serial)
    }

    /// A problem whose directions are shared among threads.
    pub fn with_parallelism(
        source: &'a Measure<'a, T>,
        target: &'a Measure<'a, T>,
        parallelism: Parallelism,
    ) -> Result<Self> {
        Self::on(source, target, Workers::new(parallelism)?)
    }

    /// The same with threads that are there already.
    pub(crate) fn on(
        source: &'a Measure<'a, T>,
        target: &'a Measure<'a, T>,
        workers: Workers,
    ) -> Result<Self> {
        same_space(source, target)?;
        Ok(InMemory { source, target, workers, scratch: Mutex::default(), noise: Mutex::default() })
    }

    /// `SWGG_2^2` at one direction.
    pub fn cost(&self, theta: &Direction) -> Result<f64> {
        theta.check(self.dim())?;
        Ok(self.with_scratch(|scratch| {
            self.sort_both(theta.as_slice(), scratch);
            let mut costs = Vec::with_capacity(1);
            self.costs_of_orders(1, scratch, &mut costs);
            costs[0]
        }))
    }

    pub(crate) fn measures(&self) -> [&Measure<'a, T>; 2] {
        [self.source, self.target]
    }

    pub(crate) fn workers(&self) -> &Workers {
        &self.workers
    }

    pub(crate) fn with_slices<R>(&self, work: impl FnOnce(&mut SliceScratch) -> R) -> R {
        self.with_scratch(|scratch| work(&mut scratch.slices))
    }

    /// Lends scratch memory to `work` and takes it back: there are never more pieces than threads at work.
    fn with_scratch<R>(&self, work: impl FnOnce(&mut Scratch) -> R) -> R {
        // A poisoned lock means another thread panicked; the memory itself is only scratch.
        let lock = || self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        let mut scratch = lock().pop().unwrap_or_default();
        let result = work(&mut scratch);
        lock().push(scratch);
        result
    }

    /// Sorts both sides along `theta` into the first pair of orders, with all threads for itself.
    fn sort_both(&self, theta: &[f64], scratch: &mut Scratch) {
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

    /// The noise of a blur, drawn once and kept.
    fn noise(&self, seed: u64, copies: usize) -> std::sync::Arc<Vec<f32>> {
        let len = self.source.len().max(self.target.len()) * copies;
        let mut kept = self.noise.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some((of, noise)) if *of == seed && noise.len() == len => noise.clone(),
            _ => {
                let chunks = self.workers.map(len.div_ceil(NUMBERS_PER_NOISE_CHUNK), |k| noise(seed, k, len));
                let noise = std::sync::Arc::new(chunks.concat());
                *kept = Some((seed, noise.clone()));
                noise
            }
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
    fn sweeps(
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
    fn sweep(&self, thetas: &[&[f64]], scratch: &mut Scratch) -> Vec<f64> {
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
    fn costs_of_orders(&self, count: usize, scratch: &mut Scratch, costs: &mut Vec<f64>) {
        let Scratch { sorter, orders, masses, .. } = scratch;
        let orders = &mut orders[..count];
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

impl<T: Scalar> Slices for InMemory<'_, T> {
    fn dim(&self) -> usize {
        self.source.dim()
    }

    fn costs(&self, thetas: &DirectionSet) -> Result<Vec<f64>> {
        if thetas.is_empty() {
            return Ok(Vec::new());
        }
        thetas.get(0).check(self.dim())?;
        if thetas.len() == 1 {
            return Ok(vec![self.cost(&thetas.get(0))?]);
        }
        Ok(self.sweeps(thetas, |rows, scratch| self.sweep(rows, scratch)))
    }

    fn smoothed(&self, thetas: &DirectionSet, blur: &Blur) -> Result<Vec<Smoothed>> {
        blur.validate()?;
        if thetas.is_empty() {
            return Ok(Vec::new());
        }
        thetas.get(0).check(self.dim())?;
        let copies = blur.copies_for(self.source.len().max(self.target.len()))?;
        let noise = self.noise(blur.seed, copies);
        let means = self.source.mean().into_iter().zip(self.target.mean());
        let centre: Vec<f64> = means.map(|(m, n)| 0.5 * (m + n)).collect();
        let centre = &centre;
        let surrogate = Surrogate {
            source: self.source,
            target: self.target,
            blur: *blur,
            copies,
            noise: &noise,
            centre,
        };
        let at = |k: usize| {
            let join = |first: Task<'_>, second: Task<'_>| {
                self.workers.join(first, second);
            };
            self.with_scratch(|scratch| surrogate.at(thetas.row(k), &mut scratch.smooth, join))
        };
        // Each direction holds both clouds twice: large ones come one after the other, on two threads all the same.
        if (self.source.len() + self.target.len()) * self.dim() > MAX_COORDINATES_AT_ONCE {
            return Ok((0..thetas.len()).flat_map(|k| self.workers.map(1, |_| at(k))).collect());
        }
        Ok(self.workers.map(thetas.len(), at))
    }

    fn axes(&self) -> Result<DirectionSet> {
        let axes = principal_axes(&thinned(self.source)?, &thinned(self.target)?)?;
        Ok(axes.slice(0..axes.len().min(MAX_PRINCIPAL_AXES)))
    }

    fn turns(&self) -> Result<usize> {
        crate::paper::plane::turns(self.source, self.target)
    }

    fn turn(&self, visit: &mut dyn FnMut(Arc) -> ControlFlow<()>) -> Result<()> {
        crate::paper::plane::turn(self.source, self.target, visit)
    }

    fn coupling(&self, theta: &Direction) -> Result<Coupling> {
        theta.check(self.dim())?;
        let [sigma, tau] = self.with_scratch(|scratch| {
            self.sort_both(theta.as_slice(), scratch);
            std::mem::take(&mut scratch.orders[0])
        });
        let (sigma, tau) = (Permutation::from_sorter(sigma), Permutation::from_sorter(tau));
        line::couple_sorted(self.source, &sigma, self.target, &tau)
    }

    /// About a quarter of a second of work, in whole rounds of the threads: where a search can be stopped depends on them.
    fn batch_len(&self) -> usize {
        let work = (self.source.len() + self.target.len()) * (8 + self.dim());
        let threads = self.workers.count();
        let rounds = (1 << 28) / work / self.sweep_len();
        (rounds.clamp(1, 512) * threads * self.sweep_len()).min(4096)
    }
}

/// A cloud thinned out evenly, few enough points for a quick look at their covariance.
fn thinned<T: Scalar>(measure: &Measure<T>) -> Result<Measure<'static, f64>> {
    let (n, d) = (measure.len(), measure.dim());
    let most = match d {
        // Some more points than coordinates make a covariance, however long that takes,
        0..=MAX_COVARIANCE_DIM => (MAX_COVARIANCE_PRODUCTS / (d * d)).max(2 * d),
        // and in larger spaces those that there is time for.
        _ => (MAX_SPAN_PRODUCTS / d).isqrt().max(2),
    };
    let stride = n.div_ceil(most);
    let rows = (0..n).step_by(stride);
    let points = rows.clone().flat_map(|i| measure.point(i).iter().map(|x| x.to_f64())).collect();
    let weights: Vec<f64> = rows.map(|i| measure.weight(i)).collect();
    let thinned = Measure::from_vec(points, d)?;
    // All the mass may lie on points that were left out.
    if weights.iter().any(|w| *w > 0.0) { thinned.with_weights(&weights) } else { Ok(thinned) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::sampler::{Sampler, Sphere};
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
    fn no_directions_cost_nothing() {
        let mu = cloud(3, 2, 1);
        let problem = InMemory::new(&mu, &mu).unwrap();
        assert!(problem.costs(&DirectionSet::with_capacity(2, 0)).unwrap().is_empty());
        assert!(problem.cost(&Direction::axis(3, 0).unwrap()).is_err());
    }
}
