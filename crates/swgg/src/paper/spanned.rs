//! Few points of very many coordinates, seen in the subspace that they span.

use crate::error::Result;
use crate::line::direction::{Direction, DirectionSet};
use crate::line::sampler::Gaussians;
use crate::measure::Measure;
use crate::measure::span::Span;
use crate::number::scalar::Scalar;

/// Below this dimension lines are looked at where they are.
const MIN_DIM: usize = 4096;
/// Points of both clouds, at most, for each of so many coordinates: finding the span takes the square of their number.
const MIN_COORDINATES_PER_POINT: usize = 8;

/// Two clouds of few points in a very large space, in the coordinates of the subspace that they span.
///
/// What a line does to the points depends on its part in the subspace only, and the part of a uniform direction is uniform there: searches
/// lose nothing, and a direction takes a handful of numbers instead of a million.
///
/// ```
/// use swgg::{Measure, line::Direction, paper::Spanned};
/// let cloud = |shift: f64| Measure::from_vec((0..10_000).map(|k| shift + f64::from(k).sin()).collect(), 5000);
/// let (source, target) = (cloud(0.0)?, cloud(1.0)?);
/// let spanned = Spanned::of(&source, &target).ok_or("small")?;
/// let [x, _] = spanned.clouds();
/// assert_eq!(x.dim(), 5);
/// assert_eq!(spanned.lift(&Direction::axis(5, 0)?)?.dim(), 5000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Spanned {
    span: Span,
    clouds: [Measure<'static, f64>; 2],
}

impl Spanned {
    /// The clouds in their span; `None` where the space is small, or the points are not few.
    pub fn of<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> Option<Self> {
        let (points, dim) = (source.len() + target.len(), source.dim());
        if dim < MIN_DIM || points.saturating_mul(MIN_COORDINATES_PER_POINT) > dim || target.dim() != dim {
            return None;
        }
        let span = Span::of(source, target)?;
        Some(Spanned { clouds: span.clouds(), span })
    }

    /// Both clouds where they are to each other: distances are what they were.
    pub fn clouds(&self) -> [&Measure<'static, f64>; 2] {
        [&self.clouds[0], &self.clouds[1]]
    }

    /// A direction of the subspace as one of the space.
    pub fn lift(&self, theta: &Direction) -> Result<Direction> {
        theta.check(self.span.dim())?;
        Direction::new(&self.span.lift(theta.as_slice()))
    }

    /// The parts in the subspace of `count` directions of the space that are orthogonal to each other: their directions, and how long
    /// they are.
    ///
    /// Rotations of the space and their inverses are equally likely, so the parts of many orthonormal vectors in few coordinates are as the
    /// first entries of few orthonormal vectors, which are quickly made.
    pub(crate) fn orthogonal(&self, count: usize, seed: u64) -> Result<(DirectionSet, Vec<f64>)> {
        let (rank, dim) = (self.span.dim(), self.span.means[0].len());
        let mut stream = Gaussians::new(seed, 0);
        let mut frame: Vec<Direction> = Vec::with_capacity(rank);
        for _ in 0..rank {
            frame.push(stream.direction(dim, &frame));
        }
        let (mut thetas, mut lengths) = (DirectionSet::with_capacity(rank, count), Vec::with_capacity(count));
        for k in 0..count.min(dim) {
            let part: Vec<f64> = frame.iter().map(|theta| theta.as_slice()[k]).collect();
            lengths.push(part.iter().map(|x| x * x).sum::<f64>().sqrt());
            thetas.push(&Direction::new(&part)?);
        }
        Ok((thetas, lengths))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::slices::{InMemory, Slices};

    fn cloud(n: usize, d: usize, seed: u64) -> Measure<'static, f64> {
        let mut rows = vec![0.0; n * d];
        Gaussians::new(seed, 3).fill(&mut rows);
        Measure::from_vec(rows, d).unwrap()
    }

    #[test]
    fn lines_of_the_span_do_what_lines_of_the_space_do() {
        let (mu, nu) = (cloud(4, 5000, 1), cloud(4, 5000, 2));
        let spanned = Spanned::of(&mu, &nu).unwrap();
        let [x, y] = spanned.clouds();
        let theta = Gaussians::new(5, 0).direction(x.dim(), &[]);
        let lifted = spanned.lift(&theta).unwrap();
        let (full, inside) = (InMemory::new(&mu, &nu).unwrap(), InMemory::new(x, y).unwrap());
        let (a, b) = (full.cost(&lifted).unwrap(), inside.cost(&theta).unwrap());
        assert!((a - b).abs() < 1e-9 * a, "{a} {b}");
        assert_eq!(full.coupling(&lifted).unwrap(), inside.coupling(&theta).unwrap());
    }

    #[test]
    fn parts_of_orthonormal_directions() {
        let (mu, nu) = (cloud(2, 4096, 1), cloud(2, 4096, 2));
        let spanned = Spanned::of(&mu, &nu).unwrap();
        let (thetas, lengths) = spanned.orthogonal(4096, 7).unwrap();
        // All rows of an orthonormal frame: their squares sum to the rank, and they are of no preferred direction.
        let rank = thetas.get(0).dim();
        assert!((lengths.iter().map(|x| x * x).sum::<f64>() - rank as f64).abs() < 1e-9);
        for (c, e) in [(0, 0), (0, 1), (2, 4)] {
            let sum: f64 =
                (0..4096).map(|k| thetas.row(k)[c] * thetas.row(k)[e] * lengths[k] * lengths[k]).sum();
            assert!((sum - f64::from(u8::from(c == e))).abs() < 1e-9, "{sum}");
        }
    }

    #[test]
    fn only_few_points_of_large_spaces() {
        assert!(Spanned::of(&cloud(2, 4095, 1), &cloud(2, 4095, 2)).is_none());
        assert!(Spanned::of(&cloud(300, 4096, 1), &cloud(300, 4096, 2)).is_none());
    }
}
