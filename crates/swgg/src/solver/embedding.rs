//! Costs that are Euclidean distances between other points: the question is asked there, for every solver.

use crate::answer::{CostIs, Transport};
use crate::cost::{GroundCost, Power};
use crate::error::Result;
use crate::measure::Measure;
use crate::number::scalar::Scalar;
use crate::plan::coupling::Coupling;
use crate::question::{Ground, Question};

/// Both measures at points between which `factor |x' - y'|^p` is the cost.
pub(super) struct Embedding<'a, T: Scalar> {
    measures: [Measure<'static, T>; 2],
    cost: &'a dyn GroundCost,
    power: Power,
    factor: f64,
}

impl<'a, T: Scalar> Embedding<'a, T> {
    /// `None` where there are no such points, and where none are needed.
    pub fn of(question: &Question<'a, T>) -> Result<Option<Self>> {
        let Ground::Cost(cost) = question.ground() else { return Ok(None) };
        let measures = [question.source(), question.target()];
        let rows = measures.map(|measure| measure.points().iter().map(|x| x.to_f64()).collect::<Vec<f64>>());
        let embedded = cost.embedded([&rows[0], &rows[1]], measures[0].dim())?;
        let Some((power, factor)) = embedded.is else { return Ok(None) };
        let [x, y] = embedded.points;
        let (source, target) = (measures[0].at(x, embedded.dim)?, measures[1].at(y, embedded.dim)?);
        Ok(Some(Embedding { measures: [source, target], cost, power, factor }))
    }

    /// The same question at these points.
    pub fn question(&self) -> Result<Question<'_, T>> {
        Question::new(&self.measures[0], &self.measures[1])?.with_power(self.power.exponent())
    }

    /// An answer to it as one to the question that was asked. The plan pays what it costs there, to the last digit.
    pub fn translated(&self, found: Transport, question: &Question<'_, T>) -> Transport {
        let factor = self.factor;
        let cost = match (&found.coupling, found.cost_is) {
            (Some(plan), CostIs::Optimal | CostIs::Upper) => paid(plan, self.cost, question),
            _ => factor * found.cost,
        };
        let lower_bound = match found.cost_is {
            CostIs::Optimal => Some(cost),
            _ => found.lower_bound.map(|bound| (factor * bound).min(cost)),
        };
        let potentials = found.potentials.map(|mut potentials| {
            let both = potentials.source.iter_mut().chain(&mut potentials.target);
            both.for_each(|potential| *potential *= factor);
            potentials
        });
        // A line through other points is none between these, and neither is a place among them.
        Transport { cost, lower_bound, potentials, exponent: None, direction: None, image: None, ..found }
    }
}

/// Both measures at places whose distances resemble the cost, for plans to begin with; `None` where that is where they are.
pub(super) fn places<T: Scalar>(question: &Question<'_, T>) -> Result<Option<[Measure<'static, T>; 2]>> {
    let Ground::Cost(cost) = question.ground() else { return Ok(None) };
    let measures = [question.source(), question.target()];
    let rows = measures.map(|measure| measure.points().iter().map(|x| x.to_f64()).collect::<Vec<f64>>());
    let embedded = cost.embedded([&rows[0], &rows[1]], measures[0].dim())?;
    let [x, y] = embedded.points;
    Ok(Some([measures[0].at(x, embedded.dim)?, measures[1].at(y, embedded.dim)?]))
}

/// What a plan costs.
pub(super) fn paid<T: Scalar>(plan: &Coupling, cost: &dyn GroundCost, question: &Question<'_, T>) -> f64 {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    let mut pay = |(i, j, mass): (usize, usize, f64)| {
        for (point, measure, k) in [(&mut x, question.source(), i), (&mut y, question.target(), j)] {
            point.clear();
            point.extend(measure.point(k).iter().map(|x| x.to_f64()));
        }
        mass * cost.between(&x, &y)
    };
    plan.entries().map(&mut pay).sum()
}
