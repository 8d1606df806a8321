//! Prices between Gaussians.

use super::ground::Distances;
use super::start::SupplyDemand;
use crate::gaussian::{Gaussian, GaussianMap};
use crate::measure::Measure;

/// Covariances take `n d^2` operations, eigenvectors `d^3`: beyond this dimension a guess is not worth them.
const MAX_GUESS_DIM: usize = 32;

/// The prices that would be right if both clouds were Gaussian: the quadratic Brenier potential of the map back from the target,
///
/// ```text
/// v(y) = |y'|^2 - <y', B y'> - 2 <y', s>,    y' = y - mean, s the difference of the means, B the linear part of the map
/// ```
///
/// For squared distances only; none where the maps cannot be computed.
pub(super) fn gaussian_prices(ground: &Distances, load: SupplyDemand<'_>) -> Option<Vec<f64>> {
    if ground.power.exponent() != 2.0 || ground.dim > MAX_GUESS_DIM {
        return None;
    }
    let measure = |rows: Vec<f64>, masses: &[u64]| {
        let weights: Vec<f64> = masses.iter().map(|&w| w as f64).collect();
        Measure::from_vec(rows, ground.dim).and_then(|measure| measure.with_weights(&weights)).ok()
    };
    let source = measure(ground.sources.clone(), load.supply)?;
    let target = measure(ground.target_rows(0..load.demand.len() as u32), load.demand)?;
    let (first, second) = (Gaussian::fit(&source).ok()?, Gaussian::fit(&target).ok()?);
    let map = GaussianMap::between(&second, &first).ok()?;
    let (mean, shift): (&[f64], Vec<f64>) =
        (second.mean(), first.mean().iter().zip(second.mean()).map(|(m, n)| m - n).collect());
    let price = |y: &[f64]| -> f64 {
        let centred: Vec<f64> = y.iter().zip(mean).map(|(y, m)| y - m).collect();
        let along = |row: usize| -> f64 {
            map.linear().row(row).iter().zip(&centred).map(|(b, y)| b * y).sum::<f64>() + 2.0 * shift[row]
        };
        centred.iter().enumerate().map(|(row, y)| y * (y - along(row))).sum()
    };
    let prices: Vec<f64> = (0..target.len()).map(|j| price(target.point(j))).collect();
    prices.iter().all(|price| price.is_finite()).then_some(prices)
}
