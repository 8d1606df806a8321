//! Errors of a barycenter.

use crate::threads::from_engine;

/// A refusal: what was found, what was expected, what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing to be in the middle of.
    #[error("found {found} cloud{}; a barycenter is between at least 2", if *found == 1 { "" } else { "s" })]
    FewClouds {
        /// Clouds found.
        found: usize,
    },
    /// Clouds of different spaces.
    #[error(
        "cloud {cloud} (counted from 0) has dimension {found}, cloud 0 has {expected}; all must live in the same space"
    )]
    Dimensions {
        /// Which cloud.
        cloud: usize,
        /// Its dimension.
        found: usize,
        /// That of the first one.
        expected: usize,
    },
    /// Weights of other clouds.
    #[error("found {found} weights for {expected} clouds; give one for each")]
    WeightCount {
        /// Weights found.
        found: usize,
        /// Clouds there are.
        expected: usize,
    },
    /// A weight that is none.
    #[error("weight {cloud} (counted from 0) is {value}; weights are finite and not negative")]
    BadWeight {
        /// Which cloud.
        cloud: usize,
        /// Its weight.
        value: f64,
    },
    /// Weights that say nothing.
    #[error("all {found} weights are zero; give at least one cloud a weight above 0")]
    NoWeight {
        /// Weights found.
        found: usize,
    },
    /// A barycenter of nothing.
    #[error("found 0 points; ask for at least 1")]
    NoPoints,
    /// More than can be held.
    #[error("{found} points in dimension {dim} do not fit in memory; ask for fewer")]
    TooManyPoints {
        /// Points asked for.
        found: usize,
        /// Their coordinates.
        dim: usize,
    },
    /// Two answers to one question.
    #[error("found a start of {start} points and {points} points asked for; leave one of them out")]
    StartAndPoints {
        /// Points of the start.
        start: usize,
        /// Points asked for.
        points: usize,
    },
    /// A start elsewhere.
    #[error("the start has dimension {found} and the clouds have {expected}; they must agree")]
    StartDimension {
        /// Dimension of the start.
        found: usize,
        /// Dimension of the clouds.
        expected: usize,
    },
    /// No step allowed.
    #[error("found 0 steps; give at least 1")]
    NoSteps,
    /// A tolerance that is none.
    #[error("found a tolerance of {found}; give a number, 0 or more")]
    BadTolerance {
        /// The tolerance found.
        found: f64,
    },
    /// Nothing to follow.
    #[error("method {method} has no plan between the points to follow; use auto, or another one that has")]
    NoPlan {
        /// The method.
        method: &'static str,
    },
    /// Costs for which the mean is not the best place.
    #[error(
        "{setting} changes the cost, and the mean is the best place for squared distances only; leave it out"
    )]
    OtherCost {
        /// The setting that was given.
        setting: &'static str,
    },
    /// Threads that cannot be had.
    #[error("could not start {threads} threads ({reason}); ask for fewer")]
    Threads {
        /// Threads asked for.
        threads: usize,
        /// The system's words.
        reason: String,
    },
    /// From the engine.
    #[error(transparent)]
    Transport(swgg::Error),
}

from_engine!(Error, |threads, reason| Error::Threads { threads, reason });

/// Result of looking for a barycenter.
pub type Result<T> = std::result::Result<T, Error>;
