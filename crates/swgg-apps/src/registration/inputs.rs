//! What a registration is given, checked once.

use swgg::{Measure, Scalar, run::Workers};

use super::cloud::Cloud;
use super::error::{Error, Result};
use super::grid::thin;
use super::indexed_cloud::IndexedPair;
use super::settings::{Overlap, Settings};

/// Points of a cloud that take part in steps to nearest neighbours; more of them are thinned.
const MAX_POINTS: usize = 11_000;

/// Two clouds, how to register them, and the threads to do it with.
pub(super) struct Inputs<'a> {
    pub source: Cloud,
    pub target: Cloud,
    pub settings: &'a Settings,
    pub workers: Workers,
}

impl<'a> Inputs<'a> {
    /// All that is refused is refused here.
    pub fn new<T: Scalar>(
        source: &Measure<T>,
        target: &Measure<T>,
        settings: &'a Settings,
    ) -> Result<Inputs<'a>> {
        if source.dim() != target.dim() {
            let (source_dim, target_dim) = (source.dim(), target.dim());
            return Err(
                swgg::Error::from(swgg::ErrorKind::DimensionMismatch { source_dim, target_dim }).into()
            );
        }
        settings.validate(source.dim())?;
        let workers = Workers::new(settings.parallelism)?;
        let (source, target) = workers.join(|| Cloud::new("source", source), || Cloud::new("target", target));
        let (source, target) = (source?, target?);
        if let Overlap::Share(found) = settings.overlap {
            let points = source.len().min(target.len()).min(MAX_POINTS);
            let (left, expected) = ((found * points as f64).round() as usize, source.dim() + 1);
            if left < expected {
                return Err(Error::FewLeft { found, left, points, expected });
            }
        }
        Ok(Inputs { source, target, settings, workers })
    }

    /// Both clouds with search trees, thinned if they have many points.
    pub fn thinned(&self) -> Result<IndexedPair> {
        let thinned = |cloud: &Cloud, _| thin(cloud.points.view(), MAX_POINTS);
        IndexedPair::new([&self.source, &self.target], thinned, usize::MAX, &self.workers)
    }

    /// Both clouds with search trees, all of their points.
    pub fn whole(&self) -> Result<IndexedPair> {
        let all = |cloud: &Cloud, _| cloud.points.clone();
        IndexedPair::new([&self.source, &self.target], all, usize::MAX, &self.workers)
    }
}
