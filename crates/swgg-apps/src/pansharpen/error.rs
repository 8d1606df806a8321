//! What pan-sharpening refuses.

use crate::threads::from_engine;

/// A refusal: what was found, what was expected, what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Sizes that are no multiple of each other.
    #[error(
        "PAN has {} x {} pixels and MS {} x {}; PAN should be as large as MS or a whole number of times larger, the same \
         in both directions: cut both to the same scene", .pan.1, .pan.0, .ms.1, .ms.0
    )]
    Sizes {
        /// Rows and columns of PAN.
        pan: (usize, usize),
        /// Rows and columns of MS.
        ms: (usize, usize),
    },
    /// A ratio that contradicts the sizes.
    #[error("a ratio of {given} was given, but PAN is {found} times as large as MS; leave the ratio out")]
    RatioDiffers {
        /// The ratio given.
        given: usize,
        /// The ratio of the sizes.
        found: usize,
    },
    /// A ratio that is none, or more than any pair of sensors has.
    #[error("found a ratio of {found} between the resolutions of PAN and MS; 2 to 16 can be sharpened")]
    BadRatio {
        /// The ratio given or found.
        found: usize,
    },
    /// An MS as sharp as PAN.
    #[error(
        "MS is as large as PAN and does not look enlarged, so that the ratio of their resolutions cannot be found; give it"
    )]
    NoRatio,
    /// Nothing to work with.
    #[error(
        "there is no pixel that was measured in both PAN and MS; check the value that stands for missing ones"
    )]
    NothingMeasured,
    /// No bands or pixels.
    #[error("MS has {bands} bands of {columns} x {rows} pixels; there should be at least one of each")]
    Empty {
        /// Bands found.
        bands: usize,
        /// Rows found.
        rows: usize,
        /// Columns found.
        columns: usize,
    },
    /// No superpixels.
    #[error("found 0 markers; a scene needs at least 1")]
    NoMarkers,
    /// A compactness that orders nothing.
    #[error("found a compactness of {found}; give a number from 0 on")]
    BadCompactness {
        /// The number found.
        found: f64,
    },
    /// Too small to be judged.
    #[error(
        "MS has {columns} x {rows} pixels of its own; to judge at a ratio of {ratio} there should be at least {least} in \
         each direction"
    )]
    TooSmallToJudge {
        /// Rows of MS at its own resolution.
        rows: usize,
        /// Columns of MS at its own resolution.
        columns: usize,
        /// The ratio.
        ratio: usize,
        /// Fewest pixels.
        least: usize,
    },
    /// No threads.
    #[error("the threads could not be started: {reason}")]
    Threads {
        /// What the system says.
        reason: String,
    },
    /// From the engine.
    #[error(transparent)]
    Transport(swgg::Error),
}

from_engine!(Error, |_, reason| Error::Threads { reason });

/// Result of pan-sharpening.
pub type Result<T> = std::result::Result<T, Error>;
