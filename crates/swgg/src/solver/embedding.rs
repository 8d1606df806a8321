//! Costs that are Euclidean distances between other points: the question is asked there, for every solver.

use crate::answer::{CostIs, Transport};
use crate::cost::Form;
use crate::error::Result;
use crate::measure::Measure;
use crate::number::scalar::Scalar;
use crate::question::{Ground, Question};

/// Both measures at points whose distances make the costs.
pub(super) struct Embedding<T: Scalar> {
    measures: [Measure<'static, T>; 2],
    form: Form,
}

impl<T: Scalar> Embedding<T> {
    /// `None` where there are no such points, and where none are needed; `in_units`: for a solver that is told something in units of
    /// costs, which must be the same there.
    pub fn of(question: &Question<'_, T>, in_units: bool) -> Result<Option<Self>> {
        let Some((measures, form)) = placed(question)? else { return Ok(None) };
        let form = form.filter(|form| !(in_units && form.has_offsets()));
        Ok(form.map(|form| Embedding { measures, form }))
    }

    /// The same question at these points.
    pub fn question(&self) -> Result<Question<'_, T>> {
        Question::new(&self.measures[0], &self.measures[1])?.with_power(self.form.power.exponent())
    }

    /// An answer to it as one to the question that was asked. The plan pays what it costs there, to the last digit.
    pub fn translated(&self, found: Transport, question: &Question<'_, T>) -> Transport {
        let [offset, size] = self.offsets();
        let cost = match (&found.coupling, found.cost_is) {
            (Some(plan), CostIs::Optimal | CostIs::Upper) => question.pays().total(plan),
            _ => found.cost + offset,
        };
        // What sums may have lost to rounding is not proved.
        let margin = if size > 0.0 { ROUNDING_SHARE * (found.cost + size) } else { 0.0 };
        let lower_bound = match found.cost_is {
            CostIs::Optimal => Some(cost),
            _ => found.lower_bound.map(|bound| (bound + offset - margin).clamp(0.0, cost)),
        };
        let potentials = found.potentials.map(|mut potentials| {
            for (side, values) in [&mut potentials.source, &mut potentials.target].into_iter().enumerate() {
                values.iter_mut().zip(&self.form.offsets[side]).for_each(|(potential, s)| *potential += s);
            }
            potentials
        });
        // A line through other points is none between these, and neither is a place among them.
        Transport { cost, lower_bound, potentials, exponent: None, direction: None, image: None, ..found }
    }

    /// What every plan pays for its points, and the size of what that is summed from.
    fn offsets(&self) -> [f64; 2] {
        let mut sums = [0.0; 2];
        for (measure, offsets) in self.measures.iter().zip(&self.form.offsets) {
            for (i, offset) in offsets.iter().enumerate() {
                sums[0] += measure.weight(i) * offset;
                sums[1] += measure.weight(i) * offset.abs();
            }
        }
        sums
    }
}

/// What rounding may take of a sum of offsets, as a share.
const ROUNDING_SHARE: f64 = 1e-12;

/// Both measures at places whose distances resemble the cost, for plans to begin with; `None` where that is where they are.
pub(super) fn places<T: Scalar>(question: &Question<'_, T>) -> Result<Option<[Measure<'static, T>; 2]>> {
    Ok(placed(question)?.map(|(measures, _)| measures))
}

type Placed<T> = ([Measure<'static, T>; 2], Option<Form>);

fn placed<T: Scalar>(question: &Question<'_, T>) -> Result<Option<Placed<T>>> {
    let Ground::Cost(cost) = question.ground() else { return Ok(None) };
    let measures = [question.source(), question.target()];
    let rows = measures.map(|measure| measure.points().iter().map(|x| x.to_f64()).collect::<Vec<f64>>());
    let embedded = cost.embedded([&rows[0], &rows[1]], measures[0].dim())?;
    let mut points = embedded.points;
    if let Some(Form { power, factor, .. }) = embedded.is.as_ref().filter(|form| form.factor != 1.0) {
        // The points bear the factor: what is said in units of costs, such as an epsilon, holds there as it stands.
        let scale = factor.powf(1.0 / power.exponent());
        points.iter_mut().flatten().for_each(|x| *x *= scale);
    }
    let [x, y] = points;
    let measures = [measures[0].at(x, embedded.dim)?, measures[1].at(y, embedded.dim)?];
    Ok(Some((measures, embedded.is)))
}
