//! Costs that are powers of Euclidean distances once the points are moved: scaled columns, Mahalanobis, cosine.

use ndarray::{Array2, ArrayView2};

use super::ground::{Embedded, Form, GroundCost};
use super::{Power, sq_distance};
use crate::error::{ErrorKind, Result};
use crate::number::range::matrix_fits;
use crate::number::spectral::Eigen;

/// `|s (x - y)|^p` with a scale for every column.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaled {
    power: Power,
    scales: Vec<f64>,
}

impl Scaled {
    /// With scales that are not negative.
    pub fn new(power: Power, scales: &[f64]) -> Result<Self> {
        super::check_scales(scales)?;
        Ok(Scaled { power, scales: scales.to_vec() })
    }
}

impl GroundCost for Scaled {
    fn name(&self) -> String {
        if self.power == Power::SQUARED { "sqeuclidean".into() } else { "euclidean".into() }
    }

    fn between(&self, x: &[f64], y: &[f64]) -> f64 {
        let gaps = x.iter().zip(y).zip(&self.scales).map(|((x, y), s)| s * (x - y));
        self.power.of_square(gaps.map(|gap| gap * gap).sum())
    }

    fn check(&self, _: [&[f64]; 2], dim: usize) -> Result<()> {
        super::check_scale_count(&self.scales, dim)
    }

    fn embedded(&self, points: [&[f64]; 2], dim: usize) -> Result<Embedded> {
        let points = points.map(|rows| super::scaled(rows, &self.scales));
        Ok(Embedded { points, dim, is: Some(Form::new(self.power, 1.0)) })
    }
}

/// `((x - y)^T S^-1 (x - y))^(p / 2)`, with `S` a covariance: distances in units of how much the coordinates vary.
///
/// Directions in which `S` vanishes do not count.
#[derive(Clone, Debug)]
pub struct Mahalanobis {
    power: Power,
    /// `S^(-1/2)`.
    whitening: Array2<f64>,
}

impl Mahalanobis {
    /// From a covariance, symmetric and positive semi-definite.
    pub fn new(power: Power, covariance: ArrayView2<'_, f64>) -> Result<Self> {
        let (rows, columns) = covariance.dim();
        let refuse = |problem: String| Err(ErrorKind::BadCovariance { problem }.into());
        if rows != columns || rows == 0 {
            return refuse(format!("it is {rows} x {columns}; give a square one"));
        }
        if let Some(((i, j), value)) = covariance.indexed_iter().find(|(_, value)| !value.is_finite()) {
            return refuse(format!("row {i}, column {j} is {value}; give finite numbers"));
        }
        let size = covariance.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        for i in 0..rows {
            for j in 0..i {
                let (below, above) = (covariance[(i, j)], covariance[(j, i)]);
                if (below - above).abs() > 1e-9 * size {
                    return refuse(format!(
                        "row {i}, column {j} is {below} and row {j}, column {i} is {above}; give a symmetric one"
                    ));
                }
            }
        }
        let eigen = Eigen::of(&covariance.to_owned())?;
        if let Some(least) = eigen.values.iter().find(|value| **value < -1e-9 * size) {
            return refuse(format!("it has the eigenvalue {least}; a covariance has none below zero"));
        }
        if size == 0.0 {
            return refuse("it is zero; give one that some direction varies in".into());
        }
        Ok(Mahalanobis { power, whitening: eigen.inverse_root() })
    }

    /// From the covariance of both clouds taken together, every row with the same weight.
    pub fn pooled(power: Power, points: [&[f64]; 2], dim: usize) -> Result<Self> {
        matrix_fits("covariance of both clouds", dim, dim)?;
        let rows = || points.iter().flat_map(|rows| rows.chunks_exact(dim));
        let count = rows().count() as f64;
        let mut mean = vec![0.0; dim];
        rows().for_each(|row| mean.iter_mut().zip(row).for_each(|(mean, x)| *mean += x / count));
        let mut covariance = Array2::zeros((dim, dim));
        for row in rows() {
            let gap: Vec<f64> = row.iter().zip(&mean).map(|(x, mean)| x - mean).collect();
            for i in 0..dim {
                for j in 0..=i {
                    covariance[(i, j)] += gap[i] * gap[j] / (count - 1.0).max(1.0);
                }
            }
        }
        for i in 0..dim {
            for j in 0..i {
                covariance[(j, i)] = covariance[(i, j)];
            }
        }
        Mahalanobis::new(power, covariance.view())
    }

    fn whitened(&self, x: &[f64]) -> Vec<f64> {
        let rows = self.whitening.rows();
        rows.into_iter().map(|row| row.iter().zip(x).map(|(w, x)| w * x).sum()).collect()
    }
}

impl GroundCost for Mahalanobis {
    fn name(&self) -> String {
        "mahalanobis".into()
    }

    fn between(&self, x: &[f64], y: &[f64]) -> f64 {
        let gap: Vec<f64> = x.iter().zip(y).map(|(x, y)| x - y).collect();
        self.power.of_square(self.whitened(&gap).iter().map(|gap| gap * gap).sum())
    }

    fn check(&self, _: [&[f64]; 2], dim: usize) -> Result<()> {
        let found = self.whitening.nrows();
        if found == dim {
            return Ok(());
        }
        let problem = format!("it is {found} x {found}; the points have dimension {dim}");
        Err(ErrorKind::BadCovariance { problem }.into())
    }

    fn embedded(&self, points: [&[f64]; 2], dim: usize) -> Result<Embedded> {
        let points = points.map(|rows| rows.chunks_exact(dim).flat_map(|row| self.whitened(row)).collect());
        Ok(Embedded { points, dim, is: Some(Form::new(self.power, 1.0)) })
    }
}

/// `1 - <x, y> / (|x| |y|)`: how far directions are apart, whatever the lengths.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cosine;

impl GroundCost for Cosine {
    fn name(&self) -> String {
        "cosine".into()
    }

    fn between(&self, x: &[f64], y: &[f64]) -> f64 {
        0.5 * sq_distance(&unit(x), &unit(y))
    }

    /// A point at the origin has no direction.
    fn check(&self, points: [&[f64]; 2], dim: usize) -> Result<()> {
        for (rows, cloud) in points.into_iter().zip(["source", "target"]) {
            if let Some(row) = rows.chunks_exact(dim).position(|row| row.iter().all(|x| *x == 0.0)) {
                return Err(ErrorKind::ZeroVector { cloud, row }.into());
            }
        }
        Ok(())
    }

    fn embedded(&self, points: [&[f64]; 2], dim: usize) -> Result<Embedded> {
        let points = points.map(|rows| rows.chunks_exact(dim).flat_map(unit).collect());
        Ok(Embedded { points, dim, is: Some(Form::new(Power::SQUARED, 0.5)) })
    }
}

/// The vector of length one in the same direction.
fn unit(x: &[f64]) -> Vec<f64> {
    // Dividing by the largest first keeps the sum finite and away from underflow.
    let most = x.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let scaled = x.iter().map(|x| x / most);
    let length = scaled.clone().map(|x| x * x).sum::<f64>().sqrt();
    scaled.map(|x| x / length).collect()
}
