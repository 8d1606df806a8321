//! Which algorithm for which problem.

use super::assignment::{self, ArcCheck, NONE, State};
use super::ground::Ground;
use super::simplex::Simplex;
use super::start::{self, PartialPlan, SupplyDemand};
use super::tree::Arc;
use crate::number::mass::Unit;
use crate::run::observe::Observe;
use crate::run::stop::Stop;
use crate::run::workers::Workers;

/// What is known beforehand, in the numbering of the solver.
#[derive(Default)]
pub(super) struct Hint {
    pub plan: Vec<(u32, u32, f64)>,
    pub prices: Option<Vec<f64>>,
}

/// A plan and the potentials of the points that carry mass.
pub(super) struct Solved<U = u64> {
    pub arcs: Vec<Arc<U>>,
    pub values: Vec<f64>,
    pub prices: Vec<f64>,
    pub iterations: usize,
    pub stop: Stop,
}

impl<U> Solved<U> {
    /// Potentials that are feasible without looking: costs are not negative.
    pub fn forget_potentials(&mut self) {
        self.values.fill(0.0);
        self.prices.fill(0.0);
    }
}

/// Matchings by augmenting paths, everything else by the simplex: with unequal masses paths carry little, and are many.
pub(super) fn solve<G: Ground, U: Unit>(
    ground: &G,
    load: SupplyDemand<'_, U>,
    hint: Hint,
    seed: u64,
    workers: &Workers,
    watch: &mut dyn Observe,
) -> Solved<U> {
    let (plan, prices) = improved(ground, load, hint, seed, workers, watch);
    let mut partial = PartialPlan::new(load);
    if !load.is_matching() {
        partial.follow(&plan);
        return match Simplex::from_plan(ground, load, partial, &prices, workers) {
            Ok(mut simplex) => {
                let stop = simplex.run(watch);
                from_simplex(&simplex, 0, stop)
            }
            Err(plan) => unproved(plan, 0),
        };
    }
    let hint = Hint { plan, prices: Some(prices) };
    let found = assignment::solve(ground, hint, ArcCheck::All, seed, workers, watch);
    for (i, &j) in found.target_of.iter().enumerate().filter(|(_, j)| **j != NONE) {
        partial.add(i, j as usize);
    }
    if found.state == State::Optimal {
        let value = |(i, &j): (usize, &u32)| ground.cost(i, j as usize) - found.prices[j as usize];
        let values = found.target_of.iter().enumerate().map(value).collect();
        let (arcs, prices) = (partial.arcs, found.prices);
        return Solved { arcs, values, prices, iterations: found.paths, stop: Stop::Converged };
    }
    // Stopped, or out of rounds or patience: what there is makes a good start.
    let is_stopped = found.state == State::Interrupted;
    let workers = if is_stopped { &workers.in_grace() } else { workers };
    match Simplex::from_plan(ground, load, partial, &found.prices, workers) {
        Ok(mut simplex) => {
            let stop = if is_stopped { Stop::Interrupted } else { simplex.run(watch) };
            from_simplex(&simplex, found.paths, stop)
        }
        Err(plan) => unproved(plan, found.paths),
    }
}

/// A plan that was stopped before there were potentials: none are feasible as well, for costs are not negative.
fn unproved<U>(plan: PartialPlan<U>, iterations: usize) -> Solved<U> {
    let (values, prices) = (vec![0.0; plan.supply.len()], vec![0.0; plan.demand.len()]);
    Solved { arcs: plan.arcs, values, prices, iterations, stop: Stop::Interrupted }
}

/// A gap between a plan and prices, as a share of the cost, below which there is nothing to learn from a sample.
const CLOSE_GAP_SHARE: f64 = 0.02;

/// What is known, or what a sample teaches if that is worth more: bad prices are a long way from good ones.
fn improved<G: Ground, U: Unit>(
    ground: &G,
    load: SupplyDemand<'_, U>,
    hint: Hint,
    seed: u64,
    workers: &Workers,
    watch: &mut dyn Observe,
) -> (Vec<(u32, u32, f64)>, Vec<f64>) {
    let Hint { plan, prices } = hint;
    let paid = |plan: &[(u32, u32, f64)]| {
        let mass: f64 = plan.iter().map(|arc| arc.2).sum();
        let paid = plan.iter().map(|&(i, j, mass)| mass * ground.cost(i as usize, j as usize)).sum::<f64>();
        if mass > 0.0 { paid / mass } else { f64::INFINITY }
    };
    let known = prices.map(|prices| (start::worth(ground, load, &prices, workers), prices));
    if let Some((worth, prices)) = &known
        && !plan.is_empty()
        && paid(&plan) - worth <= CLOSE_GAP_SHARE * paid(&plan)
    {
        return (plan, prices.clone());
    }
    let (drawn, learnt) = start::learn(ground, load, seed, workers, watch);
    let prices = match known {
        Some((worth, prices)) if worth >= start::worth(ground, load, &learnt, workers) => prices,
        _ => learnt,
    };
    (if paid(&plan) <= paid(&drawn) { plan } else { drawn }, prices)
}

pub(super) fn from_simplex<G: Ground, U: Unit>(
    simplex: &Simplex<'_, G, U>,
    before: usize,
    stop: Stop,
) -> Solved<U> {
    Solved {
        arcs: simplex.arcs().collect(),
        values: simplex.source_potentials().to_vec(),
        prices: simplex.target_potentials().to_vec(),
        iterations: before + simplex.pivots,
        stop,
    }
}
