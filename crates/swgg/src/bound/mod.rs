//! What every answer can prove: lower bounds of `W_2^2`, those that cost next to nothing ([`lower_bounds`]) and that of prices
//! ([`dual_bound`]).

mod dual;

#[cfg(test)]
mod dual_tests;

pub use crate::dual::DualBound;
pub(crate) use dual::certify;
pub use dual::dual_bound;

use crate::error::Result;
use crate::gaussian::gelbrich;
use crate::line::direction::Direction;
use crate::measure::{Measure, PairHolder, same_space};
use crate::number::range::safe_over;
use crate::number::scalar::{Scalar, by_precision};
use crate::paper::slices::{InMemory, Slices};
use crate::run::workers::{Parallelism, Workers};

/// Lower bounds of the squared Wasserstein distance `W_2^2`, each of them valid for any two measures.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct LowerBounds {
    /// `|m_1 - m_2|^2`: the means have to move.
    pub means: f64,
    /// The largest `W_2^2` along a few lines: the difference of the means, the principal axes, and those that were given.
    pub line: f64,
    /// Gelbrich's bound, `W_2^2` of the Gaussians with the same means and covariances; `None` where covariances take too long
    /// to compute (`(n + m) d` times the smaller of both, beyond 2e8).
    ///
    /// ```text
    /// |m_1 - m_2|^2 + tr S_1 + tr S_2 - 2 tr (S_1^(1/2) S_2 S_1^(1/2))^(1/2)
    /// ```
    pub gaussian: Option<f64>,
}

impl LowerBounds {
    /// The best of them.
    pub fn best(&self) -> f64 {
        self.means.max(self.line).max(self.gaussian.unwrap_or(0.0))
    }
}

/// Products of coordinates that covariances may take.
const MAX_COVARIANCE_PRODUCTS: usize = 200_000_000;
/// Points of both sides from which lines are looked along a few at a time.
const MIN_POINTS_TO_PAUSE: usize = 100_000;
/// Principal axes that are looked along.
const MAX_PRINCIPAL_AXES: usize = 8;

/// Cheap lower bounds of `W_2^2`; `also` are lines worth looking along, such as the best one of a search.
///
/// ```
/// use swgg::{Measure, Parallelism, bound::lower_bounds};
/// let mu = Measure::from_slice(&[0.0, 0.0, 2.0, 0.0], 2)?;
/// let nu = Measure::from_slice(&[3.0, 4.0, 5.0, 4.0], 2)?;
/// let bounds = lower_bounds(&mu, &nu, &[], Parallelism::Serial)?;
/// assert!((bounds.best() - 25.0).abs() < 1e-9);
/// # Ok::<(), swgg::Error>(())
/// ```
pub fn lower_bounds<T: Scalar>(
    source: &Measure<T>,
    target: &Measure<T>,
    also: &[Direction],
    parallelism: Parallelism,
) -> Result<LowerBounds> {
    bounds_until(source, target, also, &Workers::new(parallelism)?)
}

/// [`lower_bounds`] as far as these threads get before they are told to stop: that of the means in any case.
pub(crate) fn bounds_until<T: Scalar>(
    source: &Measure<T>,
    target: &Measure<T>,
    also: &[Direction],
    workers: &Workers,
) -> Result<LowerBounds> {
    by_precision!(
        T: PairHolder<'_, '_> = [source, target],
        (also: &[Direction] = also, workers: &Workers = workers) -> Result<LowerBounds>,
        |pair| bounds_between(pair, also, workers)
    )
}

/// [`bounds_until`] with its precision known.
fn bounds_between<T: Scalar>(
    [source, target]: [&Measure<'_, T>; 2],
    also: &[Direction],
    workers: &Workers,
) -> Result<LowerBounds> {
    same_space(source, target)?;
    let shift: Vec<f64> = source.mean().iter().zip(target.mean()).map(|(m, n)| n - m).collect();
    // Means of the same points in another order differ by some last digits, which must not count.
    let reach = source.points().iter().chain(target.points()).fold(0.0_f64, |m, x| m.max(x.to_f64().abs()));
    let blur = 8.0 * f64::EPSILON * reach * (source.dim() as f64).sqrt();
    let means = (shift.iter().map(|s| s * s).sum::<f64>().sqrt() - blur).max(0.0).powi(2);
    also.iter().try_for_each(|theta| theta.check(source.dim()))?;
    let (points, dim) = (source.len() + target.len(), source.dim());
    let safe = |bound: f64| safe_over(bound, dim);
    if workers.is_halted() {
        return Ok(LowerBounds { means: safe(means), line: 0.0, gaussian: None });
    }
    let problem = InMemory::on(source, target, workers.clone())?;
    let axes = problem.axes()?;
    let mut lines = axes.slice(0..axes.len().min(MAX_PRINCIPAL_AXES));
    // Clouds with one mean have no such direction.
    Direction::new(&shift).into_iter().for_each(|theta| lines.push(&theta));
    also.iter().for_each(|theta| lines.push(theta));
    // A line for each thread at a time: at a million points they take a while.
    let at_once = if points >= MIN_POINTS_TO_PAUSE { workers.count() } else { lines.len() };
    let mut line = 0.0_f64;
    for first in (0..lines.len()).step_by(at_once.max(1)) {
        if workers.is_halted() {
            break;
        }
        let some = lines.slice(first..lines.len().min(first + at_once));
        line = problem.line_costs(&some, 2.0)?.into_iter().fold(line, f64::max);
    }
    let work = points.saturating_mul(dim).saturating_mul(points.min(dim));
    let gaussian = (work <= MAX_COVARIANCE_PRODUCTS && !workers.is_halted())
        .then(|| gelbrich(source, target).ok())
        .flatten();
    let gaussian = gaussian.map(|covariances| covariances + means);
    Ok(LowerBounds { means: safe(means), line: safe(line), gaussian: gaussian.map(safe) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::exact;

    #[test]
    fn gaussians_along_the_axes() {
        // Clouds of one shape, stretched differently: the map is linear, so the bound is the distance.
        let base = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
        let cloud = |a: f64, b: f64| base.iter().flat_map(|p| [a * p[0], b * p[1]]).collect::<Vec<f64>>();
        let (x, y) = (cloud(3.0, 1.0), cloud(1.0, 2.0));
        let (mu, nu) = (Measure::from_slice(&x, 2).unwrap(), Measure::from_slice(&y, 2).unwrap());
        let bounds = lower_bounds(&mu, &nu, &[], Parallelism::Serial).unwrap();
        assert!((bounds.gaussian.unwrap() - 5.0).abs() < 1e-9, "{bounds:?}");
        assert!((exact(&mu, &nu).unwrap().cost - 5.0).abs() < 1e-12);
        assert_eq!(bounds.means, 0.0);
        assert!(bounds.line > 3.9);
    }

    #[test]
    fn flat_clouds_have_bounds_too() {
        let mu = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0, 2.0, 0.0], 2).unwrap();
        let nu = Measure::from_slice(&[0.0, 3.0, 0.0, 3.0, 0.0, 3.0], 2).unwrap();
        let bounds = lower_bounds(&mu, &nu, &[], Parallelism::Serial).unwrap();
        let least = exact(&mu, &nu).unwrap().cost;
        assert!(bounds.best() <= least && bounds.best() > 0.99 * least, "{bounds:?} {least}");
        let theta = Direction::axis(3, 0).unwrap();
        assert!(lower_bounds(&mu, &nu, &[theta], Parallelism::Serial).is_err());
    }
}
