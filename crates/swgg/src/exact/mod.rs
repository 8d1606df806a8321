//! Exact transport: the cheapest plan of all, with the potentials that prove it.

mod ground;
mod tree;

use std::ops::ControlFlow;

use crate::cost::{Power, sq_distance};
use crate::coupling::Coupling;
use crate::direction::Projected;
use crate::error::Result;
use crate::line::Sorter;
use crate::mass::common;
use crate::measure::{Measure, pairable, same_space};
use crate::observe::{Observe, Progress};
use crate::par::Parallelism;
use crate::problem::{InMemory, Problem};
use crate::sampler::{Sampler, Sphere};
use crate::scalar::Scalar;
use crate::search::Stop;
use ground::{BLOCK, Distances, Ground};
use tree::Tree;

/// `W_2^2` and the cheapest plan with the default settings; see [`Exact`].
///
/// ```
/// use swgg::{Measure, exact};
/// let mu = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0], 2)?;
/// let nu = Measure::from_slice(&[1.0, 1.0, 0.0, 1.0], 2)?;
/// let plan = exact(&mu, &nu)?;
/// assert_eq!((plan.cost, plan.coupling.target_of(0)), (1.0, Some(1)));
/// # Ok::<(), swgg::Error>(())
/// ```
pub fn exact<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> Result<ExactTransport> {
    Exact::default().solve(source, target)
}

/// Exact transport, with settings.
///
/// ```text
/// W_p^p(mu, nu) = min_pi sum pi_ij |x_i - y_j|^p = max { sum a_i u_i + sum b_j v_j : u_i + v_j <= |x_i - y_j|^p }
/// ```
///
/// A network simplex on the complete bipartite graph. Masses are whole numbers, so the plan is exact to the last unit; costs are
/// computed when they are needed, so memory is `O((n + m) d)`. It begins with the plan of a good line, which is a spanning tree
/// already. Time grows a little faster than `n^2`: some thousand points take a second, tens of thousands minutes.
///
/// Paper: Definition "Wasserstein distance".
#[derive(Clone, Copy, Debug)]
pub struct Exact {
    /// The exponent of the distance, 1 or more.
    pub p: f64,
    /// Seed of the directions among which the first plan is chosen; the cost does not depend on it, the plan only among equals.
    pub seed: u64,
    /// Threads for the first plan; the answer does not depend on it.
    pub parallelism: Parallelism,
}

impl Default for Exact {
    fn default() -> Self {
        Exact { p: 2.0, seed: 0, parallelism: Parallelism::Auto }
    }
}

/// The cheapest plan, and the proof.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ExactTransport {
    /// Cost of the plan, `W_p^p` unless the solver was stopped.
    pub cost: f64,
    /// A certified lower bound of `W_p^p`, from the potentials; the cost itself to rounding unless the solver was stopped.
    pub lower_bound: f64,
    /// The plan: a matching of uniform clouds of one size, otherwise at most `n + m - 1` entries.
    pub coupling: Coupling,
    /// Dual potentials.
    pub potentials: Potentials,
    /// How often the basis was changed.
    pub pivots: usize,
    /// Why the solver ended.
    pub stop: Stop,
}

/// Dual potentials: `source[i] + target[j] <= |x_i - y_j|^p` for every pair, to rounding, with equality where mass moves.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Potentials {
    /// One per source point.
    pub source: Vec<f64>,
    /// One per target point.
    pub target: Vec<f64>,
}

impl Potentials {
    /// `sum a_i u_i + sum b_j v_j`.
    pub fn value<T: Scalar>(&self, source: &Measure<T>, target: &Measure<T>) -> f64 {
        let side = |potentials: &[f64], measure: &Measure<T>| {
            potentials.iter().enumerate().map(|(i, u)| measure.weight(i) * u).sum::<f64>()
        };
        side(&self.source, source) + side(&self.target, target)
    }
}

impl Exact {
    /// Solves.
    pub fn solve<T: Scalar>(&self, source: &Measure<T>, target: &Measure<T>) -> Result<ExactTransport> {
        self.solve_watched(source, target, &mut ())
    }

    /// [`solve`](Exact::solve) with an observer, which may stop: then the best plan so far is returned. It is told of sources
    /// whose arcs were found in order, one after the other, so progress falls back to zero now and then.
    pub fn solve_watched<T: Scalar>(
        &self,
        source: &Measure<T>,
        target: &Measure<T>,
        watch: &mut dyn Observe,
    ) -> Result<ExactTransport> {
        let power = Power::new(self.p)?;
        same_space(source, target)?;
        let mut simplex = Simplex::new(source, target, power, &self.first_direction(source, target)?);
        let stop = simplex.run(watch);
        simplex.finish(source, target, stop)
    }

    /// The best of the principal axes and some random directions.
    fn first_direction<T: Scalar>(&self, source: &Measure<T>, target: &Measure<T>) -> Result<Vec<f64>> {
        let problem = InMemory::with_parallelism(source, target, self.parallelism)?;
        let mut thetas = problem.axes()?;
        let drawn = Sphere::new(problem.dim(), self.seed)?.batch(0..32);
        (0..drawn.len()).for_each(|k| thetas.push(&drawn.get(k)));
        let costs = problem.costs(&thetas)?;
        Ok(thetas.row(ground::position_of_least(&costs)).to_vec())
    }
}

/// The points that carry mass, and the tree.
struct Simplex {
    ground: Distances,
    /// Positions of the carriers among all points.
    carriers: [Vec<u32>; 2],
    tree: Tree,
    n: usize,
    total: u64,
    pivots: usize,
}

impl Simplex {
    fn new<T: Scalar>(source: &Measure<T>, target: &Measure<T>, power: Power, theta: &[f64]) -> Self {
        let (a, b, total) = common(source.units(), target.units());
        let d = source.dim();
        // Moving one cloud changes squared costs by terms that every plan pays alike, and nothing else moves as little as that;
        // for other powers both clouds move together, to where coordinates are small.
        let (mean, other) = (source.mean(), target.mean());
        let centres = match self_centred(power) {
            true => [mean, other],
            false => {
                let middle: Vec<f64> = mean.iter().zip(&other).map(|(m, n)| 0.5 * (m + n)).collect();
                [middle.clone(), middle]
            }
        };
        let side = |measure: &Measure<T>, masses: &dyn Fn(usize) -> u64, centre: &[f64]| {
            let carriers: Vec<u32> = (0..measure.len() as u32).filter(|&i| masses(i as usize) > 0).collect();
            let rows = carriers.iter().flat_map(|&i| {
                measure
                    .point(i as usize)
                    .iter()
                    .zip(centre)
                    .map(|(x, c)| x.to_f64() - c)
                    .collect::<Vec<f64>>()
            });
            let rows: Vec<f64> = rows.collect();
            let units: Vec<u64> = carriers.iter().map(|&i| masses(i as usize)).collect();
            (carriers, rows, units)
        };
        let (sources, x, supply) = side(source, &|i| a.of(i), &centres[0]);
        let (targets, y, demand) = side(target, &|j| b.of(j), &centres[1]);
        let (n, m) = (sources.len(), targets.len());
        let arcs = staircase(&order(&x, theta), &supply, &order(&y, theta), &demand);
        let tree = Tree::new(n, m, &arcs);
        let ground = Distances::new(x, &y, d, power);
        Simplex { ground, carriers: [sources, targets], tree, n, total, pivots: 0 }
    }

    /// Pivots until no arc would lower the cost.
    fn run(&mut self, watch: &mut dyn Observe) -> Stop {
        let (n, m) = (self.n, self.tree.potential.len() - self.n);
        let tolerance = self.tolerance();
        let blocks = m.div_ceil(BLOCK);
        let (mut row, mut turn, mut in_order, mut since, mut priced) = (0, 0, 0, 0, REPORT);
        self.reset();
        loop {
            // Another block of targets for every source, and in another order each time around.
            let block = (row + turn) % blocks;
            let range = block * BLOCK..m.min((block + 1) * BLOCK);
            let best = self.ground.cheapest(row, range, &self.tree.potential[n..]);
            let reduced =
                self.ground.cost(row, best) - self.tree.potential[row] - self.tree.potential[n + best];
            if reduced < -tolerance {
                self.tree.pivot(row as u32, best as u32, reduced);
                self.pivots += 1;
                since += 1;
                in_order = 0;
            } else {
                in_order += 1;
            }
            if in_order >= n * blocks {
                if since == 0 {
                    return Stop::Converged;
                }
                // Once more with fresh potentials: only what they say counts.
                self.reset();
                (in_order, since) = (0, 0);
            } else if since >= RESET {
                self.reset();
                since = 1;
            }
            row += 1;
            if row == n {
                (row, turn) = (0, turn + 1);
            }
            priced += 1;
            if priced >= REPORT {
                priced = 0;
                let progress = Progress { tried: in_order / blocks, total: n, best: self.cost() };
                if watch.progress(&progress) == ControlFlow::Break(()) {
                    return Stop::Interrupted;
                }
            }
        }
    }

    /// What counts as zero among reduced costs.
    fn tolerance(&self) -> f64 {
        1e-13 * self.ground.scale()
    }

    fn reset(&mut self) {
        let ground = &self.ground;
        self.tree.reset_potentials(|i, j| ground.cost(i as usize, j as usize));
    }

    /// Cost of the plan between the centred clouds.
    fn cost(&self) -> f64 {
        let arcs = self.tree.arcs().filter(|arc| arc.2 > 0);
        arcs.map(|(i, j, flow)| flow as f64 * self.ground.cost(i as usize, j as usize)).sum::<f64>()
            / self.total as f64
    }
}

/// Pivots after which potentials are computed afresh.
const RESET: usize = 2000;
/// Blocks priced between two reports to the observer: some milliseconds of work.
const REPORT: usize = 1 << 13;

/// Whether each cloud may be centred on its own mean without changing the plan.
fn self_centred(power: Power) -> bool {
    power.exponent() == 2.0
}

impl Simplex {
    /// The plan and its proof, between the measures as they were given.
    fn finish<T: Scalar>(
        self,
        source: &Measure<T>,
        target: &Measure<T>,
        stop: Stop,
    ) -> Result<ExactTransport> {
        let coupling = self.coupling(source, target);
        let cost = coupling.cost(source, target, &self.ground.power)?;
        let potentials = self.potentials(source, target);
        let lower_bound = potentials.value(source, target).clamp(0.0, cost);
        Ok(ExactTransport { cost, lower_bound, coupling, potentials, pivots: self.pivots, stop })
    }

    fn coupling<T: Scalar>(&self, source: &Measure<T>, target: &Measure<T>) -> Coupling {
        let [sources, targets] = &self.carriers;
        let mut arcs: Vec<(u32, u32, u64)> = self
            .tree
            .arcs()
            .filter(|arc| arc.2 > 0)
            .map(|(i, j, flow)| (sources[i as usize], targets[j as usize], flow))
            .collect();
        arcs.sort_unstable();
        if pairable(source, target) {
            return Coupling::from_targets(arcs.into_iter().map(|arc| arc.1).collect());
        }
        let per_unit = 1.0 / self.total as f64;
        let masses = arcs.iter().map(|arc| arc.2 as f64 * per_unit).collect();
        let (rows, columns) =
            (arcs.iter().map(|arc| arc.0).collect(), arcs.iter().map(|arc| arc.1).collect());
        Coupling::from_merge(source.len(), target.len(), rows, columns, masses)
    }

    /// Potentials of all points, feasible by construction: those of the sources are what the targets leave room for.
    fn potentials<T: Scalar>(&self, source: &Measure<T>, target: &Measure<T>) -> Potentials {
        let power = self.ground.power;
        let mut prices = vec![f64::NAN; target.len()];
        let moved = Moved::new(source, target, power);
        for (k, &j) in self.carriers[1].iter().enumerate() {
            prices[j as usize] = self.tree.potential[self.n + k] + moved.price(target.point(j as usize));
        }
        let pay = |i: usize, j: usize| {
            let square = sq_distance(source.point(i), target.point(j));
            if self_centred(power) { square } else { power.of_distance(square.sqrt()) }
        };
        // A target without mass is priced as high as the sources that have some allow.
        for j in (0..target.len()).filter(|&j| prices[j].is_nan()).collect::<Vec<_>>() {
            let room = self.carriers[0].iter().enumerate().map(|(k, &i)| {
                pay(i as usize, j) - self.tree.potential[k] - moved.value(source.point(i as usize))
            });
            prices[j] = room.fold(f64::INFINITY, f64::min);
        }
        let all = Distances::new(to_f64(source), &to_f64(target), source.dim(), power);
        let room = |i: usize| {
            let least_of = |start: usize| {
                let best = all.cheapest(i, start..target.len().min(start + BLOCK), &prices);
                all.cost(i, best) - prices[best]
            };
            (0..target.len()).step_by(BLOCK).map(least_of).fold(f64::INFINITY, f64::min)
        };
        let values: Vec<f64> = (0..source.len()).map(room).collect();
        Potentials { source: values, target: prices }
    }
}

fn to_f64<T: Scalar>(measure: &Measure<T>) -> Vec<f64> {
    measure.points().iter().map(|x| x.to_f64()).collect()
}

/// What centring took from squared costs: `|x - y|^2 = |x' - y'|^2 + 2 <x', s> - 2 <y', s> + |s|^2`, with `s` the difference of the
/// means.
struct Moved {
    shift: Vec<f64>,
    means: [Vec<f64>; 2],
}

impl Moved {
    fn new<T: Scalar>(source: &Measure<T>, target: &Measure<T>, power: Power) -> Self {
        let means = [source.mean(), target.mean()];
        let shift =
            means[0].iter().zip(&means[1]).map(|(m, n)| if self_centred(power) { m - n } else { 0.0 });
        Moved { shift: shift.collect(), means }
    }

    fn value<T: Scalar>(&self, x: &[T]) -> f64 {
        self.along(x, &self.means[0]) + self.half()
    }

    fn price<T: Scalar>(&self, y: &[T]) -> f64 {
        self.half() - self.along(y, &self.means[1])
    }

    fn along<T: Scalar>(&self, x: &[T], mean: &[f64]) -> f64 {
        x.iter().zip(mean).zip(&self.shift).map(|((x, m), s)| 2.0 * (x.to_f64() - m) * s).sum()
    }

    fn half(&self) -> f64 {
        0.5 * self.shift.iter().map(|s| s * s).sum::<f64>()
    }
}

/// The order of rows along a direction.
fn order(rows: &[f64], theta: &[f64]) -> Vec<u32> {
    let mut order = Vec::new();
    Sorter::default().sort(&Projected { points: rows, theta }, &mut order);
    order
}

/// The monotone plan of two sorted clouds as a spanning tree: `n + m - 1` arcs, each with one node that the arcs before did not
/// have. Where both sides run out at once, an arc without flow leads from the old source to the next target.
fn staircase(sigma: &[u32], supply: &[u64], tau: &[u32], demand: &[u64]) -> Vec<tree::Arc> {
    let mut arcs = Vec::with_capacity(sigma.len() + tau.len());
    let (mut k, mut l) = (0, 0);
    let (mut left, mut missing) = (supply[sigma[0] as usize], demand[tau[0] as usize]);
    loop {
        let flow = left.min(missing);
        arcs.push((sigma[k], tau[l], flow));
        left -= flow;
        missing -= flow;
        if missing == 0 && l + 1 < tau.len() {
            l += 1;
            missing = demand[tau[l] as usize];
        } else if k + 1 < sigma.len() {
            k += 1;
            left = supply[sigma[k] as usize];
        } else {
            return arcs;
        }
    }
}
