//! Matchings by whole lines, merged.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::batch::BatchMatching;
use super::clouds::UniformClouds;
use super::packed::PackedClouds;
use super::tree::join;
use crate::error::Result;
use crate::line::Sorter;
use crate::line::direction::{DirectionSet, Projected};
use crate::measure::Measure;
use crate::number::scalar::Scalar;
use crate::paper::slices::InMemory;
use crate::plan::coupling::Coupling;
use crate::run::workers::Workers;

/// The matching of all directions so far.
pub(crate) struct Lines<'a, T: Scalar> {
    clouds: UniformClouds<'a, T>,
    packed: Option<PackedClouds>,
    problem: InMemory<'a, T>,
    chain: Chain,
    workers: &'a Workers,
}

/// Matchings of some directions each, in the order in which they meet the best one.
#[derive(Default)]
struct Chain {
    best: Option<BatchMatching>,
    /// The one after the best, which it meets when the next one is there: the very last is merged in another way.
    latest: Option<BatchMatching>,
    /// Matchings that are ready before their turn, by number.
    waiting: BTreeMap<usize, BatchMatching>,
    /// The number of the matching that is merged next.
    turn: usize,
    /// Whether a thread is merging.
    is_busy: bool,
}

impl Chain {
    /// What to merge now, if there is anything and no thread is merging.
    fn take(&mut self) -> Option<(Option<BatchMatching>, BatchMatching)> {
        if self.is_busy {
            return None;
        }
        while let Some(next) = self.waiting.remove(&self.turn) {
            self.turn += 1;
            if let Some(latest) = self.latest.replace(next) {
                self.is_busy = true;
                return Some((self.best.take(), latest));
            }
        }
        None
    }
}

impl<'a, T: Scalar> Lines<'a, T> {
    pub fn new(source: &'a Measure<'a, T>, target: &'a Measure<'a, T>, workers: &'a Workers) -> Result<Self> {
        let clouds = UniformClouds::new(source.points(), target.points(), source.dim());
        let problem = InMemory::new(source, target)?;
        Ok(Lines { clouds, packed: PackedClouds::new(&clouds), problem, chain: Chain::default(), workers })
    }

    /// Merges the matchings of some batches of directions into the best one.
    ///
    /// Batches meet the best one in their order, and the thread that has the next one merges it while others sort. So threads wait for each
    /// other at the end only, and which of them does what changes nothing.
    pub fn add(&mut self, batches: &[DirectionSet]) {
        let forks = self.workers.count() > 1;
        let chain = Mutex::new(Chain { turn: 0, ..std::mem::take(&mut self.chain) });
        self.workers.queue(batches.len(), |k| {
            if let Some(matching) = self.of_directions(&batches[k], forks) {
                self.hand_in(&chain, k, matching);
            }
        });
        self.chain = chain.into_inner().unwrap_or_else(PoisonError::into_inner);
    }

    /// Puts a matching in its place and merges what has its turn.
    fn hand_in(&self, chain: &Mutex<Chain>, k: usize, matching: BatchMatching) {
        let lock = || chain.lock().unwrap_or_else(PoisonError::into_inner);
        let mut task = {
            let mut chain = lock();
            chain.waiting.insert(k, matching);
            chain.take()
        };
        while let Some((best, latest)) = task {
            let merged = match best {
                Some(best) => self.merge(best, latest),
                None => latest,
            };
            let mut chain = lock();
            (chain.best, chain.is_busy) = (Some(merged), false);
            task = chain.take();
        }
    }

    fn merge(&self, one: BatchMatching, other: BatchMatching) -> BatchMatching {
        one.merged(other, &self.clouds, self.packed.as_ref())
    }

    /// The maps of all directions in one.
    fn of_directions(&self, thetas: &DirectionSet, forks: bool) -> Option<BatchMatching> {
        let (len, merge) = (self.problem.sweep_len(), |low, high| self.merge(low, high));
        let few = |k: usize| {
            let rows: Vec<&[f64]> =
                (k * len..thetas.len().min((k + 1) * len)).map(|k| thetas.row(k)).collect();
            let matching = |map| BatchMatching::new(map, self.packed.as_ref());
            folded(self.problem.maps(&rows).into_iter().map(matching).collect(), forks, &merge)
        };
        let merge = |low: Option<BatchMatching>, high: Option<BatchMatching>| Some(merge(low?, high?));
        halved(0..thetas.len().div_ceil(len), forks, &few, &merge).flatten()
    }

    /// Cost of the best matching so far, or of the latest one alone before there is a best one; infinite at first.
    pub fn cost(&self) -> f64 {
        let Chain { best, latest, .. } = &self.chain;
        best.as_ref().or(latest.as_ref()).map_or(f64::INFINITY, |matching| matching.cost(&self.clouds))
    }

    /// The best matching; that of the order given before there is one.
    pub fn coupling(self) -> Coupling {
        let n = self.clouds.len() as u32;
        let matching = match (self.chain.best, self.chain.latest) {
            // The last ones with all there is to a merge: good plans may differ in many cycles.
            (Some(best), Some(latest)) => Some(best.matching().merged(latest.matching(), &self.clouds)),
            (best, latest) => best.or(latest).map(BatchMatching::matching),
        };
        Coupling::from_targets(matching.map_or_else(|| (0..n).collect(), |matching| matching.target_of))
    }
}

/// Makes and merges half with half: the same merges, whichever threads make them.
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

/// Merges half with half as [`halved`] does, from a list.
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
