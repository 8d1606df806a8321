//! Exit codes, and the failures behind the last of them.

use std::fmt;

/// Done as asked.
pub const DONE: u8 = 0;
/// Done, but not as required: the search was stopped early.
pub const SHORT: u8 = 1;
/// Failed: nothing was written.
pub const FAILED: u8 = 2;

/// Why a command failed, as one finished sentence.
#[derive(Debug)]
pub struct Failure(String);

/// What commands return.
pub type Outcome<T> = Result<T, Failure>;

impl Failure {
    pub fn new(message: impl Into<String>) -> Self {
        Failure(message.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<swgg::Error> for Failure {
    fn from(error: swgg::Error) -> Self {
        let hint = match error.kind() {
            swgg::ErrorKind::DimensionMismatch { .. } => " (--columns picks some)",
            swgg::ErrorKind::NoDirections => " with --directions",
            _ => "",
        };
        Failure(format!("{error}{hint}"))
    }
}

impl From<swgg_io::Error> for Failure {
    fn from(error: swgg_io::Error) -> Self {
        Failure(error.to_string())
    }
}
