//! What a flow refuses.

use crate::threads::from_engine;

/// A refusal: what was found, what was expected, what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No step allowed.
    #[error("found 0 steps; give at least 1")]
    NoSteps,
    /// More steps than their story can be held.
    #[error("found {found} steps; give at most {most}")]
    TooManySteps {
        /// Steps found.
        found: usize,
        /// Steps allowed.
        most: usize,
    },
    /// A rate that leads nowhere.
    #[error("found a rate of {found}; give a finite number above 0")]
    BadRate {
        /// The rate found.
        found: f64,
    },
    /// Clouds to keep every so many steps.
    #[error("found 0 steps between clouds; give at least 1")]
    NeverKept,
    /// A loss that nobody knows.
    #[error("there is no loss {found:?}; give one of {}", known.join(", "))]
    UnknownLoss {
        /// The name found.
        found: String,
        /// Names there are.
        known: Vec<&'static str>,
    },
    /// An optimizer that nobody knows.
    #[error("there is no optimizer {found:?}; give one of {}", known.join(", "))]
    UnknownOptimizer {
        /// The name found.
        found: String,
        /// Names there are.
        known: Vec<&'static str>,
    },
    /// Steps so long that particles leave all bounds.
    #[error("the particles left all bounds at step {step} with a rate of {rate}; give a smaller one")]
    Diverged {
        /// The step, counted from 1.
        step: usize,
        /// The rate.
        rate: f64,
    },
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

/// Result of a flow.
pub type Result<T> = std::result::Result<T, Error>;
