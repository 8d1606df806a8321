//! Entropic transport: a smooth plan between any two measures, by scaling rows and columns in turn.

mod answer;
mod divergence;
mod entropic;
mod epsilon;
mod gibbs;
mod ground;
mod iterate;
mod kernel;
mod patience;
mod plan;
mod round;
mod unbalanced;

pub use divergence::{Divergence, WithItself, sinkhorn_divergence};
pub use epsilon::Epsilon;
pub use plan::{MOST_ENTRIES, SmoothPlan};

use super::compiled::{Compiled, run_compiled};
use super::ground::with_ground;
use super::{Builder, Estimate, Method, Solver};
use crate::answer::Transport;
use crate::error::{ErrorKind, Result};
use crate::measure::Measure;
use crate::number::range::{at_least_one, positive};
use crate::number::scalar::{Scalar, by_precision};
use crate::plan::potentials::Potentials;
use crate::question::{Ground as Law, Question, QuestionHolder, Sizes};
use crate::run::Run;
use crate::run::workers::Workers;
use crate::setting::{Setting, Settings};
use entropic::{Carriers, Entropic};
use ground::{Distances, Ground};
use iterate::Iterates;
use patience::Patience;

/// Weight of the entropy, in units of costs.
pub const EPSILON: Setting = Setting::number("epsilon")
    .help("E", "weight of the entropy, in the units of squared distances [default: relative, see below]");
/// Weight of the entropy, as a share of the mean cost.
pub const RELATIVE_EPSILON: Setting = Setting::number("relative_epsilon")
    .flag("relative-epsilon")
    .help("R", "weight of the entropy, as a share of the mean cost [default: 0.01]")
    .instead_of("epsilon");

/// How strictly the weights of the source are met.
pub const TAU_A: Setting = Setting::number("tau_a").flag("tau-a").help(
    "T",
    "how strictly the weights of the source are met, above 0 and at most 1: rho / (rho + epsilon), with rho the weight of a \
     Kullback-Leibler penalty [default: 1, exactly]",
);
/// How strictly the weights of the target are met.
pub const TAU_B: Setting =
    Setting::number("tau_b").flag("tau-b").help("T", "the same for the target [default: 1, exactly]");

/// Entropic transport with the default settings; see [`Sinkhorn`].
///
/// ```
/// use swgg::{Measure, solver::sinkhorn};
/// let mu = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0], 2)?;
/// let nu = Measure::from_slice(&[1.0, 1.0, 0.0, 1.0], 2)?;
/// let found = sinkhorn(&mu, &nu)?;
/// assert!(found.converged && (found.cost - 1.0).abs() < 1e-6);
/// assert!(found.lower_bound <= 1.0);
/// # Ok::<(), swgg::Error>(())
/// ```
pub fn sinkhorn<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> Result<SmoothPlan> {
    Sinkhorn::default().entropic(&Question::new(source, target)?, &mut Run::default())
}

/// Entropic transport, with settings.
///
/// ```text
/// min_P sum P_ij c_ij + epsilon KL(P | a b^T),   c_ij = |x_i - y_j|^p,   P 1 = a,   P^T 1 = b
/// ```
///
/// The plan is `P_ij = a_i b_j exp((f_i + g_j - c_ij) / epsilon)`; rows and columns are scaled in turn until both marginals are met
/// (Cuturi, "Sinkhorn distances: lightspeed computation of optimal transport"). Potentials are kept in logarithms, so that small epsilons
/// do not underflow. Up to 2^25 pairs the plan of the potentials is held as a matrix (256 MB at most), and iterations near them are products with it; it is made
/// anew where they go far. Beyond, costs are computed when they are needed, with `O((n + m) d)` memory and `O(n m d)` time per iteration. From dimension 12 on
/// costs are computed once and kept where that takes at most 512 MB. The result does not depend on the number of threads, to the bit; processors with and without fused
/// multiply-add differ in the last digits.
///
/// Small epsilons need many iterations. Two things make them fewer: epsilon falls to its value in steps, each beginning where the
/// last one ended ([`scaling`](Sinkhorn::scaling)), and steps go further than the next marginal ([`accelerate`](Sinkhorn::accelerate)).
///
/// The plan is blurred by `epsilon`; for the plan of least cost use [`Exact`](crate::Exact), or small epsilons and
/// [`SmoothPlan::plan`].
///
/// ```
/// use swgg::solver::{Epsilon, Sinkhorn};
/// use swgg::{Measure, Question, Run};
/// use swgg::cost::SqEuclidean;
/// let mu = Measure::from_slice(&[0.0, 1.0, 2.0], 1)?;
/// let nu = Measure::from_slice(&[5.0, 7.0], 1)?.with_weights(&[1.0, 2.0])?;
/// let sinkhorn = Sinkhorn { epsilon: Epsilon::Relative(1e-3), ..Default::default() };
/// let found = sinkhorn.entropic(&Question::new(&mu, &nu)?, &mut Run::default())?;
/// let plan = found.plan(&mu, &nu)?;
/// assert!(plan.marginal_gap(&mu, &nu)? < 1e-12);
/// assert!(found.lower_bound <= plan.cost(&mu, &nu, &SqEuclidean)?);
/// # Ok::<(), swgg::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Sinkhorn {
    /// How much to smooth.
    pub epsilon: Epsilon,
    /// Most iterations, those at larger epsilons included. One iteration scales the columns, then the rows.
    pub max_iterations: usize,
    /// Converged when `sum_j |(P^T 1)_j - b_j|` is at most this, while `P 1 = a` holds. 0 asks for all the iterations.
    pub tolerance: f64,
    /// Factor from one epsilon to the next, beginning at the largest cost; `None` begins with the epsilon asked for.
    pub scaling: Option<f64>,
    /// Whether steps may go beyond the next marginal, where convergence is slow.
    pub accelerate: bool,
    /// How strictly the weights of source and target are met: `rho / (rho + epsilon)` with `rho` the weight of a Kullback-Leibler
    /// penalty in their place, as OTT has it; 1 meets them exactly. Only the common answer looks at it, [`entropic`](Sinkhorn::entropic) does not. Below 1 the cost is
    /// that of the mass that moved, in the unit of the weights, and the plan is not rounded.
    pub tau: [f64; 2],
}

impl Default for Sinkhorn {
    fn default() -> Self {
        Sinkhorn {
            epsilon: Epsilon::Relative(1e-2),
            max_iterations: 5000,
            tolerance: 1e-6,
            scaling: Some(0.5),
            accelerate: true,
            tau: [1.0; 2],
        }
    }
}

impl Sinkhorn {
    /// The textbook iterations, `iterations` of them: what POT's `sinkhorn_log` does with `stopThr=0`.
    pub fn plain(epsilon: Epsilon, iterations: usize) -> Self {
        let usual = Sinkhorn::default();
        Sinkhorn {
            epsilon,
            max_iterations: iterations,
            tolerance: 0.0,
            scaling: None,
            accelerate: false,
            ..usual
        }
    }

    /// The smooth plan, held as potentials. The observer of the run is told of the iterations done and of the dual value so far; it may
    /// stop, and then the potentials so far are returned, for the epsilon asked for.
    pub fn entropic<T: Scalar>(&self, question: &Question<'_, T>, run: &mut Run<'_>) -> Result<SmoothPlan> {
        by_precision!(
            T: QuestionHolder<'_, '_> = question,
            (solver: &Sinkhorn = self, run: &mut Run<'_> = run) -> Result<SmoothPlan>,
            |question| solver.smooth(question, None, run)
        )
    }

    /// The smooth plan, with its precision known.
    fn smooth<T: Scalar>(
        &self,
        question: &Question<'_, T>,
        start: Option<&Potentials>,
        run: &mut Run<'_>,
    ) -> Result<SmoothPlan> {
        let (law, workers) = self.begin(question, run)?;
        Ok(self.solved(question, start, (law, &workers), run)?.0)
    }

    /// [`entropic`](Sinkhorn::entropic), beginning with potentials that are nearly right: those of a question that differs a little, at about the
    /// same epsilon. The plan is the same up to the tolerance. Epsilon is what it is from the first iteration on, so potentials that are far
    /// off for it take more iterations than none.
    ///
    /// ```
    /// use swgg::solver::{Epsilon, Sinkhorn};
    /// use swgg::{Measure, Question, Run};
    /// let sinkhorn = Sinkhorn { epsilon: Epsilon::Absolute(0.1), ..Default::default() };
    /// let mu = Measure::from_slice(&[0.0, 1.0, 2.0], 1)?;
    /// let (near, there) = (Measure::from_slice(&[3.0, 4.1, 4.9], 1)?, Measure::from_slice(&[3.0, 4.0, 5.0], 1)?);
    /// let first = sinkhorn.entropic(&Question::new(&mu, &near)?, &mut Run::default())?;
    /// let question = Question::new(&mu, &there)?;
    /// let warm = sinkhorn.entropic_from(&question, &first.potentials, &mut Run::default())?;
    /// let cold = sinkhorn.entropic(&question, &mut Run::default())?;
    /// assert!((warm.value - cold.value).abs() < 1e-9);
    /// # Ok::<(), swgg::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of `entropic`, and potentials that are not one finite number per point.
    pub fn entropic_from<T: Scalar>(
        &self,
        question: &Question<'_, T>,
        start: &Potentials,
        run: &mut Run<'_>,
    ) -> Result<SmoothPlan> {
        let sides = [(&start.source, question.source().len()), (&start.target, question.target().len())];
        for (found, expected) in sides.map(|(potentials, expected)| (potentials.len(), expected)) {
            if found != expected {
                return Err(ErrorKind::PotentialCount { found, expected }.into());
            }
        }
        if let Some(value) = start.source.iter().chain(&start.target).find(|value| !value.is_finite()) {
            let (name, expected) = ("a potential to begin with", "give finite numbers");
            return Err(ErrorKind::BadSetting { name, value: *value, expected }.into());
        }
        by_precision!(
            T: QuestionHolder<'_, '_> = question,
            (solver: &Sinkhorn = self, start: &Potentials = start, run: &mut Run<'_> = run) -> Result<SmoothPlan>,
            |question| solver.smooth(question, Some(start), run)
        )
    }

    /// The answer, as [`transport`](Sinkhorn::transport) makes it, with costs that are still at hand; and what the smooth plan pays.
    pub fn rounded<T: Scalar>(
        &self,
        question: &Question<'_, T>,
        run: &mut Run<'_>,
    ) -> Result<(f64, Transport)> {
        by_precision!(
            T: QuestionHolder<'_, '_> = question,
            (solver: &Sinkhorn = self, run: &mut Run<'_> = run) -> Result<(f64, Transport)>,
            |question| solver.rounded_here(question, run)
        )
    }

    /// [`rounded`](Sinkhorn::rounded) with its precision known.
    fn rounded_here<T: Scalar>(
        &self,
        question: &Question<'_, T>,
        run: &mut Run<'_>,
    ) -> Result<(f64, Transport)> {
        if self.tau != [1.0; 2] {
            let found = unbalanced::answer(self, question, run)?;
            return Ok((found.cost, found));
        }
        let (law, workers) = self.begin(question, run)?;
        let (found, problem) = self.solved(question, None, (law, &workers), run)?;
        Ok((found.cost, Self::answered(found, &problem, question, run)?))
    }

    /// The smooth plan, and the problem it belongs to.
    fn solved<'w, 'c, T: Scalar>(
        &self,
        question: &Question<'_, T>,
        start: Option<&Potentials>,
        (law, workers): (Law<'c>, &'w Workers),
        run: &mut Run<'_>,
    ) -> Result<(SmoothPlan, Entropic<'w, Distances<'c>>)> {
        let parallelism = run.parallelism;
        let patience = &mut Patience::new(run, self.max_iterations);
        let Scaled { problem, epsilon, iterates } = self.scaled(question, start, (law, workers), patience)?;
        let (source, target, ground) = (question.source(), question.target(), (law, epsilon, parallelism));
        let found = SmoothPlan::new(source, target, &problem, self, ground, iterates, patience);
        Ok((found, problem))
    }

    /// All checks, what pairs cost, and threads.
    fn begin<'c, T: Scalar>(&self, question: &Question<'c, T>, run: &Run<'_>) -> Result<(Law<'c>, Workers)> {
        self.check()?;
        Ok((question.ground(), Workers::new(run.parallelism)?))
    }

    /// Rows and columns scaled in turn, at the epsilon that was asked for.
    fn scaled<'w, 'c, T: Scalar>(
        &self,
        question: &Question<'_, T>,
        start: Option<&Potentials>,
        (law, workers): (Law<'c>, &'w Workers),
        patience: &mut Patience,
    ) -> Result<Scaled<'w, 'c>> {
        let mut problem = between(question.source(), question.target(), law, workers);
        problem.ground.keep(workers, patience);
        let (mean, largest) = problem.mean_and_largest(patience)?;
        let epsilon = self.epsilon.resolve(mean, largest)?;
        // Points without mass have potentials, too, which nobody needs here.
        let start = start.map(|start| {
            [(&start.source, 0), (&start.target, 1)].map(|(potentials, side): (&Vec<f64>, usize)| {
                problem.sides[side].points.iter().map(|&i| potentials[i as usize]).collect()
            })
        });
        let iterates = Iterates::run(&problem, self, (epsilon, largest), start, patience);
        Ok(Scaled { problem, epsilon, iterates })
    }

    fn check(&self) -> Result<()> {
        positive("epsilon", self.epsilon.number())?;
        at_least_one("max_iterations", self.max_iterations)?;
        let refuse = |name, value, expected| Err(ErrorKind::BadSetting { name, value, expected }.into());
        if !(self.tolerance.is_finite() && self.tolerance >= 0.0) {
            return refuse("tolerance", self.tolerance, "give a finite number of 0 or more");
        }
        for (name, tau) in [("tau_a", self.tau[0]), ("tau_b", self.tau[1])] {
            if !(tau > 0.0 && tau <= 1.0) {
                return refuse(
                    name,
                    tau,
                    "give a number above 0 and at most 1, which meets the weights exactly",
                );
            }
        }
        match self.scaling {
            Some(scaling) if !(0.01..=0.99).contains(&scaling) => {
                refuse("scaling", scaling, "give a factor between 0.01 and 0.99")
            }
            _ => Ok(()),
        }
    }
}

impl Builder for Sinkhorn {
    const METHOD: Method = Method {
        settings: &with_ground::<4, 13>([&EPSILON, &RELATIVE_EPSILON, &TAU_A, &TAU_B]),
        ..Method::new(
            "sinkhorn",
            "Entropic transport",
            "Entropic transport, its plan rounded to exact marginals: time grows as n^2",
        )
    };

    fn build(settings: &Settings) -> Result<Self> {
        let usual = Sinkhorn::default();
        let relative = settings.number(&RELATIVE_EPSILON).map(Epsilon::Relative);
        let epsilon = settings.number(&EPSILON).map(Epsilon::Absolute).or(relative);
        let tau = [&TAU_A, &TAU_B].map(|tau| settings.number(tau).unwrap_or(1.0));
        Ok(Sinkhorn { epsilon: epsilon.unwrap_or(usual.epsilon), tau, ..usual })
    }
}

impl<T: Scalar> Solver<T> for Sinkhorn {
    fn method(&self) -> &'static Method {
        &Self::METHOD
    }

    fn validate(&self, _: Sizes) -> Result<()> {
        self.check()
    }

    fn estimate(&self, sizes: Sizes, run: &Run<'_>) -> Estimate {
        let [n, m, d] = [sizes.n, sizes.m, sizes.d].map(|size| size as f64);
        // The rounded plan has a few entries per pair of points that are near each other.
        let entries = 40.0 * (0.2 * n * m).min(f64::from(1 << 26));
        let held = gibbs::held_bytes(sizes.n, sizes.m) as f64;
        let kept = ground::kept_bytes(sizes.n, sizes.m, sizes.d) as f64 + held;
        let each = if held > 0.0 { 2.0 } else { d + 8.0 };
        let seconds = 200.0 * n * m * each * 0.4e-9 / run.parallelism.threads() as f64;
        Estimate { seconds, bytes: (n + m) * (16.0 * d + 200.0) + entries + kept }
    }

    fn unit(&self, _: Sizes, _: &Run<'_>) -> &'static str {
        "iterations"
    }

    fn is_told_costs(&self) -> bool {
        true
    }

    run_compiled!(Sinkhorn);
}

impl Compiled for Sinkhorn {
    fn found<T: Scalar>(&self, question: &Question<'_, T>, run: &mut Run<'_>) -> Result<Transport> {
        Ok(self.rounded(question, run)?.1)
    }
}

/// A problem whose potentials were found.
struct Scaled<'w, 'c> {
    problem: Entropic<'w, Distances<'c>>,
    /// In the units of costs.
    epsilon: f64,
    iterates: Iterates,
}

/// The problem between the points that carry mass.
fn between<'w, 'c, T: Scalar>(
    source: &Measure<T>,
    target: &Measure<T>,
    law: Law<'c>,
    workers: &'w Workers,
) -> Entropic<'w, Distances<'c>> {
    let sides = [Carriers::of(source), Carriers::of(target)];
    let ground = Distances::new(source, &sides[0].points, target, &sides[1].points, law);
    Entropic::new(ground, sides, workers)
}

/// A certified lower bound of the transport cost: potentials that respect every cost, made from the prices of the targets. 0 if patience
/// ends before.
fn lower_bound<G: Ground>(problem: &Entropic<G>, prices: &[f64], patience: &mut Patience) -> f64 {
    let Some(room) = problem.room(ground::Side::Source, prices, patience) else { return 0.0 };
    let Some(prices) = problem.room(ground::Side::Target, &room, patience) else { return 0.0 };
    let side = |k: usize, values: &[f64]| {
        let sizes: Vec<f64> = values.iter().map(|u| u.abs()).collect();
        (problem.sides[k].mean(values), problem.sides[k].mean(&sizes))
    };
    let ((source, source_size), (target, target_size)) = (side(0, &room), side(1, &prices));
    // What the sums may have lost to rounding is not ours to claim.
    let lost = 16.0 * f64::EPSILON * (source_size + target_size) + f64::MIN_POSITIVE;
    (source + target - lost).max(0.0)
}
