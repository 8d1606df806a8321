//! Transport between fitted Gaussians as a method.

use super::compiled::{Compiled, run_compiled};
use super::ground::squared;
use super::{Builder, Estimate, Method, PlanKind, Solver};
use crate::answer::{CostIs, Fact, Remark, Transport};
use crate::error::Result;
use crate::gaussian::GaussianImage;
use crate::number::scalar::Scalar;
use crate::question::{Question, Sizes};
use crate::run::Run;
use crate::setting::Settings;

/// Gaussians fitted to the clouds: a lower bound of `W_2^2` and an affine map, no plan between the points.
///
/// See [`gaussian_transport`](crate::gaussian::gaussian_transport).
#[derive(Clone, Copy, Debug, Default)]
pub struct GaussianFit;

impl Builder for GaussianFit {
    const METHOD: Method = Method {
        plan: PlanKind::Map,
        is_closed_form: true,
        ..Method::new(
            "gaussian",
            "Gaussian transport",
            "Gaussians fitted to the clouds: a lower bound and an affine map, no plan",
        )
    };

    fn build(_: &Settings) -> Result<Self> {
        Ok(GaussianFit)
    }
}

impl<T: Scalar> Solver<T> for GaussianFit {
    fn method(&self) -> &'static Method {
        &Self::METHOD
    }

    fn estimate(&self, sizes: Sizes, _: &Run<'_>) -> Estimate {
        let (both, d) = ((sizes.n + sizes.m) as f64, sizes.d as f64);
        // Nothing is larger than the span of the points.
        let side = d.min(both);
        let seconds = both * d * side * 1e-9 + side * side * side * 2e-8;
        Estimate { seconds, bytes: 8.0 * (4.0 * d * side + 8.0 * side * side) }
    }

    run_compiled!(GaussianFit);
}

impl Compiled for GaussianFit {
    fn found<T: Scalar>(&self, question: &Question<'_, T>, _: &mut Run<'_>) -> Result<Transport> {
        let [source, target] = squared(question, "gaussian")?;
        let found = GaussianImage::of(source, target)?;
        let computed = "W2^2 between the Gaussians with the means and covariances of the clouds";
        let story = "closed form between Gaussians fitted to the clouds";
        Ok(Transport {
            lower_bound: Some(found.lower_bound),
            image: Some(found.image),
            story: story.into(),
            facts: vec![("computed", Fact::Text(computed.into()))],
            remarks: vec![Remark::new("method", story)],
            ..Transport::new("gaussian", found.cost, CostIs::Lower)
        })
    }
}
