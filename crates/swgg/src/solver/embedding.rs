//! Costs that are Euclidean distances between other points: the question is asked there, for every solver.

use crate::answer::{CostIs, Transport};
use crate::cost::Power;
use crate::error::Result;
use crate::measure::Measure;
use crate::number::scalar::Scalar;
use crate::question::{Ground, Question};

/// Both measures at points between which `|x' - y'|^p` is the cost.
pub(super) struct Embedding<T: Scalar> {
    measures: [Measure<'static, T>; 2],
    power: Power,
}

impl<T: Scalar> Embedding<T> {
    /// `None` where there are no such points, and where none are needed.
    pub fn of(question: &Question<'_, T>) -> Result<Option<Self>> {
        let Ground::Cost(cost) = question.ground() else { return Ok(None) };
        let measures = [question.source(), question.target()];
        let rows = measures.map(|measure| measure.points().iter().map(|x| x.to_f64()).collect::<Vec<f64>>());
        let embedded = cost.embedded([&rows[0], &rows[1]], measures[0].dim())?;
        let Some((power, factor)) = embedded.is else { return Ok(None) };
        let mut points = embedded.points;
        if factor != 1.0 {
            // The points bear the factor: what is said in units of costs, such as an epsilon, holds there as it stands.
            let scale = factor.powf(1.0 / power.exponent());
            points.iter_mut().flatten().for_each(|x| *x *= scale);
        }
        let [x, y] = points;
        let (source, target) = (measures[0].at(x, embedded.dim)?, measures[1].at(y, embedded.dim)?);
        Ok(Some(Embedding { measures: [source, target], power }))
    }

    /// The same question at these points.
    pub fn question(&self) -> Result<Question<'_, T>> {
        Question::new(&self.measures[0], &self.measures[1])?.with_power(self.power.exponent())
    }

    /// An answer to it as one to the question that was asked. The plan pays what it costs there, to the last digit.
    pub fn translated(&self, found: Transport, question: &Question<'_, T>) -> Transport {
        let cost = match (&found.coupling, found.cost_is) {
            (Some(plan), CostIs::Optimal | CostIs::Upper) => question.pays().total(plan),
            _ => found.cost,
        };
        let lower_bound = match found.cost_is {
            CostIs::Optimal => Some(cost),
            _ => found.lower_bound.map(|bound| bound.min(cost)),
        };
        // A line through other points is none between these, and neither is a place among them.
        Transport { cost, lower_bound, exponent: None, direction: None, image: None, ..found }
    }
}
