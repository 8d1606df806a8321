//! Functions of symmetric matrices, by eigenvectors.

use faer::Mat;
use ndarray::Array2;

use crate::error::{ErrorKind, Result};

/// What counts as zero among eigenvalues, against the largest one.
pub(crate) const ZERO_EIGENVALUE_SHARE: f64 = 1e-12;

/// Eigenvalues in increasing order, and their eigenvectors as columns.
pub(crate) struct Eigen {
    pub values: Vec<f64>,
    pub vectors: Array2<f64>,
}

impl Eigen {
    /// Decomposes a symmetric matrix, of which the lower half is read.
    pub fn of(matrix: &Array2<f64>) -> Result<Self> {
        let d = matrix.nrows();
        let size = size(matrix);
        if size == 0.0 {
            return Ok(Eigen { values: vec![0.0; d], vectors: Array2::eye(d) });
        }
        // Entries near one: squares inside the decomposition then neither overflow nor vanish.
        let scaled = Mat::from_fn(d, d, |i, j| matrix[(i, j)] / size);
        let eigen = finite(&scaled).then(|| scaled.self_adjoint_eigen(faer::Side::Lower).ok()).flatten();
        let eigen = eigen.ok_or(ErrorKind::NoEigenvectors { dim: d })?;
        let values = (0..d).map(|k| size * eigen.S()[k]).collect();
        Ok(Eigen { values, vectors: Array2::from_shape_fn((d, d), |(i, j)| eigen.U()[(i, j)]) })
    }

    /// The matrix with the same eigenvectors and the eigenvalues `change(value)`.
    pub fn map(&self, change: impl Fn(f64) -> f64) -> Array2<f64> {
        self.with_values(&self.values.iter().map(|v| change(*v)).collect::<Vec<_>>())
    }

    /// The matrix with the same eigenvectors and these eigenvalues.
    pub fn with_values(&self, values: &[f64]) -> Array2<f64> {
        let mut scaled = self.vectors.clone();
        for (mut column, value) in scaled.columns_mut().into_iter().zip(values) {
            column *= *value;
        }
        scaled.dot(&self.vectors.t())
    }

    /// The square root of a positive semi-definite matrix; what rounding made negative counts as zero.
    pub fn root(&self) -> Array2<f64> {
        self.map(|v| v.max(0.0).sqrt())
    }

    /// The pseudo-inverse: directions with next to no eigenvalue stay at zero.
    pub fn inverse(&self) -> Array2<f64> {
        let least = self.least();
        self.map(|v| if v > least { 1.0 / v } else { 0.0 })
    }

    /// The pseudo-inverse of the root.
    pub fn inverse_root(&self) -> Array2<f64> {
        let least = self.least();
        self.map(|v| if v > least { 1.0 / v.sqrt() } else { 0.0 })
    }

    fn least(&self) -> f64 {
        ZERO_EIGENVALUE_SHARE * self.values.last().copied().unwrap_or(0.0).max(0.0)
    }

    /// The sum of the `k` largest eigenvalues.
    pub fn top_sum(&self, k: usize) -> f64 {
        self.values.iter().rev().take(k).sum()
    }

    /// The orthogonal projector on the eigenvectors of the `k` largest eigenvalues.
    pub fn top_projector(&self, k: usize) -> Array2<f64> {
        let d = self.values.len();
        self.with_values(&(0..d).map(|i| if i + k >= d { 1.0 } else { 0.0 }).collect::<Vec<_>>())
    }
}

/// Singular values `s` and right singular vectors `V` (columns) of a square matrix `K`, so that `(K^T K)^(1/2) = V diag(s) V^T`.
///
/// Smaller values keep more digits than as roots of the eigenvalues of `K^T K`.
pub(crate) fn singular(matrix: &Array2<f64>) -> Result<Eigen> {
    let d = matrix.nrows();
    let size = size(matrix);
    if size == 0.0 {
        return Ok(Eigen { values: vec![0.0; d], vectors: Array2::eye(d) });
    }
    let scaled = Mat::from_fn(d, d, |i, j| matrix[(i, j)] / size);
    let svd = finite(&scaled).then(|| scaled.svd().ok()).flatten();
    let svd = svd.ok_or(ErrorKind::NoEigenvectors { dim: d })?;
    // Largest first; turned around, to be as eigenvalues are.
    let values = (0..d).rev().map(|k| size * svd.S()[k]).collect();
    Ok(Eigen { values, vectors: Array2::from_shape_fn((d, d), |(i, j)| svd.V()[(i, d - 1 - j)]) })
}

pub(crate) fn trace(matrix: &Array2<f64>) -> f64 {
    matrix.diag().sum()
}

/// The mean of a matrix and its transpose: rounding leaves products of symmetric matrices a little crooked.
pub(crate) fn symmetrised(matrix: &Array2<f64>) -> Array2<f64> {
    0.5 * (matrix + &matrix.t())
}

fn size(matrix: &Array2<f64>) -> f64 {
    matrix.iter().fold(0.0_f64, |m, x| if x.is_nan() { f64::NAN } else { m.max(x.abs()) })
}

fn finite(matrix: &Mat<f64>) -> bool {
    (0..matrix.ncols()).all(|j| matrix.col(j).iter().all(|x| x.is_finite()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn roots_and_inverses() {
        let matrix = array![[5.0, 4.0], [4.0, 5.0]];
        let eigen = Eigen::of(&matrix).unwrap();
        assert!((eigen.values[0] - 1.0).abs() < 1e-14 && (eigen.values[1] - 9.0).abs() < 1e-14);
        let near = |a: &Array2<f64>, b: &Array2<f64>| (a - b).iter().all(|x| x.abs() < 1e-13);
        assert!(near(&eigen.root(), &array![[2.0, 1.0], [1.0, 2.0]]));
        assert!(near(&matrix.dot(&eigen.inverse()), &Array2::eye(2)));
        assert!(near(&eigen.inverse_root().dot(&eigen.root()), &Array2::eye(2)));
        assert!(near(&eigen.top_projector(1), &array![[0.5, 0.5], [0.5, 0.5]]));
        assert_eq!(eigen.top_sum(0), 0.0);
        // (K^T K)^(1/2) of a rotation is the identity.
        let turn = array![[0.6, -0.8], [0.8, 0.6]];
        assert!(near(&singular(&turn).unwrap().map(|s| s), &Array2::eye(2)));
    }

    #[test]
    fn extreme_matrices() {
        let flat = array![[1.0, 1.0], [1.0, 1.0]];
        let inverse = Eigen::of(&flat).unwrap().inverse();
        assert!(inverse.iter().all(|x| (x - 0.25).abs() < 1e-12), "{inverse}");
        let huge = Eigen::of(&(1e300 * &flat)).unwrap();
        assert!((huge.values[1] / 2e300 - 1.0).abs() < 1e-12);
        assert_eq!(Eigen::of(&Array2::zeros((3, 3))).unwrap().root(), Array2::zeros((3, 3)));
        assert!(Eigen::of(&array![[f64::NAN]]).is_err() && Eigen::of(&array![[f64::INFINITY]]).is_err());
    }
}
