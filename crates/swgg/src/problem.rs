//! What a search works on: costs of directions, wherever the points live.

use std::sync::{Mutex, PoisonError};

use crate::cost::sq_distance;
use crate::coupling::Coupling;
use crate::direction::{Direction, DirectionSet, Projected, dot};
use crate::error::Result;
use crate::line::{self, Sorter};
use crate::measure::{Measure, pairable, same_space};
use crate::par::{Parallelism, Workers};
use crate::permutation::Permutation;
use crate::scalar::Scalar;

/// Two measures and the cost between them, seen through directions only.
///
/// A search proposes directions and never touches a point, so the points may live in memory or elsewhere.
pub trait Problem: Sync {
    /// Dimension of the space.
    fn dim(&self) -> usize;
    /// `SWGG_2^2` of each direction. A batch is one call, so that it can be shared among threads.
    fn costs(&self, thetas: &DirectionSet) -> Result<Vec<f64>>;
    /// The plan of one direction.
    fn coupling(&self, theta: &Direction) -> Result<Coupling>;
    /// How many directions make a call worth its overhead and short enough to watch.
    fn batch_len(&self) -> usize {
        64
    }
}

/// Points that fit in memory. Scratch memory is `O(n + m)` per thread and is kept from call to call.
pub struct InMemory<'a, T: Scalar> {
    source: &'a Measure<'a, T>,
    target: &'a Measure<'a, T>,
    workers: Workers,
    scratch: Mutex<Vec<Scratch>>,
}

/// What one thread needs to evaluate directions.
#[derive(Default)]
struct Scratch {
    sorter: Sorter,
    /// A second sorter, for the rare case that both sides are sorted at once.
    sibling: Sorter,
    sigma: Vec<u32>,
    tau: Vec<u32>,
    projections: [Vec<f64>; 2],
}

/// Directions projected in one sweep over the points, when points are long enough to be worth reading only once.
const LANES: usize = 8;
/// From this dimension on.
const LONG: usize = 12;
/// Projections held at a time in such a sweep, per thread and side.
const SWEEP: usize = 1 << 18;
/// Sides above this size are sorted at the same time when a direction has several threads to itself.
const FORK: usize = 1 << 15;

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
        same_space(source, target)?;
        Ok(InMemory { source, target, workers: Workers::new(parallelism)?, scratch: Mutex::default() })
    }

    /// `SWGG_2^2` at one direction.
    pub fn cost(&self, theta: &Direction) -> Result<f64> {
        theta.check(self.dim())?;
        Ok(self.with_scratch(|scratch| {
            self.sort_both(theta.as_slice(), scratch, true);
            self.cost_of_order(scratch)
        }))
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

    /// Sorts both sides along `theta` into `sigma` and `tau`.
    fn sort_both(&self, theta: &[f64], scratch: &mut Scratch, alone: bool) {
        let Scratch { sorter, sibling, sigma, tau, .. } = scratch;
        let source = Projected { points: self.source.points(), theta };
        let target = Projected { points: self.target.points(), theta };
        if alone && self.workers.count() > 1 && self.source.len().min(self.target.len()) > FORK {
            self.workers.join(|| sorter.sort(&source, sigma), || sibling.sort(&target, tau));
        } else {
            sorter.sort(&source, sigma);
            sorter.sort(&target, tau);
        }
    }

    /// How many directions one task projects together.
    fn lanes(&self) -> usize {
        if self.dim() < LONG {
            return 1;
        }
        (SWEEP / self.source.len().max(self.target.len())).clamp(1, LANES)
    }

    /// Costs of a few directions, projected in one sweep.
    fn sweep(&self, thetas: &[&[f64]], scratch: &mut Scratch, costs: &mut Vec<f64>) {
        if let [theta] = thetas {
            self.sort_both(theta, scratch, false);
            return costs.push(self.cost_of_order(scratch));
        }
        let [mut of_source, mut of_target] = std::mem::take(&mut scratch.projections);
        project_together(self.source, thetas, &mut of_source);
        project_together(self.target, thetas, &mut of_target);
        let (n, m) = (self.source.len(), self.target.len());
        for k in 0..thetas.len() {
            scratch.sorter.sort(&of_source[k * n..(k + 1) * n], &mut scratch.sigma);
            scratch.sorter.sort(&of_target[k * m..(k + 1) * m], &mut scratch.tau);
            costs.push(self.cost_of_order(scratch));
        }
        scratch.projections = [of_source, of_target];
    }

    /// Cost of the plan that pairs `sigma` with `tau`.
    fn cost_of_order(&self, scratch: &mut Scratch) -> f64 {
        let Scratch { sorter, sigma, tau, .. } = scratch;
        if !pairable(self.source, self.target) {
            return self.quantile_cost(sigma, tau);
        }
        let n = self.source.len();
        // Turning the two orders into a map lets one side be read in order; the sorter's records are free by now.
        sorter.records.resize(n.max(sorter.records.len()), 0);
        let target_of = &mut sorter.records[..n];
        for (&i, &j) in sigma.iter().zip(&*tau) {
            target_of[i as usize] = j;
        }
        let (x, y) = (self.source.points(), self.target.points());
        let sum = match self.dim() {
            1 => sum_of_pairs::<T, 1>(x, y, target_of),
            2 => sum_of_pairs::<T, 2>(x, y, target_of),
            3 => sum_of_pairs::<T, 3>(x, y, target_of),
            4 => sum_of_pairs::<T, 4>(x, y, target_of),
            d => sum_of_long_pairs(x, y, d, target_of),
        };
        sum / n as f64
    }

    fn quantile_cost(&self, sigma: &[u32], tau: &[u32]) -> f64 {
        let (mut sum, mut block, mut count) = (0.0, 0.0, 0);
        let total = line::merge(self.source, sigma, self.target, tau, |i, j, units| {
            block += units as f64 * sq_distance(self.source.point(i), self.target.point(j));
            count += 1;
            if count % BLOCK == 0 {
                sum += std::mem::take(&mut block);
            }
        });
        (sum + block) / total as f64
    }
}

impl<T: Scalar> Problem for InMemory<'_, T> {
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
        // Few directions for many threads: a sweep must not keep the others idle.
        let lanes = self.lanes().min(thetas.len().div_ceil(self.workers.count()));
        let groups = self.workers.map(thetas.len().div_ceil(lanes), |group| {
            let range = group * lanes..thetas.len().min((group + 1) * lanes);
            let rows: Vec<&[f64]> = range.map(|k| thetas.row(k)).collect();
            let mut costs = Vec::with_capacity(rows.len());
            self.with_scratch(|scratch| self.sweep(&rows, scratch, &mut costs));
            costs
        });
        Ok(groups.into_iter().flatten().collect())
    }

    fn coupling(&self, theta: &Direction) -> Result<Coupling> {
        theta.check(self.dim())?;
        let (sigma, tau) = self.with_scratch(|scratch| {
            self.sort_both(theta.as_slice(), scratch, true);
            (scratch.sigma.clone(), scratch.tau.clone())
        });
        let (sigma, tau) = (Permutation::from_sorter(sigma), Permutation::from_sorter(tau));
        line::couple_sorted(self.source, &sigma, self.target, &tau)
    }

    /// About a twentieth of a second of work, in whole rounds of the threads.
    fn batch_len(&self) -> usize {
        let work = (self.source.len() + self.target.len()) * (8 + self.dim());
        let threads = self.workers.count();
        let rounds = (1 << 25) / work;
        (rounds.clamp(1, 512) * threads * self.lanes()).min(4096)
    }
}

/// Points whose costs are summed before they join the total, so that long sums lose little.
const BLOCK: usize = 1024;

#[inline(always)]
fn sum_of_pairs<T: Scalar, const D: usize>(x: &[T], y: &[T], target_of: &[u32]) -> f64 {
    let mut total = 0.0;
    for (x, targets) in x.chunks(BLOCK * D).zip(target_of.chunks(BLOCK)) {
        let mut sums = [0.0; D];
        for (x, &j) in x.chunks_exact(D).zip(targets) {
            let y = &y[j as usize * D..(j as usize + 1) * D];
            for c in 0..D {
                let gap = x[c].to_f64() - y[c].to_f64();
                sums[c] += gap * gap;
            }
        }
        total += sums.iter().sum::<f64>();
    }
    total
}

fn sum_of_long_pairs<T: Scalar>(x: &[T], y: &[T], d: usize, target_of: &[u32]) -> f64 {
    let mut total = 0.0;
    for (x, targets) in x.chunks(BLOCK * d).zip(target_of.chunks(BLOCK)) {
        let pairs = x.chunks_exact(d).zip(targets);
        total += pairs.map(|(x, &j)| sq_distance(x, &y[j as usize * d..(j as usize + 1) * d])).sum::<f64>();
    }
    total
}

/// Projections on several directions in one sweep over the points: those on direction `k` are `out[k * n..(k + 1) * n]`.
///
/// Each product is summed in the order of [`dot`], so a sweep has the bits of single projections.
fn project_together<T: Scalar>(measure: &Measure<T>, thetas: &[&[f64]], out: &mut Vec<f64>) {
    let (n, d) = (measure.len(), measure.dim());
    out.clear();
    out.resize(n * thetas.len(), 0.0);
    if thetas.len() < LANES {
        for (theta, out) in thetas.iter().zip(out.chunks_exact_mut(n)) {
            for (value, x) in out.iter_mut().zip(measure.points().chunks_exact(d)) {
                *value = dot(x, theta);
            }
        }
        return;
    }
    let lanes: Vec<[f64; LANES]> = (0..d).map(|c| std::array::from_fn(|k| thetas[k][c])).collect();
    for (i, x) in measure.points().chunks_exact(d).enumerate() {
        let mut sums = [0.0; LANES];
        for (x, theta) in x.iter().zip(&lanes) {
            let x = x.to_f64();
            for lane in 0..LANES {
                sums[lane] += x * theta[lane];
            }
        }
        for (lane, sum) in sums.into_iter().enumerate() {
            out[lane * n + i] = sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampler::{Sampler, Sphere};
    use rand::{RngExt, SeedableRng};

    fn cloud(n: usize, d: usize, seed: u64) -> Measure<'static, f64> {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        Measure::from_vec((0..n * d).map(|_| rng.random_range(-1.0..1.0)).collect(), d).unwrap()
    }

    #[test]
    fn sweeps_threads_and_single_calls_agree_to_the_bit() {
        for (n, d) in [(300, 2), (300, 11), (300, 12), (200, 40), (FORK + 5, 3)] {
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
