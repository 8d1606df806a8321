//! How long the passes over all pairs may take: as long as nobody wants to leave.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::run::observe::{Observe, Progress};

/// What may still be spent on an answer once the observer has asked to stop.
const TIME_TO_LEAVE: Duration = Duration::from_millis(300);

/// The observer, who is asked within passes, not only after them: at a hundred thousand points a pass takes seconds.
///
/// Once it has asked to stop, what is left to do has [`TIME_TO_LEAVE`] in all; a pass that takes longer is given up.
pub(super) struct Patience<'a> {
    watch: &'a mut dyn Observe,
    /// What was reported last.
    progress: Progress,
    leave_by: Option<Instant>,
}

impl<'a> Patience<'a> {
    pub fn new(watch: &'a mut dyn Observe, total: usize) -> Self {
        let progress = Progress { tried: 0, total, best: f64::NEG_INFINITY };
        Patience { watch, progress, leave_by: None }
    }

    /// With somebody who has asked to stop already.
    pub fn leaving(watch: &'a mut dyn Observe, leave_by: Option<Instant>) -> Self {
        Patience { leave_by, ..Patience::new(watch, 0) }
    }

    /// By when to be done, once somebody wants to leave.
    pub fn leave_by(&self) -> Option<Instant> {
        self.leave_by
    }

    /// Tells the observer how many iterations are done, and the dual value so far.
    pub fn report(&mut self, tried: usize, best: f64) {
        self.progress = Progress { tried, best, ..self.progress };
        let _ = self.ask();
    }

    /// Whether to go on.
    pub fn ask(&mut self) -> ControlFlow<()> {
        let Some(leave_by) = self.leave_by else {
            let answer = self.watch.progress(&self.progress);
            if answer.is_break() {
                self.leave_by = Some(Instant::now() + TIME_TO_LEAVE);
            }
            return answer;
        };
        if Instant::now() < leave_by { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
