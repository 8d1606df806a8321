//! Subspaces: the worst of them ([`SubspaceRobust`]), and plans that begin on one ([`SubspaceDetour`]).

mod detour;
mod gaussian;
mod robust;

pub use detour::{DETOUR, Lift, SubspaceDetour};
pub use gaussian::GaussianDetour;
pub use robust::{Ascent, SubspaceRobust};

use ndarray::{Array2, ArrayView2};

use crate::error::{ErrorKind, Result};
use crate::line::direction::{dot, norm};
use crate::line::sampler::principal_axes;
use crate::measure::Measure;
use crate::number::range::matrix_fits;
use crate::number::scalar::Scalar;
use crate::run::workers::Workers;
use crate::setting::Setting;

/// Dimension of a subspace.
pub const DIMENSION: Setting = Setting::count("k", 1, 1_000_000_000)
    .flag("dimension")
    .formerly("k")
    .help("K", "dimension of the subspace [default: 2]");

/// Dimension of a subspace, if the space has as many.
const USUAL_DIMENSION: usize = 2;

/// The dimension that was asked for, or the usual one.
fn dimension(asked: Option<usize>, dim: usize) -> Result<usize> {
    let k = asked.unwrap_or(USUAL_DIMENSION.min(dim));
    check_dimension(k, dim)?;
    Ok(k)
}

/// A linear subspace of `R^d`, held as an orthonormal basis.
///
/// ```
/// use swgg::{ndarray::array, solver::Subspace};
/// let plane = Subspace::span(array![[2.0, 0.0, 0.0], [1.0, 1.0, 0.0]].view())?;
/// assert_eq!((plane.len(), plane.dim()), (2, 3));
/// assert!(Subspace::span(array![[1.0, 0.0], [2.0, 0.0]].view()).is_err());
/// # Ok::<(), swgg::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Subspace {
    basis: Array2<f64>,
}

/// A vector of which less than this share sticks out of the span of others is spanned by them.
const MIN_INDEPENDENT_SHARE: f64 = 1e-9;

impl Subspace {
    /// The subspace that the rows span; they need not be orthonormal, but independent.
    pub fn span(rows: ArrayView2<f64>) -> Result<Self> {
        let dim = rows.ncols();
        check_dimension(rows.nrows(), dim)?;
        let mut basis: Vec<Vec<f64>> = Vec::with_capacity(rows.nrows());
        for (row, vector) in rows.rows().into_iter().enumerate() {
            if let Some(column) = vector.iter().position(|x| !x.is_finite()) {
                return Err(ErrorKind::NotFinite { row, column, value: vector[column] }.into());
            }
            // Divided by the largest coordinate first, so that lengths neither overflow nor vanish.
            let largest = vector.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let vector = vector.iter().map(|x| if largest > 0.0 { x / largest } else { 0.0 });
            match sticking_out(vector.collect(), &basis) {
                Some((unit, share)) if share > MIN_INDEPENDENT_SHARE => basis.push(unit),
                _ => return Err(ErrorKind::DependentRows { row }.into()),
            }
        }
        Ok(Subspace { basis: matrix(&basis, dim) })
    }

    /// The span of the first `k` [principal axes](principal_axes) of two clouds.
    pub fn principal<T: Scalar>(source: &Measure<T>, target: &Measure<T>, k: usize) -> Result<Self> {
        let dim = source.dim();
        check_dimension(k, dim)?;
        matrix_fits("basis of a subspace", k, dim)?;
        let axes = principal_axes(source, target)?;
        let rows: Vec<f64> = (0..k.min(axes.len())).flat_map(|axis| axes.row(axis).to_vec()).collect();
        let wrong = |_| ErrorKind::SubspaceDimension { found: k, dim };
        let subspace = Self::span(ArrayView2::from_shape((rows.len() / dim, dim), &rows).map_err(wrong)?)?;
        // Few points have few axes; any other is as good then.
        let mut basis: Vec<Vec<f64>> = subspace.basis.rows().into_iter().map(|row| row.to_vec()).collect();
        if basis.len() < k {
            complete(&mut basis, dim, k);
        }
        Ok(Subspace { basis: matrix(&basis, dim) })
    }

    /// Dimension of the subspace.
    #[allow(clippy::len_without_is_empty)] // never of dimension 0
    pub fn len(&self) -> usize {
        self.basis.nrows()
    }

    /// Dimension of the space around it.
    pub fn dim(&self) -> usize {
        self.basis.ncols()
    }

    /// Orthonormal rows that span it.
    pub fn basis(&self) -> &Array2<f64> {
        &self.basis
    }

    /// Orthonormal rows that span its orthogonal complement; none when the subspace is all there is. `O(d^3)`, and refused where they take
    /// more than half a gigabyte.
    pub fn complement(&self) -> Result<Array2<f64>> {
        let dim = self.dim();
        matrix_fits("complement of a subspace", dim - self.len(), dim)?;
        let mut basis: Vec<Vec<f64>> = self.basis.rows().into_iter().map(|row| row.to_vec()).collect();
        complete(&mut basis, dim, dim);
        Ok(matrix(&basis[self.len()..], dim))
    }

    /// Takes the part of a vector that lies in the subspace away.
    fn leave(&self, vector: &mut [f64]) {
        for row in self.basis.rows() {
            let along: f64 = row.iter().zip(&*vector).map(|(b, x)| b * x).sum();
            vector.iter_mut().zip(row).for_each(|(x, b)| *x -= along * b);
        }
    }

    /// The coordinates of a cloud along the basis: a measure of dimension [`len`](Subspace::len) with the same weights.
    pub fn project<T: Scalar>(&self, measure: &Measure<T>) -> Result<Measure<'static, f64>> {
        self.check(measure.dim())?;
        Ok(transformed(measure, &self.basis))
    }

    fn check(&self, dim: usize) -> Result<()> {
        if self.dim() == dim {
            return Ok(());
        }
        Err(ErrorKind::DirectionDimension { found: self.dim(), expected: dim }.into())
    }
}

fn matrix(rows: &[Vec<f64>], dim: usize) -> Array2<f64> {
    Array2::from_shape_fn((rows.len(), dim), |(i, j)| rows[i][j])
}

/// Adds coordinate axes, the one that sticks out most first, until there are `count` rows.
fn complete(basis: &mut Vec<Vec<f64>>, dim: usize, count: usize) {
    // What sticks out of an axis is one minus the part of it that the basis has.
    let mut inside: Vec<f64> = (0..dim).map(|c| basis.iter().map(|b| b[c] * b[c]).sum()).collect();
    while basis.len() < count {
        let best = (0..dim).min_by(|&a, &b| inside[a].total_cmp(&inside[b])).unwrap_or(0);
        let axis = (0..dim).map(|c| f64::from(u8::from(c == best))).collect();
        let Some((unit, _)) = sticking_out(axis, basis) else { break };
        inside.iter_mut().zip(&unit).for_each(|(sum, x)| *sum += x * x);
        basis.push(unit);
    }
}

/// The part of a vector orthogonal to the others, of length one, and its share of the whole; `None` where nothing is left.
fn sticking_out(mut vector: Vec<f64>, others: &[Vec<f64>]) -> Option<(Vec<f64>, f64)> {
    let before = norm(&vector);
    // Twice is enough: the second round removes what rounding left of the first.
    for _ in 0..2 {
        for other in others {
            let along = dot(&vector, other);
            vector.iter_mut().zip(other).for_each(|(x, o)| *x -= along * o);
        }
    }
    let left = norm(&vector);
    if left <= 0.0 {
        return None;
    }
    vector.iter_mut().for_each(|x| *x /= left);
    Some((vector, left / before))
}

fn check_dimension(found: usize, dim: usize) -> Result<()> {
    if (1..=dim).contains(&found) { Ok(()) } else { Err(ErrorKind::SubspaceDimension { found, dim }.into()) }
}

/// The cloud of `A x` for the rows `x` of a measure; `A` must have at least one row and no large entries.
fn transformed<T: Scalar>(measure: &Measure<T>, matrix: &Array2<f64>) -> Measure<'static, f64> {
    transformed_until(measure, matrix, &Workers::Caller)
}

/// Points that one task transforms.
const POINTS_PER_TASK: usize = 16;

/// [`transformed`] on several threads; once they are told to stop, points are at zero.
fn transformed_until<T: Scalar>(
    measure: &Measure<T>,
    matrix: &Array2<f64>,
    workers: &Workers,
) -> Measure<'static, f64> {
    let n = measure.len();
    let parts = workers.map(n.div_ceil(POINTS_PER_TASK), |k| {
        let some = k * POINTS_PER_TASK..n.min((k + 1) * POINTS_PER_TASK);
        if workers.is_halted() {
            return vec![0.0; some.len() * matrix.nrows()];
        }
        let mut points = Vec::with_capacity(some.len() * matrix.nrows());
        for i in some {
            let point = measure.point(i);
            let row = |row: ndarray::ArrayView1<f64>| {
                row.iter().zip(point).map(|(a, x)| a * x.to_f64()).sum::<f64>()
            };
            points.extend(matrix.rows().into_iter().map(row));
        }
        points
    });
    measure.with_points(parts.concat(), matrix.nrows())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn bases_are_orthonormal_and_complete() {
        let rows = array![[1.0, 2.0, 3.0, 0.0], [1e-7, 2e-7, 3e-7, 1e-8]];
        let subspace = Subspace::span(rows.view()).unwrap();
        let all = ndarray::concatenate![ndarray::Axis(0), *subspace.basis(), subspace.complement().unwrap()];
        let gap = all.dot(&all.t()) - Array2::<f64>::eye(4);
        assert!(gap.iter().all(|x| x.abs() < 1e-12), "{gap}");
        // The rows have no part outside.
        let outside = subspace.complement().unwrap().dot(&rows.t());
        assert!(outside.iter().all(|x| x.abs() < 1e-12), "{outside}");
    }

    #[test]
    fn refusals_name_the_row() {
        let kind = |rows: Array2<f64>| Subspace::span(rows.view()).unwrap_err().kind().clone();
        assert_eq!(kind(array![[1.0, 1.0], [-3.0, -3.0]]), ErrorKind::DependentRows { row: 1 });
        assert_eq!(kind(array![[0.0, 0.0]]), ErrorKind::DependentRows { row: 0 });
        assert_eq!(kind(Array2::zeros((3, 2))), ErrorKind::SubspaceDimension { found: 3, dim: 2 });
        assert!(matches!(kind(array![[1.0, f64::NAN]]), ErrorKind::NotFinite { row: 0, column: 1, .. }));
    }
}
