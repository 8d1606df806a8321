//! Entropic transport and its divergence.

use pyo3::prelude::*;
use swgg::answer::{CostIs, Fact, counted};
use swgg::question::Sizes;
use swgg::setting::Value;
use swgg::solver::settings::POWER;
use swgg::solver::{Epsilon, Estimate, Method, Sinkhorn};
use swgg::{Question, Run, Scalar, Solver, Transport};

use crate::answer::Answer;
use crate::ask::{Asked, How};
use crate::clouds::{Clouds, with_measures};
use crate::errors::Failure;
use crate::run::{Task, run};

/// What the iterations are told.
#[derive(Clone, Copy, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Smoothing {
    epsilon: Option<f64>,
    relative_epsilon: Option<f64>,
    p: f64,
    max_iter: usize,
    tolerance: f64,
    scaling: Option<f64>,
    accelerate: bool,
    tau_a: f64,
    tau_b: f64,
}

impl Smoothing {
    /// The iterations, for any cost.
    pub fn sinkhorn(&self) -> Sinkhorn {
        let epsilon = match (self.epsilon, self.relative_epsilon) {
            (Some(epsilon), _) => Epsilon::Absolute(epsilon),
            (None, Some(share)) => Epsilon::Relative(share),
            (None, None) => Sinkhorn::default().epsilon,
        };
        let Smoothing { max_iter, tolerance, scaling, accelerate, .. } = *self;
        let tau = [self.tau_a, self.tau_b];
        Sinkhorn { epsilon, max_iterations: max_iter, tolerance, scaling, accelerate, tau }
    }

    fn asked(&self) -> PyResult<Asked<Smooth>> {
        let mut asked = Asked::new(Smooth { sinkhorn: self.sinkhorn(), is_rounded: true });
        asked.settings.set(&POWER, Value::Number(self.p)).map_err(Failure::from)?;
        Ok(asked)
    }
}

/// Sinkhorn, which also says what its plan pays before it is rounded; or is not rounded at all, and nothing of the size of the plan is made.
pub(crate) struct Smooth {
    pub sinkhorn: Sinkhorn,
    pub is_rounded: bool,
}

impl<T: Scalar> Solver<T> for Smooth {
    fn method(&self) -> &'static Method {
        Solver::<T>::method(&self.sinkhorn)
    }

    fn validate(&self, sizes: Sizes) -> swgg::Result<()> {
        Solver::<T>::validate(&self.sinkhorn, sizes)
    }

    fn estimate(&self, sizes: Sizes, run: &Run<'_>) -> Estimate {
        Solver::<T>::estimate(&self.sinkhorn, sizes, run)
    }

    fn is_told_costs(&self) -> bool {
        Solver::<T>::is_told_costs(&self.sinkhorn)
    }

    fn run(&self, question: &Question<'_, T>, run: &mut Run<'_>) -> swgg::Result<Transport> {
        if self.is_rounded {
            let (smooth_cost, mut found) = self.sinkhorn.rounded(question, run)?;
            found.facts.push(("smooth_cost", Fact::Number(smooth_cost)));
            return Ok(found);
        }
        let found = self.sinkhorn.entropic(question, run)?;
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

/// Entropic transport as potentials, and its plan, rounded to exact marginals, if that is not too large.
#[pyfunction]
pub fn sinkhorn(py: Python<'_>, clouds: Clouds, smoothing: Smoothing, how: How) -> PyResult<Answer> {
    smoothing.asked()?.answer(py, clouds, how)
}

/// The Sinkhorn divergence: `(value, between, of_source, of_target, epsilon, converged, iterations)`.
#[pyfunction]
pub fn sinkhorn_divergence(
    py: Python<'_>,
    clouds: Clouds,
    smoothing: Smoothing,
    threads: Option<usize>,
) -> PyResult<(f64, f64, f64, f64, f64, bool, usize)> {
    let (asked, power) = (smoothing.asked()?, smoothing.p);
    let work = asked.work(&clouds);
    let found = run(py, Task { threads, callback: None, work }, move |_, parallelism| {
        let mut run = Run { parallelism, ..Run::default() };
        with_measures!(clouds, |mu, nu| {
            let question = Question::new(&mu, &nu)?.with_power(power)?;
            Ok(asked.solver.sinkhorn.divergence(&question, &mut run)?)
        })
    })?;
    let (value, between) = (found.value, found.between);
    Ok((value, between, found.of_source, found.of_target, found.epsilon, found.converged, found.iterations))
}
