//! Putting noisy copies in order without sorting them.

use crate::line::{Scale, VALUES_PER_BLOCK};

/// Blurred copies in order, by counting.
///
/// A copy falls into one of about as many narrow buckets as there are copies, a hundred-thousandth of the range or less wide.
/// Within a bucket copies keep the order of their ranks: without noise that is the exact order, and with noise the difference is
/// far below it.
#[derive(Default)]
pub(super) struct Buckets {
    keys: Vec<u32>,
    heads: Vec<u32>,
}

impl Buckets {
    /// Finds the bucket of every copy: `copies` of each of the sorted projections, moved by noise.
    pub fn fill(&mut self, along: &[f64], copies: usize, deviation: f64, noise: &[f32]) {
        let count = along.len() * copies;
        let bits = (usize::BITS - count.leading_zeros()).clamp(14, 22);
        let (low, high) = robust_range(along);
        let scale = Scale::over(low - 4.0 * deviation, high + 4.0 * deviation, bits);
        self.keys.resize(count, 0);
        self.heads.clear();
        self.heads.resize(1 << bits, 0);
        let mut values = [0.0; VALUES_PER_BLOCK];
        for ((z, noise), keys) in
            along.iter().zip(noise.chunks_exact(copies)).zip(self.keys.chunks_exact_mut(copies))
        {
            for (noise, keys) in noise.chunks(VALUES_PER_BLOCK).zip(keys.chunks_mut(VALUES_PER_BLOCK)) {
                let values = &mut values[..noise.len()];
                values.iter_mut().zip(noise).for_each(|(value, xi)| *value = z + deviation * f64::from(*xi));
                scale.keys(values, keys);
                keys.iter().for_each(|key| self.heads[*key as usize] += 1);
            }
        }
        let mut start = 0;
        for head in &mut self.heads {
            start += std::mem::replace(head, start);
        }
    }

    /// How many copies there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Every copy and its position in the order, copy by copy. Can be asked for once.
    pub fn positions(&mut self) -> impl Iterator<Item = (usize, usize)> {
        let heads = &mut self.heads;
        self.keys.iter().enumerate().map(|(copy, key)| {
            let head = &mut heads[*key as usize];
            *head += 1;
            (copy, *head as usize - 1)
        })
    }
}

/// The range of sorted values without far-off ones: those end up in the first and the last bucket.
fn robust_range(sorted: &[f64]) -> (f64, f64) {
    let n = sorted.len();
    let (first, last) = (sorted[0], sorted[n - 1]);
    let (tenth, ninth) = (sorted[n / 10], sorted[n - 1 - n / 10]);
    let reach = 2.0 * (ninth - tenth);
    if reach > 0.0 { (first.max(tenth - reach), last.min(ninth + reach)) } else { (first, last) }
}

/// Division of numbers below 2^32 by a constant that is only known now, without dividing.
#[derive(Clone, Copy)]
pub(super) struct Divisor(u128);

impl Divisor {
    pub fn new(divisor: usize) -> Self {
        Divisor((1_u128 << 64).div_ceil(divisor as u128))
    }

    #[inline(always)]
    pub fn divide(self, number: usize) -> usize {
        // The reciprocal is too large by less than divisor / 2^64: too little to reach the next whole number.
        ((number as u128 * self.0) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_without_dividing() {
        for divisor in [1, 2, 3, 7, 10, 64, 1000, 99_999] {
            let fast = Divisor::new(divisor);
            for number in (0..2000).chain((1 << 28) - 2000..1 << 28) {
                assert_eq!(fast.divide(number), number / divisor, "{number} / {divisor}");
            }
        }
    }

    fn order(along: &[f64], copies: usize, deviation: f64, noise: &[f32]) -> Vec<usize> {
        let mut buckets = Buckets::default();
        buckets.fill(along, copies, deviation, noise);
        let mut order = vec![usize::MAX; buckets.len()];
        buckets.positions().for_each(|(copy, position)| order[position] = copy);
        order
    }

    #[test]
    fn copies_are_in_the_order_of_their_values() {
        let along: Vec<f64> = (0..50).map(|k| f64::from(k) + 0.25 * f64::from(k % 3)).collect();
        let noise: Vec<f32> = (0..200_u32).map(|k| ((k * 7919 % 401) as f32 - 200.0) / 90.0).collect();
        let value = |copy: usize| along[copy / 4] + 2.5 * f64::from(noise[copy]);
        let order = order(&along, 4, 2.5, &noise);
        // A bucket is about 75 / 2^14 wide.
        assert!(order.windows(2).all(|pair| value(pair[1]) - value(pair[0]) > -0.01));
    }

    #[test]
    fn without_noise_or_range_the_order_stays() {
        let noise = [1.0, -2.0, 0.5, 3.0, -1.0, 0.1];
        let expected: Vec<usize> = (0..6).collect();
        assert_eq!(order(&[1.0, 1.0 + 1e-15, 2e9], 2, 0.0, &noise), expected);
        assert_eq!(order(&[7.0, 7.0, 7.0], 2, 0.0, &noise), expected);
    }
}
