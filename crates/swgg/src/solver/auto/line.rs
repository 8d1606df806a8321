//! Clouds on a line, for which sorting is exact.

use super::answer;
use crate::answer::{Remark, Transport};
use crate::error::Result;
use crate::exact::paid;
use crate::line::couple;
use crate::number::scalar::Scalar;
use crate::paper::closed_form::{line_transport, supporting_line};
use crate::question::{Ground, Question};
use crate::run::stop::Stop;

/// Points of a line have one best plan, in their order, at every convex cost of the difference.
fn in_order<T: Scalar>(question: &Question<'_, T>) -> Result<Option<Transport>> {
    if !matches!(question.ground(), Ground::Distance(_)) || question.sizes().d != 1 {
        return Ok(None);
    }
    let coupling = couple(question.source(), question.target())?;
    let cost = paid(question, &coupling)?;
    let story = "points of a line, and sorting them is exact at every power of the distance";
    Ok(Some(Transport {
        lower_bound: Some(cost),
        coupling: Some(coupling),
        remarks: vec![Remark::new("method", story)],
        steps: 1,
        stop: Stop::AllTried,
        exponent: question.exponent(),
        ..answer(cost, "line", (0, 0), story.into())
    }))
}

/// The closed form, when one of the clouds lies on a line.
pub(super) fn on_a_line<T: Scalar>(question: &Question<'_, T>) -> Result<Option<Transport>> {
    if !question.is_squared() {
        return in_order(question);
    }
    let (source, target) = (question.source(), question.target());
    if supporting_line(source)?.is_none() && supporting_line(target)?.is_none() {
        return Ok(None);
    }
    let found = line_transport(source, target)?;
    let story = "one cloud lies on a line, and sorting along it is exact";
    Ok(Some(Transport {
        lower_bound: Some(found.cost),
        coupling: Some(found.coupling),
        remarks: vec![Remark::new("method", story)],
        steps: 1,
        stop: Stop::AllTried,
        ..answer(found.cost, "line", (0, 0), story.into())
    }))
}
