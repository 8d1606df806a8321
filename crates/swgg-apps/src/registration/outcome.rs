//! What a registration says.

use super::confidence::Confidence;
use super::motion::Motion;

/// How the points of a step were matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// By a transport plan.
    Transport,
    /// To nearest neighbours.
    Nearest,
    /// To the planes through nearest neighbours.
    Planes,
}

impl Stage {
    /// A word for reports.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Transport => "transport",
            Stage::Nearest => "nearest",
            Stage::Planes => "planes",
        }
    }
}

/// One step: a matching and the motion fitted to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// How points were matched.
    pub stage: Stage,
    /// The pose after the step, from the frame of the source to that of the target.
    pub motion: Motion,
    /// Points that took part.
    pub points: usize,
    /// Mean squared distance of the matches before the fit.
    pub cost: f64,
    /// How far the step moved points, root mean square, as a share of the size of the source.
    pub change: f64,
}

/// Why a registration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// The last step moved less than the tolerance, or whoever matched points had settled.
    Converged,
    /// There were no more steps.
    Steps,
    /// Somebody asked to stop.
    Interrupted,
}

impl Stop {
    /// One word, for records.
    pub fn name(self) -> &'static str {
        match self {
            Stop::Converged => "converged",
            Stop::Steps => "steps",
            Stop::Interrupted => "interrupted",
        }
    }
}

/// Where the time went, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seconds {
    /// Finding a pose to begin with.
    pub start: f64,
    /// Matching and fitting in turn from there.
    pub iterate: f64,
}

/// A motion that brings the source onto the target.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Registration {
    /// From the frame of the source to that of the target.
    pub motion: Motion,
    /// Share of the source that was matched: 1 unless another one was asked for.
    pub overlap: f64,
    /// Mean squared distance of the final matches, never rooted.
    pub cost: f64,
    /// Root of `cost`.
    pub rms: f64,
    /// Every step from the pose that was chosen.
    pub steps: Vec<Step>,
    /// Why it ended.
    pub stop: Stop,
    /// How sure one may be.
    pub confidence: Confidence,
    /// Where the time went.
    pub seconds: Seconds,
}
