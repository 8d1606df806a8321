//! What a registration refuses.

/// A refusal: what was found, what was expected, what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Too little to fix a motion.
    #[error("the {cloud} has {found} points in dimension {dim}; a motion needs at least {expected}")]
    TooFewPoints {
        /// `source` or `target`.
        cloud: &'static str,
        /// Points found.
        found: usize,
        /// Coordinates.
        dim: usize,
        /// Points needed.
        expected: usize,
    },
    /// All points in one place.
    #[error("all points of the {cloud} are in one place; any rotation is as good as any other")]
    OnePlace {
        /// `source` or `target`.
        cloud: &'static str,
    },
    /// A share that is none.
    #[error("found an overlap of {found}; give a share above 0 and at most 1")]
    BadOverlap {
        /// The share found.
        found: f64,
    },
    /// A matrix that is no motion.
    #[error("the start cannot be used: {reason}; give a homogeneous matrix of a motion")]
    BadMatrix {
        /// What is wrong with it.
        reason: String,
    },
    /// Nothing to fit.
    #[error("no motion could be fitted to the matches; the clouds may be degenerate")]
    NoFit,
    /// From the engine.
    #[error(transparent)]
    Transport(#[from] swgg::Error),
}

/// Result of a registration.
pub type Result<T> = std::result::Result<T, Error>;
