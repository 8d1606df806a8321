//! Sums in twice the precision of `f64`, where large terms are subtracted and a small result must keep its digits.

use std::ops::{Add, Mul, Sub};

/// An unevaluated sum of two numbers that do not overlap, about 32 digits: `high` is the sum rounded.
#[derive(Clone, Copy, Default)]
pub(crate) struct Double {
    high: f64,
    low: f64,
}

impl Double {
    /// The nearest `f64`.
    pub fn rounded(self) -> f64 {
        self.high
    }

    /// `high + low`, for a `low` that is small beside `high`.
    fn normal(high: f64, low: f64) -> Self {
        let sum = high + low;
        Double { high: sum, low: low - (sum - high) }
    }
}

impl From<f64> for Double {
    fn from(high: f64) -> Self {
        Double { high, low: 0.0 }
    }
}

impl Add for Double {
    type Output = Double;
    fn add(self, other: Double) -> Double {
        let sum = self.high + other.high;
        // What rounding took from either term (Knuth's two-sum).
        let seen = sum - self.high;
        let lost = (self.high - (sum - seen)) + (other.high - seen);
        Double::normal(sum, lost + self.low + other.low)
    }
}

impl Sub for Double {
    type Output = Double;
    fn sub(self, other: Double) -> Double {
        self + Double { high: -other.high, low: -other.low }
    }
}

impl Mul for Double {
    type Output = Double;
    fn mul(self, other: Double) -> Double {
        let product = self.high * other.high;
        let lost = self.high.mul_add(other.high, -product);
        Double::normal(product, lost + (self.high * other.low + self.low * other.high))
    }
}

impl std::iter::Sum for Double {
    fn sum<I: Iterator<Item = Double>>(terms: I) -> Double {
        terms.fold(Double::default(), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_f64_loses_is_kept() {
        let (large, small) = (Double::from(1e16), Double::from(0.3));
        assert_eq!((large + small - large).rounded(), 0.3);
        let third = Double::from(1.0 / 3.0);
        let square = third * third - Double::from(third.rounded() * third.rounded());
        assert_eq!(square.rounded(), (1.0_f64 / 3.0).mul_add(1.0 / 3.0, -(1.0 / 3.0 * (1.0 / 3.0))));
        assert!(square.rounded() != 0.0);
    }
}
