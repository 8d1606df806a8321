//! The plan of some potentials, held as a matrix: iterations near them are products with it, which take no exponentials.

use std::sync::{Mutex, PoisonError};

use super::entropic::{Entropic, rate};
use super::ground::{Ground, MAX_COSTS_PER_TILE, Side};
use super::iterate::moved;

/// The Gibbs kernel `K_ij = a_i b_j exp((f0_i + g0_j - c_ij) / epsilon)` at potentials `f0`, `g0`.
///
/// The plan of other potentials is `u_i K_ij v_j` with the scalings `u = exp((f - f0) / epsilon)` and `v = exp((g - g0) / epsilon)`. Scalings are made
/// of the potentials anew in every iteration, so nothing drifts, and where they leave the range in which all entries that matter are held, whoever
/// iterates goes back to logarithms (the absorption of Schmitzer, "Stabilized sparse scaling algorithms for entropy regularized transport problems").
pub(super) struct Gibbs {
    rows: Vec<Vec<f64>>,
    /// `f0` and `g0`.
    potentials: [Vec<f64>; 2],
    /// What a difference of potentials is multiplied by in an exponent to base 2.
    rate: f64,
    /// `sum_i u_i K_ij` at the potentials of the source as they are now.
    columns: Vec<f64>,
}

/// Memory that the kernel may take: 5792 points a side.
const MAX_HELD_BYTES: usize = 1 << 28;
/// Entries below are held as zeros: products with them would leave the range in which processors are quick.
const LEAST_ENTRY: f64 = 1e-270;
/// Scalings further from one than this power of two ask for a new kernel.
const MAX_SCALING_LOG2: f64 = 64.0;
/// Sums between these are trusted: entries that are held as zeros do not matter to them.
const TRUSTED_SUMS: std::ops::Range<f64> = 1e-200..1e200;
/// Parts of the sources whose columns are added up apart, and then in order, so that threads change nothing.
const PARTS: usize = 32;

/// Bytes of the kernel: none where it is not held.
pub(super) fn held_bytes(n: usize, m: usize) -> usize {
    let bytes = n.saturating_mul(m).saturating_mul(size_of::<f64>());
    if bytes > MAX_HELD_BYTES { 0 } else { bytes }
}

impl Gibbs {
    /// The kernel at these potentials, in the memory of another one if there is one. None where it is too large or its sums cannot be trusted.
    pub fn new<G: Ground>(
        problem: &Entropic<G>,
        [f, g]: [&[f64]; 2],
        epsilon: f64,
        before: Option<Self>,
    ) -> Option<Self> {
        let (n, m) = (problem.ground.len(Side::Source), problem.ground.len(Side::Target));
        if held_bytes(n, m) == 0 {
            return None;
        }
        let rate = rate(epsilon);
        let shift = problem.exponents(Side::Source, f, epsilon);
        let base = problem.exponents(Side::Target, g, epsilon);
        let mut rows = before.map_or_else(Vec::new, |before| before.rows);
        rows.resize_with(n, Vec::new);
        let size = n.div_ceil(PARTS);
        let columns: Vec<Mutex<Vec<f64>>> = (0..n.div_ceil(size)).map(|_| Mutex::new(vec![0.0; m])).collect();
        problem.workers.fill(&mut rows, size, |part, rows| {
            let mut columns = columns[part].lock().unwrap_or_else(PoisonError::into_inner);
            for (k, row) in rows.iter_mut().enumerate() {
                let i = part * size + k;
                row.resize(m, 0.0);
                for (tile, costs) in row.chunks_mut(MAX_COSTS_PER_TILE).enumerate() {
                    problem.ground.costs(Side::Source, i, tile * MAX_COSTS_PER_TILE, costs);
                }
                problem.kernel.masses(row, &base, rate, shift[i]);
                row.iter_mut().for_each(|mass| *mass = if *mass < LEAST_ENTRY { 0.0 } else { *mass });
                problem.kernel.add(row, 1.0, &mut columns);
            }
        });
        let parts = columns.into_iter().map(|part| part.into_inner().unwrap_or_else(PoisonError::into_inner));
        let columns = sum_of(parts, m);
        let is_trusted = columns.iter().all(|sum| TRUSTED_SUMS.contains(sum));
        is_trusted.then(|| Gibbs { rows, potentials: [f.to_vec(), g.to_vec()], rate, columns })
    }

    /// For every target the logarithm (base 2) of its marginal over its weight. None where the kernel does not reach so far.
    pub fn target_logs<G: Ground>(&self, problem: &Entropic<G>, g: &[f64]) -> Option<Vec<f64>> {
        let at = |(j, sum): (usize, &f64)| {
            let scaling = self.scaling_log2(Side::Target, j, g[j])?;
            Some(sum.log2() + scaling - problem.sides[1].logs[j])
        };
        self.columns.iter().enumerate().map(at).collect()
    }

    /// Moves the potentials `f` of the source to where its marginal is met, `omega` times as far, and returns the logarithms (base 2) of the marginal
    /// over the weights before. None, and nothing is moved, where the kernel does not reach so far.
    pub fn adjust<G: Ground>(
        &mut self,
        problem: &Entropic<G>,
        f: &mut Vec<f64>,
        g: &[f64],
        (epsilon, omega): (f64, f64),
    ) -> Option<Vec<f64>> {
        let scaling = |(j, g): (usize, &f64)| Some(self.scaling_log2(Side::Target, j, *g)?.exp2());
        let v = g.iter().enumerate().map(scaling).collect::<Option<Vec<f64>>>()?;
        let logs = &problem.sides[0].logs;
        let (steps, columns) = self.swept(problem, &v, |i, sum| {
            let log = sum.log2() + self.scaling_log2(Side::Source, i, f[i])? - logs[i];
            let next = moved(f[i], log, epsilon, omega);
            Some(((log, next), self.scaling_log2(Side::Source, i, next)?.exp2()))
        })?;
        self.columns = columns;
        let (logs, next) = steps.into_iter().unzip();
        *f = next;
        Some(logs)
    }

    /// For every row its sum with the scalings `v` is handed to `step`, which says the scaling of that row; returns what it says besides, and the sums
    /// of the columns with these scalings. One pass over the kernel. None if `step` says so, or where a sum is not trusted.
    fn swept<G: Ground, R: Send>(
        &self,
        problem: &Entropic<G>,
        v: &[f64],
        step: impl Fn(usize, f64) -> Option<(R, f64)> + Sync,
    ) -> Option<(Vec<R>, Vec<f64>)> {
        let size = self.rows.len().div_ceil(PARTS);
        let parts = problem.workers.map(self.rows.len().div_ceil(size), |part| {
            let mut columns = vec![0.0; v.len()];
            let steps = self.rows[part * size..].iter().take(size).enumerate().map(|(k, row)| {
                let sum = problem.kernel.dot(row, v);
                let (found, scaling) = step(part * size + k, TRUSTED_SUMS.contains(&sum).then_some(sum)?)?;
                problem.kernel.add(row, scaling, &mut columns);
                Some(found)
            });
            let steps = steps.collect::<Option<Vec<R>>>()?;
            Some((steps, columns))
        });
        let (steps, columns): (Vec<Vec<R>>, Vec<Vec<f64>>) =
            parts.into_iter().collect::<Option<Vec<_>>>()?.into_iter().unzip();
        Some((steps.into_iter().flatten().collect(), sum_of(columns.into_iter(), v.len())))
    }

    /// The logarithm (base 2) of a scaling; none where it is out of reach.
    fn scaling_log2(&self, side: Side, i: usize, potential: f64) -> Option<f64> {
        let log = self.rate * (potential - self.potentials[side as usize][i]);
        (log.abs() <= MAX_SCALING_LOG2).then_some(log)
    }
}

/// What the parts add up to, in their order.
fn sum_of(parts: impl Iterator<Item = Vec<f64>>, len: usize) -> Vec<f64> {
    let mut sum = vec![0.0; len];
    parts.for_each(|part| sum.iter_mut().zip(part).for_each(|(sum, one)| *sum += one));
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Measure;
    use crate::question::Question;
    use crate::run::Run;
    use crate::run::workers::Workers;
    use crate::solver::sinkhorn::{Patience, between};

    /// Both halves of an iteration, by products with the kernel and by logarithms.
    #[test]
    fn products_are_what_logarithms_say() {
        let numbers = |n: usize, by: f64| (0..n).map(|k| (by * k as f64).sin()).collect::<Vec<f64>>();
        let (x, y) = (numbers(3 * 71, 1.3), numbers(3 * 50, 0.7));
        let (mu, nu) = (Measure::from_slice(&x, 3).unwrap(), Measure::from_slice(&y, 3).unwrap());
        let (question, workers) = (Question::new(&mu, &nu).unwrap(), Workers::Caller);
        let problem = between(&mu, &nu, question.ground(), &workers);
        let mut run = Run::default();
        let patience = &mut Patience::new(&mut run, 1);
        for epsilon in [1.0, 0.05] {
            let (mut f, g) = (numbers(71, 2.1), numbers(50, 0.2));
            let start = problem.log_sums(Side::Source, &f, &g, epsilon, patience).unwrap();
            f.iter_mut().zip(start).for_each(|(f, log)| *f = moved(*f, log, epsilon, 1.0));
            let mut gibbs = Gibbs::new(&problem, [&f, &g], epsilon, None).unwrap();
            // Away from where it was made, by a few powers of two.
            let g: Vec<f64> = g.iter().zip(numbers(50, 3.3)).map(|(g, by)| g + 3.0 * epsilon * by).collect();
            let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-10);
            let logs = problem.log_sums(Side::Target, &g, &f, epsilon, patience).unwrap();
            assert!(near(&gibbs.target_logs(&problem, &g).unwrap(), &logs));
            let logs = problem.log_sums(Side::Source, &f, &g, epsilon, patience).unwrap();
            assert!(near(&gibbs.adjust(&problem, &mut f, &g, (epsilon, 1.4)).unwrap(), &logs));
            let logs = problem.log_sums(Side::Target, &g, &f, epsilon, patience).unwrap();
            assert!(near(&gibbs.target_logs(&problem, &g).unwrap(), &logs));
            // Too far away it says so, and moves nothing.
            let (far, before) = (vec![100.0 * epsilon; 50], f.clone());
            assert!(gibbs.target_logs(&problem, &far).is_none());
            assert!(gibbs.adjust(&problem, &mut f, &far, (epsilon, 1.0)).is_none() && f == before);
        }
    }
}
