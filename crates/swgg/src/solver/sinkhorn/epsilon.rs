//! How much a plan is smoothed.

use crate::error::{ErrorKind, Result};

/// How much the plan is smoothed: the weight of the entropy, in the units of costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Epsilon {
    /// This much.
    Absolute(f64),
    /// This fraction of the mean cost `sum a_i b_j c_ij`, or of 1 where all costs are zero.
    Relative(f64),
}

impl Epsilon {
    /// For squared distances, `2 blur^2`: mass is smeared over about `blur`, in the units of coordinates.
    ///
    /// GeomLoss's `SamplesLoss("sinkhorn", p=2, blur=blur)` uses the cost `|x - y|^2 / 2` and the epsilon `blur^2`. Ours is twice
    /// both, so plans are the same and values twice theirs.
    pub fn from_blur(blur: f64) -> Self {
        Epsilon::Absolute(2.0 * blur * blur)
    }

    /// As it was given.
    pub(super) fn number(self) -> f64 {
        let (Epsilon::Absolute(number) | Epsilon::Relative(number)) = self;
        number
    }

    /// In the units of costs.
    pub(super) fn resolve(self, mean: f64, largest: f64) -> Result<f64> {
        let epsilon = match self {
            Epsilon::Absolute(epsilon) => epsilon,
            // Where all costs are zero any epsilon gives the same plan.
            Epsilon::Relative(fraction) if mean == 0.0 => fraction,
            Epsilon::Relative(fraction) => (fraction * mean).max(f64::MIN_POSITIVE),
        };
        if epsilon >= MIN_EPSILON_SHARE * largest && (f64::MIN_POSITIVE..MAX_EPSILON).contains(&epsilon) {
            return Ok(epsilon);
        }
        let expected = "give between 1e-12 of the largest cost, below which rounding decides, and 1e300";
        Err(ErrorKind::BadSetting { name: "epsilon", value: epsilon, expected }.into())
    }
}

/// Least epsilon as a fraction of the largest cost.
const MIN_EPSILON_SHARE: f64 = 1e-12;
const MAX_EPSILON: f64 = 1e300;
