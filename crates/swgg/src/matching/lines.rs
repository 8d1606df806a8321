//! Matchings by whole lines, merged.

use std::ops::Range;

use super::clouds::Clouds;
use super::merge::Matching;
use super::sheaf::{Sheaf, exchange};
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

/// A matching and its cost.
type Priced = (Matching, f64);

/// The matching of all directions so far.
pub(crate) struct Lines<'a, T: Scalar> {
    clouds: Clouds<'a, T>,
    short: Option<Short>,
    problem: InMemory<'a, T>,
    best: Option<Priced>,
    /// The last directions, not yet in the best one: that is done while the next ones are sorted.
    latest: Option<Matching>,
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
        (self.best, self.latest) = self.workers.install(|| {
            join(
                forks,
                || self.both(best, latest),
                || match &self.short {
                    Some(short) => {
                        let merge = |low: Sheaf, high: Sheaf| low.merged(high, &self.clouds, short);
                        let sheaf = self.merged(thetas, forks, |map| Sheaf::new(map, short), merge);
                        sheaf.map(Sheaf::matching)
                    }
                    None => self.merged(thetas, forks, Matching::new, |low, high| {
                        Matching::merged(low, high, &self.clouds)
                    }),
                },
            )
        });
    }

    /// The maps of all directions in one.
    fn merged<M: Send>(
        &self,
        thetas: &DirectionSet,
        forks: bool,
        make: impl Fn(Vec<u32>) -> M + Sync,
        merge: impl Fn(M, M) -> M + Sync,
    ) -> Option<M> {
        let len = self.problem.sweep_len();
        let few = |k: usize| {
            let rows: Vec<&[f64]> =
                (k * len..thetas.len().min((k + 1) * len)).map(|k| thetas.row(k)).collect();
            folded(self.problem.maps(&rows).into_iter().map(&make).collect(), forks, &merge)
        };
        let merge = |low: Option<M>, high: Option<M>| Some(merge(low?, high?));
        halved(0..thetas.len().div_ceil(len), forks, &few, &merge).flatten()
    }

    fn both(&self, best: Option<Priced>, latest: Option<Matching>) -> Option<Priced> {
        let Some(latest) = latest else { return best };
        let merged = match best {
            Some((mut best, _)) => {
                match &self.short {
                    Some(short) => {
                        best.take_cycles(&latest, &self.clouds);
                        exchange(&mut best, &latest.target_of, &self.clouds, short);
                    }
                    None => best.merge(&latest, &self.clouds),
                }
                best
            }
            None => latest,
        };
        let cost = self.clouds.cost(&merged.target_of);
        Some((merged, cost))
    }

    /// Cost of the best matching so far, or of the latest one alone before there is a best one; infinite at first.
    pub fn cost(&self) -> f64 {
        let latest = || self.latest.as_ref().map(|latest| self.clouds.cost(&latest.target_of));
        self.best.as_ref().map(|(_, cost)| *cost).or_else(latest).unwrap_or(f64::INFINITY)
    }

    /// The best matching; that of the order given before there is one.
    pub fn coupling(mut self) -> Coupling {
        let n = self.clouds.len() as u32;
        let (best, latest) = (self.best.take(), self.latest.take());
        let best = self.both(best, latest);
        Coupling::from_targets(best.map_or_else(|| (0..n).collect(), |(best, _)| best.target_of))
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
