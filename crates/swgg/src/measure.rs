//! Measures: weighted points, checked once and valid ever after.

pub(crate) mod span;

use std::borrow::Cow;
use std::marker::PhantomData;

use ndarray::{Array2, ArrayView2};

use crate::error::{ErrorKind, LARGEST_COORDINATE, Result};
use crate::number::mass;
use crate::number::scalar::{Holder, Scalar};

/// A discrete measure: `n` points in `R^d`, uniform unless weights are given.
///
/// Points are rows. Building one checks them once (not empty, finite), so that nothing downstream has to. Weights sum to
/// one after normalisation in `f64`; points of zero weight are allowed and carry no mass, nor do weights below 2e-19 of the whole.
///
/// ```
/// use swgg::Measure;
/// let points = [0.0_f32, 0.0, 1.0, 0.0, 0.0, 2.0];
/// let mu = Measure::from_slice(&points, 2)?.with_weights(&[1.0, 1.0, 2.0])?;
/// assert_eq!((mu.len(), mu.dim()), (3, 2));
/// assert_eq!(mu.weight(2), 0.5);
/// # Ok::<(), swgg::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Measure<'a, T: Scalar = f64> {
    points: Cow<'a, [T]>,
    dim: usize,
    weights: Option<Weights>,
    /// What the weights came to before they were normalised.
    total: f64,
}

/// References to two measures, whatever the precision of their points.
pub(crate) struct PairHolder<'r, 'a>(PhantomData<(&'r (), &'a ())>);

impl<'r, 'a: 'r> Holder for PairHolder<'r, 'a> {
    type Of<T: Scalar> = [&'r Measure<'a, T>; 2];
}

/// Unequal weights, as fractions and as exact units.
#[derive(Clone, Debug)]
struct Weights {
    fractions: Vec<f64>,
    units: Vec<u64>,
}

impl<'a, T: Scalar> Measure<'a, T> {
    /// Coordinates beyond this are refused: sums of their squared distances could overflow.
    pub const LARGEST_COORDINATE: f64 = LARGEST_COORDINATE;

    /// Uniform measure on the rows of a borrowed row-major buffer.
    pub fn from_slice(points: &'a [T], dim: usize) -> Result<Self> {
        Self::build(Cow::Borrowed(points), dim)
    }

    /// Uniform measure that owns its row-major buffer.
    pub fn from_vec(points: Vec<T>, dim: usize) -> Result<Measure<'static, T>> {
        Measure::build(Cow::Owned(points), dim)
    }

    /// Uniform measure on the rows of an array view: borrowed when it is contiguous and row-major, copied otherwise.
    pub fn from_view(points: ArrayView2<'a, T>) -> Result<Self> {
        let dim = points.ncols();
        let rows = match points.to_slice() {
            Some(slice) => Cow::Borrowed(slice),
            None => Cow::Owned(points.iter().copied().collect()),
        };
        Self::build(rows, dim)
    }

    /// Uniform measure that owns an array.
    pub fn from_array(points: Array2<T>) -> Result<Measure<'static, T>> {
        let (dim, len) = (points.ncols(), points.len());
        if !points.is_standard_layout() {
            return Measure::build(Cow::Owned(points.iter().copied().collect()), dim);
        }
        // A sliced array keeps its whole buffer: take out its own rows only.
        let (mut buffer, offset) = points.into_raw_vec_and_offset();
        let start = offset.unwrap_or(0);
        buffer.truncate(start + len);
        buffer.drain(..start);
        Measure::build(Cow::Owned(buffer), dim)
    }

    /// The same points with these weights (`f32` or `f64`), normalised to sum to one.
    ///
    /// Equal weights give the uniform measure back, so that equal sizes still pair one to one.
    pub fn with_weights<W: Scalar>(mut self, weights: &[W]) -> Result<Self> {
        let n = self.len();
        let weights: Vec<f64> = weights.iter().map(|w| w.to_f64()).collect();
        if weights.len() != n {
            return Err(ErrorKind::WeightCount { found: weights.len(), expected: n }.into());
        }
        if let Some(row) = weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
            return Err(ErrorKind::BadWeight { row, value: weights[row] }.into());
        }
        let largest = weights.iter().copied().fold(0.0, f64::max);
        if largest == 0.0 {
            return Err(ErrorKind::NoMass { n }.into());
        }
        // Dividing by the largest first keeps the sum finite and away from underflow.
        let total = exact_sum(weights.iter().map(|w| w / largest));
        self.total = largest * total;
        self.weights = if weights.iter().all(|&w| w == largest) {
            None
        } else {
            let fractions: Vec<f64> = weights.iter().map(|w| w / largest / total).collect();
            let units = mass::units(&fractions);
            Some(Weights { fractions, units })
        };
        Ok(self)
    }

    /// The same points and weights in double precision.
    pub(crate) fn in_doubles(&self) -> Result<Measure<'static, f64>> {
        let doubled = Measure::from_vec(self.points.iter().map(|x| x.to_f64()).collect(), self.dim)?;
        Ok(Measure { weights: self.weights.clone(), total: self.total, ..doubled })
    }

    /// The same weights at other points, one for each.
    pub(crate) fn at(&self, points: Vec<f64>, dim: usize) -> Result<Measure<'static, T>> {
        let moved = Measure::from_vec(points.into_iter().map(T::from_f64).collect(), dim)?;
        let (found, expected) = (self.len(), moved.len());
        if found != expected {
            return Err(ErrorKind::WeightCount { found, expected }.into());
        }
        Ok(Measure { weights: self.weights.clone(), total: self.total, ..moved })
    }

    fn build(points: Cow<'a, [T]>, dim: usize) -> Result<Self> {
        if points.is_empty() {
            return Err(ErrorKind::Empty.into());
        }
        if dim == 0 {
            return Err(ErrorKind::NoColumns.into());
        }
        if !points.len().is_multiple_of(dim) {
            return Err(ErrorKind::RaggedBuffer { len: points.len(), dim }.into());
        }
        let n = points.len() / dim;
        if n > u32::MAX as usize {
            return Err(ErrorKind::TooManyPoints { n }.into());
        }
        // The comparison is false for NaN, so one test catches NaN, infinities and overflow alike.
        if let Some(at) = points.iter().position(|x| !within_range(x.to_f64())) {
            let (row, column, value) = (at / dim, at % dim, points[at].to_f64());
            return Err(match value.is_finite() {
                true => ErrorKind::TooLarge { row, column, value },
                false => ErrorKind::NotFinite { row, column, value },
            }
            .into());
        }
        Ok(Measure { points, dim, weights: None, total: 1.0 })
    }

    /// Number of points, those of zero weight included.
    #[allow(clippy::len_without_is_empty)] // never empty
    pub fn len(&self) -> usize {
        self.points.len() / self.dim
    }

    /// Dimension of the space.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The coordinates of point `i`.
    #[inline]
    pub fn point(&self, i: usize) -> &[T] {
        &self.points[i * self.dim..(i + 1) * self.dim]
    }

    /// All coordinates, row by row.
    pub fn points(&self) -> &[T] {
        &self.points
    }

    /// Normalised weights, or `None` when uniform.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_ref().map(|w| w.fractions.as_slice())
    }

    /// Normalised weight of point `i`.
    pub fn weight(&self, i: usize) -> f64 {
        match &self.weights {
            Some(weights) => weights.fractions[i],
            None => 1.0 / self.len() as f64,
        }
    }

    /// What the weights came to when they were given, 1 where none were. Only questions about a part of the mass look at it
    /// ([`Question::with_mass`](crate::Question::with_mass)): everywhere else measures have the mass 1.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// Whether all points weigh the same.
    pub fn is_uniform(&self) -> bool {
        self.weights.is_none()
    }

    /// Whether the coordinates are borrowed from the caller.
    pub fn is_borrowed(&self) -> bool {
        matches!(self.points, Cow::Borrowed(_))
    }

    /// Exact mass units, for the couplings by quantiles.
    pub(crate) fn units(&self) -> (usize, Option<&[u64]>) {
        (self.len(), self.weights.as_ref().map(|w| w.units.as_slice()))
    }

    /// Weighted mean of the points.
    pub fn mean(&self) -> Vec<f64> {
        let mut mean = vec![0.0; self.dim];
        // Sums in blocks lose less than one long sum.
        for start in (0..self.len()).step_by(1024) {
            let mut block = vec![0.0; self.dim];
            for i in start..self.len().min(start + 1024) {
                let weight = self.weight(i);
                for (sum, x) in block.iter_mut().zip(self.point(i)) {
                    *sum += weight * x.to_f64();
                }
            }
            for (sum, part) in mean.iter_mut().zip(block) {
                *sum += part;
            }
        }
        mean
    }

    /// The same measure in double precision.
    pub(crate) fn in_f64(&self) -> Measure<'static, f64> {
        self.with_points(self.points.iter().map(|x| x.to_f64()).collect(), self.dim)
    }

    /// A measure on other points that keeps these weights; `points` must be finite.
    pub(crate) fn with_points(&self, points: Vec<f64>, dim: usize) -> Measure<'static, f64> {
        debug_assert_eq!(points.len(), self.len() * dim);
        Measure { points: Cow::Owned(points), dim, weights: self.weights.clone(), total: self.total }
    }
}

/// A sum that carries its rounding error along (Neumaier), so that ten million weights still normalise to the last digit.
pub(crate) fn exact_sum(terms: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0);
    for term in terms {
        let next = sum + term;
        lost += if sum.abs() >= term.abs() { (sum - next) + term } else { (term - next) + sum };
        sum = next;
    }
    sum + lost
}

fn within_range(x: f64) -> bool {
    x.abs() <= LARGEST_COORDINATE
}

/// Refuses two measures that do not live in the same space.
pub(crate) fn same_space<T: Scalar, U: Scalar>(source: &Measure<T>, target: &Measure<U>) -> Result<()> {
    if source.dim() == target.dim() {
        return Ok(());
    }
    Err(ErrorKind::DimensionMismatch { source_dim: source.dim(), target_dim: target.dim() }.into())
}

/// Refuses clouds whose plans are not matchings.
pub(crate) fn check_pairable<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> Result<()> {
    if pairable(source, target) {
        return Ok(());
    }
    let weighted = !(source.is_uniform() && target.is_uniform());
    Err(ErrorKind::NotPairable { n: source.len(), m: target.len(), weighted }.into())
}

/// Whether two measures pair one to one: same size, both uniform.
pub(crate) fn pairable<T: Scalar, U: Scalar>(source: &Measure<T>, target: &Measure<U>) -> bool {
    source.len() == target.len() && source.is_uniform() && target.is_uniform()
}

/// The measure of a cloud of the tests, with weights that are whole numbers.
#[cfg(test)]
pub(crate) fn of_cloud<'a>(cloud: &'a swgg_testkit::Cloud, weights: Option<&[u32]>) -> Measure<'a> {
    let measure = Measure::from_slice(&cloud.points, cloud.dim).unwrap();
    match weights {
        Some(weights) => {
            measure.with_weights(&weights.iter().map(|w| f64::from(*w)).collect::<Vec<_>>()).unwrap()
        }
        None => measure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn contiguous_views_are_borrowed_and_others_copied() {
        let array = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
        assert!(Measure::from_view(array.view()).unwrap().is_borrowed());
        let transposed = Measure::from_view(array.t()).unwrap();
        assert!(!transposed.is_borrowed());
        assert_eq!(transposed.point(1), [2.0, 5.0]);
    }

    #[test]
    fn sliced_arrays_keep_their_own_rows() {
        let array = array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
        let tail = array.slice_move(ndarray::s![1.., ..]);
        assert_eq!(Measure::from_array(tail).unwrap().points(), [3.0, 4.0, 5.0, 6.0]);
        let head = array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]].slice_move(ndarray::s![..2, ..]);
        assert_eq!(Measure::from_array(head).unwrap().points(), [1.0, 2.0, 3.0, 4.0]);
    }

    #[test]
    fn refusals_name_the_place() {
        let kind = |points: &[f64], dim| Measure::from_slice(points, dim).unwrap_err().kind().clone();
        assert_eq!(kind(&[], 2), ErrorKind::Empty);
        assert_eq!(kind(&[1.0], 0), ErrorKind::NoColumns);
        assert_eq!(kind(&[1.0, 2.0, 3.0], 2), ErrorKind::RaggedBuffer { len: 3, dim: 2 });
        assert_eq!(
            kind(&[0.0, 1.0, f64::INFINITY, 0.0], 2),
            ErrorKind::NotFinite { row: 1, column: 0, value: f64::INFINITY }
        );
        assert_eq!(kind(&[0.0, 1e200], 2), ErrorKind::TooLarge { row: 0, column: 1, value: 1e200 });
        let nan = Measure::from_slice(&[0.0, f64::NAN], 1).unwrap_err().to_string();
        assert_eq!(
            nan,
            "row 1, column 0 (counted from 0) is NaN, not a finite number; drop the row or fill it in"
        );
    }

    #[test]
    fn weights_are_checked_and_normalised() {
        let mu = || Measure::from_slice(&[0.0, 1.0, 2.0], 1).unwrap();
        let kind = |weights: &[f64]| mu().with_weights(weights).unwrap_err().kind().clone();
        assert_eq!(kind(&[1.0]), ErrorKind::WeightCount { found: 1, expected: 3 });
        assert_eq!(kind(&[1.0, -2.0, 1.0]), ErrorKind::BadWeight { row: 1, value: -2.0 });
        assert!(matches!(kind(&[1.0, 1.0, f64::NAN]), ErrorKind::BadWeight { row: 2, .. }));
        assert_eq!(kind(&[0.0; 3]), ErrorKind::NoMass { n: 3 });
        assert!(mu().with_weights(&[0.3; 3]).unwrap().is_uniform());
        let huge = mu().with_weights(&[1e308, 1e308, 0.0]).unwrap();
        assert_eq!(huge.weights().unwrap(), [0.5, 0.5, 0.0]);
        let many = vec![0.1; 1_000_000];
        let points = vec![0.0; many.len() + 1];
        let uneven =
            Measure::from_slice(&points, 1).unwrap().with_weights(&[many, vec![1.0]].concat()).unwrap();
        assert!((uneven.weight(1_000_000) - 1.0 / 100_001.0).abs() < 1e-18);
        let tiny = mu().with_weights(&[5e-324, 0.0, 0.0]).unwrap();
        assert_eq!(tiny.weights().unwrap(), [1.0, 0.0, 0.0]);
    }
}
