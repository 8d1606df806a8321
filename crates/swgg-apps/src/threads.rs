//! Threads that cannot be had, for errors that have words of their own for it.

use swgg::ErrorKind;

/// How many threads were asked for and what the system said, if that is what an error of the engine is about.
pub(crate) fn refused(error: &swgg::Error) -> Option<(usize, String)> {
    match error.kind() {
        ErrorKind::Threads { threads, reason } => Some((*threads, reason.clone())),
        _ => None,
    }
}
