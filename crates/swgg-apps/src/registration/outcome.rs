//! What a registration says.

use std::fmt;

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
    /// The last step moved less than the tolerance.
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

/// How sure one may be of the pose. Displays as a sentence.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Confidence {
    /// No other pose that was tried comes close.
    Clear {
        /// What the next best pose costs against the best one; `None` if there is no other one.
        ratio: Option<f64>,
    },
    /// Other poses fit as well.
    Ambiguous {
        /// How many of those that were tried.
        rivals: usize,
        /// How far the nearest rival moves points, root mean square, as a share of the size of the source.
        apart: f64,
    },
    /// Points stay far from the target.
    Doubtful {
        /// Share of the source that lies about as close to the target as target points to each other.
        close: f64,
    },
    /// The clouds are not of one shape and density, however they are turned.
    Unlike {
        /// What transport between halves of the clouds costs against that between two halves of the target.
        times: f64,
    },
    /// The start was given, or the clouds are the same, so nothing else was tried.
    Local {
        /// Share of the source that lies about as close to the target as target points to each other.
        close: f64,
    },
}

impl Confidence {
    /// One word, for records.
    pub fn name(self) -> &'static str {
        match self {
            Confidence::Clear { .. } => "clear",
            Confidence::Ambiguous { .. } => "ambiguous",
            Confidence::Doubtful { .. } | Confidence::Unlike { .. } => "doubtful",
            Confidence::Local { .. } => "local",
        }
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Confidence::Clear { ratio: Some(ratio) } if ratio < 1000.0 => {
                write!(f, "clear: the next best pose costs {ratio:.1} times as much")
            }
            Confidence::Clear { .. } => write!(f, "clear: no other pose comes near"),
            Confidence::Ambiguous { rivals: 1, .. } => {
                write!(f, "ambiguous: another pose fits as well, the shape does not tell which is right")
            }
            Confidence::Ambiguous { rivals, .. } => {
                write!(
                    f,
                    "ambiguous: {rivals} other poses fit as well, the shape does not tell which is right"
                )
            }
            Confidence::Doubtful { close } => {
                let close = 100.0 * close;
                write!(
                    f,
                    "doubtful: only {close:.0} % of the source lies on the target; it may overlap in part, or be a mirror image"
                )
            }
            Confidence::Unlike { times } => {
                write!(f, "doubtful: the clouds differ {times:.1} times as much as two halves of the target")
            }
            Confidence::Local { close } => {
                let close = 100.0 * close;
                write!(f, "local: {close:.0} % of the source lies on the target; no other start was tried")
            }
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
