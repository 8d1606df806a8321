//! A cloud to be registered.

use faer::{Mat, Side};
use rand::seq::index;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use swgg::ndarray::{Array1, Array2, ArrayView2};
use swgg::{Measure, Scalar};

use super::error::{Error, Result};

/// Points, their mean and their principal axes.
pub(super) struct Cloud {
    pub points: Array2<f64>,
    /// Summing to one; equal if there are none.
    pub weights: Option<Vec<f64>>,
    pub mean: Array1<f64>,
    /// Axes as rows, of largest variance first, and the variances.
    pub axes: Array2<f64>,
    pub variances: Vec<f64>,
}

impl Cloud {
    /// Refused if no motion can be fitted to it.
    pub fn new<T: Scalar>(name: &'static str, measure: &Measure<T>) -> Result<Self> {
        let (n, d) = (measure.len(), measure.dim());
        if n < d + 1 {
            return Err(Error::TooFewPoints { cloud: name, found: n, dim: d, expected: d + 1 });
        }
        let mut rows = Vec::with_capacity(n * d);
        (0..n).for_each(|i| rows.extend(measure.point(i).iter().map(|x| x.to_f64())));
        let points = Array2::from_shape_vec((n, d), rows).map_err(|_| Error::NoFit)?;
        let cloud = Cloud::of(points, measure.weights().map(<[f64]>::to_vec))?;
        let largest = cloud.points.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        if cloud.variances[0].sqrt() <= 1e-12 * largest {
            return Err(Error::OnePlace { cloud: name });
        }
        Ok(cloud)
    }

    fn of(points: Array2<f64>, weights: Option<Vec<f64>>) -> Result<Self> {
        let (n, d) = points.dim();
        let rows = points.as_slice().unwrap_or_default().chunks_exact(d);
        let weight = |i: usize| weights.as_ref().map_or(1.0 / n as f64, |weights| weights[i]);
        let (mut mean, mut gap) = (Array1::zeros(d), vec![0.0; d]);
        let mut covariance = vec![0.0; d * d];
        for (i, row) in rows.clone().enumerate() {
            let weight = weight(i);
            mean.iter_mut().zip(row).for_each(|(mean, x)| *mean += weight * x);
        }
        for (i, row) in rows.enumerate() {
            let weight = weight(i);
            gap.iter_mut().zip(row).zip(&mean).for_each(|((gap, x), mean)| *gap = x - mean);
            for (sums, along) in covariance.chunks_exact_mut(d).zip(&gap) {
                let along = weight * along;
                sums.iter_mut().zip(&gap).for_each(|(sum, x)| *sum += along * x);
            }
        }
        let eigen = Mat::from_fn(d, d, |i, j| covariance[i * d + j])
            .self_adjoint_eigen(Side::Lower)
            .map_err(|_| Error::NoFit)?;
        let (values, vectors) = (eigen.S(), eigen.U());
        let axes = Array2::from_shape_fn((d, d), |(k, i)| vectors[(i, d - 1 - k)]);
        let variances: Vec<f64> = (0..d).map(|k| values[d - 1 - k].max(0.0)).collect();
        Ok(Cloud { points, weights, mean, axes, variances })
    }

    pub fn dim(&self) -> usize {
        self.mean.len()
    }

    pub fn len(&self) -> usize {
        self.points.nrows()
    }

    /// Root of the mean squared distance to the mean.
    pub fn size(&self) -> f64 {
        self.variances.iter().sum::<f64>().sqrt()
    }

    /// Some of the points, all of them if there are no more; with weights, heavy points are taken more often.
    pub fn sample(&self, most: usize, seed: u64) -> Array2<f64> {
        let (n, d) = self.points.dim();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let chosen = match &self.weights {
            Some(weights) => by_weight(weights, most, rng.random()),
            None if n <= most => return self.points.clone(),
            None => {
                let mut chosen = index::sample(&mut rng, n, most).into_vec();
                chosen.sort_unstable();
                chosen
            }
        };
        let mut rows = Array2::zeros((most, d));
        rows.rows_mut().into_iter().zip(chosen).for_each(|(mut row, i)| row.assign(&self.points.row(i)));
        rows
    }

    /// The numbers up to before `n` in a random order.
    pub fn shuffled(n: usize, seed: u64) -> Vec<usize> {
        index::sample(&mut ChaCha8Rng::seed_from_u64(seed), n, n).into_vec()
    }

    /// [`sample`](Cloud::sample) as a cloud; a whole one keeps its weights.
    pub fn part(&self, most: usize, seed: u64) -> Result<Cloud> {
        match &self.weights {
            Some(weights) if self.len() <= most => Cloud::of(self.points.clone(), Some(weights.clone())),
            _ => Cloud::of(self.sample(most, seed), None),
        }
    }

    /// Mean squared distance between the images of the points under two motions, against the size of the cloud; rooted.
    ///
    /// By the mean and the axes alone: with `A = sR - s'R'` and `b = t - t'` it is `|A m + b|^2 + sum of variance |A axis|^2`.
    pub fn apart(&self, one: &super::Motion, other: &super::Motion) -> f64 {
        let linear = &one.rotation * one.scale - &other.rotation * other.scale;
        let shift = linear.dot(&self.mean) + &one.translation - &other.translation;
        let turned = self.axes.rows().into_iter().zip(&self.variances).map(|(axis, variance)| {
            let moved = linear.dot(&axis);
            variance * moved.dot(&moved)
        });
        ((shift.dot(&shift) + turned.sum::<f64>()).sqrt() / (one.scale * self.size())).max(0.0)
    }
}

/// So many indices at even steps of the mass, the first after a share of a step.
fn by_weight(weights: &[f64], most: usize, offset: f64) -> Vec<usize> {
    let mut chosen = Vec::with_capacity(most);
    let mut mass = 0.0;
    for (i, weight) in weights.iter().enumerate() {
        mass += weight;
        while chosen.len() < most && (chosen.len() as f64 + offset) / (most as f64) < mass {
            chosen.push(i);
        }
    }
    chosen.resize(most, weights.len() - 1);
    chosen
}

/// The points as a measure with equal weights.
pub(super) fn measure<'a>(points: &'a ArrayView2<'a, f64>) -> Result<Measure<'a, f64>> {
    Ok(Measure::from_view(*points)?)
}
