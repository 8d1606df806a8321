//! Prices on both sides, which prove what no plan can beat.

use crate::measure::Measure;
use crate::number::scalar::Scalar;

/// Dual potentials: `source[i] + target[j] <= |x_i - y_j|^p` for every pair, to rounding, with equality where mass moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Potentials {
    /// One per source point.
    pub source: Vec<f64>,
    /// One per target point.
    pub target: Vec<f64>,
}

impl Potentials {
    /// Whether all of them are numbers.
    pub(crate) fn are_finite(&self) -> bool {
        self.source.iter().chain(&self.target).all(|potential| potential.is_finite())
    }

    /// `sum a_i u_i + sum b_j v_j`.
    pub fn value<T: Scalar>(&self, source: &Measure<T>, target: &Measure<T>) -> f64 {
        let side = |potentials: &[f64], measure: &Measure<T>| {
            potentials.iter().enumerate().map(|(i, u)| measure.weight(i) * u).sum::<f64>()
        };
        side(&self.source, source) + side(&self.target, target)
    }
}
