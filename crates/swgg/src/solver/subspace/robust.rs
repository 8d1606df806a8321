//! Subspace robust Wasserstein: the transport cost as seen from the worst subspace.

use std::ops::ControlFlow;

use ndarray::Array2;

use super::{DIMENSION, dimension, transformed_until};
use crate::answer::{CostIs, Fact, Remark, Transport, counted};
use crate::cost::SqEuclidean;
use crate::error::{ErrorKind, Result};
use crate::exact::{Start, from_start};
use crate::measure::Measure;
use crate::measure::span::Span;
use crate::number::range::{at_least_one, matrix_fits, not_negative, positive, safe_over};
use crate::number::scalar::Scalar;
use crate::number::spectral::{Eigen, symmetrised};
use crate::plan::coupling::Coupling;
use crate::question::{Question, Sizes};
use crate::run::Run;
use crate::run::observe::{Observe, Progress};
use crate::run::stop::Stop;
use crate::run::workers::Workers;
use crate::setting::Settings;
use crate::solver::compiled::{Compiled, run_compiled};
use crate::solver::ground::squared;
use crate::solver::{Builder, Estimate, Method, Solver};

/// Subspace robust Wasserstein distance (Paty & Cuturi, 2019), squared.
///
/// ```text
/// S_k^2(mu, nu) = max { min_pi <V_pi, Omega> : 0 <= Omega <= I, tr Omega = k } = min_pi  sum of the k largest eigenvalues of V_pi
/// V_pi = sum pi_ij (x_i - y_j)(x_i - y_j)^T
/// ```
///
/// The inner problem is exact transport between `Omega^(1/2) x` and `Omega^(1/2) y`. `S_k^2` grows with `k`, is `W_2^2` for `k = d`
/// and at least `k/d` of it before. Every `Omega` gives a lower bound and every plan an upper one, so the answer comes with the
/// gap between them, whatever the ascent does.
///
/// Each iteration is an exact transport in `R^d` and an eigendecomposition, `O(d^3)`. The observer of the run is told of iterations and of
/// the upper bound, and may stop.
///
/// The facts of the answer: the largest lower bound of `S_k^2` met (`robust_lower`, hence a lower bound of `W_2^2` too), the smallest
/// upper one (`robust_upper`, which says nothing about `W_2^2`), and the matrix of the former (`omega`, with eigenvalues between 0
/// and 1 that sum to `k`), for which the plan is optimal. Beyond `d = 8192` there is no `omega`: it would take more than half a gigabyte.
///
/// ```
/// use swgg::{Measure, Solver, answer::Fact, solver::SubspaceRobust};
/// let mu = Measure::from_slice(&[0.0, 0.0, 0.0, 1.0, 0.0, 2.0], 2)?;
/// let nu = Measure::from_slice(&[3.0, 0.0, 3.0, 1.0, 3.0, 2.0], 2)?;
/// let robust = SubspaceRobust { k: Some(1), ..Default::default() };
/// let found = robust.solve(&mu, &nu)?;
/// assert!(found.number("robust_lower").is_some_and(|value| (value - 9.0).abs() < 1e-6));
/// // All the way is along the first coordinate.
/// assert!(matches!(found.fact("omega"), Some(Fact::Matrix(omega)) if omega[(0, 0)] > 0.999));
/// # Ok::<(), swgg::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SubspaceRobust {
    /// Dimension of the subspace, 1 to `d`; 2 where the space has as many.
    pub k: Option<usize>,
    /// How `Omega` is moved uphill.
    pub ascent: Ascent,
    /// Most iterations.
    pub max_iterations: usize,
    /// Ends when the gap between the bounds is below this share of the upper one.
    pub tolerance: f64,
}

/// How `Omega` climbs to the maximum of a concave function whose slope at `Omega` is `V` of the plan that is optimal there.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Ascent {
    /// Frank-Wolfe: a step of `2 / (2 + t)` towards the projector on the top `k` eigenvectors.
    ///
    /// They are those of the mean of all `V` so far, with the same steps. Exact plans make the function piecewise linear,
    /// and going by the last plan alone can stall at an edge.
    FrankWolfe,
    /// Projected ascent: a step of length `step / sqrt(t)` along `V`, then eigenvalues are brought back to between 0 and 1 and
    /// to the sum `k`.
    Projected {
        /// Length of the first step; `Omega` itself is of size `sqrt(k)`, and 2 is a good choice.
        step: f64,
    },
}

impl Default for SubspaceRobust {
    fn default() -> Self {
        SubspaceRobust { k: None, ascent: Ascent::FrankWolfe, max_iterations: 100, tolerance: 1e-3 }
    }
}

impl Builder for SubspaceRobust {
    const METHOD: Method = Method {
        settings: &[&DIMENSION],
        ..Method::new(
            "subspace-robust",
            "Subspace-robust transport",
            "The plan that is optimal as the worst subspace of some dimensions sees it",
        )
    };

    fn build(settings: &Settings) -> Result<Self> {
        Ok(SubspaceRobust { k: settings.count(&DIMENSION), ..Default::default() })
    }
}

impl<T: Scalar> Solver<T> for SubspaceRobust {
    fn method(&self) -> &'static Method {
        &Self::METHOD
    }

    fn validate(&self, sizes: Sizes) -> Result<()> {
        at_least_one("the number of iterations", self.max_iterations)?;
        not_negative("the tolerance", self.tolerance)?;
        if let Ascent::Projected { step } = self.ascent {
            positive("the step", step)?;
        }
        dimension(self.k, sizes.d).map(|_| ())
    }

    fn estimate(&self, sizes: Sizes, _: &Run<'_>) -> Estimate {
        let [n, m, d] = [sizes.n, sizes.m, sizes.d].map(|size| size as f64);
        // Nothing is larger than the span of the points.
        let side = d.min(n + m);
        let seconds = 20.0 * Estimate::exact_seconds(n, m, side) + 60.0 * side * side * side * 2e-9;
        let bytes = Estimate::exact_bytes(n + m, side, 4.0) + 8.0 * side * (4.0 * d + 8.0 * side);
        Estimate { seconds, bytes }
    }

    fn unit(&self, _: Sizes, _: &Run<'_>) -> &'static str {
        "iterations"
    }

    run_compiled!(SubspaceRobust);
}

impl Compiled for SubspaceRobust {
    fn found<T: Scalar>(&self, question: &Question<'_, T>, run: &mut Run<'_>) -> Result<Transport> {
        let [source, target] = squared(question, "subspace-robust")?;
        let (d, k) = (source.dim(), dimension(self.k, source.dim())?);
        // Displacements lie in the span of the points, and so does the best matrix.
        let Climbed { value, upper, omega, coupling, iterations, stop } = match Span::of(source, target) {
            None => self.climb([source, target], k, run)?,
            Some(span) => {
                let [x, y] = &span.clouds();
                let found = self.climb([x, y], k.min(span.dim()), run)?;
                Climbed { omega: found.omega.and_then(|omega| lifted(&omega, &span, k)), ..found }
            }
        };
        let cost = coupling.cost(source, target, &SqEuclidean)?;
        let story = format!("exact plan for that subspace, {}", counted(iterations, "iteration"));
        let seen = format!("squared, seen from the worst {}", counted(k, "dimension"));
        let mut facts = vec![
            ("k", Fact::Count(k)),
            ("robust_lower", Fact::Number(value)),
            ("robust_upper", Fact::Number(upper)),
            ("iterations", Fact::Count(iterations)),
        ];
        facts.extend(omega.map(|omega| ("omega", Fact::Matrix(omega))));
        Ok(Transport {
            lower_bound: Some(safe_over(value, d).min(cost)),
            coupling: Some(coupling),
            facts,
            remarks: vec![
                Remark::number("robust", value, seen),
                Remark::number("", upper, "at most"),
                Remark::new("method", story.clone()),
            ],
            story,
            steps: iterations,
            stop,
            ..Transport::new("subspace-robust", cost, CostIs::Upper)
        })
    }
}

/// Where the ascent ended.
struct Climbed {
    /// The largest lower bound of `S_k^2` met, that of `omega`.
    value: f64,
    /// The smallest upper bound of `S_k^2` met.
    upper: f64,
    /// None where it would take more than half a gigabyte.
    omega: Option<Array2<f64>>,
    /// The plan that is optimal as `omega` sees distances.
    coupling: Coupling,
    /// Exact transports solved.
    iterations: usize,
    stop: Stop,
}

impl SubspaceRobust {
    /// The ascent, in the coordinates of the points.
    fn climb<T: Scalar>(
        &self,
        [source, target]: [&Measure<T>; 2],
        k: usize,
        run: &mut Run<'_>,
    ) -> Result<Climbed> {
        let d = source.dim();
        matrix_fits("matrix of the worst subspace", d, d)?;
        let mut state = AscentState::new(d, k);
        let mut best: Option<(f64, Array2<f64>, Coupling)> = None;
        let mut before = None;
        let mut progress = Progress { tried: 0, total: self.max_iterations, best: f64::INFINITY };
        let workers = run.workers()?;
        let stop = loop {
            let root = Eigen::of(&state.omega)?.root();
            let [x, y] = [source, target].map(|measure| transformed_until(measure, &root, &workers));
            // Points that were not transformed any more prove nothing.
            let are_moved = !workers.is_halted();
            let part = run.part();
            let mut inner = |_: &Progress| run.progress(&progress);
            let start = Start::after(before.as_ref());
            let found = from_start(&Question::new(&x, &y)?, start, &mut part.watched(&mut inner))?;
            let v = displacement(found.plan()?, source, target, &workers);
            let cut_short = found.stop == Stop::Interrupted || workers.is_halted();
            let value = match found.stop {
                _ if !are_moved => 0.0,
                Stop::Interrupted => found.lower_bound.unwrap_or(0.0),
                _ => found.cost,
            };
            if best.as_ref().is_none_or(|best| value > best.0) {
                best = Some((value, state.omega.clone(), found.plan()?.clone()));
            }
            if cut_short {
                // No sum of eigenvalues is above their trace, which is the cost.
                progress.best = progress.best.min(found.plan()?.cost(source, target, &SqEuclidean)?);
                progress.tried = progress.tried.max(1);
                break Stop::Interrupted;
            }
            before = Some(found);
            let upper = state.step(self.ascent, progress.tried, &v)?;
            progress.tried += 1;
            progress.best = progress.best.min(upper);
            let value = best.as_ref().map_or(0.0, |best| best.0);
            if run.progress(&progress) == ControlFlow::Break(()) {
                break Stop::Interrupted;
            }
            if progress.best - value <= self.tolerance.max(ROUNDING_SHARE) * progress.best {
                break Stop::Converged;
            }
            if progress.tried >= self.max_iterations {
                break Stop::MaxIterations;
            }
        };
        // Taken at the first iteration at the latest.
        let (value, omega, coupling) = best.ok_or(ErrorKind::NoDirections)?;
        let upper = progress.best.max(value);
        Ok(Climbed { value, upper, omega: Some(omega), coupling, iterations: progress.tried, stop })
    }
}

/// A matrix of the span as one of the space. Where the span has fewer than `k` dimensions, what is left counts alike in all others.
fn lifted(omega: &Array2<f64>, span: &Span, k: usize) -> Option<Array2<f64>> {
    let (d, rank) = (span.means[0].len(), span.dim());
    matrix_fits("matrix of the worst subspace", d, d).ok()?;
    let rest = (k - k.min(rank)) as f64 / (d - rank).max(1) as f64;
    let seen = omega - &(Array2::<f64>::eye(rank) * rest);
    // Both sides in turn: the columns of the first lift are the rows of the second.
    let rows =
        |rows: Vec<f64>, columns: usize| Array2::from_shape_vec((rows.len() / columns, columns), rows).ok();
    let half = rows(span.lift(seen.as_standard_layout().as_slice()?), d)?;
    let whole = rows(span.lift(half.t().as_standard_layout().as_slice()?), d)?;
    Some(symmetrised(&whole) + Array2::<f64>::eye(d) * rest)
}

/// Entries of a plan between two looks at whether to stop.
const ENTRIES_PER_LOOK: usize = 64;
/// Gaps below this share are rounding.
const ROUNDING_SHARE: f64 = 1e-12;

/// The current point of the ascent, and the bound from above so far.
struct AscentState {
    k: usize,
    omega: Array2<f64>,
    /// Mean of the displacements so far, weighted as their steps: that of a plan too, so it bounds `S_k^2` from above.
    mean: Array2<f64>,
    weight: f64,
}

impl AscentState {
    fn new(d: usize, k: usize) -> Self {
        // Every direction counts the same.
        let omega = Array2::eye(d) * (k as f64 / d as f64);
        AscentState { k, omega, mean: Array2::zeros((d, d)), weight: 0.0 }
    }

    /// Takes step `t` with the displacement of the plan found; returns an upper bound of `S_k^2`.
    fn step(&mut self, ascent: Ascent, t: usize, v: &Array2<f64>) -> Result<f64> {
        let of_plan = Eigen::of(v)?.top_sum(self.k);
        match ascent {
            Ascent::FrankWolfe => {
                let stride = 2.0 / (2.0 + t as f64);
                self.mean = (1.0 - stride) * &self.mean + stride * v;
                let eigen = Eigen::of(&self.mean)?;
                self.omega =
                    symmetrised(&((1.0 - stride) * &self.omega + stride * eigen.top_projector(self.k)));
                Ok(of_plan.min(eigen.top_sum(self.k)))
            }
            Ascent::Projected { step } => {
                // Nothing moves: there is no direction of ascent.
                let largest = v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                if largest == 0.0 {
                    return Ok(of_plan);
                }
                let length = largest * v.iter().map(|x| (x / largest).powi(2)).sum::<f64>().sqrt();
                let stride = step / ((t + 1) as f64).sqrt() / length;
                self.weight += stride;
                let share = stride / self.weight;
                self.mean = (1.0 - share) * &self.mean + share * v;
                let eigen = Eigen::of(&symmetrised(&(&self.omega + &(v * stride))))?;
                self.omega = symmetrised(&eigen.with_values(&capped(&eigen.values, self.k)));
                Ok(of_plan.min(Eigen::of(&self.mean)?.top_sum(self.k)))
            }
        }
    }
}

/// The displacement matrix `V_pi` of a plan, or what there is of it once the threads are told to stop.
fn displacement<T: Scalar>(
    coupling: &Coupling,
    source: &Measure<T>,
    target: &Measure<T>,
    workers: &Workers,
) -> Array2<f64> {
    let d = source.dim();
    let mut v = Array2::zeros((d, d));
    let mut gap = vec![0.0; d];
    for (k, (i, j, mass)) in coupling.entries().enumerate() {
        if k.is_multiple_of(ENTRIES_PER_LOOK) && workers.is_halted() {
            break;
        }
        let ends = source.point(i).iter().zip(target.point(j));
        gap.iter_mut().zip(ends).for_each(|(g, (x, y))| *g = x.to_f64() - y.to_f64());
        for (row, g) in gap.iter().enumerate() {
            let scaled = mass * g;
            for (entry, h) in v.row_mut(row).iter_mut().zip(&gap[..=row]) {
                *entry += scaled * h;
            }
        }
    }
    for row in 0..d {
        for column in row + 1..d {
            v[(row, column)] = v[(column, row)];
        }
    }
    v
}

/// The nearest numbers between 0 and 1 that sum to `k`: all moved by one amount, then clipped.
fn capped(values: &[f64], k: usize) -> Vec<f64> {
    let clipped = |shift: f64| values.iter().map(move |v| (v - shift).clamp(0.0, 1.0));
    let (least, most) =
        values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(*v), b.max(*v)));
    // The sum falls from all of them to nothing as the shift goes from one end to the other.
    let (mut low, mut high) = (least - 1.0, most);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if clipped(middle).sum::<f64>() > k as f64 {
            low = middle;
        } else {
            high = middle;
        }
    }
    clipped(high).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capped_numbers() {
        let near = |a: Vec<f64>, b: &[f64]| {
            assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12), "{a:?} {b:?}");
        };
        near(capped(&[0.2, 0.3, 0.5], 1), &[0.2, 0.3, 0.5]);
        near(capped(&[5.0, 0.0, 0.0], 1), &[1.0, 0.0, 0.0]);
        near(capped(&[5.0, 5.0, 1.0], 1), &[0.5, 0.5, 0.0]);
        near(capped(&[5.0, 0.5, 0.5], 2), &[1.0, 0.5, 0.5]);
        near(capped(&[-1.0, -7.0], 2), &[1.0, 1.0]);
    }

    #[test]
    fn displacement_of_two_pairs() {
        let mu = Measure::from_slice(&[0.0, 0.0, 1.0, 1.0], 2).unwrap();
        let nu = Measure::from_slice(&[2.0, 0.0, 1.0, 4.0], 2).unwrap();
        let v = displacement(&Coupling::from_targets(vec![0, 1]), &mu, &nu, &Workers::Caller);
        assert_eq!(v, ndarray::array![[2.0, 0.0], [0.0, 4.5]]);
    }
}
