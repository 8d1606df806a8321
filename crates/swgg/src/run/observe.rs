//! Watching a search, and stopping it.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// How far a search has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Directions tried so far.
    pub tried: usize,
    /// Directions there are to try.
    pub total: usize,
    /// Lowest cost so far.
    pub best: f64,
}

/// Told about progress after every batch of directions; may ask to stop, and the best so far is kept.
pub trait Observe {
    /// `ControlFlow::Break(())` ends the search.
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()>;

    /// A flag that is raised when the search is to end, for long steps to look at while they run; it stays raised.
    fn flag(&self) -> Option<Arc<AtomicBool>> {
        None
    }
}

/// Nobody is watching.
impl Observe for () {
    fn progress(&mut self, _: &Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl<F: FnMut(&Progress) -> ControlFlow<()>> Observe for F {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        self(progress)
    }
}
