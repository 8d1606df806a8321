//! The smoothed problem between two measures: sums over the plan that two potentials describe, without the plan.

use crate::error::{ErrorKind, Result};
use crate::measure::Measure;
use crate::number::scalar::Scalar;
use crate::run::workers::Workers;

use super::ground::{Ground, Side, sweep};
use super::kernel::Kernel;
use super::patience::Patience;

/// The points of a measure that carry mass: the others would have the logarithm of zero.
pub(super) struct Carriers {
    /// Positions among all points.
    pub points: Vec<u32>,
    pub weights: Vec<f64>,
    /// Logarithms of the weights, to base 2.
    pub logs: Vec<f64>,
}

impl Carriers {
    pub fn of<T: Scalar>(measure: &Measure<T>) -> Self {
        let points: Vec<u32> =
            (0..measure.len() as u32).filter(|&i| measure.weight(i as usize) > 0.0).collect();
        let weights: Vec<f64> = points.iter().map(|&i| measure.weight(i as usize)).collect();
        let logs = weights.iter().map(|w| w.log2()).collect();
        Carriers { points, weights, logs }
    }

    /// `sum w_i u_i`, in blocks, which lose less than one long sum.
    pub fn mean(&self, values: &[f64]) -> f64 {
        let block = |(w, u): (&[f64], &[f64])| w.iter().zip(u).map(|(w, u)| w * u).sum::<f64>();
        self.weights.chunks(1024).zip(values.chunks(1024)).map(block).sum()
    }

    /// `sum w_i |2^logs_i - 1|`: the L1 error of a marginal, from the logarithms of what it should be multiplied by.
    pub fn error(&self, logs: &[f64]) -> f64 {
        self.weights.iter().zip(logs).map(|(w, log)| w * (log.exp2() - 1.0).abs()).sum()
    }
}

/// The plan `P_ij = a_i b_j exp((f_i + g_j - c_ij) / epsilon)` of any two potentials, seen through its sums.
///
/// Exponents are taken to base 2, where splitting off the whole part is exact.
pub(super) struct Entropic<'a, G> {
    pub ground: G,
    pub sides: [Carriers; 2],
    pub workers: &'a Workers,
    pub kernel: Kernel,
}

/// Sums between these are trusted: none of their terms that matter was cut off at the ends of the range of numbers.
const TRUSTED_SUMS: std::ops::Range<f64> = 1e-270..1e300;

/// What a cost is multiplied by in an exponent to base 2.
pub(super) fn rate(epsilon: f64) -> f64 {
    std::f64::consts::LOG2_E / epsilon
}

/// What a logarithm to base 2 is multiplied by in a potential.
pub(super) fn unit(epsilon: f64) -> f64 {
    std::f64::consts::LN_2 * epsilon
}

impl<'a, G: Ground> Entropic<'a, G> {
    pub fn new(ground: G, sides: [Carriers; 2], workers: &'a Workers) -> Self {
        Entropic { ground, sides, workers, kernel: Kernel::detect() }
    }

    /// Exponents of the points of a side: logarithm of the weight and scaled potential.
    pub fn exponents(&self, side: Side, potentials: &[f64], epsilon: f64) -> Vec<f64> {
        let rate = rate(epsilon);
        self.sides[side as usize].logs.iter().zip(potentials).map(|(log, u)| log + rate * u).collect()
    }

    /// For every point of `side` the logarithm (base 2) of its marginal over its weight, `sum_k w_k exp((u_i + v_k - c_ik) / epsilon)`,
    /// with `u` the potentials of `side` and `v` those of the other.
    ///
    /// With the potential from before as the shift, sums are near one and a single pass is enough. Where they are not, as at the
    /// start, the largest exponent is looked for first. None if patience ends before.
    pub fn log_sums(
        &self,
        side: Side,
        u: &[f64],
        v: &[f64],
        epsilon: f64,
        patience: &mut Patience,
    ) -> Option<Vec<f64>> {
        let (rate, base) = (rate(epsilon), self.exponents(side.other(), v, epsilon));
        let part = |start: usize, costs: &[f64]| start..start + costs.len();
        let logs = sweep(
            &self.ground,
            self.workers,
            side,
            patience,
            |_| 0.0,
            |sum, i, start, costs| {
                *sum += self.kernel.sum(costs, &base[part(start, costs)], rate, rate * u[i]);
            },
            |i, sum| match TRUSTED_SUMS.contains(&sum) {
                true => sum.log2(),
                false => self.log_sum_of(side, i, &base, rate) + rate * u[i],
            },
        );
        self.whole(side, logs)
    }

    /// Results of all points of a side, or none.
    pub fn whole<R>(&self, side: Side, results: Vec<R>) -> Option<Vec<R>> {
        (results.len() == self.ground.len(side)).then_some(results)
    }

    /// The logarithm of one sum, without a shift to begin with.
    fn log_sum_of(&self, side: Side, i: usize, base: &[f64], rate: f64) -> f64 {
        let mut buffer = [0.0; super::ground::MAX_COSTS_PER_TILE];
        let mut visit = |see: &mut dyn FnMut(&[f64], &[f64])| {
            let tile = self.ground.tile();
            for (k, base) in base.chunks(tile).enumerate() {
                let costs = &mut buffer[..base.len()];
                self.ground.costs(side, i, k * tile, costs);
                see(costs, base);
            }
        };
        let mut largest = f64::NEG_INFINITY;
        visit(&mut |costs, base| largest = largest.max(self.kernel.largest(costs, base, rate)));
        let mut sum = 0.0;
        visit(&mut |costs, base| sum += self.kernel.sum(costs, base, rate, -largest));
        largest + sum.log2()
    }

    /// For every target the mass that the plan brings there, and what that mass pays; none if patience ends before.
    pub fn arrivals(
        &self,
        f: &[f64],
        g: &[f64],
        epsilon: f64,
        patience: &mut Patience,
    ) -> Option<Vec<(f64, f64)>> {
        let rate = rate(epsilon);
        let [base, shift] =
            [(Side::Source, f), (Side::Target, g)].map(|(side, u)| self.exponents(side, u, epsilon));
        let sums = sweep(
            &self.ground,
            self.workers,
            Side::Target,
            patience,
            |_| (0.0, 0.0),
            |(mass, paid), j, start, costs| {
                let mut masses = [0.0; super::ground::MAX_COSTS_PER_TILE];
                let masses = &mut masses[..costs.len()];
                masses.copy_from_slice(costs);
                self.kernel.masses(masses, &base[start..start + costs.len()], rate, shift[j]);
                *mass += masses.iter().sum::<f64>();
                *paid += masses.iter().zip(costs).map(|(mass, cost)| mass * *cost).sum::<f64>();
            },
            |_, sums| sums,
        );
        self.whole(Side::Target, sums)
    }

    /// For every point of `side` the least of `c_ik - v_k`, the most that its potential may be; none if patience ends before.
    pub fn room(&self, side: Side, v: &[f64], patience: &mut Patience) -> Option<Vec<f64>> {
        let room = sweep(
            &self.ground,
            self.workers,
            side,
            patience,
            |_| f64::INFINITY,
            |least, _, start, costs| {
                let room = costs.iter().zip(&v[start..]).map(|(cost, v)| cost - v);
                *least = room.fold(*least, |a, b| if b < a { b } else { a });
            },
            |_, least| least,
        );
        self.whole(side, room)
    }

    /// Mean cost of the independent plan `a b^T`, and the largest cost of all; of the first points if patience ends before.
    pub fn mean_and_largest(&self, patience: &mut Patience) -> Result<(f64, f64)> {
        let [a, b] = &self.sides;
        let rows = sweep(
            &self.ground,
            self.workers,
            Side::Source,
            patience,
            |_| (0.0, 0.0_f64),
            |(mean, largest), _, start, costs| {
                *mean += costs.iter().zip(&b.weights[start..]).map(|(cost, b)| cost * b).sum::<f64>();
                *largest = costs.iter().fold(*largest, |a, b| a.max(*b));
            },
            |_, sums| sums,
        );
        let seen = if rows.len() < a.weights.len() { a.weights[..rows.len()].iter().sum() } else { 1.0 };
        let mean = a.mean(&rows.iter().map(|row| row.0).collect::<Vec<f64>>()) / seen;
        let largest = rows.iter().fold(0.0, |largest: f64, row| largest.max(row.1));
        if largest < f64::MAX / 4.0 {
            return Ok((mean, largest));
        }
        let expected = "costs this large overflow; rescale the coordinates";
        Err(ErrorKind::BadSetting { name: "the largest cost", value: largest, expected }.into())
    }
}
