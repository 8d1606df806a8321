//! Problems as they are given, and answers to them.

use super::Start;
use super::ground::{Distances, Ground};
use super::matrix::CostMatrix;
use super::solver::{Hint, Solved};
use super::start::{SupplyDemand, cheapest_target, in_tasks};
use super::tree::Arc;
use super::twins::{self, Groups};
use crate::answer::{CostIs, Transport};
use crate::cost::{Power, sq_distance};
use crate::error::{ErrorKind, Result};
use crate::measure::{Measure, pairable};
use crate::number::mass::{Unit, common, wide_units};
use crate::number::scalar::Scalar;
use crate::plan::coupling::Coupling;
use crate::plan::potentials::Potentials;
use crate::run::workers::Workers;

/// Dimension from which costs are computed once, by products of blocks, and kept.
const MIN_KEPT_DIM: usize = 9;
/// Costs that may be kept: 1 GiB of them.
const MAX_KEPT_COSTS: usize = 1 << 27;

/// Points that one task moves.
const ROWS_PER_TASK: usize = 64;

/// The points that carry mass, and how much, in units.
pub(super) struct Carriers<U = u64> {
    pub sources: Vec<u32>,
    pub targets: Vec<u32>,
    supply: Vec<U>,
    demand: Vec<U>,
    total: U,
    is_matching: bool,
    /// What a unit of each carrier stands for, as a share of what units stand for, where masses are far apart.
    shares: Option<[Vec<f64>; 2]>,
}

impl Carriers {
    pub fn new<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> Self {
        let (a, b, total) = common(source.units(), target.units());
        let sources: Vec<u32> = (0..source.len() as u32).filter(|&i| a.of(i as usize) > 0).collect();
        let targets: Vec<u32> = (0..target.len() as u32).filter(|&j| b.of(j as usize) > 0).collect();
        let supply = sources.iter().map(|&i| a.of(i as usize)).collect();
        let demand = targets.iter().map(|&j| b.of(j as usize)).collect();
        let is_matching = pairable(source, target);
        Carriers { sources, targets, supply, demand, total, is_matching, shares: None }
    }

    /// The points that have units of mass, whose totals need not agree.
    pub fn with_units([supply, demand]: [&[u64]; 2]) -> Self {
        let carriers = |units: &[u64]| -> Vec<u32> {
            (0..units.len() as u32).filter(|&i| units[i as usize] > 0).collect()
        };
        let chosen = |units: &[u64], carriers: &[u32]| carriers.iter().map(|&i| units[i as usize]).collect();
        let (sources, targets) = (carriers(supply), carriers(demand));
        Carriers {
            supply: chosen(supply, &sources),
            demand: chosen(demand, &targets),
            total: supply.iter().sum(),
            sources,
            targets,
            is_matching: false,
            shares: None,
        }
    }

    /// Where each point is among the carriers.
    pub fn places(carriers: &[u32], count: usize) -> Vec<Option<u32>> {
        let mut places = vec![None; count];
        carriers.iter().enumerate().for_each(|(k, &i)| places[i as usize] = Some(k as u32));
        places
    }

    /// What a start says about the carriers; `price` turns the price of a target into that of the solver.
    pub fn hint(
        &self,
        start: &Start<'_>,
        (n, m): (usize, usize),
        price: impl Fn(usize, f64) -> f64,
    ) -> Result<Hint> {
        let mut hint = Hint::default();
        if let Some(plan) = start.plan {
            let (coupling_source, coupling_target) = (plan.source_len(), plan.target_len());
            if (coupling_source, coupling_target) != (n, m) {
                return Err(ErrorKind::CouplingSize { coupling_source, coupling_target, n, m }.into());
            }
            let (of_source, of_target) = (Self::places(&self.sources, n), Self::places(&self.targets, m));
            hint.plan = plan
                .entries()
                .filter_map(|(i, j, mass)| Some((of_source[i]?, of_target[j]?, mass)))
                .collect();
        }
        if let Some(potentials) = start.potentials {
            if potentials.target.len() != m {
                let (found, expected) = (potentials.target.len(), m);
                return Err(ErrorKind::PotentialCount { found, expected }.into());
            }
            if let Some(row) = potentials.target.iter().position(|v| !v.is_finite()) {
                return Err(ErrorKind::NotFinite { row, column: 0, value: potentials.target[row] }.into());
            }
            let prices = self.targets.iter().map(|&j| price(j as usize, potentials.target[j as usize]));
            hint.prices = Some(prices.collect());
        }
        Ok(hint)
    }

    /// Solves with points of each group seen as one.
    pub fn solve_merged(&self, groups: [Groups; 2], solve: impl FnOnce(&Carriers) -> Solved) -> Solved {
        let [sources, targets] = &groups;
        let pick = |carriers: &[u32], groups: &Groups| {
            groups.firsts.iter().map(|&place| carriers[place as usize]).collect::<Vec<u32>>()
        };
        let merged = Carriers {
            sources: pick(&self.sources, sources),
            targets: pick(&self.targets, targets),
            supply: sources.masses(&self.supply),
            demand: targets.masses(&self.demand),
            total: self.total,
            is_matching: false,
            shares: None,
        };
        let solved = solve(&merged);
        Solved {
            arcs: twins::split(&solved.arcs, [(sources, &self.supply), (targets, &self.demand)]),
            values: sources.spread(&solved.values),
            prices: targets.spread(&solved.prices),
            ..solved
        }
    }
}

impl Carriers<u128> {
    /// All points that have mass, however little, for masses that are far apart.
    pub fn wide<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> Self {
        let side = |measure: &Measure<T>| {
            let units = wide_units(measure.len(), measure.weights());
            let carriers: Vec<u32> = (0..units.len() as u32).filter(|&i| units[i as usize] > 0).collect();
            let carried: Vec<u128> = carriers.iter().map(|&i| units[i as usize]).collect();
            let total = units.iter().sum::<u128>();
            let mass = |i: u32| measure.weight(i as usize) * total.to_f64();
            let shares = carriers.iter().zip(&carried).map(|(&i, units)| mass(i) / units.to_f64()).collect();
            (carriers, carried, total, shares)
        };
        let ((sources, supply, total, of_sources), (targets, demand, _, of_targets)) =
            (side(source), side(target));
        let shares = Some([of_sources, of_targets]);
        Carriers { sources, targets, supply, demand, total, is_matching: false, shares }
    }
}

impl<U: Unit> Carriers<U> {
    pub fn load(&self) -> SupplyDemand<'_, U> {
        SupplyDemand { supply: &self.supply, demand: &self.demand }
    }

    /// What units from a carrier to another stand for: where one of them has less than its units say, or more, that counts.
    fn share(&self, i: u32, j: u32) -> f64 {
        let Some([sources, targets]) = &self.shares else { return 1.0 };
        let [of_source, of_target] = [sources[i as usize], targets[j as usize]];
        if of_source.ln().abs() >= of_target.ln().abs() { of_source } else { of_target }
    }

    /// The plan between all points.
    pub fn coupling(&self, solved: &Solved<U>, (n, m): (usize, usize)) -> Coupling {
        let mut arcs = solved.arcs.clone();
        // Carriers are in the order of the points.
        arcs.sort_unstable();
        if self.is_matching {
            return Coupling::from_targets(arcs.iter().map(|arc| self.targets[arc.1 as usize]).collect());
        }
        let per_unit = 1.0 / self.total.to_f64();
        let mass = |&(i, j, flow): &Arc<U>| flow.to_f64() * per_unit * self.share(i, j);
        let masses = arcs.iter().map(mass).collect();
        let rows = arcs.iter().map(|arc| self.sources[arc.0 as usize]).collect();
        let columns = arcs.iter().map(|arc| self.targets[arc.1 as usize]).collect();
        Coupling::from_merge(n, m, rows, columns, masses)
    }

    /// Potentials of all points from those of the carriers, feasible by construction: those of the sources are what the targets
    /// leave room for.
    pub fn potentials<G: Ground>(
        &self,
        all: &G,
        values: &[f64],
        prices: &[f64],
        workers: &Workers,
    ) -> Potentials {
        let mut target = vec![f64::NAN; all.targets()];
        self.targets.iter().zip(prices).for_each(|(&j, price)| target[j as usize] = *price);
        // A target without mass is priced as high as the sources that have some allow.
        let idle: Vec<usize> = (0..target.len()).filter(|&j| target[j].is_nan()).collect();
        let rooms = in_tasks(idle.len(), workers, |k| {
            let room = self.sources.iter().zip(values).map(|(&i, u)| all.cost(i as usize, idle[k]) - u);
            room.fold(f64::INFINITY, f64::min)
        });
        idle.iter().zip(rooms).for_each(|(&j, room)| target[j] = room);
        let room = |i: usize| Some(cheapest_target(all, i, &target).0).filter(|room| room.is_finite());
        // A source from which no arc leads has no mass either.
        let source = in_tasks(all.sources(), workers, |i| room(i).unwrap_or(0.0));
        Potentials { source, target }
    }

    /// [`potentials`](Carriers::potentials) where every point carries mass: `costs` tell which target is the cheapest, and the points what
    /// it costs. Potentials are those of the solver, to which something is added afterwards.
    pub fn values_by(&self, kept: &Kept, prices: &[f64], workers: &Workers) -> Vec<f64> {
        in_tasks(kept.costs.sources(), workers, |i| {
            let j = cheapest_target(&kept.costs, i, prices).1;
            kept.square(i, j) - prices[j]
        })
    }

    /// The whole answer, with what the potentials prove.
    pub fn answer<T: Scalar>(
        &self,
        solved: &Solved<U>,
        cost: f64,
        potentials: Potentials,
        (source, target): (&Measure<T>, &Measure<T>),
    ) -> Transport {
        let found = Transport {
            lower_bound: Some(potentials.value(source, target).clamp(0.0, cost)),
            coupling: Some(self.coupling(solved, (source.len(), target.len()))),
            potentials: Some(potentials),
            steps: solved.iterations,
            stop: solved.stop,
            ..Transport::new("exact", cost, CostIs::Upper)
        };
        found.proved()
    }
}

/// Costs between the carriers, all of them, and the points they are computed from, row by row.
pub(super) struct Kept {
    pub costs: CostMatrix,
    rows: [Vec<f64>; 2],
    dim: usize,
}

impl Kept {
    /// A cost from the points, which loses less than the product of two long ones.
    fn square(&self, i: usize, j: usize) -> f64 {
        let row = |side: usize, i: usize| &self.rows[side][i * self.dim..(i + 1) * self.dim];
        sq_distance(row(0, i), row(1, j))
    }
}

/// Points that carry mass, moved to where coordinates are small.
///
/// Moving one cloud changes squared costs by terms that every plan pays alike, so each is centred; for other powers both move
/// together.
///
/// ```text
/// |x - y|^2 = |x' - y'|^2 + 2 <x', s> - 2 <y', s> + |s|^2,    s the difference of the means
/// ```
pub(super) struct Centred {
    centres: [Vec<f64>; 2],
    /// Difference of the centres.
    shift: Vec<f64>,
    /// Half of its square.
    half: f64,
    power: Power,
}

impl Centred {
    pub fn new<T: Scalar>(source: &Measure<T>, target: &Measure<T>, power: Power, workers: &Workers) -> Self {
        let (mean, other) = workers.join(|| source.mean(), || target.mean());
        if power.exponent() != 2.0 {
            return Self::together([mean, other], power);
        }
        Self::around([mean, other], power)
    }

    /// Both clouds moved by the same, which changes no cost at all.
    pub fn together([mean, other]: [Vec<f64>; 2], power: Power) -> Self {
        let middle: Vec<f64> = mean.iter().zip(&other).map(|(m, n)| 0.5 * (m + n)).collect();
        Self::around([middle.clone(), middle], power)
    }

    fn around(centres: [Vec<f64>; 2], power: Power) -> Self {
        let shift: Vec<f64> = centres[0].iter().zip(&centres[1]).map(|(m, n)| m - n).collect();
        let half = 0.5 * shift.iter().map(|s| s * s).sum::<f64>();
        Centred { centres, shift, half, power }
    }

    /// Costs between the carriers, all of them at once, where that is worth the memory.
    pub fn kept<T: Scalar>(
        &self,
        (source, target): (&Measure<T>, &Measure<T>),
        carriers: &Carriers,
        workers: &Workers,
    ) -> Option<Kept> {
        let entries = carriers.sources.len() * carriers.targets.len();
        if self.power.exponent() != 2.0 || source.dim() < MIN_KEPT_DIM || entries > MAX_KEPT_COSTS {
            return None;
        }
        let (rows, dim) = (self.rows([source, target], carriers, workers), source.dim());
        let costs = CostMatrix::of_squares([&rows[0], &rows[1]], dim, workers);
        Some(Kept { costs, rows, dim })
    }

    /// Costs between the carriers.
    pub fn ground<T: Scalar>(
        &self,
        source: &Measure<T>,
        target: &Measure<T>,
        carriers: &Carriers,
        workers: &Workers,
    ) -> Distances {
        let [x, y] = self.rows([source, target], carriers, workers);
        Distances::new(x, &y, source.dim(), self.power)
    }

    /// The carriers of both sides, moved, row by row.
    fn rows<T: Scalar>(
        &self,
        measures: [&Measure<T>; 2],
        carriers: &Carriers,
        workers: &Workers,
    ) -> [Vec<f64>; 2] {
        let chosen = [&carriers.sources, &carriers.targets];
        [0, 1].map(|side| {
            let (measure, chosen, centre) = (measures[side], chosen[side], &self.centres[side]);
            let dim = measure.dim();
            let mut rows = vec![0.0; chosen.len() * dim];
            workers.fill(&mut rows, ROWS_PER_TASK * dim, |k, part| {
                for (row, &i) in part.chunks_exact_mut(dim).zip(&chosen[k * ROWS_PER_TASK..]) {
                    let point = measure.point(i as usize).iter().zip(centre);
                    row.iter_mut().zip(point).for_each(|(moved, (x, c))| *moved = x.to_f64() - c);
                }
            });
            rows
        })
    }

    /// Refuses costs that overflow.
    pub fn check<T: Scalar>(
        &self,
        source: &Measure<T>,
        target: &Measure<T>,
        carriers: &Carriers,
        workers: &Workers,
    ) -> Result<()> {
        let reach = |measure: &Measure<T>, chosen: &[u32], centre: &[f64]| {
            let far = |k: usize| {
                let point = measure.point(chosen[k] as usize);
                let gaps = point.iter().zip(centre).map(|(x, c)| (x.to_f64() - c).abs());
                gaps.fold(0.0, |most, gap| if gap > most { gap } else { most })
            };
            in_tasks(chosen.len(), workers, far).into_iter().fold(0.0, f64::max)
        };
        let most = reach(source, &carriers.sources, &self.centres[0])
            + reach(target, &carriers.targets, &self.centres[1]);
        let largest = self.power.of_distance(most * (source.dim() as f64).sqrt());
        // Sums over all points, and differences of potentials, need some room too.
        if largest * 1e4 < f64::MAX {
            return Ok(());
        }
        Err(ErrorKind::CostOverflow { p: self.power.exponent(), distance: most }.into())
    }

    /// Potentials that are feasible without looking at pairs, by which the means have to move and no more: costs between centred clouds
    /// are not negative.
    pub fn plain_potentials<T: Scalar>(&self, source: &Measure<T>, target: &Measure<T>) -> Potentials {
        Potentials {
            source: (0..source.len()).map(|i| self.beyond_value(source.point(i))).collect(),
            target: (0..target.len()).map(|j| self.beyond_price(target.point(j))).collect(),
        }
    }

    /// What a source pays beyond its value between centred clouds.
    pub fn beyond_value<T: Scalar>(&self, x: &[T]) -> f64 {
        self.half + self.along(x, &self.centres[0])
    }

    /// What a target costs beyond its price between centred clouds.
    pub fn beyond_price<T: Scalar>(&self, y: &[T]) -> f64 {
        self.half - self.along(y, &self.centres[1])
    }

    fn along<T: Scalar>(&self, x: &[T], centre: &[f64]) -> f64 {
        x.iter().zip(centre).zip(&self.shift).map(|((x, m), s)| 2.0 * (x.to_f64() - m) * s).sum()
    }
}
