//! What plans pay at the cost that is asked for.

use crate::cost::Cost;
use crate::error::Result;
use crate::number::scalar::Scalar;
use crate::plan::coupling::Coupling;
use crate::question::{Ground, Question};

/// What a plan costs.
pub(crate) fn paid<T: Scalar>(question: &Question<'_, T>, plan: &Coupling) -> Result<f64> {
    if let Ground::Distance(power) = question.ground() {
        return plan.cost(question.source(), question.target(), &power);
    }
    let costs = pair_costs(question, plan.entries().map(|(i, j, _)| (i, j)));
    Ok(plan.entries().zip(costs).map(|((_, _, mass), cost)| mass * cost).sum())
}

/// What pairs of points cost.
pub(super) fn pair_costs<T: Scalar>(
    question: &Question<'_, T>,
    pairs: impl Iterator<Item = (usize, usize)>,
) -> Vec<f64> {
    let (source, target) = (question.source(), question.target());
    match question.ground() {
        Ground::Distance(power) => {
            pairs.map(|(i, j)| power.between(source.point(i), target.point(j))).collect()
        }
        Ground::Matrix(costs) => pairs.map(|pair| costs[pair]).collect(),
        Ground::Cost(cost) => {
            let (mut x, mut y) = (Vec::new(), Vec::new());
            let pay = |(i, j): (usize, usize)| {
                for (point, measure, k) in [(&mut x, source, i), (&mut y, target, j)] {
                    point.clear();
                    point.extend(measure.point(k).iter().map(|x| x.to_f64()));
                }
                cost.between(&x, &y)
            };
            pairs.map(pay).collect()
        }
    }
}
