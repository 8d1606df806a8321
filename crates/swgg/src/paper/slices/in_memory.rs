//! Slices of points that fit in memory.

use std::ops::ControlFlow;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::Slices;
use super::along::SliceScratch;
use crate::cost::squared_distances;
use crate::error::Result;
use crate::line::direction::{Direction, DirectionSet};
use crate::line::sampler::principal_axes;
use crate::line::{self, MassBuffers, Sorter};
use crate::measure::span::Span;
use crate::measure::{Measure, same_space};
use crate::number::scalar::Scalar;
use crate::paper::plane::Arc;
use crate::paper::smooth::{Blur, NUMBERS_PER_NOISE_CHUNK, SmoothScratch, Smoothed, Surrogate, Task, noise};
use crate::plan::coupling::Coupling;
use crate::plan::permutation::Permutation;
use crate::run::workers::{Parallelism, Workers};

/// Coordinates of both clouds, beyond which smoothed directions are not evaluated at the same time.
const MAX_COORDINATES_AT_ONCE: usize = 1 << 23;

/// Points that fit in memory. Scratch memory is `O(n + m)` per thread and is kept from call to call.
pub struct InMemory<'a, T: Scalar> {
    pub(super) source: &'a Measure<'a, T>,
    pub(super) target: &'a Measure<'a, T>,
    pub(super) workers: Workers,
    scratch: Mutex<Vec<Scratch>>,
    /// Noise of the last blur, for its seed.
    noise: Mutex<Option<(u64, std::sync::Arc<Vec<f32>>)>>,
    /// Whether squared distances of all pairs are worth a table, and the table once it is there.
    is_tabled: bool,
    table: OnceLock<Vec<f64>>,
}

/// What one thread needs to evaluate a few directions at a time.
#[derive(Default)]
pub(super) struct Scratch {
    pub sorter: Sorter,
    /// A second sorter, for the rare case that both sides are sorted at once.
    pub sibling: Sorter,
    /// By direction: the order of the source, later the map, and the order of the target.
    pub orders: Vec<[Vec<u32>; 2]>,
    pub projections: [Vec<f64>; 2],
    pub masses: MassBuffers,
    pub smooth: SmoothScratch,
    pub slices: SliceScratch,
}

/// Below this dimension distances are computed where they are needed,
const MIN_TABLED_DIM: usize = 64;
/// and beyond this many pairs: 8 MB of them.
const MAX_TABLED_PAIRS: usize = 1 << 20;
/// Distances of a table that take as long as one difference of coordinates for each point.
const PAIRS_PER_DIRECTION: usize = 8;
/// Dimension from which gradients come without values: without them copies are numbers along the line only.
const MIN_SLOPE_DIM: usize = 64;
/// Principal axes that are offered as directions to start from.
const MAX_PRINCIPAL_AXES: usize = 32;
/// Products of coordinates that go into the covariance behind them: larger clouds are thinned out.
const MAX_COVARIANCE_PRODUCTS: usize = 1 << 27;
/// Beyond this dimension they come from the span of a few points, not from a covariance,
const MAX_COVARIANCE_DIM: usize = 1024;
/// and finding it takes so many products of coordinates.
const MAX_SPAN_PRODUCTS: usize = 1 << 30;
/// Points of either cloud behind them where both are fewer than coordinates.
const MAX_SPANNED_POINTS: usize = 96;

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
        let (scratch, noise, is_tabled, table) = Default::default();
        Ok(InMemory { source, target, workers, scratch, noise, is_tabled, table })
    }

    /// The same, where about so many directions will be asked for: if that is worth it, squared distances of all pairs are computed once, and the cost
    /// of a direction is then a sum of as many numbers as there are points, whatever their dimension.
    pub(crate) fn expecting(mut self, directions: usize) -> Self {
        let (n, m) = (self.source.len(), self.target.len());
        // Products of matrices take a fraction of the time of as many differences of coordinates.
        let is_worth_it = directions.saturating_mul(PAIRS_PER_DIRECTION) >= n.max(m);
        self.is_tabled =
            self.dim() >= MIN_TABLED_DIM && n.saturating_mul(m) <= MAX_TABLED_PAIRS && is_worth_it;
        self
    }

    /// Squared distances of all pairs, a row per source, where they are worth a table.
    pub(super) fn table(&self) -> Option<&[f64]> {
        let rows = |measure: &Measure<T>| measure.points().iter().map(|x| x.to_f64()).collect::<Vec<f64>>();
        let make = || squared_distances(&rows(self.source), &rows(self.target), self.dim());
        self.is_tabled.then(|| self.table.get_or_init(make).as_slice())
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
    pub(super) fn with_scratch<R>(&self, work: impl FnOnce(&mut Scratch) -> R) -> R {
        // A poisoned lock means another thread panicked; the memory itself is only scratch.
        let lock = || self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        let mut scratch = lock().pop().unwrap_or_default();
        let result = work(&mut scratch);
        lock().push(scratch);
        result
    }

    /// Hands the surrogate of a blur to `work`.
    fn with_surrogate<R>(
        &self,
        thetas: &DirectionSet,
        blur: &Blur,
        work: impl FnOnce(&Surrogate<'_, T>) -> R,
    ) -> Result<R> {
        blur.validate()?;
        thetas.get(0).check(self.dim())?;
        let copies = blur.copies_for(self.source.len().max(self.target.len()))?;
        let noise = self.noise(blur.seed, copies);
        let means = self.source.mean().into_iter().zip(self.target.mean());
        let centre: Vec<f64> = means.map(|(m, n)| 0.5 * (m + n)).collect();
        let (source, target) = (self.source, self.target);
        Ok(work(&Surrogate { source, target, blur: *blur, copies, noise: &noise, centre: &centre }))
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
        if thetas.is_empty() {
            return Ok(Vec::new());
        }
        self.with_surrogate(thetas, blur, |surrogate| {
            let at = |k: usize| {
                let join = |first: Task<'_>, second: Task<'_>| {
                    self.workers.join(first, second);
                };
                self.with_scratch(|scratch| surrogate.at(thetas.row(k), &mut scratch.smooth, join))
            };
            // Each direction holds both clouds twice: large ones come one after the other, on two threads all the same.
            if (self.source.len() + self.target.len()) * self.dim() > MAX_COORDINATES_AT_ONCE {
                return (0..thetas.len()).flat_map(|k| self.workers.map(1, |_| at(k))).collect();
            }
            self.workers.map(thetas.len(), at)
        })
    }

    fn slopes(&self, thetas: &DirectionSet, blur: &Blur) -> Result<Vec<Vec<f64>>> {
        if thetas.is_empty() || self.dim() < MIN_SLOPE_DIM {
            return Ok(self.smoothed(thetas, blur)?.into_iter().map(|smoothed| smoothed.gradient).collect());
        }
        self.with_surrogate(thetas, blur, |surrogate| {
            self.workers.map(thetas.len(), |k| {
                self.with_scratch(|scratch| surrogate.slope(thetas.row(k), &mut scratch.smooth))
            })
        })
    }

    fn axes(&self) -> Result<DirectionSet> {
        let is_spanned = Span::pays(self.source.len() + self.target.len(), self.dim());
        let axes = principal_axes(&thinned(self.source, is_spanned)?, &thinned(self.target, is_spanned)?)?;
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
fn thinned<T: Scalar>(measure: &Measure<T>, is_spanned: bool) -> Result<Measure<'static, f64>> {
    let (n, d) = (measure.len(), measure.dim());
    let most = match d {
        // The span of fewer points than coordinates takes the square of their number.
        _ if is_spanned => MAX_SPANNED_POINTS,
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
