//! Exact transport when one of the measures lies on a line.

use crate::cost::SqEuclidean;
use crate::error::{ErrorKind, Result};
use crate::line::direction::Direction;
use crate::measure::{Measure, same_space};
use crate::number::scalar::Scalar;
use crate::paper::swgg::swgg_coupling;
use crate::plan::coupling::Coupling;

/// How far points may stray from a line and still count as on it, in units of the rounding of their coordinates:
/// the allowance is `LINE_TOLERANCE * epsilon * sqrt(d) * (largest absolute coordinate)`.
pub const LINE_TOLERANCE: f64 = 16.0;

/// A line of `R^d`: a point of it and its direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// A point of the line.
    pub origin: Vec<f64>,
    /// The direction of the line.
    pub direction: Direction,
}

/// The line that carries a measure, if one does to within [`LINE_TOLERANCE`].
///
/// Any line, not only one through the origin. Points without mass are not looked at. A measure on a single point lies on every
/// line; the first axis is returned. `O(d n)`.
///
/// ```
/// use swgg::{Measure, paper::supporting_line};
/// let diagonal = Measure::from_slice(&[1.0, 0.0, 2.0, 1.0, 5.0, 4.0], 2)?;
/// let line = supporting_line(&diagonal)?.expect("three points on y = x - 1");
/// assert!((line.direction.as_slice()[0].abs() - 0.5_f64.sqrt()).abs() < 1e-15);
/// # Ok::<(), swgg::Error>(())
/// ```
pub fn supporting_line<T: Scalar>(measure: &Measure<T>) -> Result<Option<Line>> {
    let fit = fit_line(measure)?;
    Ok((fit.deviation <= fit.tolerance).then_some(fit.line))
}

/// Exact transport between two measures, one of which lies on a line.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LineTransport {
    /// `W_2^2(mu, nu)`.
    pub cost: f64,
    /// The optimal plan.
    pub coupling: Coupling,
    /// The line.
    pub line: Line,
}

impl LineTransport {
    /// `W_2`, the root of the cost.
    pub fn distance(&self) -> f64 {
        self.cost.sqrt()
    }
}

/// `W_2^2` and the optimal plan when either measure lies on a line (any line, weights and sizes as they come).
///
/// ```text
/// W_2^2(mu, nu) = W_2^2(mu, Q_# mu) + W_2^2(Q_# mu, nu)      with nu on the line that Q projects on
/// ```
///
/// so that sorting along the line is optimal. `O(d n + n log n)`. Off the line by [`LINE_TOLERANCE`], the plan is still a
/// plan and its cost an upper bound of the optimum. Refuses two clouds of which
/// neither lies on a line. Paper: Lemma "New closed form of the WD".
pub fn line_transport<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> Result<LineTransport> {
    same_space(source, target)?;
    let (mu, nu) = (fit_line(source)?, fit_line(target)?);
    let straighter = if mu.excess() <= nu.excess() { mu } else { nu };
    if straighter.deviation > straighter.tolerance {
        let LineFit { deviation, tolerance, .. } = straighter;
        return Err(ErrorKind::NotOnALine { deviation, tolerance }.into());
    }
    let coupling = swgg_coupling(source, target, &straighter.line.direction)?;
    let cost = coupling.cost(source, target, &SqEuclidean)?;
    Ok(LineTransport { cost, coupling, line: straighter.line })
}

struct LineFit {
    line: Line,
    deviation: f64,
    tolerance: f64,
}

impl LineFit {
    /// Deviation in units of what is allowed; a single point has none.
    fn excess(&self) -> f64 {
        if self.deviation == 0.0 { 0.0 } else { self.deviation / self.tolerance }
    }
}

/// The line through two points that are far apart, and how far the others stray from it.
fn fit_line<T: Scalar>(measure: &Measure<T>) -> Result<LineFit> {
    let d = measure.dim();
    let to_f64 = |i: usize| -> Vec<f64> { measure.point(i).iter().map(|x| x.to_f64()).collect() };
    let start = to_f64(first(measure));
    let end = to_f64(farthest(measure, &start));
    let other = to_f64(farthest(measure, &end));
    let span: Vec<f64> = other.iter().zip(&end).map(|(a, b)| a - b).collect();
    let direction =
        if span.iter().all(|s| *s == 0.0) { Direction::axis(d, 0)? } else { Direction::new(&span)? };
    let (deviation, tolerance) = strays(measure, &end, &direction);
    Ok(LineFit { line: Line { origin: end, direction }, deviation, tolerance })
}

/// How far the points stray from the line through `origin`, and how far they may.
fn strays<T: Scalar>(measure: &Measure<T>, origin: &[f64], direction: &Direction) -> (f64, f64) {
    let theta = direction.as_slice();
    let sizes = support(measure).flat_map(|i| measure.point(i)).map(|x| x.to_f64().abs());
    let largest = sizes.fold(0.0, f64::max);
    let tolerance = LINE_TOLERANCE * T::EPSILON * (measure.dim() as f64).sqrt() * largest;
    let deviation = support(measure).map(|i| {
        let gap = || measure.point(i).iter().zip(origin).map(|(x, o)| x.to_f64() - o);
        let along: f64 = gap().zip(theta).map(|(g, t)| g * t).sum();
        gap().zip(theta).map(|(g, t)| (g - along * t).powi(2)).sum::<f64>().sqrt()
    });
    (deviation.fold(0.0, f64::max), tolerance)
}

/// Refuses a measure that does not lie on a line of this direction.
pub(crate) fn check_on_line<T: Scalar>(measure: &Measure<T>, direction: &Direction) -> Result<()> {
    direction.check(measure.dim())?;
    let origin: Vec<f64> = measure.point(first(measure)).iter().map(|x| x.to_f64()).collect();
    let (deviation, tolerance) = strays(measure, &origin, direction);
    if deviation <= tolerance {
        return Ok(());
    }
    Err(ErrorKind::PivotOffLine { deviation, tolerance }.into())
}

/// The points that carry mass.
fn support<T: Scalar>(measure: &Measure<T>) -> impl Iterator<Item = usize> {
    (0..measure.len()).filter(|&i| measure.weight(i) > 0.0)
}

/// The first of them; a measure always has one.
fn first<T: Scalar>(measure: &Measure<T>) -> usize {
    support(measure).next().unwrap_or(0)
}

fn farthest<T: Scalar>(measure: &Measure<T>, from: &[f64]) -> usize {
    let mut best = (first(measure), 0.0);
    for i in support(measure) {
        let gap: f64 = measure.point(i).iter().zip(from).map(|(x, f)| (x.to_f64() - f).powi(2)).sum();
        if gap > best.1 {
            best = (i, gap);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_on_a_line_is_refused() {
        let bent = Measure::from_vec(vec![0.0, 0.0, 1.0, 0.0, 2.0, 1.0], 2).unwrap();
        let error = line_transport(&bent, &bent).unwrap_err();
        assert!(error.to_string().starts_with("neither cloud lies on a line: the straighter one strays "));
        assert!(supporting_line(&bent).unwrap().is_none());
    }

    #[test]
    fn points_without_mass_may_lie_anywhere() {
        let mu = Measure::from_vec(vec![9.0, -4.0, 0.0, 0.0, 1.0, 1.0, 2.0, 2.0], 2).unwrap();
        let mu = mu.with_weights(&[0.0, 1.0, 1.0, 2.0]).unwrap();
        assert!(supporting_line(&mu).unwrap().is_some());
        let dirac = Measure::from_vec(vec![1.0, 1.0], 2).unwrap();
        assert_eq!(line_transport(&mu, &dirac).unwrap().cost, 1.5);
    }

    #[test]
    fn a_single_place_is_on_every_line() {
        let dirac = Measure::from_vec(vec![3.0, 4.0, 3.0, 4.0], 2).unwrap();
        let square = Measure::from_vec(vec![0.0, 0.0, 3.0, 0.0], 2).unwrap();
        assert_eq!(line_transport(&square, &dirac).unwrap().cost, (25.0 + 16.0) / 2.0);
    }

    #[test]
    fn single_precision_lines_are_recognised() {
        let points: Vec<f32> = (0..50).flat_map(|i| [0.1 * i as f32 + 3.0, -0.3 * i as f32, 7.0]).collect();
        let line = supporting_line(&Measure::from_vec(points, 3).unwrap()).unwrap().unwrap();
        assert!(line.direction.as_slice()[2].abs() < 1e-6);
    }
}
