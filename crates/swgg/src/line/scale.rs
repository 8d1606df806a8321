//! Values as keys that a radix sort takes.

use super::sort::{MAX_COMPARISON_SORT_LEN, MAX_NARROW_SORT_LEN, Values};

/// Values looked at to guess the range.
const SAMPLED_VALUES: usize = 64;

/// How values become keys: whole numbers, monotone in the values.
pub(crate) struct Scale {
    low: f64,
    factor: f64,
    /// The last key.
    pub last: f64,
}

impl Scale {
    /// A scale over a range that holds nearly all values, from the middle of a sample, so that outliers do not stretch it.
    /// `None` for few values and for a sample without spread.
    ///
    /// A guess is a pass over the points cheaper than the true range, and a bad one costs time, not exactness.
    pub fn guess<V: Values + ?Sized>(values: &V) -> Option<Self> {
        let n = values.len();
        if n <= MAX_COMPARISON_SORT_LEN {
            return None;
        }
        let mut sample: [f64; SAMPLED_VALUES] = std::array::from_fn(|s| values.at(s * n / SAMPLED_VALUES));
        sample.sort_unstable_by(f64::total_cmp);
        let (tenth, ninth) = (sample[SAMPLED_VALUES / 10], sample[SAMPLED_VALUES - 1 - SAMPLED_VALUES / 10]);
        // Of a normal law this is four and a half deviations on either side.
        let (low, high) = (tenth - 1.25 * (ninth - tenth), ninth + 1.25 * (ninth - tenth));
        let (low, high) = if low < high { (low, high) } else { (sample[0], sample[SAMPLED_VALUES - 1]) };
        let last = f64::from((1_u32 << key_bits(n)) - 1);
        let factor = last / (high - low);
        (high > low && factor.is_finite()).then_some(Scale { low, factor, last })
    }

    /// A scale over a given range, with keys of so many bits. What lies outside gets the first or the last key.
    pub fn over(low: f64, high: f64, bits: u32) -> Self {
        let last = f64::from((1_u32 << bits) - 1);
        let factor = last / (high - low);
        // Without a range, or with next to none, everything has one key.
        Scale { low, factor: if factor.is_finite() { factor } else { 0.0 }, last }
    }

    /// Keys of a block of values.
    #[inline(always)]
    pub fn keys(&self, values: &[f64], keys: &mut [u32]) {
        for (key, value) in keys.iter_mut().zip(values) {
            *key = self.key(*value);
        }
    }

    #[inline(always)]
    pub fn key(&self, value: f64) -> u32 {
        /// Added to a number below 2^32 it leaves the rounded number in the low bits: a conversion that vectorises.
        const ROUND_INTO_LOW_BITS: f64 = (1_u64 << 52) as f64;
        let scaled = (value - self.low) * self.factor;
        let scaled = if scaled > 0.0 { scaled } else { 0.0 };
        let scaled = if scaled < self.last { scaled } else { self.last };
        (scaled + ROUND_INTO_LOW_BITS).to_bits() as u32
    }
}

/// Enough bits that few of `n` spread-out values share a key: about `log2 n + 5`, an even number where two digits share them.
pub(super) fn key_bits(n: usize) -> u32 {
    let bits = usize::BITS - n.leading_zeros() + 5;
    if n > MAX_NARROW_SORT_LEN { bits.min(30) } else { (bits.div_ceil(2) * 2).clamp(14, 24) }
}
