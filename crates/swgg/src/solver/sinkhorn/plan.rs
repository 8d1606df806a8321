//! What the solver found, and what can be made of it: the plan, its map, its matrix.

use std::time::Instant;

use ndarray::Array2;

use crate::cost::Power;
use crate::error::{ErrorKind, Result};
use crate::measure::{Measure, same_space};
use crate::number::scalar::Scalar;
use crate::plan::coupling::{Coupling, DENSE_LIMIT};
use crate::plan::potentials::Potentials;
use crate::question::Ground as Law;
use crate::run::stop::Stop;
use crate::run::workers::{Parallelism, Workers};

use super::entropic::{Carriers, Entropic, rate, unit};
use super::ground::{Distances, Ground, MAX_COSTS_PER_TILE, Side, sweep};
use super::iterate::Iterates;
use super::patience::Patience;
use super::{Sinkhorn, between, lower_bound, round};

/// Sparse plans with more entries are refused by [`SmoothPlan::plan`]: they take a gigabyte.
pub const MOST_ENTRIES: usize = 1 << 26;

/// The smooth plan between two measures, as potentials: `P_ij = a_i b_j exp((f_i + g_j - c_ij) / epsilon)`.
///
/// It is not an answer: it misses a marginal by a little, and has an entry for every pair, which is why it is not held as a plan.
/// [`Sinkhorn::transport`] rounds it and makes an answer of it; its map, its matrix and its marginals are here.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SmoothPlan {
    /// What the plan pays, `sum P_ij c_ij`. The plan misses the target's marginal by `marginal_error`, so this may lie a little
    /// below the cost of any true plan; [`plan`](SmoothPlan::plan) has exact marginals. NaN if stopped with no time left to add it up.
    pub cost: f64,
    /// The entropic objective `sum P_ij c_ij + epsilon KL(P | a b^T)`, as its dual `sum a_i f_i + sum b_j g_j`: the same at
    /// convergence, a lower bound of it before. Without epsilon it is `W_p^p`, otherwise larger. POT measures entropy against the
    /// uniform measure instead, which moves the value and not the plan.
    pub value: f64,
    /// A certified lower bound of `W_p^p`, from potentials made to respect every cost; 0 if stopped with no time left for it.
    pub lower_bound: f64,
    /// The potentials `f` and `g` of the smoothed problem. Unlike those of [`Exact`](crate::Exact) their sum may exceed a cost, by
    /// about `epsilon`. Points without mass have them too: those of the formula that the others satisfy.
    pub potentials: Potentials,
    /// `sum_j |(P^T 1)_j - b_j|`, while `P 1 = a` holds to rounding. NaN where the cost is.
    pub marginal_error: f64,
    /// Whether the marginal error is within the tolerance.
    pub converged: bool,
    /// Iterations done, those at larger epsilons included.
    pub iterations: usize,
    /// Why the solver ended.
    pub stop: Stop,
    /// The epsilon used, in the units of costs.
    pub epsilon: f64,
    /// None for costs that are not powers of distances: these belong to the question.
    power: Option<Power>,
    parallelism: Parallelism,
    /// By when whoever stopped it wants an answer.
    leave_by: Option<Instant>,
}

impl SmoothPlan {
    pub(super) fn new<'c, T: Scalar>(
        source: &Measure<T>,
        target: &Measure<T>,
        problem: &Entropic<Distances<'c>>,
        settings: &Sinkhorn,
        (law, epsilon, parallelism): (Law<'c>, f64, Parallelism),
        iterates: Iterates,
        patience: &mut Patience,
    ) -> Self {
        let Iterates { f, g, iterations, stop, .. } = iterates;
        let [a, b] = &problem.sides;
        let (cost, marginal_error) = match problem.arrivals(&f, &g, epsilon, patience) {
            Some(arrivals) => {
                let error = arrivals.iter().zip(&b.weights).map(|((mass, _), b)| (mass - b).abs()).sum();
                (arrivals.iter().map(|(_, paid)| paid).sum(), error)
            }
            None => (f64::NAN, f64::NAN),
        };
        let converged = stop == Stop::Converged || marginal_error <= settings.tolerance;
        let potentials = Extension { source, target, problem, law, epsilon }.potentials(&f, &g, patience);
        let lower_bound = lower_bound(problem, &g, patience);
        let stop = match stop {
            Stop::Interrupted => stop,
            _ if patience.leave_by().is_some() => Stop::Interrupted,
            _ if converged => Stop::Converged,
            _ => Stop::MaxIterations,
        };
        SmoothPlan {
            cost,
            value: a.mean(&f) + b.mean(&g),
            lower_bound,
            potentials,
            marginal_error,
            converged,
            iterations,
            stop,
            epsilon,
            power: if let Law::Distance(power) = law { Some(power) } else { None },
            parallelism,
            leave_by: patience.leave_by(),
        }
    }

    /// What pairs cost, where that does not take the question to know.
    fn law(&self) -> Result<Law<'static>> {
        let cost = "another cost than powers of distances, once its question is gone".to_string();
        self.power.map(Law::Distance).ok_or_else(|| crate::solver::ground::needs_power("sinkhorn", cost))
    }

    /// By when whoever stopped it wants an answer.
    pub(super) fn leave_by(&self) -> Option<Instant> {
        self.leave_by
    }

    /// A sparse plan with exact marginals, by rounding.
    ///
    /// Entries below `1e-10` of their row are dropped, rows and columns that are too heavy are scaled down, and what is missing is
    /// carried by a staircase of at most `n + m` more entries. Its cost is never below `W_p^p`, and above that of the entropic plan
    /// by at most the missing mass times the largest cost. After Altschuler, Weed, Rigollet, "Near-linear time approximation
    /// algorithms for optimal transport via Sinkhorn iteration", whose last step is dense.
    ///
    /// How sparse it is depends on epsilon; above [`MOST_ENTRIES`] entries it is refused.
    pub fn plan<T: Scalar>(&self, source: &Measure<T>, target: &Measure<T>) -> Result<Coupling> {
        self.check(source, target)?;
        let workers = Workers::new(self.parallelism)?;
        let problem = between(source, target, self.law()?, &workers);
        Ok(self.plan_of(&problem, source, target, &mut Patience::new(&mut (), 0))?.0)
    }

    /// How many threads made it.
    pub(super) fn parallelism(&self) -> Parallelism {
        self.parallelism
    }

    /// [`plan`](SmoothPlan::plan), and whether it was made of the smooth plan: if patience ends before, points are joined in the order
    /// of their widest coordinate.
    pub(super) fn plan_of<T: Scalar>(
        &self,
        problem: &Entropic<Distances<'_>>,
        source: &Measure<T>,
        target: &Measure<T>,
        patience: &mut Patience,
    ) -> Result<(Coupling, bool)> {
        self.check(source, target)?;
        let [f, g] = self.carried(problem);
        let widest = widest_coordinate(source, target);
        let order = [source, target].map(|measure| order_along(measure, widest));
        let round::Rounded { entries, is_smooth } =
            round::rounded(problem, &f, &g, self.epsilon, &order, patience)?;
        let (n, m) = (source.len(), target.len());
        Ok((Coupling::from_merge(n, m, entries.sources, entries.targets, entries.masses), is_smooth))
    }

    /// The `n x m` matrix of the plan as it is, not rounded; refused above [`DENSE_LIMIT`] bytes.
    pub fn dense_plan<T: Scalar>(&self, source: &Measure<T>, target: &Measure<T>) -> Result<Array2<f64>> {
        self.dense_plan_within(source, target, DENSE_LIMIT)
    }

    /// [`dense_plan`](SmoothPlan::dense_plan), refused above `limit` bytes.
    pub fn dense_plan_within<T: Scalar>(
        &self,
        source: &Measure<T>,
        target: &Measure<T>,
        limit: u128,
    ) -> Result<Array2<f64>> {
        self.check(source, target)?;
        let (n, m) = (source.len(), target.len());
        let needed = n as u128 * m as u128 * size_of::<f64>() as u128;
        if needed > limit || needed > isize::MAX as u128 {
            return Err(ErrorKind::DenseTooLarge { n, m, needed, limit }.into());
        }
        let workers = Workers::new(self.parallelism)?;
        let problem = between(source, target, self.law()?, &workers);
        let [f, g] = self.carried(&problem);
        let mut nobody = ();
        let patience = &mut Patience::new(&mut nobody, 0);
        let rows =
            problem.rows(&f, &g, self.epsilon, patience, |_| Vec::new(), |row, _, masses| row.extend(masses));
        let mut dense = Array2::zeros((n, m));
        for (row, &i) in rows.iter().flatten().zip(&problem.sides[0].points) {
            for (mass, &j) in row.iter().zip(&problem.sides[1].points) {
                dense[(i as usize, j as usize)] = *mass;
            }
        }
        Ok(dense)
    }

    /// Where each source point goes on average, `sum_j P_ij y_j / sum_j P_ij`, one row per point and no matrix.
    ///
    /// Points without mass have an image too: the formula asks only where a point is (Pooladian, Niles-Weed, "Entropic estimation of
    /// optimal transport maps").
    pub fn barycentric_map<T: Scalar>(
        &self,
        source: &Measure<T>,
        target: &Measure<T>,
    ) -> Result<Array2<f64>> {
        self.check(source, target)?;
        let workers = Workers::new(self.parallelism)?;
        let everyone: Vec<u32> = (0..source.len() as u32).collect();
        let carriers = Carriers::of(target);
        let ground = Distances::new(source, &everyone, target, &carriers.points, self.law()?);
        let sides =
            [Carriers { logs: vec![0.0; everyone.len()], weights: Vec::new(), points: everyone }, carriers];
        let problem = Entropic::new(ground, sides, &workers);
        let prices: Vec<f64> =
            problem.sides[1].points.iter().map(|&j| self.potentials.target[j as usize]).collect();
        let dim = target.dim();
        let images = problem.rows(
            &self.potentials.source,
            &prices,
            self.epsilon,
            &mut Patience::new(&mut (), 0),
            |_| (0.0, vec![0.0; dim]),
            |(total, image), start, masses| {
                for (mass, &j) in masses.iter().zip(&problem.sides[1].points[start..]) {
                    *total += mass;
                    for (sum, y) in image.iter_mut().zip(target.point(j as usize)) {
                        *sum += mass * y.to_f64();
                    }
                }
            },
        );
        let mut map = Array2::zeros((source.len(), dim));
        for (i, (total, image)) in images.iter().flatten().enumerate() {
            // A point without mass may be so far away that rounding decides among exponents: it goes to the nearest, at these prices.
            let nearest = if (0.5..2.0).contains(total) { None } else { Some(problem.nearest(i, &prices)) };
            for (c, x) in map.row_mut(i).iter_mut().enumerate() {
                *x = match nearest {
                    None => image[c] / total,
                    Some(k) => target.point(problem.sides[1].points[k] as usize)[c].to_f64(),
                };
            }
        }
        Ok(map)
    }

    /// The potentials of the points that carry mass.
    fn carried(&self, problem: &Entropic<Distances<'_>>) -> [Vec<f64>; 2] {
        let pick = |points: &[u32], all: &[f64]| points.iter().map(|&i| all[i as usize]).collect();
        [
            pick(&problem.sides[0].points, &self.potentials.source),
            pick(&problem.sides[1].points, &self.potentials.target),
        ]
    }

    fn check<T: Scalar>(&self, source: &Measure<T>, target: &Measure<T>) -> Result<()> {
        same_space(source, target)?;
        let (coupling_source, coupling_target) = (self.potentials.source.len(), self.potentials.target.len());
        let (n, m) = (source.len(), target.len());
        if (coupling_source, coupling_target) == (n, m) {
            return Ok(());
        }
        Err(ErrorKind::CouplingSize { coupling_source, coupling_target, n, m }.into())
    }
}

impl<G: Ground> Entropic<'_, G> {
    /// What a plan between all points pays, if costs are kept: a plan that is not very sparse takes long to pay otherwise.
    pub fn kept_cost(&self, plan: &Coupling, n: usize, m: usize) -> Option<f64> {
        self.ground.kept(Side::Source, 0)?;
        let mut places = [vec![usize::MAX; n], vec![usize::MAX; m]];
        for (places, side) in places.iter_mut().zip(&self.sides) {
            side.points.iter().enumerate().for_each(|(k, &i)| places[i as usize] = k);
        }
        // Sums of blocks lose less than one long sum.
        let (mut sum, mut block) = (0.0, 0.0);
        for (k, (i, j, mass)) in plan.entries().enumerate() {
            block += mass * self.ground.kept(Side::Source, places[0][i])?.get(places[1][j])?;
            if k % 1024 == 1023 {
                sum += std::mem::take(&mut block);
            }
        }
        Some(sum + block)
    }

    /// The target that minimises `c_ij - v_j`.
    fn nearest(&self, i: usize, v: &[f64]) -> usize {
        let mut buffer = [0.0; MAX_COSTS_PER_TILE];
        let mut best = (f64::INFINITY, 0);
        let tile = self.ground.tile();
        for (k, v) in v.chunks(tile).enumerate() {
            let costs = &mut buffer[..v.len()];
            self.ground.costs(Side::Source, i, k * tile, costs);
            for (l, (cost, v)) in costs.iter().zip(v).enumerate() {
                if cost - v < best.0 {
                    best = (cost - v, k * tile + l);
                }
            }
        }
        best.1
    }

    /// Visits the rows of the plan, tile by tile; none if patience ends before.
    pub fn rows<S: Send>(
        &self,
        f: &[f64],
        g: &[f64],
        epsilon: f64,
        patience: &mut Patience,
        begin: impl Fn(usize) -> S + Sync,
        visit: impl Fn(&mut S, usize, &[f64]) + Sync,
    ) -> Option<Vec<S>> {
        let shift = self.exponents(Side::Source, f, epsilon);
        let base = self.exponents(Side::Target, g, epsilon);
        let rows = sweep(
            &self.ground,
            self.workers,
            Side::Source,
            patience,
            begin,
            |state, i, start, costs| {
                let mut masses = [0.0; MAX_COSTS_PER_TILE];
                let masses = &mut masses[..costs.len()];
                masses.copy_from_slice(costs);
                self.kernel.masses(masses, &base[start..start + costs.len()], rate(epsilon), shift[i]);
                visit(state, start, masses);
            },
            |_, state| state,
        );
        self.whole(Side::Source, rows)
    }
}

/// From potentials of the points with mass to potentials of all.
struct Extension<'a, 'b, 'c, T: Scalar> {
    source: &'a Measure<'b, T>,
    target: &'a Measure<'b, T>,
    problem: &'a Entropic<'a, Distances<'c>>,
    law: Law<'c>,
    epsilon: f64,
}

impl<T: Scalar> Extension<'_, '_, '_, T> {
    fn potentials(&self, f: &[f64], g: &[f64], patience: &mut Patience) -> Potentials {
        Potentials {
            source: self.side(Side::Source, self.source, f, g, patience),
            target: self.side(Side::Target, self.target, g, f, patience),
        }
    }

    /// `u` where there is mass, elsewhere what the potentials `v` of the other side ask for, or 0 if there is no time to ask.
    fn side(
        &self,
        side: Side,
        measure: &Measure<T>,
        u: &[f64],
        v: &[f64],
        patience: &mut Patience,
    ) -> Vec<f64> {
        let carriers = &self.problem.sides[side as usize].points;
        let mut all = vec![0.0; measure.len()];
        let mut idle = vec![true; measure.len()];
        for (&i, u) in carriers.iter().zip(u) {
            (all[i as usize], idle[i as usize]) = (*u, false);
        }
        let idle: Vec<u32> = (0..measure.len() as u32).filter(|&i| idle[i as usize]).collect();
        if idle.is_empty() {
            return all;
        }
        let none = || Carriers { points: Vec::new(), weights: Vec::new(), logs: Vec::new() };
        let other = Carriers::of(if side == Side::Source { self.target } else { self.source });
        let (ground, sides) = match side {
            Side::Source => {
                (Distances::new(self.source, &idle, self.target, &other.points, self.law), [none(), other])
            }
            Side::Target => {
                (Distances::new(self.source, &other.points, self.target, &idle, self.law), [other, none()])
            }
        };
        let problem = Entropic::new(ground, sides, self.problem.workers);
        let logs = problem.log_sums(side, &vec![0.0; idle.len()], v, self.epsilon, patience);
        let (Some(logs), Some(room)) = (logs, problem.room(side, v, patience)) else { return all };
        for ((&i, log), room) in idle.iter().zip(logs).zip(room) {
            // So far away that exponents overflow, only the nearest counts.
            all[i as usize] = if log.is_finite() { -unit(self.epsilon) * log } else { room };
        }
        all
    }
}

/// The coordinate along which both clouds together are widest.
fn widest_coordinate<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> usize {
    let dim = source.dim();
    let mut ends = vec![(f64::INFINITY, f64::NEG_INFINITY); dim];
    for point in source.points().chunks_exact(dim).chain(target.points().chunks_exact(dim)) {
        ends.iter_mut().zip(point).for_each(|((low, high), x)| {
            (*low, *high) = (low.min(x.to_f64()), high.max(x.to_f64()));
        });
    }
    let width = |c: usize| ends[c].1 - ends[c].0;
    (0..dim).fold(0, |best, c| if width(c) > width(best) { c } else { best })
}

/// The points of a measure in the order of a coordinate.
fn order_along<T: Scalar>(measure: &Measure<T>, coordinate: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..measure.len() as u32).collect();
    let at = |i: u32| measure.point(i as usize)[coordinate].to_f64();
    order.sort_by(|&i, &j| at(i).total_cmp(&at(j)).then(i.cmp(&j)));
    order
}
