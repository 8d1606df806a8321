//! The closed form as a method.

use super::compiled::{Compiled, run_compiled};
use super::ground::squared;
use super::{Builder, Estimate, Method, Solver};
use crate::answer::{CostIs, Remark, Transport};
use crate::error::Result;
use crate::number::scalar::Scalar;
use crate::paper::closed_form::line_transport;
use crate::question::{Question, Sizes};
use crate::run::Run;
use crate::setting::Settings;

/// Exact transport by sorting, when one of the clouds lies on a line; refused for others.
///
/// Paper: Section 3, "closed form when one distribution is supported on a line"; see
/// [`line_transport`](crate::paper::line_transport).
#[derive(Clone, Copy, Debug, Default)]
pub struct ClosedForm;

impl Builder for ClosedForm {
    const METHOD: Method = Method {
        is_compared: false,
        is_closed_form: true,
        ..Method::new("line", "Exact transport", "Exact closed form, when one of the clouds lies on a line")
    };

    fn build(_: &Settings) -> Result<Self> {
        Ok(ClosedForm)
    }
}

impl<T: Scalar> Solver<T> for ClosedForm {
    fn method(&self) -> &'static Method {
        &Self::METHOD
    }

    fn estimate(&self, sizes: Sizes, _: &Run<'_>) -> Estimate {
        let (both, d) = ((sizes.n + sizes.m) as f64, sizes.d as f64);
        Estimate { seconds: both * (d + both.log2()) * 1e-8, bytes: 0.0 }
    }

    run_compiled!(ClosedForm);
}

impl Compiled for ClosedForm {
    fn found<T: Scalar>(&self, question: &Question<'_, T>, _: &mut Run<'_>) -> Result<Transport> {
        let [source, target] = squared(question, "line")?;
        let found = line_transport(source, target)?;
        let story = "closed form: one of the clouds lies on this line";
        Ok(Transport {
            lower_bound: Some(found.cost),
            coupling: Some(found.coupling),
            direction: Some(found.line.direction),
            story: story.into(),
            remarks: vec![Remark::new("method", story)],
            steps: 1,
            ..Transport::new("line", found.cost, CostIs::Upper)
        })
    }
}
