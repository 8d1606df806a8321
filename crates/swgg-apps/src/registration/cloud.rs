//! A cloud to be registered.

use faer::{Mat, Side};
use rand::SeedableRng;
use rand::seq::index;
use rand_chacha::ChaCha8Rng;
use swgg::Measure;
use swgg::ndarray::{Array1, Array2, ArrayView2};

use super::error::{Error, Result};

/// Points, their mean and their principal axes.
pub(super) struct Cloud {
    pub points: Array2<f64>,
    pub mean: Array1<f64>,
    /// Axes as rows, of largest variance first, and the variances.
    pub axes: Array2<f64>,
    pub variances: Vec<f64>,
}

impl Cloud {
    pub fn new(name: &'static str, points: Array2<f64>) -> Result<Self> {
        let (n, d) = points.dim();
        if n < d + 1 {
            return Err(Error::TooFewPoints { cloud: name, found: n, dim: d, expected: d + 1 });
        }
        let mean = points.mean_axis(swgg::ndarray::Axis(0)).unwrap_or_else(|| Array1::zeros(d));
        let centred = &points - &mean;
        let covariance = centred.t().dot(&centred) / n as f64;
        let eigen = Mat::from_fn(d, d, |i, j| covariance[[i, j]])
            .self_adjoint_eigen(Side::Lower)
            .map_err(|_| Error::NoFit)?;
        let (values, vectors) = (eigen.S(), eigen.U());
        let axes = Array2::from_shape_fn((d, d), |(k, i)| vectors[(i, d - 1 - k)]);
        let variances: Vec<f64> = (0..d).map(|k| values[d - 1 - k].max(0.0)).collect();
        let largest = points.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        if variances[0].sqrt() <= 1e-12 * largest {
            return Err(Error::OnePlace { cloud: name });
        }
        Ok(Cloud { points, mean, axes, variances })
    }

    /// Root of the mean squared distance to the mean.
    pub fn size(&self) -> f64 {
        self.variances.iter().sum::<f64>().sqrt()
    }

    /// Some of the points, all of them if there are no more.
    pub fn sample(&self, most: usize, seed: u64) -> Array2<f64> {
        let (n, d) = self.points.dim();
        if n <= most {
            return self.points.clone();
        }
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut chosen = index::sample(&mut rng, n, most).into_vec();
        chosen.sort_unstable();
        let mut rows = Array2::zeros((most, d));
        rows.rows_mut().into_iter().zip(chosen).for_each(|(mut row, i)| row.assign(&self.points.row(i)));
        rows
    }
}

/// The points as a measure with equal weights.
pub(super) fn measure<'a>(points: &'a ArrayView2<'a, f64>) -> Result<Measure<'a, f64>> {
    Ok(Measure::from_view(*points)?)
}
