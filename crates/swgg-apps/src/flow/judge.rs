//! Exact distances on the way.

use swgg::exact::{Start, from_start};
use swgg::{Measure, Question, Stop, Transport};

use super::error::Result;
use super::slope::Turn;

/// Pairs of points up to which the exact distance is looked for at every step, at every tenth, at every hundredth, and at both ends.
const MAX_PAIRS: [usize; 4] = [40_000, 250_000, 6_250_000, 100_000_000];

/// Looks for the exact distance at some steps, each time from the plan of the last one.
pub(super) struct Judge {
    every: Option<usize>,
    last: Option<Transport>,
}

impl Judge {
    /// `asked`: steps between two distances, 0 for none; by the sizes if nobody asked.
    pub fn new(asked: Option<usize>, (n, m): (usize, usize)) -> Self {
        let pairs = n.saturating_mul(m);
        let usual = || MAX_PAIRS.iter().position(|most| pairs <= *most).map(|k| [1, 10, 100, usize::MAX][k]);
        Judge { every: asked.map_or_else(usual, |every| (every > 0).then_some(every)), last: None }
    }

    /// Whether to look at a step.
    pub fn is_due(&self, step: usize, is_last: bool) -> bool {
        self.every.is_some_and(|every| is_last || step.is_multiple_of(every))
    }

    /// The distance, rooted; `None` if told to stop before it was known.
    pub fn distance(&mut self, mu: &Measure<f64>, nu: &Measure<f64>, turn: &Turn) -> Result<Option<f64>> {
        let question = Question::new(mu, nu)?;
        let found = from_start(&question, Start::after(self.last.as_ref()), &mut turn.run())?;
        let is_known = !matches!(found.stop, Stop::Interrupted | Stop::TimeLimit);
        let distance = found.cost.max(0.0).sqrt();
        self.last = Some(found);
        Ok(is_known.then_some(distance))
    }
}
