//! The sliced family: distances that average, or maximise, over lines.
//!
//! | distance | formula | beside `W_2^2` |
//! |---|---|---|
//! | [sliced](Slicing::Wasserstein) `SW_p^p` | mean over directions of `W_p^p(P_# mu, P_# nu)` | below (`p = 2`) |
//! | [max-sliced](MaxSliced) | largest `W_p^p(P_# mu, P_# nu)` | below (`p = 2`) |
//! | [projected](Slicing::Projected) `PWD_2^2` | mean over directions of `SWGG_2^2` | above |
//!
//! None of them gives a plan; [`MinSwgg`](crate::MinSwgg), the smallest `SWGG_2^2`, does, and lies between `W_2^2` and `PWD_2^2`.

mod max;

pub use max::{MaxSlice, MaxSliced, max_sliced};

use ndarray::Array2;

use crate::cost::Power;
use crate::error::{ErrorKind, Result};
use crate::line::direction::DirectionSet;
use crate::line::sampler::{Orthogonal, Sampler, Sphere};
use crate::measure::{Measure, PairHolder};
use crate::number::scalar::{Scalar, by_precision};
use crate::paper::slices::along::{GRADIENT_GROUPS, Price, Sums};
use crate::paper::slices::{InMemory, Slices};
use crate::paper::spanned::Spanned;
use crate::plan::potentials::Potentials;
use crate::run::Run;
use crate::run::observe::{Observe, Progress};
use crate::run::stop::Stop;

/// Which cost is averaged over the lines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Slicing {
    /// `W_p^p` along the line: the sliced Wasserstein distance `SW_p^p`.
    Wasserstein {
        /// The exponent, 1 or more.
        p: f64,
    },
    /// The cost in the full space of the plan of the line: the projected Wasserstein distance `PWD_2^2`.
    Projected,
}

/// A mean over random lines, with settings.
///
/// ```text
/// SW_p^p = int W_p^p(P^theta_# mu, P^theta_# nu) dtheta,    PWD_2^2 = int SWGG_2^2(mu, nu, theta) dtheta
/// ```
///
/// Weights and sizes may differ. Direction `k` depends on the seed of the run and on `k` only. `O(L d n + L n)` time, `O(n)` memory
/// per thread. Paper: Section 2 "Sliced WD" and eq. "PWD".
///
/// ```
/// use swgg::{Measure, Run, sliced::{Sliced, Slicing, pwd}};
/// let mu = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0], 2)?;
/// let nu = Measure::from_slice(&[3.0, 4.0, 4.0, 4.0], 2)?;
/// // A shift by a vector v is seen as |v|^2 / d on average.
/// let sliced = Sliced { directions: 2000, ..Sliced::new(Slicing::Wasserstein { p: 2.0 }) };
/// let sw = sliced.estimate(&mu, &nu, &mut Run::seeded(7))?;
/// assert!((sw.cost - 12.5).abs() < 4.0 * sw.standard_error);
/// assert_eq!(pwd(&mu, &nu)?.distance(), 5.0);
/// # Ok::<(), swgg::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sliced {
    /// What is averaged.
    pub slicing: Slicing,
    /// How many lines.
    pub directions: usize,
    /// Whether directions come in orthonormal batches rather than one by one: the same mean, often with less noise.
    pub orthogonal: bool,
}

/// A mean over lines.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// The mean, not rooted.
    pub cost: f64,
    /// Its Monte-Carlo standard error: the mean over all directions lies within two of these with 95 % probability. NaN for a
    /// single direction, or a single orthonormal batch.
    pub standard_error: f64,
    /// The exponent, whose root makes a distance of the cost.
    pub p: f64,
    /// How many directions were averaged.
    pub directions: usize,
    /// Whether they are all that were asked for.
    pub stop: Stop,
}

impl Estimate {
    /// The `p`-th root of the cost.
    pub fn distance(&self) -> f64 {
        self.cost.powf(1.0 / self.p)
    }
}

/// How a cost changes with the points: one row per point of the source, and of the target. Plans are held fixed, which is exact
/// wherever no two projections coincide.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PointGradient {
    /// In the points of the source, `n x d`.
    pub source: Array2<f64>,
    /// In the points of the target, `m x d`.
    pub target: Array2<f64>,
}

impl PointGradient {
    /// The mean of gradients that were summed over `count` directions.
    fn from_sums(groups: Vec<Sums>, [n, m, d]: [usize; 3], count: usize) -> Self {
        let mean = |side: usize, rows: usize| {
            let at = |k: usize| groups.iter().map(|sums| sums[side][k]).sum::<f64>() / count as f64;
            Array2::from_shape_fn((rows, d), |(i, c)| at(i * d + c))
        };
        PointGradient { source: mean(0, n), target: mean(1, m) }
    }
}

/// `SW_2^2` with the default settings and run; see [`Sliced`].
pub fn sliced_wasserstein<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> Result<Estimate> {
    Sliced::new(Slicing::Wasserstein { p: 2.0 }).estimate(source, target, &mut Run::default())
}

/// `PWD_2^2` with the default settings and run; see [`Sliced`].
pub fn pwd<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> Result<Estimate> {
    Sliced::new(Slicing::Projected).estimate(source, target, &mut Run::default())
}

impl Sliced {
    /// Lines unless told otherwise.
    pub const DIRECTIONS: usize = 200;

    /// 200 independent directions.
    pub fn new(slicing: Slicing) -> Self {
        Sliced { slicing, directions: Self::DIRECTIONS, orthogonal: false }
    }

    /// The mean; over fewer directions if the run is stopped.
    pub fn estimate<T: Scalar>(
        &self,
        source: &Measure<T>,
        target: &Measure<T>,
        run: &mut Run<'_>,
    ) -> Result<Estimate> {
        if self.orthogonal
            && self.directions <= source.dim()
            && let Some(spanned) = Spanned::of(source, target)
        {
            return self.estimate_in_span(&spanned, run);
        }
        self.estimate_over(source, target, &*self.sampler(source.dim(), run.seed)?, run)
    }

    /// [`estimate`](Sliced::estimate) along directions of one orthonormal batch, of which only the parts in the span matter.
    fn estimate_in_span(&self, spanned: &Spanned, run: &mut Run<'_>) -> Result<Estimate> {
        let [source, target] = spanned.clouds();
        let problem = InMemory::with_parallelism(source, target, run.parallelism)?;
        let (parts, lengths) = spanned.orthogonal(self.directions, run.seed)?;
        let found = match self.price()? {
            Price::Along(power) => self.average(&problem, &parts, run, |thetas, first| {
                let costs = problem.slice_costs(thetas, power).into_iter().zip(&lengths[first..]);
                Ok(costs.map(|(cost, length)| cost * power.of_distance(*length)).collect())
            }),
            Price::Across => self.average(&problem, &parts, run, |thetas, _| problem.costs(thetas)),
        };
        // One batch says nothing about the next.
        Ok(Estimate { standard_error: f64::NAN, ..found? })
    }

    /// [`estimate`](Sliced::estimate) along the first [`directions`](Sliced::directions) of any sequence, or all of it if there
    /// are fewer: a list of one's own is a [`DirectionSet`]. The seed then does not matter.
    pub fn estimate_over<T: Scalar>(
        &self,
        source: &Measure<T>,
        target: &Measure<T>,
        sampler: &dyn Sampler,
        run: &mut Run<'_>,
    ) -> Result<Estimate> {
        by_precision!(
            T: PairHolder<'_, '_> = [source, target],
            (sliced: &Sliced = self, sampler: &dyn Sampler = sampler, run: &mut Run<'_> = run) -> Result<Estimate>,
            |pair| sliced.mean_over(pair, sampler, run)
        )
    }

    /// [`estimate_over`](Sliced::estimate_over) with its precision known.
    fn mean_over<T: Scalar>(
        &self,
        [source, target]: [&Measure<'_, T>; 2],
        sampler: &dyn Sampler,
        run: &mut Run<'_>,
    ) -> Result<Estimate> {
        let problem = InMemory::with_parallelism(source, target, run.parallelism)?;
        match self.price()? {
            Price::Along(power) => {
                self.average(&problem, sampler, run, |thetas, _| Ok(problem.slice_costs(thetas, power)))
            }
            Price::Across => self.average(&problem, sampler, run, |thetas, _| problem.costs(thetas)),
        }
    }

    /// The mean and its gradient in the points. `O(n d)` memory.
    pub fn gradient<T: Scalar>(
        &self,
        source: &Measure<T>,
        target: &Measure<T>,
        run: &mut Run<'_>,
    ) -> Result<(Estimate, PointGradient)> {
        self.gradient_over(source, target, &*self.sampler(source.dim(), run.seed)?, run)
    }

    /// [`gradient`](Sliced::gradient) along the first directions of any sequence, as in
    /// [`estimate_over`](Sliced::estimate_over).
    pub fn gradient_over<T: Scalar>(
        &self,
        source: &Measure<T>,
        target: &Measure<T>,
        sampler: &dyn Sampler,
        run: &mut Run<'_>,
    ) -> Result<(Estimate, PointGradient)> {
        by_precision!(
            T: PairHolder<'_, '_> = [source, target],
            (sliced: &Sliced = self, sampler: &dyn Sampler = sampler, run: &mut Run<'_> = run) -> Result<(Estimate, PointGradient)>,
            |pair| sliced.slope_over(pair, sampler, run)
        )
    }

    /// [`gradient_over`](Sliced::gradient_over) with its precision known.
    fn slope_over<T: Scalar>(
        &self,
        [source, target]: [&Measure<'_, T>; 2],
        sampler: &dyn Sampler,
        run: &mut Run<'_>,
    ) -> Result<(Estimate, PointGradient)> {
        let problem = InMemory::with_parallelism(source, target, run.parallelism)?;
        let (price, [n, m, d]) = (self.price()?, [source.len(), target.len(), source.dim()]);
        let mut groups: Vec<Sums> = vec![[vec![0.0; n * d], vec![0.0; m * d]]; GRADIENT_GROUPS];
        let estimate = self.average(&problem, sampler, run, |thetas, first| {
            Ok(problem.add_point_gradients(thetas, first, price, &mut groups))
        })?;
        Ok((estimate, PointGradient::from_sums(groups, [n, m, d], estimate.directions)))
    }

    /// The mean and its gradient in the weights: potentials, each side up to a constant, averaged over the lines.
    ///
    /// For `SW_p^p` they are a gradient wherever no partial sums of the weights agree, and a subgradient everywhere.
    /// `O(n)` memory.
    ///
    /// ```
    /// use swgg::{Measure, Run, sliced::{Sliced, Slicing}};
    /// let mu = Measure::from_slice(&[0.0, 1.0], 1)?.with_weights(&[0.25, 0.75])?;
    /// let nu = Measure::from_slice(&[0.0], 1)?;
    /// let sliced = Sliced::new(Slicing::Wasserstein { p: 2.0 });
    /// let (_, slopes) = sliced.weight_gradient(&mu, &nu, &mut Run::default())?;
    /// assert!((slopes.source[1] - slopes.source[0] - 1.0).abs() < 1e-12);
    /// # Ok::<(), swgg::Error>(())
    /// ```
    pub fn weight_gradient<T: Scalar>(
        &self,
        source: &Measure<T>,
        target: &Measure<T>,
        run: &mut Run<'_>,
    ) -> Result<(Estimate, Potentials)> {
        self.weight_gradient_over(source, target, &*self.sampler(source.dim(), run.seed)?, run)
    }

    /// [`weight_gradient`](Sliced::weight_gradient) along the first directions of any sequence, as in
    /// [`estimate_over`](Sliced::estimate_over).
    pub fn weight_gradient_over<T: Scalar>(
        &self,
        source: &Measure<T>,
        target: &Measure<T>,
        sampler: &dyn Sampler,
        run: &mut Run<'_>,
    ) -> Result<(Estimate, Potentials)> {
        let problem = InMemory::with_parallelism(source, target, run.parallelism)?;
        let (price, [n, m]) = (self.price()?, [source.len(), target.len()]);
        let mut groups: Vec<Sums> = vec![[vec![0.0; n], vec![0.0; m]]; GRADIENT_GROUPS];
        let estimate = self.average(&problem, sampler, run, |thetas, first| {
            Ok(problem.add_weight_gradients(thetas, first, price, &mut groups))
        })?;
        let count = estimate.directions as f64;
        let mean = |side: usize, k: usize| groups.iter().map(|sums| sums[side][k]).sum::<f64>() / count;
        let source = (0..n).map(|i| mean(0, i)).collect();
        let target = (0..m).map(|j| mean(1, j)).collect();
        Ok((estimate, Potentials { source, target }))
    }

    /// The sequence of a seed.
    fn sampler(&self, dim: usize, seed: u64) -> Result<Box<dyn Sampler>> {
        Ok(match self.orthogonal {
            false => Box::new(Sphere::new(dim, seed)?),
            true => Box::new(Orthogonal::new(dim, seed)?),
        })
    }

    fn price(&self) -> Result<Price> {
        match self.slicing {
            Slicing::Wasserstein { p } => Ok(Price::Along(Power::new(p)?)),
            Slicing::Projected => Ok(Price::Across),
        }
    }

    /// The mean of `costs(directions, number of the first)`.
    fn average(
        &self,
        problem: &dyn Slices,
        sampler: &dyn Sampler,
        run: &mut Run<'_>,
        mut costs: impl FnMut(&DirectionSet, usize) -> Result<Vec<f64>>,
    ) -> Result<Estimate> {
        let total = sampler.limit().map_or(self.directions, |limit| limit.min(self.directions));
        if total == 0 {
            return Err(ErrorKind::NoDirections.into());
        }
        let (found, dim) = (sampler.dim(), problem.dim());
        if found != dim {
            return Err(ErrorKind::DirectionDimension { found, expected: dim }.into());
        }
        let mut all = Vec::with_capacity(total.min(1 << 20));
        let mut stop = Stop::AllTried;
        while all.len() < total {
            let end = total.min(all.len() + problem.batch_len().max(1));
            all.extend(costs(&sampler.batch(all.len()..end), all.len())?);
            let best = all.iter().sum::<f64>() / all.len() as f64;
            let progress = Progress { tried: all.len(), total, best };
            if run.progress(&progress).is_break() && all.len() < total {
                stop = run.reason(Stop::Interrupted);
                break;
            }
        }
        let p = match self.slicing {
            Slicing::Wasserstein { p } => p,
            Slicing::Projected => 2.0,
        };
        let cost = all.iter().sum::<f64>() / all.len() as f64;
        // Directions of one orthonormal batch depend on each other; batches do not.
        let batch = if self.orthogonal { dim } else { 1 };
        Ok(Estimate { cost, standard_error: standard_error(&all, batch), p, directions: all.len(), stop })
    }
}

/// Standard error of the mean of numbers that are independent in batches; a last incomplete batch does not count.
fn standard_error(numbers: &[f64], batch: usize) -> f64 {
    let means: Vec<f64> =
        numbers.chunks_exact(batch).map(|batch| batch.iter().sum::<f64>() / batch.len() as f64).collect();
    let count = means.len() as f64;
    let mean = means.iter().sum::<f64>() / count;
    let squares: f64 = means.iter().map(|x| (x - mean).powi(2)).sum();
    if means.len() < 2 { f64::NAN } else { (squares / (count - 1.0) / count).sqrt() }
}
