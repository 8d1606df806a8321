//! The iterations: rows and columns scaled in turn, from a large epsilon down to the one asked for.

use crate::run::stop::Stop;

use super::Sinkhorn;
use super::entropic::{Entropic, unit};
use super::gibbs::Gibbs;
use super::ground::{Ground, Side};
use super::patience::Patience;

/// The potentials so far.
pub(super) struct Iterates {
    pub f: Vec<f64>,
    pub g: Vec<f64>,
    pub iterations: usize,
    pub stop: Stop,
    /// The plan as a matrix, where it can be held.
    gibbs: Option<Gibbs>,
}

/// When the iterations at one epsilon end.
struct Goal {
    epsilon: f64,
    tolerance: f64,
    /// Iterations in all, those before included.
    iterations: usize,
}

/// At a larger epsilon than the one asked for, this error of the marginals is good enough,
const COARSE_TOLERANCE: f64 = 2e-3;
/// and so are this many iterations.
const MAX_ITERATIONS_PER_LEVEL: usize = 50;

/// Epsilons above `epsilon`, from about the largest cost down, each `scaling` times the one before.
pub(super) fn levels(settings: &Sinkhorn, largest: f64, epsilon: f64) -> Vec<f64> {
    let Some(scaling) = settings.scaling else { return Vec::new() };
    let mut levels = Vec::new();
    let mut level = epsilon / scaling;
    // Half of the iterations at least are for the epsilon that was asked for.
    while level < largest && levels.len() < settings.max_iterations / 2 {
        levels.push(level);
        level /= scaling;
    }
    levels.reverse();
    levels
}

/// Iterations that may be spent on each level.
pub(super) fn per_level(settings: &Sinkhorn, levels: &[f64]) -> usize {
    (settings.max_iterations / 2 / levels.len().max(1)).min(MAX_ITERATIONS_PER_LEVEL)
}

/// Whether an error ends a level early.
pub(super) fn is_loose(error: f64) -> bool {
    error <= COARSE_TOLERANCE
}

impl Iterates {
    /// Iterates until the marginals are met, the iterations are used up or the observer has seen enough. The marginal of the
    /// source is met in any case in which there is time for it: that is what each iteration ends with. From potentials that are nearly
    /// right there is no need for larger epsilons.
    pub fn run<G: Ground>(
        problem: &Entropic<G>,
        settings: &Sinkhorn,
        (epsilon, largest): (f64, f64),
        start: Option<[Vec<f64>; 2]>,
        patience: &mut Patience,
    ) -> Self {
        let is_warm = start.is_some();
        let cold = || [Side::Source, Side::Target].map(|side| vec![0.0; problem.ground.len(side)]);
        let [f, g] = start.unwrap_or_else(cold);
        let mut state = Iterates { f, g, iterations: 0, stop: Stop::MaxIterations, gibbs: None };
        if patience.leave_by().is_some() {
            state.stop = Stop::Interrupted;
            return state;
        }
        let levels = if is_warm { Vec::new() } else { levels(settings, largest, epsilon) };
        let most = per_level(settings, &levels);
        for level in levels {
            if state.stop == Stop::Interrupted {
                break;
            }
            let goal =
                Goal { epsilon: level, tolerance: COARSE_TOLERANCE, iterations: state.iterations + most };
            state.settle(problem, settings, &goal, patience);
        }
        let (tolerance, iterations) = (settings.tolerance, settings.max_iterations);
        state.settle(problem, settings, &Goal { epsilon, tolerance, iterations }, patience);
        state.gibbs = None;
        state
    }

    /// Iterates at one epsilon.
    fn settle<G: Ground>(
        &mut self,
        problem: &Entropic<G>,
        settings: &Sinkhorn,
        goal: &Goal,
        patience: &mut Patience,
    ) {
        let epsilon = goal.epsilon;
        self.gibbs = Gibbs::new(problem, [&self.f, &self.g], epsilon, self.gibbs.take());
        let mut relaxation = OverRelaxation::new(settings.accelerate, goal.tolerance);
        // Whether the marginal of the source is met, so that the error of the target's is all there is.
        let mut exact = false;
        while self.stop != Stop::Interrupted && self.iterations < goal.iterations {
            // Where the kernel does not reach any more an iteration in logarithms leads to where another one does.
            let held = self.gibbs.as_ref().and_then(|gibbs| gibbs.target_logs(problem, &self.g));
            let logs = held.or_else(|| problem.log_sums(Side::Target, &self.g, &self.f, epsilon, patience));
            let Some(logs) = logs else {
                self.stop = Stop::Interrupted;
                break;
            };
            let at_target = problem.sides[1].error(&logs);
            if exact && at_target <= goal.tolerance {
                self.stop = Stop::Converged;
                return;
            }
            let omega = relaxation.omega();
            let before = self.g.clone();
            move_by(&mut self.g, &logs, epsilon, omega);
            let Some(at_source) = self.adjust(problem, (epsilon, omega), patience) else {
                // Half an iteration is worse than none: sources would not know of it.
                (self.g, self.stop) = (before, Stop::Interrupted);
                break;
            };
            self.iterations += 1;
            exact = omega == 1.0;
            relaxation.learn(if exact { at_target } else { at_target + at_source });
            self.report(problem, patience);
        }
        if self.stop != Stop::Interrupted {
            self.stop = Stop::MaxIterations;
        }
        if !exact {
            self.adjust(problem, (epsilon, 1.0), patience);
        }
    }

    /// The second half of an iteration: moves the potentials of the source to where its marginal is met, `omega` times as far as that.
    /// Returns the error of that marginal before; none, and nothing is moved, if patience ends.
    fn adjust<G: Ground>(
        &mut self,
        problem: &Entropic<G>,
        (epsilon, omega): (f64, f64),
        patience: &mut Patience,
    ) -> Option<f64> {
        let (f, g) = (&mut self.f, &self.g);
        let held = self.gibbs.as_mut().and_then(|gibbs| gibbs.adjust(problem, f, g, (epsilon, omega)));
        if let Some(logs) = held {
            return Some(problem.sides[0].error(&logs));
        }
        let logs = problem.log_sums(Side::Source, &self.f, &self.g, epsilon, patience)?;
        move_by(&mut self.f, &logs, epsilon, omega);
        self.gibbs = Gibbs::new(problem, [&self.f, &self.g], epsilon, self.gibbs.take());
        Some(problem.sides[0].error(&logs))
    }

    /// Tells the observer, who may have seen enough.
    fn report<G: Ground>(&mut self, problem: &Entropic<G>, patience: &mut Patience) {
        patience.report(self.iterations, problem.sides[0].mean(&self.f) + problem.sides[1].mean(&self.g));
        if patience.leave_by().is_some() {
            self.stop = Stop::Interrupted;
        }
    }
}

/// `u_i -= omega epsilon log s_i`, where that raises the dual objective; otherwise to its maximum, with `omega = 1`.
///
/// What a step gains is `w_i epsilon (s - s^(1 - omega) - omega log s)`: always something for `omega = 1`, and for any `omega`
/// below 2 once `s` is near 1. So the objective never falls, and the iterations converge from anywhere.
pub(super) fn move_by(u: &mut [f64], logs: &[f64], epsilon: f64, omega: f64) {
    u.iter_mut().zip(logs).for_each(|(u, log)| *u = moved(*u, *log, epsilon, omega));
}

/// [`move_by`] for one potential.
pub(super) fn moved(u: f64, log: f64, epsilon: f64, omega: f64) -> f64 {
    let gain = || log.exp2() - ((1.0 - omega) * log).exp2() - omega * std::f64::consts::LN_2 * log;
    let omega = if omega == 1.0 || gain() >= 0.0 { omega } else { 1.0 };
    u - omega * unit(epsilon) * log
}

/// How far to go beyond the next marginal, learned from how fast the error falls.
///
/// Near the answer plain iterations shrink the error by a factor `theta` each, and those with `omega` behave as successive
/// over-relaxation does: by `lambda` with `(lambda + omega - 1)^2 = lambda omega^2 theta`, least at
/// `omega = 2 / (1 + sqrt(1 - theta))`. After Thibault, Chizat, Dossal, Papadakis, "Overrelaxed Sinkhorn-Knopp algorithm for
/// regularized optimal transport", and Lehmann, von Renesse, Sambale, Uschmajew, "A note on overrelaxation in the Sinkhorn
/// algorithm".
struct OverRelaxation {
    omega: f64,
    on: bool,
    /// An error below this calls for plain steps, which meet one marginal exactly and show what is left of the other.
    goal: f64,
    /// Plain steps still to take.
    plain: usize,
    /// Errors since `omega` was last chosen.
    errors: Vec<f64>,
}

/// Iterations over which the fall of the error is measured, at `omega = 1`; more when steps are long.
const MIN_ITERATIONS_PER_WINDOW: usize = 8;
/// Windows to wait before measuring: errors still remember the `omega` before.
const WINDOWS_TO_SETTLE: usize = 2;
/// The largest `omega`.
const MAX_OMEGA: f64 = 1.998;
/// Plain steps (`omega = 1`) taken to see whether the tolerance is met.
const PLAIN_TRIAL_STEPS: usize = 3;

impl OverRelaxation {
    fn new(on: bool, tolerance: f64) -> Self {
        OverRelaxation { omega: 1.0, on, goal: 0.5 * tolerance, plain: 0, errors: Vec::new() }
    }

    /// The next step.
    fn omega(&self) -> f64 {
        if self.plain > 0 { 1.0 } else { self.omega }
    }

    fn learn(&mut self, error: f64) {
        if !self.on {
            return;
        }
        if self.plain > 0 {
            self.plain -= 1;
            self.errors.clear();
            return;
        }
        // Long steps throw both marginals off by about `1 / (2 - omega)` times what a plain step would leave.
        if self.omega > 1.0 && (2.0 - self.omega) * error <= self.goal {
            // Next time, if the plain steps are not enough, closer.
            (self.plain, self.goal) = (PLAIN_TRIAL_STEPS, 0.5 * self.goal);
            return;
        }
        self.errors.push(error);
        // At first errors still remember the steps before: they fade by `omega - 1` each.
        let window = MIN_ITERATIONS_PER_WINDOW.max((1.0 / (2.0 - self.omega)) as usize);
        let fade = WINDOWS_TO_SETTLE * window;
        if self.errors.len() < fade + window {
            return;
        }
        let fall = self.errors[fade + window - 1] / self.errors[fade - 1];
        let lambda = fall.powf(1.0 / window as f64);
        self.errors.clear();
        let short = 2.0 - self.omega;
        let short = if lambda.is_nan() || lambda >= 1.0 {
            // A plateau, which says nothing; the objective rises all the same.
            short
        } else if lambda > self.omega - 1.0 {
            let theta = (lambda + self.omega - 1.0).powi(2) / (lambda * self.omega * self.omega);
            let best = 2.0 / (1.0 + (1.0 - theta.min(1.0)).sqrt());
            // Not too far at once: on a plateau the error says little.
            (2.0 - best).clamp(0.25 * short, short)
        } else {
            // As fast as steps of this length can be: perhaps shorter ones are faster.
            1.3 * short
        };
        self.omega = 2.0 - short.clamp(2.0 - MAX_OMEGA, 1.0);
    }
}
