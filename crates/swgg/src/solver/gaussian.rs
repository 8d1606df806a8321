//! Transport between fitted Gaussians as a method.

use ndarray::Array2;

use super::{Builder, Estimate, Method, PlanKind, Solver};
use crate::answer::{CostIs, Fact, Remark, Transport};
use crate::error::{ErrorKind, Result};
use crate::gaussian::gaussian_transport;
use crate::number::scalar::Scalar;
use crate::question::{Question, Sizes};
use crate::run::Run;
use crate::setting::Settings;

/// Gaussians fitted to the clouds: a lower bound of `W_2^2` and an affine map, no plan between the points.
///
/// See [`gaussian_transport`].
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
        Estimate { seconds: both * d * d * 1e-9 + d * d * d * 2e-8, bytes: 0.0 }
    }

    fn run(&self, question: &Question<'_, T>, _: &mut Run<'_>) -> Result<Transport> {
        let [source, target] = question.squared("gaussian")?;
        let found = gaussian_transport(source, target)?;
        let image = found.image(source)?.points().to_vec();
        let image = Array2::from_shape_vec((source.len(), source.dim()), image)
            .map_err(|_| ErrorKind::RaggedBuffer { len: source.len(), dim: source.dim() })?;
        let computed = "W2^2 between the Gaussians with the means and covariances of the clouds";
        let story = "closed form between Gaussians fitted to the clouds";
        Ok(Transport {
            lower_bound: Some(found.lower_bound),
            image: Some(image),
            story: story.into(),
            facts: vec![("computed", Fact::Text(computed.into()))],
            remarks: vec![Remark::new("method", story)],
            ..Transport::new("gaussian", found.cost, CostIs::Lower)
        })
    }
}
