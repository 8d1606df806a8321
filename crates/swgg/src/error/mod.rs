//! One error type for the whole crate: what was found, what was expected, what to do.

mod kind;

pub use kind::ErrorKind;

use std::fmt;

/// Coordinates beyond this are refused: sums of their squared distances could overflow.
pub(crate) const LARGEST_COORDINATE: f64 = 1e150;

/// Result of everything in this crate that looks at a caller's data.
pub type Result<T> = std::result::Result<T, Error>;

/// A refusal, with a [kind](Error::kind) that callers can match on.
pub struct Error(Box<ErrorKind>);

impl Error {
    /// What was wrong, with its numbers.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Error(Box::new(kind))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl std::error::Error for Error {}
