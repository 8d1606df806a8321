//! Directions: unit vectors, alone and in sets.

use ndarray::ArrayView2;

use crate::error::{ErrorKind, Result};
use crate::line::Sorter;
use crate::measure::Measure;
use crate::number::scalar::Scalar;
use crate::plan::permutation::Permutation;

/// A unit vector `theta` of `R^d`, the line that clouds are projected on.
///
/// ```
/// use swgg::Measure;
/// use swgg::line::Direction;
/// let theta = Direction::new(&[3.0, 4.0])?;
/// assert_eq!(theta.as_slice(), [0.6, 0.8]);
/// let mu = Measure::from_slice(&[1.0, 1.0, 0.0, 0.0], 2)?;
/// assert_eq!(theta.sort(&mu)?.as_slice(), [1, 0]);
/// # Ok::<(), swgg::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Direction(Vec<f64>);

impl Direction {
    /// The direction of a vector; its length does not matter as long as it has one.
    ///
    /// A vector that already has unit length to rounding is kept bit for bit.
    pub fn new(vector: &[f64]) -> Result<Self> {
        Self::numbered(0, vector)
    }

    /// Coordinate axis `axis` of `R^dim`.
    pub fn axis(dim: usize, axis: usize) -> Result<Self> {
        let mut vector = vec![0.0; dim];
        match vector.get_mut(axis) {
            Some(one) => *one = 1.0,
            None => {
                return Err(ErrorKind::IndexOutOfRange {
                    position: 0,
                    what: "axis",
                    index: axis,
                    count: dim,
                }
                .into());
            }
        }
        Ok(Direction(vector))
    }

    fn numbered(index: usize, vector: &[f64]) -> Result<Self> {
        // Scaled by the largest coordinate, lengths neither overflow nor underflow.
        let largest = vector.iter().fold(0.0_f64, |m, x| if x.abs() > m || x.is_nan() { x.abs() } else { m });
        if !(largest.is_finite() && largest > 0.0) {
            return Err(ErrorKind::NoLength { index, length: largest }.into());
        }
        let norm_sq: f64 = vector.iter().map(|x| x * x).sum();
        if (norm_sq - 1.0).abs() <= 4.0 * f64::EPSILON * vector.len() as f64 {
            return Ok(Direction(vector.to_vec()));
        }
        let length = vector.iter().map(|x| (x / largest).powi(2)).sum::<f64>().sqrt();
        Ok(Direction(vector.iter().map(|x| x / largest / length).collect()))
    }

    /// Dimension of the space.
    pub fn dim(&self) -> usize {
        self.0.len()
    }

    /// The coordinates.
    pub fn as_slice(&self) -> &[f64] {
        &self.0
    }

    /// Inner product with another direction of the same space: the cosine of their angle.
    pub fn dot(&self, other: &Direction) -> Result<f64> {
        self.check(other.dim())?;
        Ok(dot(&self.0, &other.0))
    }

    /// Coordinates along the line, `P^theta(x) = <x, theta>`, one per point.
    pub fn project<T: Scalar>(&self, measure: &Measure<T>) -> Result<Vec<f64>> {
        self.check(measure.dim())?;
        Ok(measure.points().chunks_exact(measure.dim()).map(|x| dot(x, &self.0)).collect())
    }

    /// The measure projected on the line, `P^theta_# mu`, in `R^1`.
    pub fn push_forward<T: Scalar>(&self, measure: &Measure<T>) -> Result<Measure<'static, f64>> {
        Ok(measure.with_points(self.project(measure)?, 1))
    }

    /// The measure flattened onto the line inside `R^d`, `Q^theta_# mu` with `Q^theta(x) = theta <x, theta>`.
    pub fn flatten<T: Scalar>(&self, measure: &Measure<T>) -> Result<Measure<'static, f64>> {
        let along = self.project(measure)?;
        let points = along.iter().flat_map(|t| self.0.iter().map(move |x| t * x)).collect();
        Ok(measure.with_points(points, self.dim()))
    }

    /// The permutation that sorts the projections; points that project alike keep the order of their indices.
    ///
    /// `O(d n)` for the projections, about `O(n)` for the radix sort.
    pub fn sort<T: Scalar>(&self, measure: &Measure<T>) -> Result<Permutation> {
        self.check(measure.dim())?;
        let mut order = Vec::new();
        Sorter::default().sort(&Projected { points: measure.points(), theta: &self.0 }, &mut order);
        Ok(Permutation::from_sorter(order))
    }

    pub(crate) fn check(&self, dim: usize) -> Result<()> {
        if self.dim() == dim {
            return Ok(());
        }
        Err(ErrorKind::DirectionDimension { found: self.dim(), expected: dim }.into())
    }
}

/// Directions in a row: `len` unit vectors of the same space, stored `(L, d)`.
#[derive(Clone, Debug, PartialEq)]
pub struct DirectionSet {
    rows: Vec<f64>,
    dim: usize,
}

impl DirectionSet {
    /// One direction per row of an array; rows are normalised.
    pub fn from_rows(rows: ArrayView2<f64>) -> Result<Self> {
        let mut set = Self::with_capacity(rows.ncols(), rows.nrows());
        for (index, row) in rows.rows().into_iter().enumerate() {
            set.push(&Direction::numbered(index, &row.to_vec())?);
        }
        if set.is_empty() {
            return Err(ErrorKind::NoDirections.into());
        }
        Ok(set)
    }

    pub(crate) fn with_capacity(dim: usize, len: usize) -> Self {
        DirectionSet { rows: Vec::with_capacity(dim * len), dim }
    }

    pub(crate) fn push(&mut self, theta: &Direction) {
        debug_assert_eq!(theta.dim(), self.dim);
        self.rows.extend_from_slice(theta.as_slice());
    }

    /// Number of directions.
    pub fn len(&self) -> usize {
        self.rows.len().checked_div(self.dim).unwrap_or(0)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Dimension of the space.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The coordinates of direction `k`. Panics past the end, as slices do.
    pub fn row(&self, k: usize) -> &[f64] {
        &self.rows[k * self.dim..(k + 1) * self.dim]
    }

    /// Direction `k`. Panics past the end, as slices do.
    pub fn get(&self, k: usize) -> Direction {
        Direction(self.row(k).to_vec())
    }

    /// The directions from `start` to `end`.
    pub(crate) fn slice(&self, range: std::ops::Range<usize>) -> DirectionSet {
        DirectionSet { rows: self.rows[range.start * self.dim..range.end * self.dim].to_vec(), dim: self.dim }
    }
}

/// Euclidean length.
pub(crate) fn norm(vector: &[f64]) -> f64 {
    dot(vector, vector).sqrt()
}

/// `<x, theta>`, summed from the first coordinate to the last.
///
/// Every kernel that projects keeps this order of operations, so that a projection has the same bits wherever it is
/// computed: alone, in a batch of directions, or again to break a tie.
#[inline(always)]
pub(crate) fn dot<T: Scalar>(x: &[T], theta: &[f64]) -> f64 {
    // From the first product rather than from zero, which would cost an addition.
    let mut products = x.iter().zip(theta).map(|(x, t)| x.to_f64() * t);
    let first = products.next().unwrap_or(0.0);
    products.fold(first, |sum, product| sum + product)
}

/// Projections of points on a direction, computed when asked for.
pub(crate) struct Projected<'a, T> {
    pub points: &'a [T],
    pub theta: &'a [f64],
}

impl<T: Scalar> crate::line::Values for Projected<'_, T> {
    fn len(&self) -> usize {
        self.points.len() / self.theta.len()
    }

    #[inline(always)]
    fn at(&self, i: usize) -> f64 {
        let d = self.theta.len();
        dot(&self.points[i * d..(i + 1) * d], self.theta)
    }

    #[inline(always)]
    fn fill(&self, start: usize, out: &mut [f64]) {
        match self.theta {
            &[a] => self.fill_fixed([a], start, out),
            &[a, b] => self.fill_fixed([a, b], start, out),
            &[a, b, c] => self.fill_fixed([a, b, c], start, out),
            &[a, b, c, d] => self.fill_fixed([a, b, c, d], start, out),
            theta => {
                let d = theta.len();
                for (value, x) in out.iter_mut().zip(self.points[start * d..].chunks_exact(d)) {
                    *value = dot(x, theta);
                }
            }
        }
    }
}

impl<T: Scalar> Projected<'_, T> {
    #[inline(always)]
    fn fill_fixed<const D: usize>(&self, theta: [f64; D], start: usize, out: &mut [f64]) {
        for (value, x) in out.iter_mut().zip(self.points[start * D..].chunks_exact(D)) {
            *value = dot(x, &theta);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_checked_and_extremes_normalised() {
        for bad in [vec![], vec![0.0, 0.0], vec![f64::NAN, 1.0], vec![1.0, f64::INFINITY]] {
            assert!(
                matches!(Direction::new(&bad).unwrap_err().kind(), ErrorKind::NoLength { .. }),
                "{bad:?}"
            );
        }
        for fine in [[1e-200, 1e-200], [1e200, -1e200]] {
            let theta = Direction::new(&fine).unwrap();
            assert!((theta.dot(&theta).unwrap() - 1.0).abs() < 1e-15);
        }
        let unit = [0.6, 0.8];
        assert_eq!(Direction::new(&unit).unwrap().as_slice(), unit);
    }

    #[test]
    fn negative_zero_ties_with_zero() {
        let mu = Measure::from_slice(&[0.0, -0.0, 0.0], 1).unwrap();
        assert_eq!(Direction::axis(1, 0).unwrap().sort(&mu).unwrap().as_slice(), [0, 1, 2]);
    }
}
