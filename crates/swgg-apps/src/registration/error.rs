//! What a registration refuses.

use crate::threads::from_engine;

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
    #[error(
        "all points of the {cloud} are in one place; any rotation is as good as any other, so there is none to find"
    )]
    OnePlace {
        /// `source` or `target`.
        cloud: &'static str,
    },
    /// A share that is none.
    #[error("found an overlap of {found}; give a share above 0 and at most 1, or auto")]
    BadOverlap {
        /// The share found.
        found: f64,
    },
    /// A share of next to nothing.
    #[error(
        "an overlap of {found} leaves {left} of the {points} points that take part, and a motion needs at least {expected}; give a larger share"
    )]
    FewLeft {
        /// The share found.
        found: f64,
        /// Points it leaves.
        left: usize,
        /// Points that it is a share of: those of the smaller cloud, thinned.
        points: usize,
        /// Points needed.
        expected: usize,
    },
    /// A plan moves everything, so it cannot leave points out.
    #[error(
        "this plan moves everything, so the overlap must be 1; for another one match with auto or nearest, or with exact and the overlap as a share"
    )]
    WholeOnly,
    /// A part may be of any size.
    #[error("the scale and the overlap cannot both be found; give the overlap as a share, or fix the scale")]
    ScaleAndOverlap,
    /// A tolerance that is none.
    #[error("found a tolerance of {found}; give a share of the size of the cloud, 0 or a little more")]
    BadTolerance {
        /// The tolerance found.
        found: f64,
    },
    /// No step allowed.
    #[error("found 0 steps; give at least 1")]
    NoSteps,
    /// A matrix that is no motion.
    #[error(
        "the matrix is no motion: {reason}; give a homogeneous matrix of a rotation, perhaps with a scale, and a translation"
    )]
    BadMatrix {
        /// What is wrong with it.
        reason: String,
    },
    /// A start of another dimension.
    #[error("the start moves points of dimension {found} and the clouds have dimension {expected}; give a square matrix of {} rows", expected + 1)]
    StartDimension {
        /// Dimension of the start.
        found: usize,
        /// Dimension of the clouds.
        expected: usize,
    },
    /// A start that is not allowed.
    #[error("the start turns left into right; allow that with the orthogonal group, or begin elsewhere")]
    Reflected,
    /// A start that is not allowed.
    #[error("the start scales by {found}; allow that with similarities, or begin elsewhere")]
    Scaled {
        /// The scale found.
        found: f64,
    },
    /// Rows that do not belong together.
    #[error("found {reason}{}; give as many of each, of one dimension", weights.map_or(String::new(), |w| format!(", {w} weights")))]
    Shapes {
        /// What was found.
        reason: String,
        /// Weights found, if there were any.
        weights: Option<usize>,
    },
    /// Nothing to fit.
    #[error("no motion could be fitted to the matches; the clouds may be degenerate")]
    NoFit,
    /// Threads that cannot be had.
    #[error("{found} threads cannot be started ({reason}); ask for fewer")]
    Threads {
        /// Threads asked for.
        found: usize,
        /// What the system says.
        reason: String,
    },
    /// From the engine.
    #[error(transparent)]
    Transport(swgg::Error),
}

from_engine!(Error, |found, reason| Error::Threads { found, reason });

/// Result of a registration.
pub type Result<T> = std::result::Result<T, Error>;
