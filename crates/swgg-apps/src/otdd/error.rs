//! Errors of the distance between data sets.

use crate::threads::from_engine;

/// A refusal: what was found, what was expected, what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Labels of other points.
    #[error("found {found} labels for {expected} points; give one for each")]
    LabelCount {
        /// Labels found.
        found: usize,
        /// Points there are.
        expected: usize,
    },
    /// Nothing to compare.
    #[error("found {found} data set{}; a distance is between at least 2", if *found == 1 { "" } else { "s" })]
    FewSets {
        /// Data sets found.
        found: usize,
    },
    /// Points of different spaces.
    #[error(
        "data set {set} (counted from 0) has points of dimension {found}, data set 0 of {expected}; bring images to one size, and other points to the same columns"
    )]
    Dimensions {
        /// Which data set.
        set: usize,
        /// The dimension of its points.
        found: usize,
        /// That of the first one.
        expected: usize,
    },
    /// A power of the cost that is none of the two.
    #[error("found a power of {found}; give 1, the root of squared distances, or 2, the sum itself")]
    BadPower {
        /// The power found.
        found: f64,
    },
    /// A sample of nothing.
    #[error("found 0 samples; ask for at least 1")]
    NoSamples,
    /// A distance between labels that nobody knows.
    #[error("there is no distance between labels {found:?}; give one of {}", known.join(", "))]
    UnknownLabelDistance {
        /// The name found.
        found: String,
        /// Names there are.
        known: Vec<&'static str>,
    },
    /// A method that knows squared distances only, or has no plan.
    #[error("method {found:?} takes no costs between labelled points; use one of {}", known.join(", "))]
    OtherMethod {
        /// The name found.
        found: String,
        /// Names there are.
        known: Vec<&'static str>,
    },
    /// A weight of the entropy that is none.
    #[error("found an epsilon of {found}; give a finite number above 0")]
    BadEpsilon {
        /// The weight found.
        found: f64,
    },
    /// Images without pixels.
    #[error(
        "found images of {height} x {width} pixels; give at least 1 x 1, and at most {most} pixels in all"
    )]
    BadSize {
        /// Rows of pixels.
        height: usize,
        /// Pixels of a row.
        width: usize,
        /// Most pixels of an image.
        most: usize,
    },
    /// Rows that are no images of that size.
    #[error("found rows of {found} numbers for images of {height} x {width} pixels; give {} each", height * width)]
    NotImages {
        /// Numbers of a row.
        found: usize,
        /// Rows of pixels.
        height: usize,
        /// Pixels of a row.
        width: usize,
    },
    /// Told to stop before there was anything to say.
    #[error("stopped before there was a distance")]
    Stopped,
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

/// Result of comparing data sets.
pub type Result<T> = std::result::Result<T, Error>;
