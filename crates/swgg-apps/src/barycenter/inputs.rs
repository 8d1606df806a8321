//! Clouds and their weights, checked once.

use swgg::Measure;

use super::error::{Error, Result};
use super::settings::Settings;

/// Clouds that take part, and what each of them counts.
pub(super) struct Inputs<'a> {
    pub clouds: Vec<&'a Measure<'a, f64>>,
    /// Above 0, and they sum to one.
    pub weights: Vec<f64>,
    /// Which of the clouds that were given these are.
    pub indices: Vec<usize>,
    /// Of all clouds that were given, those that take no part included.
    pub all_weights: Vec<f64>,
    pub dim: usize,
}

impl<'a> Inputs<'a> {
    /// Checks everything.
    pub fn new(clouds: &'a [Measure<'a, f64>], settings: &Settings) -> Result<Self> {
        let (found, count) = (clouds.len(), clouds.len());
        if found < 2 {
            return Err(Error::FewClouds { found });
        }
        let dim = clouds[0].dim();
        if let Some(cloud) = clouds.iter().position(|cloud| cloud.dim() != dim) {
            return Err(Error::Dimensions { cloud, found: clouds[cloud].dim(), expected: dim });
        }
        settings.validate(dim)?;
        let all_weights = match &settings.weights {
            None => vec![1.0 / count as f64; count],
            Some(weights) => shares(weights, count)?,
        };
        let indices: Vec<usize> = (0..count).filter(|&i| all_weights[i] > 0.0).collect();
        let weights = indices.iter().map(|&i| all_weights[i]).collect();
        Ok(Inputs {
            clouds: indices.iter().map(|&i| &clouds[i]).collect(),
            weights,
            indices,
            all_weights,
            dim,
        })
    }

    /// How many points the barycenter has unless told otherwise.
    pub fn usual_points(&self) -> usize {
        self.clouds.iter().map(|cloud| cloud.len()).max().unwrap_or(1)
    }

    /// Numbers of the clouds that take part in the places of all, with `None` for the others.
    pub fn spread<R: Clone>(&self, values: Vec<R>) -> Vec<Option<R>> {
        let mut all = vec![None; self.all_weights.len()];
        self.indices.iter().zip(values).for_each(|(&i, value)| all[i] = Some(value));
        all
    }
}

/// Weights that sum to one.
fn shares(weights: &[f64], expected: usize) -> Result<Vec<f64>> {
    if weights.len() != expected {
        return Err(Error::WeightCount { found: weights.len(), expected });
    }
    if let Some(cloud) = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
        return Err(Error::BadWeight { cloud, value: weights[cloud] });
    }
    let largest = weights.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 {
        return Err(Error::NoWeight { found: weights.len() });
    }
    // Dividing by the largest first keeps the sum finite and away from underflow.
    let total: f64 = weights.iter().map(|w| w / largest).sum();
    Ok(weights.iter().map(|w| w / largest / total).collect())
}
