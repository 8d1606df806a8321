//! Errors of colour transfer and colorization.

use crate::threads::from_engine;

/// A refusal: what was found, what was expected, what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Pixels that do not fill rows.
    #[error("found {found} pixels, which do not fill rows of {width}; give whole rows, at least one")]
    Shape {
        /// Pixels found.
        found: usize,
        /// Pixels of a row.
        width: usize,
    },
    /// A mask of another size.
    #[error("the mask has {found} pixels, the picture {expected}; give one that covers the picture")]
    MaskSize {
        /// Pixels of the mask.
        found: usize,
        /// Pixels of the picture.
        expected: usize,
    },
    /// Regions that are not those of both pictures.
    #[error(
        "found {grays} grays, {colors} colours and {labels} labels; inside regions there is one of each per pixel"
    )]
    Regions {
        /// Pixels of the gray picture.
        grays: usize,
        /// Pixels of the reference.
        colors: usize,
        /// Labels.
        labels: usize,
    },
    /// Nothing to work on.
    #[error("no pixel of the {picture} takes part: all are masked or transparent")]
    NoPixels {
        /// `source` or `reference`.
        picture: &'static str,
    },
    /// A sample that is not a number.
    #[error("pixel {pixel} (counted from 0) of the {picture} is not finite; replace it")]
    NotFinite {
        /// `source` or `reference`.
        picture: &'static str,
        /// Which pixel.
        pixel: usize,
    },
    /// A share that is none.
    #[error("{name} is {found}; give a number from 0 to 1")]
    NotAShare {
        /// What it is called.
        name: &'static str,
        /// The number found.
        found: f64,
    },
    /// A part of the colours by a method that moves all of them.
    #[error("{method} gives new colours to all pixels; for a part of them use auto or exact, on all pixels")]
    NotInPart {
        /// What it is called.
        method: &'static str,
    },
    /// A share of nothing.
    #[error("the mass is {found}; give a share above 0, at most 1")]
    NoMass {
        /// The number found.
        found: f64,
    },
    /// Pixels beyond what indices can name.
    #[error("found {found} pixels; at most {most} are supported: scale the picture down", most = u32::MAX - 1)]
    TooManyPixels {
        /// Pixels found.
        found: usize,
    },
    /// Nothing to learn from.
    #[error("0 samples say nothing about colours; ask for at least one, or for all")]
    NoSamples,
    /// Threads that could not be started.
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

/// Result of working on colours.
pub type Result<T> = std::result::Result<T, Error>;
