//! Threads that cannot be had, for errors that have words of their own for it.

use swgg::ErrorKind;

/// How many threads were asked for and what the system said, if that is what an error of the engine is about.
pub(crate) fn refused(error: &swgg::Error) -> Option<(usize, String)> {
    match error.kind() {
        ErrorKind::Threads { threads, reason } => Some((*threads, reason.clone())),
        _ => None,
    }
}

/// Makes errors of the engine those of an application: `Transport`, but for threads that cannot be had.
macro_rules! from_engine {
    ($error:ident, |$threads:pat_param, $reason:ident| $refusal:expr) => {
        impl From<swgg::Error> for $error {
            fn from(error: swgg::Error) -> Self {
                let refusal = crate::threads::refused(&error).map(|($threads, $reason)| $refusal);
                refusal.unwrap_or($error::Transport(error))
            }
        }
    };
}
pub(crate) use from_engine;
