//! The optimum of a small transport problem without rounding, for bounds to be held against.

use crate::dyadic::Dyadic;

/// Points and weights as floats; what they mean is taken literally.
#[derive(Clone, Debug)]
pub struct SmallProblem {
    /// Source points, row by row.
    pub x: Vec<f64>,
    /// Target points, row by row.
    pub y: Vec<f64>,
    /// Coordinates per point.
    pub dim: usize,
    /// Weights of the source, which need not add up to one.
    pub a: Vec<f64>,
    /// Weights of the target.
    pub b: Vec<f64>,
}

impl SmallProblem {
    /// `A B W_2^2`, where `A` and `B` are the totals of the weights, which divide them: the masses are `a_i B` and `b_j A`.
    ///
    /// By cheapest augmenting paths in exact arithmetic: every path is a cheapest one, so the flow is optimal for what it carries.
    fn scaled_optimum(&self) -> Dyadic {
        let (n, m) = (self.a.len(), self.b.len());
        let sum = |weights: &[f64]| weights.iter().fold(Dyadic::zero(), |sum, w| &sum + &Dyadic::of(*w));
        let (total_a, total_b) = (sum(&self.a), sum(&self.b));
        let mut supply: Vec<Dyadic> = self.a.iter().map(|a| &Dyadic::of(*a) * &total_b).collect();
        let mut demand: Vec<Dyadic> = self.b.iter().map(|b| &Dyadic::of(*b) * &total_a).collect();
        let costs: Vec<Vec<Dyadic>> = (0..n).map(|i| (0..m).map(|j| self.cost(i, j)).collect()).collect();
        let mut flow = vec![vec![Dyadic::zero(); m]; n];
        while let Some(path) = cheapest_path(&costs, &flow, &supply, &demand) {
            // Sources and targets in turn; what goes back is bounded by what went there.
            let (first, last) = (path[0].0, path[path.len() - 1].1);
            let mut most = supply[first].clone().min(demand[last].clone());
            for step in path.windows(2) {
                most = most.min(flow[step[1].0][step[0].1].clone());
            }
            for &(i, j) in &path {
                flow[i][j] = &flow[i][j] + &most;
            }
            for step in path.windows(2) {
                let (i, j) = (step[1].0, step[0].1);
                flow[i][j] = &flow[i][j] - &most;
            }
            supply[first] = &supply[first] - &most;
            demand[last] = &demand[last] - &most;
        }
        let entries = flow.iter().zip(&costs).flat_map(|(flow, costs)| flow.iter().zip(costs));
        entries.fold(Dyadic::zero(), |sum, (mass, cost)| &sum + &(mass * cost))
    }

    fn cost(&self, i: usize, j: usize) -> Dyadic {
        let (x, y) = (&self.x[i * self.dim..][..self.dim], &self.y[j * self.dim..][..self.dim]);
        x.iter().zip(y).fold(Dyadic::zero(), |sum, (x, y)| {
            let gap = &Dyadic::of(*x) - &Dyadic::of(*y);
            &sum + &(&gap * &gap)
        })
    }

    /// What rounding to nearest may do to a cost or a bound: 64 roundings of the largest cost there could be, which is the squared
    /// diagonal of the box around both clouds (1.4e-14 of it), and what is below the least number there is.
    pub fn rounding(&self) -> f64 {
        const ROUNDINGS: f64 = 64.0;
        let along = |axis: usize| {
            let values = self.x.iter().chain(&self.y).skip(axis).step_by(self.dim);
            let ends =
                values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(*x), high.max(*x)));
            (ends.1 - ends.0).powi(2)
        };
        ROUNDINGS * f64::EPSILON * (0..self.dim).map(along).sum::<f64>() + 1e-300
    }

    /// The optimum, ready to be compared with.
    pub fn truth(&self) -> Truth {
        let sum = |weights: &[f64]| weights.iter().fold(Dyadic::zero(), |sum, w| &sum + &Dyadic::of(*w));
        Truth { optimum: self.scaled_optimum(), unit: &sum(&self.a) * &sum(&self.b) }
    }
}

/// `W_2^2` as a fraction.
#[derive(Clone, Debug)]
pub struct Truth {
    optimum: Dyadic,
    unit: Dyadic,
}

impl Truth {
    /// Whether a number is at most the optimum, without any allowance.
    pub fn is_at_least(&self, bound: f64) -> bool {
        &Dyadic::of(bound) * &self.unit <= self.optimum
    }

    /// Whether a number is at least this share of the optimum: `share` 1 asks for an upper bound without any allowance.
    pub fn is_at_most(&self, share: f64, cost: f64) -> bool {
        &Dyadic::of(cost) * &self.unit >= &Dyadic::of(share) * &self.optimum
    }
}

/// Pairs of source and target along a cheapest path from spare supply to spare demand, by Bellman and Ford.
fn cheapest_path(
    costs: &[Vec<Dyadic>],
    flow: &[Vec<Dyadic>],
    supply: &[Dyadic],
    demand: &[Dyadic],
) -> Option<Vec<(usize, usize)>> {
    let (n, m) = (supply.len(), demand.len());
    let mut source: Vec<Option<Dyadic>> =
        supply.iter().map(|s| (*s > Dyadic::zero()).then(Dyadic::zero)).collect();
    let mut target: Vec<Option<Dyadic>> = vec![None; m];
    let (mut to_target, mut to_source) = (vec![usize::MAX; m], vec![usize::MAX; n]);
    let mut is_moving = true;
    while is_moving {
        is_moving = false;
        for i in 0..n {
            for j in 0..m {
                if let Some(here) = &source[i] {
                    let there = here + &costs[i][j];
                    if target[j].as_ref().is_none_or(|known| there < *known) {
                        (target[j], to_target[j], is_moving) = (Some(there), i, true);
                    }
                }
                if let Some(here) = &target[j]
                    && flow[i][j] > Dyadic::zero()
                {
                    let there = here - &costs[i][j];
                    if source[i].as_ref().is_none_or(|known| there < *known) {
                        (source[i], to_source[i], is_moving) = (Some(there), j, true);
                    }
                }
            }
        }
    }
    let open = (0..m).filter(|&j| demand[j] > Dyadic::zero() && target[j].is_some());
    let mut j = open.min_by(|&j, &k| target[j].cmp(&target[k]))?;
    let mut path = Vec::new();
    loop {
        let i = to_target[j];
        path.push((i, j));
        if to_source[i] == usize::MAX {
            break;
        }
        j = to_source[i];
    }
    path.reverse();
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{exact_cost, exact_cost_weighted};

    #[test]
    fn it_agrees_with_trying_everything() {
        for seed in 0..20 {
            let (x, y) = crate::gaussian_pair(5, 2, 2, seed);
            let problem = SmallProblem { x: x.points, y: y.points, dim: 2, a: vec![1.0; 5], b: vec![1.0; 5] };
            let (truth, known) = (problem.truth(), exact_cost(&problem.x, &problem.y, 2));
            assert!(truth.is_at_least(known * (1.0 - 1e-12)) && !truth.is_at_least(known * (1.0 + 1e-12)));
            assert!(truth.is_at_most(1.0, known * (1.0 + 1e-12)));
        }
        let (a, b) = ([1, 2, 1], [3, 1]);
        let (x, y) = ([0.0, 0.5, 4.0], [1.0, 3.0]);
        let known = exact_cost_weighted(&x, &a, &y, &b, 1);
        let weights = |w: &[u32]| w.iter().map(|&w| f64::from(w)).collect();
        let problem = SmallProblem { x: x.to_vec(), y: y.to_vec(), dim: 1, a: weights(&a), b: weights(&b) };
        let truth = problem.truth();
        assert!(truth.is_at_least(known) && truth.is_at_most(1.0, known), "both are whole numbers of halves");
    }
}
