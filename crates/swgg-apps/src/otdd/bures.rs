//! Gaussians fitted to classes, by factors of their covariances.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par, Side};
use swgg::ErrorKind;

use super::error::Result;

/// What rounding may leave of a difference of traces, in units of the last place for each coordinate.
const ROUNDING: f64 = 16.0;

/// A mean and a factor `F` of the covariance, `S = F F^T`: the centred points themselves where they are fewer than coordinates, scaled
/// eigenvectors otherwise.
///
/// With two of them the cross term of the Bures distance is a sum of singular values, of a matrix that is as small as the ranks:
///
/// ```text
/// W_2^2 = |m_1 - m_2|^2 + tr S_1 + tr S_2 - 2 |F_1^T F_2|_*
/// ```
///
/// for `S_1^(1/2) = F_1 Q` with orthogonal rows of `Q`, which singular values do not see.
pub(super) struct Factor {
    mean: Vec<f64>,
    trace: f64,
    /// A column per point or per eigenvector.
    root: Mat<f64>,
}

impl Factor {
    /// Of the points of a class, row by row, all of one weight.
    pub fn of(points: &[f64], dim: usize) -> Result<Self> {
        let count = points.len() / dim;
        let share = 1.0 / count as f64;
        let mut mean = vec![0.0; dim];
        for row in points.chunks_exact(dim) {
            mean.iter_mut().zip(row).for_each(|(mean, x)| *mean += share * x);
        }
        let scale = share.sqrt();
        let centred = Mat::from_fn(dim, count, |c, i| scale * (points[i * dim + c] - mean[c]));
        let trace = (0..count).map(|i| centred.col(i).iter().map(|x| x * x).sum::<f64>()).sum();
        let root = if count <= dim { centred } else { eigen_factor(&centred)? };
        Ok(Factor { mean, trace, root })
    }

    /// `W_2^2` between two Gaussians.
    pub fn cost_to(&self, other: &Factor) -> Result<f64> {
        let mut cross = Mat::<f64>::zeros(self.root.ncols(), other.root.ncols());
        matmul(&mut cross, Accum::Replace, self.root.transpose(), &other.root, 1.0, Par::Seq);
        let dim = self.mean.len();
        let values =
            cross.singular_values().map_err(|_| swgg::Error::from(ErrorKind::NoEigenvectors { dim }))?;
        let shift: f64 = self.mean.iter().zip(&other.mean).map(|(a, b)| (a - b) * (a - b)).sum();
        let size = self.trace + other.trace;
        let spread = size - 2.0 * values.iter().sum::<f64>();
        // Equal covariances differ by rounding only, and the root of that would be no small number.
        let rounding = ROUNDING * (dim + values.len()) as f64 * f64::EPSILON * size;
        Ok(shift + if spread > rounding { spread } else { 0.0 })
    }
}

/// Eigenvectors of `X X^T` times the roots of their eigenvalues; those that are zero to rounding are left out.
fn eigen_factor(centred: &Mat<f64>) -> Result<Mat<f64>> {
    let dim = centred.nrows();
    let mut covariance = Mat::<f64>::zeros(dim, dim);
    matmul(&mut covariance, Accum::Replace, centred, centred.transpose(), 1.0, Par::Seq);
    let refuse = || swgg::Error::from(ErrorKind::NoEigenvectors { dim });
    let eigen = covariance.self_adjoint_eigen(Side::Lower).map_err(|_| refuse())?;
    let largest = (0..dim).map(|k| eigen.S()[k]).fold(0.0, f64::max);
    let kept: Vec<usize> = (0..dim).filter(|&k| eigen.S()[k] > dim as f64 * f64::EPSILON * largest).collect();
    Ok(Mat::from_fn(dim, kept.len(), |c, k| eigen.U()[(c, kept[k])] * eigen.S()[kept[k]].sqrt()))
}
