//! Plans of lines and trees, which know squared distances only, paid and merged at any other cost.

use super::embedding::places;
use crate::error::Result;
use crate::exact::{Start, on_support};
use crate::measure::Measure;
use crate::number::scalar::Scalar;
use crate::plan::coupling::Coupling;
use crate::question::{Pays, Question};
use crate::run::Run;

/// A question, what its pairs pay, and places whose squared distances resemble that.
pub(super) struct Paid<'q, 'a, T: Scalar> {
    question: &'q Question<'a, T>,
    pays: Pays<'a>,
    places: [Measure<'a, T>; 2],
}

impl<'q, 'a, T: Scalar> Paid<'q, 'a, T> {
    pub fn new(question: &'q Question<'a, T>) -> Result<Self> {
        let measures = [question.source(), question.target()];
        let places = places(question)?.unwrap_or_else(|| measures.map(Measure::clone));
        Ok(Paid { question, pays: question.pays(), places })
    }

    /// The question of squared distances between the places.
    pub fn squared(&self) -> Result<Question<'_, T>> {
        Question::new(&self.places[0], &self.places[1])
    }

    pub fn cost(&self, plan: &Coupling) -> f64 {
        self.pays.total(plan)
    }

    /// One plan of several, none of which is cheaper: matchings exchange cycles and pairs, others go to exact transport along the
    /// entries of all of them.
    pub fn merged(&self, plans: Vec<Coupling>, run: &Run<'_>) -> Result<Coupling> {
        if plans.iter().all(Coupling::is_matching) {
            let mut matchings = plans.iter().filter_map(Coupling::targets);
            let mut best = Matching::new(matchings.next().unwrap_or_default());
            matchings.for_each(|other| best.merge(&Matching::new(other), &self.pays));
            return Ok(Coupling::from_targets(best.target_of));
        }
        let cheapest = plans.iter().min_by(|a, b| self.cost(a).total_cmp(&self.cost(b)));
        let mut support: Vec<(u32, u32)> =
            plans.iter().flat_map(|plan| plan.entries().map(|(i, j, _)| (i as u32, j as u32))).collect();
        support.sort_unstable();
        support.dedup();
        let start = Start { plan: cheapest, potentials: None };
        let mut quiet = Run { parallelism: run.parallelism, seed: run.seed, ..Run::default() };
        on_support(self.question, &support, start, &mut quiet)?.into_plan()
    }
}

/// A bijection, both ways.
struct Matching {
    target_of: Vec<u32>,
    source_of: Vec<u32>,
}

impl Matching {
    fn new(target_of: &[u32]) -> Self {
        let mut source_of = vec![0; target_of.len()];
        target_of.iter().enumerate().for_each(|(i, &j)| source_of[j as usize] = i as u32);
        Matching { target_of: target_of.to_vec(), source_of }
    }

    fn pair(&mut self, i: usize, j: u32) {
        self.target_of[i] = j;
        self.source_of[j as usize] = i as u32;
    }

    /// Takes from another one what makes this one cheaper: whole cycles, on which both use the same targets, then exchanges of two
    /// targets.
    fn merge(&mut self, other: &Matching, pays: &Pays<'_>) {
        let mut is_met = vec![false; self.target_of.len()];
        let mut cycle = Vec::new();
        for first in 0..is_met.len() {
            cycle.clear();
            let (mut a, mut rise) = (first, 0.0);
            while !is_met[a] {
                is_met[a] = true;
                cycle.push(a);
                let (mine, theirs) = (self.target_of[a] as usize, other.target_of[a] as usize);
                if mine != theirs {
                    rise += pays.between(a, theirs) - pays.between(a, mine);
                }
                a = other.source_of[mine] as usize;
            }
            if rise < 0.0 {
                cycle.iter().for_each(|&a| self.pair(a, other.target_of[a]));
            }
        }
        for a in 0..is_met.len() {
            let (mine, theirs) = (self.target_of[a], other.target_of[a]);
            if mine != theirs {
                let b = self.source_of[theirs as usize] as usize;
                let pay = |i: usize, j: u32| pays.between(i, j as usize);
                if pay(a, theirs) + pay(b, mine) < pay(a, mine) + pay(b, theirs) {
                    self.pair(a, theirs);
                    self.pair(b, mine);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Norm;
    use crate::line::sampler::Gaussians;

    #[test]
    fn never_dearer_than_any() {
        let mut numbers = Gaussians::new(3, 0);
        let mut cloud = |n: usize| {
            let mut rows = vec![0.0; n * 2];
            numbers.fill(&mut rows);
            Measure::from_vec(rows, 2).unwrap()
        };
        let (mu, nu) = (cloud(300), cloud(300));
        let norm = Norm::cityblock();
        let question = Question::new(&mu, &nu).unwrap().with_cost(&norm).unwrap();
        let paid = Paid::new(&question).unwrap();
        let shuffled =
            |step: usize| Coupling::from_targets((0..300).map(|i| ((i * step + 5) % 300) as u32).collect());
        let plans: Vec<Coupling> = [1, 7, 11, 13, 17, 19, 23, 29].into_iter().map(shuffled).collect();
        let least = plans.iter().map(|plan| paid.cost(plan)).fold(f64::INFINITY, f64::min);
        let merged = paid.merged(plans, &Run::default()).unwrap();
        assert!(merged.marginal_gap(&mu, &nu).unwrap() < 1e-12);
        assert!(paid.cost(&merged) < 0.9 * least);
    }
}
