//! What plans pay at the cost that is asked for.

use crate::error::Result;
use crate::number::scalar::Scalar;
use crate::plan::coupling::Coupling;
use crate::question::{Ground, Question};

/// What a plan costs.
pub(crate) fn paid<T: Scalar>(question: &Question<'_, T>, plan: &Coupling) -> Result<f64> {
    if let Ground::Distance(power) = question.ground() {
        return plan.cost(question.source(), question.target(), &power);
    }
    Ok(question.pays().total(plan))
}
