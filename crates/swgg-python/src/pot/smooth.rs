//! Entropic transport as potentials, at any cost.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use swgg::answer::{CostIs, Fact, counted};
use swgg::question::Sizes;
use swgg::solver::{Estimate, Method, Sinkhorn};
use swgg::{Question, Run, Scalar, Solver, Transport};

use crate::answer::Answer;
use crate::ask::{Asked, How, read_settings};
use crate::clouds::Clouds;
use crate::sinkhorn::Smoothing;

/// Sinkhorn whose plan stays smooth: nothing is rounded, and nothing of the size of the plan is made.
struct Unrounded(Sinkhorn);

impl<T: Scalar> Solver<T> for Unrounded {
    fn method(&self) -> &'static Method {
        Solver::<T>::method(&self.0)
    }

    fn validate(&self, sizes: Sizes) -> swgg::Result<()> {
        Solver::<T>::validate(&self.0, sizes)
    }

    fn estimate(&self, sizes: Sizes, run: &Run<'_>) -> Estimate {
        Solver::<T>::estimate(&self.0, sizes, run)
    }

    fn run(&self, question: &Question<'_, T>, run: &mut Run<'_>) -> swgg::Result<Transport> {
        let found = self.0.entropic(question, run)?;
        let mut answer = Transport::new("sinkhorn", found.cost, CostIs::Other);
        answer.story = format!("Sinkhorn, {}", counted(found.iterations, "iteration"));
        answer.facts = vec![
            ("epsilon", Fact::Number(found.epsilon)),
            ("value", Fact::Number(found.value)),
            ("smooth_cost", Fact::Number(found.cost)),
            ("marginal_error", Fact::Number(found.marginal_error)),
        ];
        (answer.lower_bound, answer.steps, answer.stop) =
            (Some(found.lower_bound), found.iterations, found.stop);
        (answer.exponent, answer.potentials) = (question.exponent(), Some(found.potentials));
        Ok(answer)
    }
}

/// The potentials of entropic transport at the cost that settings name, and what its smooth plan pays.
#[pyfunction]
pub fn pot_sinkhorn(
    py: Python<'_>,
    clouds: Clouds,
    smoothing: Smoothing,
    costs: &Bound<'_, PyDict>,
    how: How,
) -> PyResult<Answer> {
    let sinkhorn = smoothing.sinkhorn();
    let ground = read_settings(Solver::<f64>::method(&sinkhorn), costs)?;
    let asked = Asked { settings: ground, ..Asked::new(Unrounded(sinkhorn)) };
    asked.answer(py, clouds.called(["X_a", "X_b"]), how)
}
