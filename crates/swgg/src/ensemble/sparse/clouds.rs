//! Two weighted clouds, as solvers of plans see them.

use crate::error::Result;
use crate::measure::{Measure, same_space};
use crate::number::mass::{Masses, common};
use crate::number::scalar::Scalar;
use crate::run::workers::Workers;

/// Two clouds as the plans between them see them: points that carry mass, each cloud around its own mean.
///
/// Every plan costs the squared distance of the means more in place, so nothing is lost; what is left are small numbers, and
/// cells that lie on top of each other.
pub(crate) struct WeightedClouds<'w> {
    pub(super) sources: Side,
    pub(super) targets: Side,
    pub(super) dim: usize,
    /// Units of mass on each side.
    pub(super) total: u64,
    /// Squared distance of the means.
    pub(super) shift: f64,
    /// What a squared distance of stored points must be multiplied by.
    pub(super) scale: f64,
    pub(super) workers: &'w Workers,
}

/// The carriers of one side.
pub(super) struct Side {
    /// Rows, centred, the largest coordinate of both sides near one.
    pub(super) points: Vec<f64>,
    pub(super) units: Vec<u64>,
    /// The index of each point in the measure.
    pub(super) places: Vec<u32>,
    /// Number of points in the measure, those without mass included.
    pub(super) len: usize,
}

impl Side {
    fn new<T: Scalar>(measure: &Measure<T>, masses: Masses, mean: &[f64]) -> Self {
        let mut places: Vec<u32> = (0..measure.len() as u32).filter(|&i| masses.of(i as usize) > 0).collect();
        // Neighbours next to each other: everything below looks at neighbours, and finds them in the cache.
        near(measure, &mut places, 0);
        let units = places.iter().map(|&i| masses.of(i as usize)).collect();
        let centred = |&i: &u32| measure.point(i as usize).iter().zip(mean).map(|(x, m)| x.to_f64() - m);
        Side { points: places.iter().flat_map(centred).collect(), units, places, len: measure.len() }
    }

    pub fn count(&self) -> usize {
        self.units.len()
    }

    fn reach(&self) -> f64 {
        self.points.iter().fold(0.0, |most, x| x.abs().max(most))
    }
}

/// Orders points so that neighbours come close to each other, by medians of one coordinate after the other.
fn near<T: Scalar>(measure: &Measure<T>, places: &mut [u32], level: usize) {
    const MAX_POINTS_IN_ANY_ORDER: usize = 16;
    if places.len() <= MAX_POINTS_IN_ANY_ORDER {
        return;
    }
    let at = |i: &u32| measure.point(*i as usize)[level % measure.dim()].to_f64();
    let half = places.len() / 2;
    places.select_nth_unstable_by(half, |a, b| at(a).total_cmp(&at(b)));
    let (left, right) = places.split_at_mut(half);
    near(measure, left, level + 1);
    near(measure, right, level + 1);
}

impl<'w> WeightedClouds<'w> {
    pub fn new<T: Scalar>(source: &Measure<T>, target: &Measure<T>, workers: &'w Workers) -> Result<Self> {
        same_space(source, target)?;
        let (a, b, total) = common(source.units(), target.units());
        let means = [source.mean(), target.mean()];
        let mut sources = Side::new(source, a, &means[0]);
        let mut targets = Side::new(target, b, &means[1]);
        // Near one, neither squares nor products of covariances leave the range of numbers; powers of two lose no digit.
        let reach = sources.reach().max(targets.reach());
        let unit = if reach > 0.0 { reach.log2().ceil().clamp(-1000.0, 1000.0).exp2() } else { 1.0 };
        for x in sources.points.iter_mut().chain(&mut targets.points) {
            *x /= unit;
        }
        Ok(WeightedClouds {
            sources,
            targets,
            dim: source.dim(),
            total,
            shift: crate::cost::sq_distance(&means[0], &means[1]),
            scale: unit * unit,
            workers,
        })
    }

    #[inline(always)]
    pub(super) fn source(&self, i: u32) -> &[f64] {
        &self.sources.points[i as usize * self.dim..][..self.dim]
    }

    #[inline(always)]
    pub(super) fn target(&self, j: u32) -> &[f64] {
        &self.targets.points[j as usize * self.dim..][..self.dim]
    }

    /// The most entries a plan without cycles has.
    pub(super) fn most_entries(&self) -> usize {
        self.sources.count() + self.targets.count() - 1
    }
}
