//! The Sinkhorn divergence.

use swgg::plan::Potentials;
use swgg::solver::{Epsilon, Sinkhorn, SmoothPlan};
use swgg::{Measure, Question, Run};

use super::{Slope, Sloped, Turn};
use crate::flow::error::Result;

/// The Sinkhorn divergence `OT(mu, nu) - OT(mu, mu) / 2 - OT(nu, nu) / 2`, whose gradient is `2 a_i (T_mu(x_i) - T_nu(x_i))` with
/// `T` the average places that the two smooth plans send `x_i` to.
pub(super) struct Smooth {
    sinkhorn: Sinkhorn,
    /// Of the particles with the target, and with themselves.
    across: Trail,
    within: Trail,
    /// Of the target with itself, which does not move.
    of_target: Option<f64>,
}

/// Iterations for a smooth plan; those that take more are nearly there.
const MAX_ITERATIONS: usize = 1000;

impl Smooth {
    pub fn new(epsilon: Epsilon) -> Self {
        Smooth {
            sinkhorn: Sinkhorn { epsilon, max_iterations: MAX_ITERATIONS, ..Default::default() },
            across: Trail::default(),
            within: Trail::default(),
            of_target: None,
        }
    }
}

impl Slope for Smooth {
    fn at(&mut self, mu: &Measure<f64>, nu: &Measure<f64>, turn: &Turn) -> Result<Sloped> {
        let across = self.across.next(&self.sinkhorn, &Question::new(mu, nu)?, &mut turn.run())?;
        // A share of a mean cost that falls with every step would make another loss of it each time.
        self.sinkhorn.epsilon = Epsilon::Absolute(across.epsilon);
        let within = self.within.next(&self.sinkhorn, &Question::new(mu, mu)?, &mut turn.run())?;
        let of_target = match self.of_target {
            Some(known) => known,
            None => self.sinkhorn.entropic(&Question::new(nu, nu)?, &mut turn.run())?.value,
        };
        self.of_target = Some(of_target);
        let loss = across.value - 0.5 * within.value - 0.5 * of_target;
        let (away, towards) = (within.barycentric_map(mu, mu)?, across.barycentric_map(mu, nu)?);
        let places = away.outer_iter().zip(towards.outer_iter()).enumerate();
        let gradient = places
            .flat_map(|(i, (own, other))| {
                let mass = 2.0 * mu.weight(i);
                own.iter().zip(&other).map(|(own, other)| mass * (own - other)).collect::<Vec<_>>()
            })
            .collect();
        Ok(Sloped { loss, gradient, is_optimal: false })
    }
}

/// Potentials of the last two steps: those of the next one lie about as far on.
#[derive(Default)]
struct Trail {
    last: Option<Potentials>,
    before: Option<Potentials>,
}

impl Trail {
    /// The smooth plan of the next step.
    fn next(
        &mut self,
        sinkhorn: &Sinkhorn,
        question: &Question<'_, f64>,
        run: &mut Run<'_>,
    ) -> swgg::Result<SmoothPlan> {
        let found = match self.guess() {
            Some(guess) => sinkhorn.entropic_from(question, &guess, run)?,
            None => sinkhorn.entropic(question, run)?,
        };
        self.before = self.last.replace(found.potentials.clone());
        Ok(found)
    }

    fn guess(&self) -> Option<Potentials> {
        let (Some(last), Some(before)) = (&self.last, &self.before) else { return self.last.clone() };
        let on = |last: &[f64], before: &[f64]| last.iter().zip(before).map(|(u, v)| 2.0 * u - v).collect();
        Some(Potentials {
            source: on(&last.source, &before.source),
            target: on(&last.target, &before.target),
        })
    }
}
