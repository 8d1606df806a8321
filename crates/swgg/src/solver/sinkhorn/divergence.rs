//! The Sinkhorn divergence: entropic transport without what the smoothing itself costs.

use std::ops::ControlFlow;

use crate::error::{ErrorKind, Result};
use crate::measure::Measure;
use crate::number::scalar::{Scalar, by_precision};
use crate::question::{Ground as Law, Question, QuestionHolder};
use crate::run::Run;
use crate::run::observe::Progress;
use crate::run::workers::Workers;

use super::ground::Side;
use super::iterate::{is_loose, levels, move_by, per_level};
use super::patience::Patience;
use super::{Epsilon, Scaled, Sinkhorn, between};

/// The Sinkhorn divergence of two measures with the default settings; see [`Sinkhorn::divergence`].
///
/// ```
/// use swgg::{Measure, solver::{Epsilon, sinkhorn_divergence}};
/// let mu = Measure::from_slice(&[0.0, 1.0, 2.0], 1)?;
/// let nu = Measure::from_slice(&[3.0, 4.0, 5.0], 1)?;
/// let moved = sinkhorn_divergence(&mu, &nu, Epsilon::from_blur(0.5))?;
/// assert!((moved - 9.0).abs() < 1e-6);
/// assert!(sinkhorn_divergence(&mu, &mu, Epsilon::from_blur(0.5))? < 1e-9);
/// # Ok::<(), swgg::Error>(())
/// ```
pub fn sinkhorn_divergence<T: Scalar>(
    source: &Measure<T>,
    target: &Measure<T>,
    epsilon: Epsilon,
) -> Result<f64> {
    let sinkhorn = Sinkhorn { epsilon, ..Default::default() };
    Ok(sinkhorn.divergence(&Question::new(source, target)?, &mut Run::default())?.value)
}

/// A Sinkhorn divergence and its three terms.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Divergence {
    /// `OT(mu, nu) - OT(mu, mu) / 2 - OT(nu, nu) / 2`, never negative.
    pub value: f64,
    /// The entropic value between the measures; see [`SmoothPlan::value`](super::SmoothPlan::value).
    pub between: f64,
    /// The entropic value of the source with itself.
    pub of_source: f64,
    /// The entropic value of the target with itself.
    pub of_target: f64,
    /// Whether all three are within the tolerance.
    pub converged: bool,
    /// Iterations of all three.
    pub iterations: usize,
    /// The epsilon used, in the units of costs; the same for all three.
    pub epsilon: f64,
}

impl Sinkhorn {
    /// Entropic transport made into a divergence: zero between equal measures only, and convex in each of them.
    ///
    /// ```text
    /// S(mu, nu) = OT(mu, nu) - OT(mu, mu) / 2 - OT(nu, nu) / 2,   OT = min_P sum P_ij c_ij + epsilon KL(P | a b^T)
    /// ```
    ///
    /// A [relative](Epsilon::Relative) epsilon is of the mean cost between the two measures. For squared distances and
    /// [`Epsilon::from_blur`] this is twice GeomLoss's `SamplesLoss("sinkhorn", p=2, blur=blur)`, whose cost is half of ours.
    ///
    /// Paper: Feydy et al., "Interpolating between optimal transport and MMD using Sinkhorn divergences", whose averaged updates
    /// solve the terms of one measure with itself.
    pub fn divergence<T: Scalar>(&self, question: &Question<'_, T>, run: &mut Run<'_>) -> Result<Divergence> {
        by_precision!(
            T: QuestionHolder<'_, '_> = question,
            (solver: &Sinkhorn = self, run: &mut Run<'_> = run) -> Result<Divergence>,
            |question| solver.diverging(question, [None; 2], run)
        )
    }

    /// The same where the entropic values of either measure with itself are known from [`with_itself`](Sinkhorn::with_itself): of many measures
    /// that are compared with each other, each is then compared with itself once. Epsilon has to be an absolute one, and the same.
    ///
    /// ```
    /// use swgg::solver::{Epsilon, Sinkhorn};
    /// use swgg::{Measure, Question, Run};
    /// let mu = Measure::from_slice(&[0.0, 1.0, 2.0], 1)?;
    /// let nu = Measure::from_slice(&[3.0, 4.0, 6.0], 1)?;
    /// let sinkhorn = Sinkhorn { epsilon: Epsilon::Absolute(0.1), ..Sinkhorn::default() };
    /// let known = [sinkhorn.with_itself(&mu, &mut Run::default())?, sinkhorn.with_itself(&nu, &mut Run::default())?];
    /// let question = Question::new(&mu, &nu)?;
    /// let found = sinkhorn.divergence_knowing(&question, known, &mut Run::default())?;
    /// assert_eq!(found.value, sinkhorn.divergence(&question, &mut Run::default())?.value);
    /// # Ok::<(), swgg::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`divergence`](Sinkhorn::divergence), and a value that belongs to another epsilon.
    pub fn divergence_knowing(
        &self,
        question: &Question<'_, f64>,
        known: [WithItself; 2],
        run: &mut Run<'_>,
    ) -> Result<Divergence> {
        self.diverging(question, known.map(Some), run)
    }

    /// The entropic value of a measure with itself, at squared distances and an absolute epsilon.
    ///
    /// # Errors
    ///
    /// A relative epsilon, which is a share of a cost that is not known here, and settings that make no sense.
    pub fn with_itself(&self, measure: &Measure<f64>, run: &mut Run<'_>) -> Result<WithItself> {
        let Epsilon::Absolute(epsilon) = self.epsilon else {
            let (name, expected) = ("relative_epsilon", "give epsilon itself, in the units of costs");
            return Err(ErrorKind::BadSetting { name, value: self.epsilon.number(), expected }.into());
        };
        let question = Question::new(measure, measure)?;
        let (law, workers) = self.begin(&question, run)?;
        self.itself(measure, law, epsilon, &workers.until(run.listening().raised()))
    }

    /// [`divergence`](Sinkhorn::divergence) with its precision known.
    fn diverging<T: Scalar>(
        &self,
        question: &Question<'_, T>,
        known: [Option<WithItself>; 2],
        run: &mut Run<'_>,
    ) -> Result<Divergence> {
        question.power().map_err(|cost| crate::solver::ground::needs_power("sinkhorn_divergence", cost))?;
        let (law, workers) = self.begin(question, run)?;
        let workers = workers.until(run.listening().raised());
        let patience = &mut Patience::new(run, self.max_iterations);
        let Scaled { problem, epsilon, iterates: found } =
            self.scaled(question, None, (law, &workers), patience)?;
        let across = problem.sides[0].mean(&found.f) + problem.sides[1].mean(&found.g);
        let logs = problem.log_sums(Side::Target, &found.g, &found.f, epsilon, patience);
        let error = logs.map_or(f64::INFINITY, |logs| problem.sides[1].error(&logs));
        let [source, target] = known;
        let itself = |known: Option<WithItself>, measure: &Measure<T>| match known {
            None => self.itself(measure, law, epsilon, &workers),
            Some(known) if known.epsilon == epsilon => Ok(known),
            Some(known) => {
                let expected = "compare each measure with itself at the epsilon of the divergence";
                Err(ErrorKind::BadSetting { name: "epsilon", value: known.epsilon, expected }.into())
            }
        };
        let of_source = itself(source, question.source())?;
        let of_target = itself(target, question.target())?;
        Ok(Divergence {
            value: (across - 0.5 * of_source.value - 0.5 * of_target.value).max(0.0),
            between: across,
            of_source: of_source.value,
            of_target: of_target.value,
            converged: error <= self.tolerance && of_source.converged && of_target.converged,
            iterations: found.iterations + of_source.iterations + of_target.iterations,
            epsilon,
        })
    }

    /// The entropic value of a measure with itself, by one potential for both sides.
    fn itself<T: Scalar>(
        &self,
        measure: &Measure<T>,
        law: Law<'_>,
        epsilon: f64,
        workers: &Workers,
    ) -> Result<WithItself> {
        // An observer who has had enough still gets a value; somebody who leaves does not wait for it.
        let mut watch = |_: &Progress| {
            if workers.is_halted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let patience = &mut Patience::new(&mut watch, self.max_iterations);
        let mut problem = between(measure, measure, law, workers);
        problem.ground.keep(workers, patience);
        let (_, largest) = problem.mean_and_largest(patience)?;
        let masses = &problem.sides[0];
        let mut u = vec![0.0; masses.weights.len()];
        // Half of a full step: the mean of the potential and what it asks of the other side, which is itself.
        let mut step = |u: &mut [f64], epsilon: f64| {
            let Some(logs) = problem.log_sums(Side::Source, u, u, epsilon, patience) else {
                return f64::INFINITY;
            };
            move_by(u, &logs, epsilon, 0.5);
            masses.error(&logs)
        };
        let levels = levels(self, largest, epsilon);
        let most = per_level(self, &levels);
        let mut iterations = 0;
        for level in levels {
            for _ in 0..most {
                iterations += 1;
                if is_loose(step(&mut u, level)) || workers.is_halted() {
                    break;
                }
            }
        }
        let mut converged = false;
        while iterations < self.max_iterations && !converged && !workers.is_halted() {
            iterations += 1;
            converged = step(&mut u, epsilon) <= self.tolerance;
        }
        Ok(WithItself { value: 2.0 * masses.mean(&u), converged, iterations, epsilon })
    }
}

/// The entropic value of a measure with itself; see [`Sinkhorn::with_itself`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct WithItself {
    /// `OT(mu, mu)`, entropy included.
    pub value: f64,
    /// Whether it is within the tolerance.
    pub converged: bool,
    /// Iterations it took.
    pub iterations: usize,
    /// The epsilon used, in the units of costs.
    pub epsilon: f64,
}
