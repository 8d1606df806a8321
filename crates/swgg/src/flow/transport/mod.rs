//! Plans that split points: auctions, then a network simplex along candidates, and new candidates where prices ask for them.

mod auction;
mod phases;

use phases::auctioned;

use super::matching::Goal;
use crate::dual::{Planned, Posed};
use crate::error::{ErrorKind, Result};
use crate::exact::{Start, on_support, paid};
use crate::number::scalar::Scalar;
use crate::plan::coupling::Coupling;
use crate::plan::potentials::Potentials;
use crate::question::Question;
use crate::run::observe::Observe;
use crate::run::stop::Stop;
use crate::run::workers::Workers;
use crate::run::{Progress, Run};

/// Candidates of each source to begin with.
const CANDIDATES: usize = 16;
/// New candidates of a source that has a cheaper target elsewhere.
const NEW_CANDIDATES: usize = 8;
/// Rounds of looking at all pairs: new candidates are few after the first ones.
const MAX_ROUNDS: usize = 40;
/// What is closer to the optimum than this share of the cost is the optimum to rounding.
const ROUNDING_SHARE: f64 = 1e-12;

/// A plan, the best prices that were met, and how it ended.
pub(super) struct Moved {
    pub coupling: Coupling,
    pub prices: Vec<f64>,
    pub steps: usize,
    pub is_done: bool,
}

/// Betters a plan between any two measures.
pub(super) fn transport<T: Scalar>(
    question: &Question<'_, T>,
    posed: &Posed<'_, T>,
    (plan, planned, known): (&Coupling, &Planned<'_>, Option<Vec<f64>>),
    goal: Goal,
    (seed, workers): (u64, &Workers),
    watch: &mut dyn Observe,
) -> Result<Moved> {
    let ground = &*posed.ground;
    let masses = [&*posed.masses[0], &*posed.masses[1]];
    let first = auctioned((planned, known), masses, (goal, posed.constant()), (seed, workers), watch);
    let mut coupling = first.plan.map_or_else(|| plan.clone(), |arcs| posed.coupling(&arcs));
    if first.is_reached || first.is_stopped || matches!(goal, Goal::AuctionedGap(_)) {
        let (prices, steps, is_done) = (first.proving, first.bids, !first.is_stopped);
        return Ok(Moved { coupling, prices, steps, is_done });
    }
    let mut best = planned.priced(first.proving, Some(&planned.images()), workers);
    // What the auction has moved is where the simplex begins; the plan is there so that there is room for all mass.
    let partial = posed.coupling(&first.partial);
    let mut support = Support::new(&coupling);
    let everyone: Vec<u32> = (0..posed.carriers[0].len() as u32).collect();
    let few = ground.outlook(&first.prices, workers).few(&everyone, CANDIDATES, &first.prices, workers);
    support.arcs.extend(Support::new(&partial).arcs);
    support.admit(posed, &everyone, &few.targets);
    let (mut prices, mut steps) = (first.prices, first.bids);
    let mut round = 1;
    loop {
        let potentials = posed.as_given(&prices);
        let start = Start {
            plan: Some(if round == 1 { &partial } else { &coupling }),
            potentials: Some(&potentials),
        };
        // Whoever watches sees one long run.
        let mut pass = |progress: &Progress| watch.progress(progress);
        let run = Run { seed, parallelism: workers.parallelism(), halt: workers.halt(), ..Run::default() };
        let mut run = run.watched(&mut pass);
        let found = match on_support(question, &support.arcs, start, &mut run) {
            // There is room for all mass, so it was stopped before it had found it.
            Err(error) if matches!(error.kind(), ErrorKind::InfeasibleSupport { .. }) => {
                return Ok(Moved { coupling, prices: best.prices, steps, is_done: false });
            }
            found => found?,
        };
        steps += found.steps;
        let is_better = found.cost <= paid(question, &coupling)?;
        if let Some(better) = found.coupling.filter(|_| is_better) {
            coupling = better;
        }
        prices = posed.given(&found.potentials.unwrap_or_default().target)?;
        let priced = planned.priced(prices.clone(), Some(&best.choice), workers);
        let cost = paid(question, &coupling)?;
        let fresh: Vec<u32> = everyone
            .iter()
            .copied()
            .filter(|&i| !support.holds(posed, i, priced.choice[i as usize]))
            .collect();
        if priced.worth > best.worth {
            best = priced;
        }
        let bound = best.worth + posed.constant();
        let is_done = goal.is_reached(cost, bound) || cost - bound <= ROUNDING_SHARE * cost;
        let is_stopped = found.stop == Stop::Interrupted;
        // Without a cheaper target anywhere the plan is optimal to rounding, whatever was asked for.
        if is_done || is_stopped || fresh.is_empty() || round == MAX_ROUNDS {
            let is_done = is_done || (fresh.is_empty() && !is_stopped);
            return Ok(Moved { coupling, prices: best.prices, steps, is_done });
        }
        let few = ground.outlook(&prices, workers).few(&fresh, NEW_CANDIDATES, &prices, workers);
        support.admit(posed, &fresh, &few.targets);
        round += 1;
    }
}

/// The arcs along which mass may go, as points are given, in order.
struct Support {
    arcs: Vec<(u32, u32)>,
}

impl Support {
    /// The arcs of a plan, so that there is one.
    fn new(plan: &Coupling) -> Self {
        let mut arcs: Vec<(u32, u32)> = plan.entries().map(|(i, j, _)| (i as u32, j as u32)).collect();
        arcs.sort_unstable();
        Support { arcs }
    }

    /// As many targets for each of these sources, in the order of the ground.
    fn admit<T: Scalar>(&mut self, posed: &Posed<'_, T>, sources: &[u32], targets: &[u32]) {
        let [from, to] = &posed.carriers;
        let count = targets.len() / sources.len().max(1);
        for (&i, targets) in sources.iter().zip(targets.chunks_exact(count.max(1))) {
            self.arcs.extend(targets.iter().map(|&j| (from[i as usize], to[j as usize])));
        }
        self.arcs.sort_unstable();
        self.arcs.dedup();
    }

    fn holds<T: Scalar>(&self, posed: &Posed<'_, T>, i: u32, j: u32) -> bool {
        let arc = (posed.carriers[0][i as usize], posed.carriers[1][j as usize]);
        self.arcs.binary_search(&arc).is_ok()
    }
}

impl<T: Scalar> Posed<'_, T> {
    /// Prices of the ground as potentials of the targets as they are given; those of the sources are not used.
    fn as_given(&self, prices: &[f64]) -> Potentials {
        let mut target = vec![0.0; self.target_count()];
        for (&j, price) in self.carriers[1].iter().zip(prices) {
            target[j as usize] = price - self.along_target(j as usize);
        }
        Potentials { source: Vec::new(), target }
    }
}
