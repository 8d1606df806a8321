//! The line that tells two clouds apart best.

use super::PointGradient;
use crate::cost::Power;
use crate::error::Result;
use crate::line::direction::{Direction, DirectionSet};
use crate::line::sampler::{Sampler, Sphere};
use crate::measure::{Measure, PairHolder};
use crate::number::range::{positive, some, some_steps};
use crate::number::scalar::{Scalar, by_precision};
use crate::paper::search::Optimizer;
use crate::paper::search::descent::{Walker, faded};
use crate::paper::slices::along::{GRADIENT_GROUPS, Price, Sums};
use crate::paper::slices::{InMemory, Slices};
use crate::run::Run;
use crate::run::observe::{Observe, Progress};
use crate::run::stop::Stop;

/// Random directions looked at for a place to start.
const MIN_RANDOM_DIRECTIONS: usize = 32;

/// The max-sliced Wasserstein distance, with settings.
///
/// ```text
/// max-SW_p^p = max_theta W_p^p(P^theta_# mu, P^theta_# nu)
/// ```
///
/// Gradient ascent from the best of the difference of the means, the principal axes and 32 random directions; keeps the best
/// direction ever seen. Never above `W_p^p`. Paper: Section 2 and Supp. "Difference between max-SW and min-SWGG".
///
/// ```
/// use swgg::{Measure, sliced::max_sliced};
/// let mu = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0], 2)?;
/// let nu = Measure::from_slice(&[0.0, 3.0, 1.0, 3.0], 2)?;
/// let slice = max_sliced(&mu, &nu)?;
/// assert!((slice.cost - 9.0).abs() < 1e-6 && slice.theta.as_slice()[0].abs() < 1e-3);
/// # Ok::<(), swgg::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MaxSliced {
    /// The exponent, 1 or more.
    pub p: f64,
    /// Steps from each start.
    pub steps: usize,
    /// How many starts.
    pub starts: usize,
    /// Length of the first steps.
    pub learning_rate: f64,
    /// How a gradient becomes a step.
    pub optimizer: Optimizer,
    /// A direction to start from, besides those chosen.
    pub start: Option<Direction>,
}

impl Default for MaxSliced {
    fn default() -> Self {
        MaxSliced {
            p: 2.0,
            steps: 50,
            starts: 4,
            learning_rate: 0.1,
            optimizer: Optimizer::Adam,
            start: None,
        }
    }
}

/// The line found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MaxSlice {
    /// `W_p^p` along it, not rooted.
    pub cost: f64,
    /// Its direction.
    pub theta: Direction,
    /// The exponent.
    pub p: f64,
    /// How many directions were tried.
    pub tried: usize,
    /// Why the ascent ended.
    pub stop: Stop,
}

impl MaxSlice {
    /// The `p`-th root of the cost.
    pub fn distance(&self) -> f64 {
        self.cost.powf(1.0 / self.p)
    }

    /// How the cost changes with the points, the direction held: by the envelope theorem the gradient of the maximum itself.
    pub fn gradient<T: Scalar>(&self, source: &Measure<T>, target: &Measure<T>) -> Result<PointGradient> {
        let problem = InMemory::new(source, target)?;
        self.theta.check(problem.dim())?;
        let [n, m, d] = [source.len(), target.len(), source.dim()];
        let mut groups: Vec<Sums> = vec![[vec![0.0; n * d], vec![0.0; m * d]]; GRADIENT_GROUPS];
        let mut one = DirectionSet::with_capacity(d, 1);
        one.push(&self.theta);
        problem.add_point_gradients(&one, 0, Price::Along(Power::new(self.p)?), &mut groups);
        Ok(PointGradient::from_sums(groups, [n, m, d], 1))
    }
}

/// `max-SW_2^2` with the default settings and run; see [`MaxSliced`].
pub fn max_sliced<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> Result<MaxSlice> {
    MaxSliced::default().maximum(source, target, &mut Run::default())
}

impl MaxSliced {
    /// Climbs to the best line. The seed of the run draws random starts; its observer sees the highest cost so far.
    pub fn maximum<T: Scalar>(
        &self,
        source: &Measure<T>,
        target: &Measure<T>,
        run: &mut Run<'_>,
    ) -> Result<MaxSlice> {
        by_precision!(
            T: PairHolder<'_, '_> = [source, target],
            (solver: &MaxSliced = self, run: &mut Run<'_> = run) -> Result<MaxSlice>,
            |pair| solver.highest(pair, run)
        )
    }

    /// [`maximum`](MaxSliced::maximum) with its precision known.
    fn highest<T: Scalar>(
        &self,
        [source, target]: [&Measure<'_, T>; 2],
        run: &mut Run<'_>,
    ) -> Result<MaxSlice> {
        let power = self.checked()?;
        let problem = InMemory::with_parallelism(source, target, run.parallelism)?;
        let candidates = self.candidates(&problem, source, target, run.seed)?;
        let costs = problem.slice_costs(&candidates, power);
        let mut order: Vec<usize> = (0..costs.len()).collect();
        let given = usize::from(self.start.is_some());
        order[given..].sort_by(|&k, &l| costs[l].total_cmp(&costs[k]).then(k.cmp(&l)));
        let mut peak = Peak { theta: candidates.get(0), cost: costs[0], tried: 0 };
        peak.see(&candidates, costs.iter().copied());
        let starts: Vec<Direction> = order.iter().take(self.starts).map(|&k| candidates.get(k)).collect();
        self.ascend(&problem, power, &starts, peak, run)
    }

    /// Climbs from one direction and looks at no other: for whoever knows a good one, as that of a similar problem. Neither
    /// [`starts`](MaxSliced::starts), [`start`](MaxSliced::start) nor the seed matter.
    ///
    /// ```
    /// use swgg::{Measure, Run, line::Direction, sliced::MaxSliced};
    /// let mu = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0], 2)?;
    /// let nu = Measure::from_slice(&[0.0, 3.0, 1.0, 3.0], 2)?;
    /// let from = Direction::new(&[0.6, 0.8])?;
    /// let slice = MaxSliced::default().climb(&mu, &nu, &from, &mut Run::default())?;
    /// assert!((slice.cost - 9.0).abs() < 1e-3);
    /// # Ok::<(), swgg::Error>(())
    /// ```
    pub fn climb<T: Scalar>(
        &self,
        source: &Measure<T>,
        target: &Measure<T>,
        from: &Direction,
        run: &mut Run<'_>,
    ) -> Result<MaxSlice> {
        let power = self.checked()?;
        let problem = InMemory::with_parallelism(source, target, run.parallelism)?;
        from.check(problem.dim())?;
        let mut one = DirectionSet::with_capacity(problem.dim(), 1);
        one.push(from);
        let cost = problem.slice_costs(&one, power)[0];
        let peak = Peak { theta: from.clone(), cost, tried: 1 };
        self.ascend(&problem, power, std::slice::from_ref(from), peak, run)
    }

    fn checked(&self) -> Result<Power> {
        some_steps(self.steps)?;
        some("the number of starts", self.starts)?;
        positive("the learning rate", self.learning_rate)?;
        Power::new(self.p)
    }

    /// Steps uphill from these directions; the highest place of all that were seen.
    fn ascend<T: Scalar>(
        &self,
        problem: &InMemory<T>,
        power: Power,
        starts: &[Direction],
        mut peak: Peak,
        run: &mut Run<'_>,
    ) -> Result<MaxSlice> {
        let mut walkers: Vec<Walker> =
            starts.iter().map(|theta| Walker::new(theta.clone(), self.optimizer)).collect();
        let total = walkers.len().saturating_mul(self.steps.saturating_add(1)).saturating_add(peak.tried);
        let mut stop = Stop::MaxIterations;
        // One more round than there are steps: the last one only looks.
        for step in 0..=self.steps {
            if run.progress(&Progress { tried: peak.tried, total, best: peak.cost }).is_break() {
                stop = run.reason(Stop::Interrupted);
                break;
            }
            let mut thetas = DirectionSet::with_capacity(problem.dim(), walkers.len());
            walkers.iter().for_each(|walker| thetas.push(walker.theta()));
            let slopes = problem.line_slopes(&thetas, power);
            peak.see(&thetas, slopes.iter().map(|(cost, _)| *cost));
            let rate = faded(self.learning_rate, step, self.steps);
            let mut moved = false;
            for (walker, (cost, gradient)) in walkers.iter_mut().zip(slopes) {
                let scale = if cost > 0.0 { -cost } else { -1.0 };
                let uphill: Vec<f64> = gradient.iter().map(|g| g / scale).collect();
                moved |= walker.step(&uphill, rate);
            }
            if !moved {
                stop = Stop::Converged;
                break;
            }
        }
        let Peak { theta, cost, tried } = peak;
        Ok(MaxSlice { cost, theta, p: self.p, tried, stop })
    }

    /// A direction that was given, the difference of the means, the principal axes, and random ones.
    fn candidates<T: Scalar>(
        &self,
        problem: &InMemory<T>,
        source: &Measure<T>,
        target: &Measure<T>,
        seed: u64,
    ) -> Result<DirectionSet> {
        let dim = problem.dim();
        let shift: Vec<f64> = source.mean().iter().zip(target.mean()).map(|(m, n)| n - m).collect();
        let mut set = DirectionSet::with_capacity(dim, MIN_RANDOM_DIRECTIONS);
        if let Some(start) = &self.start {
            start.check(dim)?;
            set.push(start);
        }
        // Clouds with one mean have no such direction.
        if let Ok(theta) = Direction::new(&shift) {
            set.push(&theta);
        }
        for others in
            [problem.axes()?, Sphere::new(dim, seed)?.batch(0..self.starts.max(MIN_RANDOM_DIRECTIONS))]
        {
            (0..others.len()).for_each(|k| set.push(&others.get(k)));
        }
        Ok(set)
    }
}

/// The highest cost so far.
struct Peak {
    theta: Direction,
    cost: f64,
    tried: usize,
}

impl Peak {
    fn see(&mut self, thetas: &DirectionSet, costs: impl Iterator<Item = f64>) {
        for (k, cost) in costs.enumerate() {
            if cost > self.cost {
                (self.theta, self.cost) = (thetas.get(k), cost);
            }
            self.tried += 1;
        }
    }
}
