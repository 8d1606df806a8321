//! Points to begin with.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use swgg::Measure;

use super::error::{Error, Result};
use super::inputs::Inputs;

/// So many points, drawn from all clouds together: each as likely as its mass times the weight of its cloud, none twice before all have been drawn.
pub(super) fn drawn(inputs: &Inputs<'_>, count: usize, seed: u64) -> Result<Measure<'static, f64>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    // The smallest of exponential times with these rates are a draw without putting back (Efraimidis and Spirakis).
    let mut times: Vec<(f64, u32, u32)> = Vec::new();
    for (k, (cloud, weight)) in inputs.clouds.iter().zip(&inputs.weights).enumerate() {
        for i in 0..cloud.len() {
            let rate = weight * cloud.weight(i);
            // Drawn for every point, so that masses do not change who draws what.
            let uniform: f64 = random.random();
            if rate > 0.0 {
                times.push((-(1.0 - uniform).ln() / rate, k as u32, i as u32));
            }
        }
    }
    times.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let too_many = || Error::TooManyPoints { found: count, dim: inputs.dim };
    let mut points: Vec<f64> = Vec::new();
    let numbers = count.checked_mul(inputs.dim).ok_or_else(too_many)?;
    points.try_reserve_exact(numbers).map_err(|_| too_many())?;
    let rounds = times.iter().cycle().take(count);
    rounds.for_each(|&(_, k, i)| points.extend_from_slice(inputs.clouds[k as usize].point(i as usize)));
    Ok(Measure::from_vec(points, inputs.dim)?)
}
