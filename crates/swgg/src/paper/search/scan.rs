//! Trying directions one after the other and keeping the best.

use super::record::Record;
use super::registry::{DIRECTIONS, KEEP_COSTS, LISTED, SearchKind};
use super::{Search, SearchOutcome};
use crate::error::{ErrorKind, Result};
use crate::line::sampler::{Sampler, Sphere};
use crate::paper::slices::Slices;
use crate::run::observe::Observe;
use crate::run::stop::Stop;

/// min-SWGG by random search: the best of `directions` drawn uniformly on the sphere.
///
/// ```text
/// min-SWGG_2^2(mu, nu) ~ min_{k < L} SWGG_2^2(mu, nu, theta_k)
/// ```
///
/// `O(L d n + L n log n)` time, `O(n)` scratch per thread. Paper: Section 3, below "Distance and upper bound".
#[derive(Clone, Copy, Debug)]
pub struct RandomSearch {
    /// How many directions to try, `L`.
    pub directions: usize,
    /// Direction `k` depends on this seed and on `k` only.
    pub seed: u64,
    /// Whether to keep the cost of every direction.
    pub keep_costs: bool,
}

impl RandomSearch {
    /// Directions unless told otherwise.
    pub const DIRECTIONS: usize = 200;
}

impl Default for RandomSearch {
    fn default() -> Self {
        RandomSearch { directions: Self::DIRECTIONS, seed: 0, keep_costs: false }
    }
}

impl RandomSearch {
    /// Its line in the list of searches.
    pub(super) const KIND: SearchKind = SearchKind {
        name: "random",
        about: "Best of L directions drawn on the sphere: fast, good in low dimensions",
        settings: &[&DIRECTIONS, &LISTED],
        build: |settings, seed, _| {
            let directions = settings.count(&DIRECTIONS).unwrap_or(RandomSearch::DIRECTIONS);
            let keep_costs = settings.flag(&KEEP_COSTS);
            Ok(Box::new(RandomSearch { directions, seed, keep_costs }))
        },
    };
}

impl Search for RandomSearch {
    fn name(&self) -> &'static str {
        "random"
    }

    fn validate(&self) -> Result<()> {
        if self.directions == 0 { Err(ErrorKind::NoDirections.into()) } else { Ok(()) }
    }

    fn run(&self, problem: &dyn Slices, watch: &mut dyn Observe) -> Result<SearchOutcome> {
        let sampler = Sphere::new(problem.dim(), self.seed)?;
        scan(&sampler, self.directions, self.keep_costs, problem, watch)
    }
}

/// The best of the first `directions` of any [`Sampler`]: orthogonal batches, or a list of one's own.
#[derive(Clone, Copy, Debug)]
pub struct Scan<'a, S: Sampler> {
    /// Where the directions come from.
    pub sampler: &'a S,
    /// How many of them to try, or all if there are fewer.
    pub directions: usize,
    /// Whether to keep the cost of every direction.
    pub keep_costs: bool,
}

impl<S: Sampler> Search for Scan<'_, S> {
    fn name(&self) -> &'static str {
        self.sampler.name()
    }

    fn run(&self, problem: &dyn Slices, watch: &mut dyn Observe) -> Result<SearchOutcome> {
        scan(self.sampler, self.directions, self.keep_costs, problem, watch)
    }
}

fn scan(
    sampler: &impl Sampler,
    directions: usize,
    keep_costs: bool,
    problem: &dyn Slices,
    watch: &mut dyn Observe,
) -> Result<SearchOutcome> {
    let total = sampler.limit().map_or(directions, |limit| limit.min(directions));
    let batch_len = problem.batch_len().max(1);
    let mut record = Record::new(problem, watch, total, keep_costs);
    while record.tried() < total && !record.interrupted() {
        record.costs(&sampler.batch(record.tried()..total.min(record.tried() + batch_len)))?;
    }
    record.finish(Stop::AllTried)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::direction::DirectionSet;
    use crate::measure::Measure;
    use crate::paper::slices::InMemory;
    use crate::run::observe::Progress;
    use std::ops::ControlFlow;

    fn square() -> Measure<'static, f64> {
        Measure::from_vec(vec![0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0], 2).unwrap()
    }

    #[test]
    fn an_observer_can_stop_and_keeps_the_best() {
        let mu = square();
        let nu = Measure::from_vec(vec![0.3, 0.1, 2.0, 0.5, 1.0, 1.5, -1.0, 0.2], 2).unwrap();
        let problem = InMemory::new(&mu, &nu).unwrap();
        let search = RandomSearch { directions: 1_000_000, seed: 1, keep_costs: true };
        let mut seen = 0;
        let mut stop_soon = |progress: &Progress| {
            seen += 1;
            assert_eq!(progress.total, 1_000_000);
            if seen == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let found = search.run(&problem, &mut stop_soon).unwrap();
        assert_eq!(found.stop, Stop::Interrupted);
        let costs = found.costs.unwrap();
        assert_eq!(costs.len(), found.tried);
        assert_eq!(costs[found.index], found.cost);
        assert!(costs.iter().all(|cost| *cost >= found.cost));
    }

    #[test]
    fn nothing_to_try_is_refused() {
        let mu = square();
        let problem = InMemory::new(&mu, &mu).unwrap();
        let search = RandomSearch { directions: 0, seed: 0, keep_costs: false };
        assert_eq!(*search.run(&problem, &mut ()).unwrap_err().kind(), ErrorKind::NoDirections);
    }

    #[test]
    fn the_first_of_equals_wins() {
        let mu = square();
        let thetas = ndarray::array![[1.0, 0.1], [1.0, 0.1], [0.1, 1.0]];
        let set = DirectionSet::from_rows(thetas.view()).unwrap();
        let problem = InMemory::new(&mu, &mu).unwrap();
        // Asked for more than there are, it tries them all.
        let search = Scan { sampler: &set, directions: 30, keep_costs: false };
        let found = search.run(&problem, &mut ()).unwrap();
        assert_eq!((found.index, found.cost, found.tried), (0, 0.0, 3));
    }
}
