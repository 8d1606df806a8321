//! Matchings by whole lines, merged.

use std::ops::Range;

use super::clouds::Clouds;
use super::sheaf::Sheaf;
use super::short::Short;
use super::tree::join;
use crate::coupling::Coupling;
use crate::direction::{DirectionSet, Projected};
use crate::error::Result;
use crate::line::Sorter;
use crate::measure::Measure;
use crate::par::Workers;
use crate::problem::InMemory;
use crate::scalar::Scalar;

/// The matching of all directions so far.
pub(crate) struct Lines<'a, T: Scalar> {
    clouds: Clouds<'a, T>,
    short: Option<Short>,
    problem: InMemory<'a, T>,
    /// With its cost.
    best: Option<(Sheaf, f64)>,
    /// The last directions, not yet in the best one: that is done while the next ones are sorted.
    latest: Option<Sheaf>,
    workers: &'a Workers,
}

impl<'a, T: Scalar> Lines<'a, T> {
    pub fn new(source: &'a Measure<'a, T>, target: &'a Measure<'a, T>, workers: &'a Workers) -> Result<Self> {
        let clouds = Clouds::new(source.points(), target.points(), source.dim());
        let problem = InMemory::new(source, target)?;
        Ok(Lines { clouds, short: Short::new(&clouds), problem, best: None, latest: None, workers })
    }

    /// Merges the matchings of some directions into the best one.
    pub fn add(&mut self, thetas: &DirectionSet) {
        let (best, latest) = (self.best.take(), self.latest.take());
        let forks = self.workers.count() > 1;
        (self.best, self.latest) = self
            .workers
            .install(|| join(forks, || self.both(best, latest), || self.of_directions(thetas, forks)));
    }

    fn merge(&self, one: Sheaf, other: Sheaf) -> Sheaf {
        one.merged(other, &self.clouds, self.short.as_ref())
    }

    /// The maps of all directions in one.
    fn of_directions(&self, thetas: &DirectionSet, forks: bool) -> Option<Sheaf> {
        let (len, merge) = (self.problem.sweep_len(), |low, high| self.merge(low, high));
        let few = |k: usize| {
            let rows: Vec<&[f64]> =
                (k * len..thetas.len().min((k + 1) * len)).map(|k| thetas.row(k)).collect();
            let sheaf = |map| Sheaf::new(map, self.short.as_ref());
            folded(self.problem.maps(&rows).into_iter().map(sheaf).collect(), forks, &merge)
        };
        let merge = |low: Option<Sheaf>, high: Option<Sheaf>| Some(merge(low?, high?));
        halved(0..thetas.len().div_ceil(len), forks, &few, &merge).flatten()
    }

    fn both(&self, best: Option<(Sheaf, f64)>, latest: Option<Sheaf>) -> Option<(Sheaf, f64)> {
        let Some(latest) = latest else { return best };
        let merged = match best {
            Some((best, _)) => self.merge(best, latest),
            None => latest,
        };
        let cost = merged.cost(&self.clouds);
        Some((merged, cost))
    }

    /// Cost of the best matching so far, or of the latest one alone before there is a best one; infinite at first.
    pub fn cost(&self) -> f64 {
        let latest = || self.latest.as_ref().map(|latest| latest.cost(&self.clouds));
        self.best.as_ref().map(|(_, cost)| *cost).or_else(latest).unwrap_or(f64::INFINITY)
    }

    /// The best matching; that of the order given before there is one.
    pub fn coupling(self) -> Coupling {
        let n = self.clouds.len() as u32;
        let matching = match (self.best, self.latest) {
            // The last ones with all there is to a merge: good plans may differ in many cycles.
            (Some((best, _)), Some(latest)) => Some(best.matching().merged(latest.matching(), &self.clouds)),
            (best, latest) => best.map(|(best, _)| best).or(latest).map(Sheaf::matching),
        };
        Coupling::from_targets(matching.map_or_else(|| (0..n).collect(), |matching| matching.target_of))
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

/// The same, of what there is already.
fn folded<M: Send>(mut all: Vec<M>, forks: bool, merge: &(impl Fn(M, M) -> M + Sync)) -> Option<M> {
    if all.len() < 2 {
        return all.pop();
    }
    let rest = all.split_off(all.len() / 2);
    let (low, high) = join(forks, || folded(all, forks, merge), || folded(rest, forks, merge));
    Some(merge(low?, high?))
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
