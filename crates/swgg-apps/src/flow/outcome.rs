//! What a flow leaves behind.

use swgg::Stop;
use swgg::ndarray::Array2;

/// The particles at the end, and how they got there.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Flow {
    /// Where the particles are, in the order of the source.
    pub points: Array2<f64>,
    /// What was measured before each step, and after the last one: one more than there were steps, unless it was stopped.
    pub story: Vec<Step>,
    /// The particles that were to be kept, from the first.
    pub snapshots: Vec<Snapshot>,
    /// Steps taken.
    pub steps: usize,
    /// How directions were looked for, where the loss has a search.
    pub search: Option<&'static str>,
    /// [`Stop::MaxIterations`] after the last step, [`Stop::Converged`] where the gradient vanished, [`Stop::Interrupted`] if told to.
    pub stop: Stop,
    /// Time in steps, and in exact distances beside them.
    pub seconds: [f64; 2],
}

/// What was measured at one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Steps taken before.
    pub step: usize,
    /// The loss, not rooted.
    pub loss: f64,
    /// The exact Wasserstein distance to the target, rooted, where it was looked for.
    pub w2: Option<f64>,
}

/// Particles that were kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Steps taken before.
    pub step: usize,
    /// Where the particles were.
    pub points: Array2<f64>,
}

impl Flow {
    /// The last exact distance that was measured.
    pub fn w2(&self) -> Option<f64> {
        self.story.iter().rev().find_map(|step| step.w2)
    }
}
