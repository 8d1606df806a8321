//! Solvers compiled once for each precision, in this crate: a generic function is otherwise compiled anew in every crate that calls it.

use crate::answer::Transport;
use crate::error::Result;
use crate::number::scalar::Scalar;
use crate::question::Question;
use crate::run::Run;

/// What a method of this crate does in [`Solver::run`](super::Solver::run).
pub(super) trait Compiled {
    /// Solves; only bounds that come with the answer.
    fn found<T: Scalar>(&self, question: &Question<'_, T>, run: &mut Run<'_>) -> Result<Transport>;
}

/// The method `run` of a [`Solver`](super::Solver) that is [`Compiled`].
macro_rules! run_compiled {
    ($(#[$doc:meta])* $solver:ty) => {
        $(#[$doc])*
        fn run(&self, question: &Question<'_, T>, run: &mut Run<'_>) -> Result<Transport> {
            $crate::number::scalar::by_precision!(
                T: $crate::question::QuestionHolder<'_, '_> = question,
                (solver: &$solver = self, run: &mut Run<'_> = run) -> Result<Transport>,
                |question| $crate::solver::compiled::Compiled::found(solver, question, run)
            )
        }
    };
}

pub(super) use run_compiled;
