//! How sure one may be of a pose: what is said. The judge finds out what is true.

mod judge;

pub(super) use judge::Judge;

use std::fmt;

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
    /// Nothing that was tried fits.
    NotFound {
        /// Share of the source that agrees with the target at the best pose.
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
            Confidence::NotFound { .. } => "not-found",
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
            Confidence::NotFound { close } => {
                let close = 100.0 * close;
                write!(
                    f,
                    "not found: at the best pose that was tried only {close:.0} % of the source agrees with the target"
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
