//! From the smooth plan to the common answer: its plan is rounded to exact marginals.

use crate::answer::{CostIs, Fact, Remark, Transport, counted};
use crate::error::{ErrorKind, Result};
use crate::number::scalar::Scalar;
use crate::question::Question;
use crate::run::Run;
use crate::run::stop::Stop;
use crate::run::workers::Workers;

use super::entropic::Entropic;
use super::ground::Distances;
use super::patience::Patience;
use super::{Sinkhorn, SmoothPlan, between};

impl Sinkhorn {
    /// The answer that the smooth plan makes, for any power of the distance: the cost is that of the rounded plan, which has the
    /// marginals it should have. A plan that is too large to hold is left out, and its map takes its place. The observer of the run may
    /// stop it: then points are joined in the order of their widest coordinate.
    pub fn transport<T: Scalar>(
        found: SmoothPlan,
        question: &Question<'_, T>,
        run: &mut Run<'_>,
    ) -> Result<Transport> {
        let workers = Workers::new(found.parallelism())?;
        let problem = between(question.source(), question.target(), question.ground(), &workers);
        Self::answered(found, &problem, question, run)
    }

    /// The same, with costs that are still at hand.
    pub(super) fn answered<T: Scalar>(
        found: SmoothPlan,
        problem: &Entropic<Distances<'_>>,
        question: &Question<'_, T>,
        run: &mut Run<'_>,
    ) -> Result<Transport> {
        let (source, target) = (question.source(), question.target());
        let patience = &mut Patience::leaving(run, found.leave_by());
        let (plan, is_smooth) = match found.plan_of(problem, source, target, patience) {
            Ok((plan, is_smooth)) => (Some(plan), is_smooth),
            Err(error) if matches!(error.kind(), ErrorKind::PlanTooLarge { .. }) => (None, true),
            Err(error) => return Err(error),
        };
        let stop = if patience.leave_by().is_some() { Stop::Interrupted } else { found.stop };
        let (cost, cost_is) = match &plan {
            Some(plan) => match problem.kept_cost(plan, source.len(), target.len()) {
                Some(cost) => (cost, CostIs::Upper),
                None => (question.pays().total(plan), CostIs::Upper),
            },
            // Its marginals are off by a little, and so may the cost be.
            None => (found.cost, CostIs::Other),
        };
        let image = match plan {
            Some(_) => None,
            None => Some(found.barycentric_map(source, target)?),
        };
        let (epsilon, iterations, error) = (found.epsilon, found.iterations, found.marginal_error);
        let done = if found.converged { "converged" } else { "not converged" };
        let marginals = match is_smooth {
            true => format!("marginals met to {error:.1e}, then rounded"),
            false => "stopped before its plan was made: points are joined by their widest coordinate".into(),
        };
        let mut facts = vec![
            ("epsilon", Fact::Number(epsilon)),
            ("value", Fact::Number(found.value)),
            ("converged", Fact::Flag(found.converged)),
            ("iterations", Fact::Count(iterations)),
        ];
        facts.extend((!error.is_nan()).then_some(("marginal_error", Fact::Number(error))));
        let story = format!("Sinkhorn, {}, {done}", counted(iterations, "iteration"));
        Ok(Transport {
            lower_bound: Some(found.lower_bound.min(cost)),
            coupling: plan,
            image,
            potentials: Some(found.potentials),
            facts,
            remarks: vec![
                Remark::number("epsilon", epsilon, "weight of the entropy, in units of the cost"),
                Remark::new("method", story.clone()),
                Remark::new("", marginals),
            ],
            story,
            steps: iterations,
            stop,
            exponent: question.exponent(),
            ..Transport::new("sinkhorn", cost, cost_is)
        })
    }
}
