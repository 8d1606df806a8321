//! Factored couplings: plans that pass through a pivot of a few points.

use std::ops::ControlFlow;

use crate::cost::SqEuclidean;
use crate::coupling::Coupling;
use crate::error::{ErrorKind, Result};
use crate::exact::{Exact, ExactTransport, Start};
use crate::glue::{Glue, glue};
use crate::measure::{Measure, same_space};
use crate::observe::{Observe, Progress};
use crate::par::Parallelism;
use crate::sampler::{Gaussians, principal_axes};
use crate::scalar::Scalar;
use crate::search::Stop;
use crate::search::descent::{at_least_one, some};

/// Factored coupling (Forrow et al., 2019): source and target are joined through `k` points of equal weight.
///
/// ```text
/// min over z_1 .. z_k   W_2^2(mu, zeta) + W_2^2(zeta, nu),   zeta = 1/k sum_k delta_{z_k}
/// ```
///
/// Two steps in turn, neither of which raises that sum: exact plans from the source to the pivot and from the pivot to the target,
/// then every `z_k` moves to the middle between the mean of the mass that arrives there and the mean of the mass that leaves.
/// It ends in a local minimum, which depends on the seed. The two plans are then [glued](Glue) into one from source to target. With
/// `k` below `n` such a plan has low rank, is steadier under sampling noise, and costs more than the best one.
///
/// Each turn takes two exact transports of sizes `n x k` and `k x m`.
/// Paper: Supp. "Related works", factored coupling; here the pivot has `k` free points and equal weights.
///
/// ```
/// use swgg::{Factored, Measure};
/// let mu = Measure::from_slice(&[0.0, 0.0, 0.0, 1.0, 9.0, 0.0, 9.0, 1.0], 2)?;
/// let nu = Measure::from_slice(&[2.0, 0.0, 2.0, 1.0, 7.0, 0.0, 7.0, 1.0], 2)?;
/// let found = Factored { points: 2, seed: 1, ..Default::default() }.solve(&mu, &nu)?;
/// // Two clusters: nobody changes sides, and within a cluster mass is mixed.
/// assert!((found.cost - 4.5).abs() < 1e-9);
/// # Ok::<(), swgg::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Factored {
    /// Points of the pivot, `k`.
    pub points: usize,
    /// Seed of the points the pivot starts from.
    pub seed: u64,
    /// Most turns.
    pub max_iterations: usize,
    /// Ends when moving the pivot would lower the sum by less than this share of it.
    pub tolerance: f64,
    /// How the two plans are glued.
    pub glue: Glue,
    /// Threads; the answer does not depend on them.
    pub parallelism: Parallelism,
}

impl Default for Factored {
    fn default() -> Self {
        Factored {
            points: 100,
            seed: 0,
            max_iterations: 100,
            tolerance: 1e-7,
            glue: Glue::Independent,
            parallelism: Parallelism::Auto,
        }
    }
}

/// A factored coupling.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FactoredTransport {
    /// Cost of the plan from source to target: an upper bound of `W_2^2`, and at most twice [`factored`](Self::factored).
    pub cost: f64,
    /// The sum that was lowered, `W_2^2(mu, zeta) + W_2^2(zeta, nu)`. It is at least half of `W_2^2(mu, nu)`; at the midpoint
    /// of a geodesic it is exactly half.
    pub factored: f64,
    /// The pivot `zeta`: `k` points of equal weight.
    pub pivot: Measure<'static, f64>,
    /// The optimal plan from the source to the pivot.
    pub source_to_pivot: Coupling,
    /// The optimal plan from the pivot to the target.
    pub pivot_to_target: Coupling,
    /// The glued plan from source to target.
    pub coupling: Coupling,
    /// How it was glued: monotonically whenever the independent plan would have had more than 2^24 entries.
    pub glue: Glue,
    /// Turns taken.
    pub iterations: usize,
    /// Why it ended. After an interruption the plans are still couplings, but not optimal ones.
    pub stop: Stop,
}

impl Factored {
    /// Solves.
    pub fn solve<T: Scalar>(&self, source: &Measure<T>, target: &Measure<T>) -> Result<FactoredTransport> {
        self.solve_watched(source, target, &mut ())
    }

    /// [`solve`](Factored::solve) with an observer, which is told of turns and of the sum, and may stop.
    pub fn solve_watched<T: Scalar>(
        &self,
        source: &Measure<T>,
        target: &Measure<T>,
        watch: &mut dyn Observe,
    ) -> Result<FactoredTransport> {
        some("the number of points of the pivot", self.points)?;
        same_space(source, target)?;
        let pivot = self.first_pivot(&source.in_f64(), &target.in_f64())?;
        self.solve_from(source, target, pivot, watch)
    }

    /// [`solve_watched`](Factored::solve_watched) from a pivot you know to be good; its points count, `points` and `seed` do not.
    pub fn solve_from<T: Scalar>(
        &self,
        source: &Measure<T>,
        target: &Measure<T>,
        pivot: Measure<'static, f64>,
        watch: &mut dyn Observe,
    ) -> Result<FactoredTransport> {
        self.validate()?;
        same_space(source, target)?;
        same_space(source, &pivot)?;
        let (mu, nu) = (source.in_f64(), target.in_f64());
        let exact = Exact { parallelism: self.parallelism, ..Exact::default() };
        let mut pivot = pivot;
        let mut progress = Progress { tried: 0, total: self.max_iterations, best: f64::INFINITY };
        let mut before: Option<(ExactTransport, ExactTransport)> = None;
        let (into, out, stop) = loop {
            let mut inner = |_: &Progress| watch.progress(&progress);
            // The pivot moves little from turn to turn: what was found before is close.
            let [first, second] = [before.as_ref().map(|pair| &pair.0), before.as_ref().map(|pair| &pair.1)];
            let into = exact.solve_from(&mu, &pivot, Start::after(first), &mut inner)?;
            let out = exact.solve_from(&pivot, &nu, Start::after(second), &mut inner)?;
            progress.tried += 1;
            progress.best = into.cost + out.cost;
            let cut_short = into.stop == Stop::Interrupted || out.stop == Stop::Interrupted;
            if cut_short || watch.progress(&progress) == ControlFlow::Break(()) {
                break (into, out, Stop::Interrupted);
            }
            let next = middle(&pivot, &into.coupling, &mu, &out.coupling, &nu)?;
            // With the plans held still, moving the pivot lowers the sum by exactly this much.
            let moved: f64 = pivot.points().iter().zip(&next).map(|(z, w)| (z - w) * (z - w)).sum();
            if 2.0 * moved / pivot.len() as f64 <= self.tolerance * progress.best {
                break (into, out, Stop::Converged);
            }
            if progress.tried >= self.max_iterations {
                break (into, out, Stop::MaxIterations);
            }
            pivot = pivot.with_points(next, mu.dim());
            before = Some((into, out));
        };
        let axis = principal_axes(&mu, &nu)?.get(0);
        let (coupling, glue) =
            glue(&into.coupling, &out.coupling, self.glue, &axis.project(&mu)?, &axis.project(&nu)?);
        Ok(FactoredTransport {
            cost: coupling.cost(&mu, &nu, &SqEuclidean)?,
            factored: progress.best,
            pivot,
            source_to_pivot: into.coupling,
            pivot_to_target: out.coupling,
            coupling,
            glue,
            iterations: progress.tried,
            stop,
        })
    }

    fn validate(&self) -> Result<()> {
        at_least_one("the number of iterations", self.max_iterations)?;
        not_negative("the tolerance", self.tolerance)
    }

    /// Points drawn from both clouds, each moved with the mean of its cloud to the middle between the two means: the distance
    /// between the clouds then says nothing about where mass passes.
    fn first_pivot(&self, mu: &Measure, nu: &Measure) -> Result<Measure<'static, f64>> {
        let means = [mu.mean(), nu.mean()];
        let mut pool: Vec<(usize, usize)> = Vec::with_capacity(mu.len() + nu.len());
        for (side, measure) in [mu, nu].into_iter().enumerate() {
            pool.extend((0..measure.len()).filter(|&i| measure.weight(i) > 0.0).map(|i| (side, i)));
        }
        let mut random = Gaussians::new(self.seed, 0);
        for k in 0..pool.len().min(self.points) {
            let other = k + (random.uniform() * (pool.len() - k) as f64) as usize;
            let last = pool.len() - 1;
            pool.swap(k, other.min(last));
        }
        // More points than there are to draw from: some are taken again.
        let drawn = pool.iter().cycle().take(self.points);
        let points = drawn.flat_map(|&(side, i)| {
            let point = [mu, nu][side].point(i);
            let centre = point.iter().zip(&means[side]).zip(means[0].iter().zip(&means[1]));
            centre.map(|((x, mean), (m, n))| x - mean + 0.5 * (m + n)).collect::<Vec<f64>>()
        });
        Measure::from_vec(points.collect(), mu.dim())
    }
}

/// Where the points of the pivot should be: between the means of what arrives and of what leaves.
fn middle(pivot: &Measure, into: &Coupling, mu: &Measure, out: &Coupling, nu: &Measure) -> Result<Vec<f64>> {
    let arriving = into.inverse().barycentric_map(pivot, mu)?;
    let leaving = out.barycentric_map(pivot, nu)?;
    Ok(arriving.iter().zip(&leaving).map(|(x, y)| 0.5 * (x + y)).collect())
}

/// Refuses a tolerance that is negative or not a number.
pub(crate) fn not_negative(name: &'static str, value: f64) -> Result<()> {
    let fine = value.is_finite() && value >= 0.0;
    if fine { Ok(()) } else { Err(ErrorKind::BadSetting { name, value, expected: "give 0 or more" }.into()) }
}
