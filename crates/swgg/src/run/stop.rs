//! Why a computation ended.

use std::fmt;

/// Why a solver or a search ended: a fact about the result, not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// There was nothing to stop: the answer is a formula.
    ClosedForm,
    /// Every direction was tried.
    AllTried,
    /// All steps were taken.
    MaxIterations,
    /// There is nowhere to go: the gradient vanishes.
    Converged,
    /// Time was up; the best so far is returned.
    TimeLimit,
    /// The observer asked to stop; the best so far is returned.
    Interrupted,
}

impl Stop {
    /// A word for reports.
    pub fn name(self) -> &'static str {
        match self {
            Stop::ClosedForm => "closed-form",
            Stop::AllTried => "all-tried",
            Stop::MaxIterations => "max-iterations",
            Stop::Converged => "converged",
            Stop::TimeLimit => "time-limit",
            Stop::Interrupted => "interrupted",
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
