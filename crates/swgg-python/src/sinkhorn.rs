//! Entropic transport and its divergence.

use pyo3::prelude::*;
use swgg::answer::Fact;
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
        let mut asked = Asked::new(Smooth(self.sinkhorn()));
        asked.settings.set(&POWER, Value::Number(self.p)).map_err(Failure::from)?;
        Ok(asked)
    }
}

/// Sinkhorn for any power of the distance, which also says what its plan pays before it is rounded.
struct Smooth(Sinkhorn);

impl<T: Scalar> Solver<T> for Smooth {
    fn method(&self) -> &'static Method {
        Solver::<T>::method(&self.0)
    }

    fn validate(&self, sizes: Sizes) -> swgg::Result<()> {
        Solver::<T>::validate(&self.0, sizes)
    }

    fn estimate(&self, sizes: Sizes, run: &Run<'_>) -> Estimate {
        Solver::<T>::estimate(&self.0, sizes, run)
    }

    fn is_told_costs(&self) -> bool {
        Solver::<T>::is_told_costs(&self.0)
    }

    fn run(&self, question: &Question<'_, T>, run: &mut Run<'_>) -> swgg::Result<Transport> {
        let (smooth_cost, mut found) = self.0.rounded(question, run)?;
        found.facts.push(("smooth_cost", Fact::Number(smooth_cost)));
        Ok(found)
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
            Ok(asked.solver.0.divergence(&question, &mut run)?)
        })
    })?;
    let (value, between) = (found.value, found.between);
    Ok((value, between, found.of_source, found.of_target, found.epsilon, found.converged, found.iterations))
}
