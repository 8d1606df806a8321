//! What can go wrong with a file, with the numbers a caller needs to say where.

mod kind;

pub use kind::ErrorKind;

use std::fmt;
use std::path::{Path, PathBuf};

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// A refused file: what is wrong, and with which path.
///
/// Printed as `path: what was found, what was expected, what to do`.
pub struct Error(Box<Inner>);

struct Inner {
    path: Option<PathBuf>,
    kind: ErrorKind,
}

impl Error {
    pub(crate) fn at(path: &Path, kind: ErrorKind) -> Self {
        Self(Box::new(Inner { path: Some(path.to_owned()), kind }))
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// What went wrong, for those who add a path of their own.
    pub(crate) fn into_kind(self) -> ErrorKind {
        self.0.kind
    }

    /// The file at fault; `None` for a selection of columns that cannot be parsed.
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self(Box::new(Inner { path: None, kind }))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.path {
            Some(path) => write!(f, "{}: {}", path.display(), self.0.kind),
            None => self.0.kind.fmt(f),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error").field("path", &self.0.path).field("kind", &self.0.kind).finish()
    }
}

impl std::error::Error for Error {}

/// At most a few characters of a field, to quote in a message.
pub(crate) fn shorten(text: &str) -> String {
    const KEEP: usize = 40;
    match text.char_indices().nth(KEEP) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
