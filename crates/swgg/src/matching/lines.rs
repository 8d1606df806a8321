//! Matchings by whole lines, merged.

use std::ops::Range;

use super::clouds::Clouds;
use super::merge::Matching;
use super::sheaf::Sheaf;
use super::short::Short;
use super::tree::join;
use crate::coupling::Coupling;
use crate::direction::{DirectionSet, Projected};
use crate::line::Sorter;
use crate::measure::Measure;
use crate::par::Workers;
use crate::scalar::Scalar;

/// The matching of all directions so far.
pub(crate) struct Lines<'a, T> {
    clouds: Clouds<'a, T>,
    short: Option<Short>,
    points: [&'a [T]; 2],
    best: Option<Matching>,
    /// The last directions, not yet in the best one: that is done while the next ones are sorted.
    latest: Option<Matching>,
    workers: &'a Workers,
}

impl<'a, T: Scalar> Lines<'a, T> {
    pub fn new(source: &'a Measure<'_, T>, target: &'a Measure<'_, T>, workers: &'a Workers) -> Self {
        let (points, dim) = ([source.points(), target.points()], source.dim());
        let clouds = Clouds::new(points[0], points[1], dim);
        Lines { clouds, short: Short::new(&clouds), points, best: None, latest: None, workers }
    }

    /// Merges the matchings of some directions into the best one.
    pub fn add(&mut self, thetas: &DirectionSet) {
        let (best, latest) = (self.best.take(), self.latest.take());
        let (all, forks) = (0..thetas.len(), self.workers.count() > 1);
        (self.best, self.latest) = self.workers.install(|| {
            join(
                forks,
                || self.both(best, latest),
                || match &self.short {
                    Some(short) => {
                        let sheaf = |theta: &[f64]| Sheaf::new(along(self.points, theta), short);
                        let merge = |low: Sheaf, high: Sheaf| low.merged(high, &self.clouds, short);
                        Some(halved(all, forks, &|k| sheaf(thetas.row(k)), &merge)?.matching())
                    }
                    None => {
                        let merge = |low: Matching, high: Matching| low.merged(high, &self.clouds);
                        halved(all, forks, &|k| Matching::new(along(self.points, thetas.row(k))), &merge)
                    }
                },
            )
        });
    }

    fn both(&self, one: Option<Matching>, other: Option<Matching>) -> Option<Matching> {
        match (one, other) {
            (Some(one), Some(other)) => Some(one.merged(other, &self.clouds)),
            (one, other) => one.or(other),
        }
    }

    /// Cost of the best matching so far, or of the latest one alone before there is a best one; infinite at first.
    pub fn cost(&self) -> f64 {
        let best = self.best.as_ref().or(self.latest.as_ref());
        best.map_or(f64::INFINITY, |best| self.clouds.cost(&best.target_of))
    }

    /// The best matching; that of the order given before there is one.
    pub fn coupling(mut self) -> Coupling {
        let n = self.clouds.len() as u32;
        let (best, latest) = (self.best.take(), self.latest.take());
        Coupling::from_targets(
            self.both(best, latest).map_or_else(|| (0..n).collect(), |best| best.target_of),
        )
    }
}

/// Half with half: the same merges whoever makes them.
pub(super) fn halved<M: Send>(
    range: Range<usize>,
    forks: bool,
    make: &(impl Fn(usize) -> M + Sync),
    merge: &(impl Fn(M, M) -> M + Sync),
) -> Option<M> {
    match range.len() {
        0 => None,
        1 => Some(make(range.start)),
        len => {
            let middle = range.start + len / 2;
            let (low, high) = join(
                forks,
                || halved(range.start..middle, forks, make, merge),
                || halved(middle..range.end, forks, make, merge),
            );
            Some(merge(low?, high?))
        }
    }
}

/// Targets of equal rank along a direction.
pub(super) fn along<T: Scalar>(points: [&[T]; 2], theta: &[f64]) -> Vec<u32> {
    let mut orders = [Vec::new(), Vec::new()];
    let mut sorter = Sorter::default();
    for (points, order) in points.iter().zip(&mut orders) {
        sorter.sort(&Projected { points, theta }, order);
    }
    let [sigma, tau] = orders;
    let mut target_of = vec![0; sigma.len()];
    sigma.iter().zip(&tau).for_each(|(&i, &j)| target_of[i as usize] = j);
    target_of
}
