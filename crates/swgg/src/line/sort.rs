//! The hot loop: sorting projections, exactly and in linear time.
//!
//! A projection is quantised to a key of about `log2 n + 5` bits, a radix sort orders (key, index) pairs, and the few points
//! whose keys collide are put right by comparing the projections themselves. The result is the exact order, ties by index.
//!
//! Two passes suffice below 2^20 points because the second digit and the index fit together in 32 bits: once points are
//! ordered by the low digit, that digit is no longer needed. Small records matter more than anything else here: at 100 000
//! points the passes run at the speed of the second-level cache.

use std::ops::Range;

/// Numbers to sort, computed on demand: stored ones, or projections that are cheaper to compute again than to keep.
pub(crate) trait Values {
    /// How many.
    fn len(&self) -> usize;
    /// Number `i`, with the same bits as [`fill`](Values::fill) gives.
    fn at(&self, i: usize) -> f64;
    /// Numbers `start..start + out.len()`.
    fn fill(&self, start: usize, out: &mut [f64]);
}

impl Values for [f64] {
    fn len(&self) -> usize {
        self.len()
    }
    #[inline(always)]
    fn at(&self, i: usize) -> f64 {
        self[i]
    }
    #[inline(always)]
    fn fill(&self, start: usize, out: &mut [f64]) {
        out.copy_from_slice(&self[start..start + out.len()]);
    }
}

/// Below this size a comparison sort wins.
const SMALL: usize = 128;
/// Largest size whose indices leave room for a digit of 12 bits in a 32-bit record.
const TWO_PASS: usize = 1 << 20;
/// Values quantised at a time: they stay in the first-level cache.
const BLOCK: usize = 128;
/// Values looked at to guess the range.
const SAMPLE: usize = 128;

/// Sorts by radix, reusing its memory from call to call.
#[derive(Default)]
pub(crate) struct Sorter {
    /// Records of the two-pass sort. Free between calls.
    pub records: Vec<u32>,
    wide: [Vec<u64>; 2],
    heads: [Vec<u64>; 3],
    collisions: Vec<u32>,
    pairs: Vec<(f64, u32)>,
}

impl Sorter {
    /// Writes to `order` the indices of `values` in increasing order, equal values by index.
    pub fn sort<V: Values + ?Sized>(&mut self, values: &V, order: &mut Vec<u32>) {
        let n = values.len();
        order.resize(n, 0);
        if n <= SMALL {
            return self.sort_by_comparison(values, order);
        }
        // A guessed range is a pass cheaper than the true one. If it, or the shape of the data, makes too many keys
        // collide, the true range is tried, and comparisons have the last word.
        for range in [guess_range::<V>, true_range::<V>] {
            let (low, high) = range(values);
            let range = low..high;
            let sorted = high > low
                && match key_bits(n).div_ceil(2) {
                    _ if n > TWO_PASS => self.sort_wide(values, range, order),
                    ..=7 => self.sort_narrow::<V, 7, 128>(values, range, order),
                    8 => self.sort_narrow::<V, 8, 256>(values, range, order),
                    9 => self.sort_narrow::<V, 9, 512>(values, range, order),
                    10 => self.sort_narrow::<V, 10, 1024>(values, range, order),
                    11 => self.sort_narrow::<V, 11, 2048>(values, range, order),
                    _ => self.sort_narrow::<V, 12, 4096>(values, range, order),
                };
            if sorted {
                return;
            }
        }
        self.sort_by_comparison(values, order);
    }

    /// Two passes over 32-bit records, a digit of `DIGIT` bits each. False if too many keys collide.
    ///
    /// The digit is a constant, and `BUCKETS` is two to its power, so that shifts are immediate and buckets need no check.
    fn sort_narrow<V: Values + ?Sized, const DIGIT: u32, const BUCKETS: usize>(
        &mut self,
        values: &V,
        range: Range<f64>,
        order: &mut [u32],
    ) -> bool {
        const { assert!(BUCKETS == 1 << DIGIT) };
        let n = order.len();
        let index_bits = 32 - DIGIT;
        let (mut low_heads, mut high_heads) = ([0_u32; BUCKETS], [0_u64; BUCKETS]);

        // `order` holds the keys until the second pass overwrites it.
        quantise(values, range, 2 * DIGIT, order, |keys| {
            for &key in keys {
                low_heads[key as usize % BUCKETS] += 1;
                high_heads[(key >> DIGIT) as usize % BUCKETS] += 1;
            }
        });
        let (mut low_start, mut high_start) = (0, 0);
        for (low, high) in low_heads.iter_mut().zip(&mut high_heads) {
            low_start += std::mem::replace(low, low_start);
            // Points of one key arrive one after the other in the bucket of their high digit: the upper half of a head
            // remembers the low digit that came last, and a point that meets its own is a collision.
            let count = std::mem::replace(high, high_start | u64::from(u32::MAX) << 32);
            high_start += count;
        }

        self.records.resize(n.max(self.records.len()), 0);
        let records = &mut self.records[..n];
        for (i, &key) in order.iter().enumerate() {
            let head = &mut low_heads[key as usize % BUCKETS];
            records[*head as usize] = (key >> DIGIT) << index_bits | i as u32;
            *head += 1;
        }

        self.collisions.resize(n.max(self.collisions.len()), 0);
        let collisions = &mut self.collisions[..n];
        let (mut found, mut start) = (0, 0);
        for (digit, &end) in low_heads.iter().enumerate() {
            for &record in &records[start..end as usize] {
                let head = &mut high_heads[(record >> index_bits) as usize % BUCKETS];
                let rank = *head as u32;
                order[rank as usize] = record & ((1 << index_bits) - 1);
                collisions[found] = rank;
                found += usize::from(*head >> 32 == digit as u64);
                *head = (digit as u64) << 32 | u64::from(rank + 1);
            }
            start = end as usize;
        }
        repair(values, order, &collisions[..found])
    }

    /// Three passes over 64-bit records, for clouds beyond [`TWO_PASS`]. False if too many keys collide.
    fn sort_wide<V: Values + ?Sized>(&mut self, values: &V, range: Range<f64>, order: &mut [u32]) -> bool {
        let n = order.len();
        let bits = key_bits(n).min(30);
        let shifts = [0, bits / 3, 2 * (bits / 3), bits];
        let digit = |key: u32, pass: usize| {
            (key >> shifts[pass] & ((1 << (shifts[pass + 1] - shifts[pass])) - 1)) as usize
        };
        for pass in 0..3 {
            reset(&mut self.heads[pass], shifts[pass + 1] - shifts[pass]);
        }
        let heads = &mut self.heads;
        quantise(values, range, bits, order, |keys| {
            for &key in keys {
                for pass in 0..3 {
                    heads[pass][digit(key, pass)] += 1;
                }
            }
        });
        heads.iter_mut().for_each(|heads| accumulate(heads));

        let [first, second] = &mut self.wide;
        first.resize(n.max(first.len()), 0);
        second.resize(n.max(second.len()), 0);
        for (i, &key) in order.iter().enumerate() {
            let head = &mut heads[0][digit(key, 0)];
            first[*head as usize] = u64::from(key) << 32 | i as u64;
            *head += 1;
        }
        for &record in &first[..n] {
            let head = &mut heads[1][digit((record >> 32) as u32, 1)];
            second[*head as usize] = record;
            *head += 1;
        }
        heads[2].iter_mut().for_each(|head| *head |= u64::from(u32::MAX) << 32);
        self.collisions.resize(n.max(self.collisions.len()), 0);
        let mut found = 0;
        for &record in &second[..n] {
            let key = (record >> 32) as u32;
            let head = &mut heads[2][digit(key, 2)];
            let rank = *head as u32;
            order[rank as usize] = record as u32;
            self.collisions[found] = rank;
            found += usize::from(*head >> 32 == u64::from(key));
            *head = u64::from(key) << 32 | u64::from(rank + 1);
        }
        repair(values, order, &self.collisions[..found])
    }

    fn sort_by_comparison<V: Values + ?Sized>(&mut self, values: &V, order: &mut [u32]) {
        self.pairs.clear();
        // Adding zero turns -0.0 into 0.0, so that the total order of bits agrees with `==`.
        self.pairs.extend((0..values.len()).map(|i| (values.at(i) + 0.0, i as u32)));
        self.pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (slot, pair) in order.iter_mut().zip(&self.pairs) {
            *slot = pair.1;
        }
    }
}

/// Enough bits that few of `n` spread-out values share a key.
fn key_bits(n: usize) -> u32 {
    usize::BITS - (n - 1).leading_zeros() + 5
}

fn reset(heads: &mut Vec<u64>, bits: u32) {
    heads.clear();
    heads.resize(1 << bits, 0);
}

/// Turns counts into the position of the first element of each bucket.
fn accumulate(heads: &mut [u64]) {
    let mut position = 0;
    for head in heads {
        position += std::mem::replace(head, position);
    }
}

/// Keys of `bits` bits, monotone in the values; what lies outside `range` gets the first or the last key. `seen` is shown
/// the keys block by block.
#[inline(always)]
fn quantise<V: Values + ?Sized>(
    values: &V,
    range: Range<f64>,
    bits: u32,
    keys: &mut [u32],
    mut seen: impl FnMut(&[u32]),
) {
    /// Added to a number below 2^32 it leaves the rounded number in the low bits: a conversion that vectorises.
    const MAGIC: f64 = (1_u64 << 52) as f64;
    let last = f64::from((1_u32 << bits) - 1);
    let scale = last / (range.end - range.start);
    let mut block = [0.0; BLOCK];
    for (b, keys) in keys.chunks_mut(BLOCK).enumerate() {
        let block = &mut block[..keys.len()];
        values.fill(b * BLOCK, block);
        for (key, value) in keys.iter_mut().zip(block) {
            let scaled = (*value - range.start) * scale;
            let scaled = if scaled > 0.0 { scaled } else { 0.0 };
            let scaled = if scaled < last { scaled } else { last };
            *key = (scaled + MAGIC).to_bits() as u32;
        }
        seen(keys);
    }
}

/// Moves each colliding point left past its greater neighbours: an insertion sort that only visits the collisions.
///
/// Gives up, returning false, when it moves points more often than there are points.
fn repair<V: Values + ?Sized>(values: &V, order: &mut [u32], collisions: &[u32]) -> bool {
    let mut budget = 2 * order.len();
    let mut ahead = [(0.0, 0.0, 0); 32];
    for ranks in collisions.chunks(ahead.len()) {
        // Looked up together, the values of a chunk overlap their waits for memory; one by one, each comparison waits.
        for (slot, &rank) in ahead.iter_mut().zip(ranks) {
            let (index, left) = (order[rank as usize], order[rank as usize - 1]);
            *slot = (values.at(index as usize), values.at(left as usize), left);
        }
        for (&rank, &(value, left_value, left)) in ranks.iter().zip(&ahead) {
            let mut slot = rank as usize;
            if left_value <= value && order[slot - 1] == left {
                continue;
            }
            let index = order[slot];
            while slot > 0 && values.at(order[slot - 1] as usize) > value {
                order[slot] = order[slot - 1];
                slot -= 1;
                if budget == 0 {
                    return false;
                }
                budget -= 1;
            }
            order[slot] = index;
        }
    }
    true
}

/// A range that holds nearly all values, from a sample: four and a half deviations around the mean.
fn guess_range<V: Values + ?Sized>(values: &V) -> (f64, f64) {
    let n = values.len();
    let (mut sum, mut sum_sq, shift) = (0.0, 0.0, values.at(0));
    for s in 0..SAMPLE {
        let value = values.at(s * n / SAMPLE) - shift;
        sum += value;
        sum_sq += value * value;
    }
    let mean = sum / SAMPLE as f64;
    let deviation = (sum_sq / SAMPLE as f64 - mean * mean).max(0.0).sqrt();
    (shift + mean - 4.5 * deviation, shift + mean + 4.5 * deviation)
}

fn true_range<V: Values + ?Sized>(values: &V) -> (f64, f64) {
    (0..values.len())
        .map(|i| values.at(i))
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, RngExt, SeedableRng};

    fn check(values: &[f64]) {
        let mut expected: Vec<u32> = (0..values.len() as u32).collect();
        expected
            .sort_by(|&i, &j| values[i as usize].partial_cmp(&values[j as usize]).unwrap().then(i.cmp(&j)));
        let mut order = vec![7; 3];
        Sorter::default().sort(values, &mut order);
        assert!(order == expected, "wrong order of {} values", values.len());
    }

    fn random() -> impl Rng {
        rand_chacha::ChaCha8Rng::seed_from_u64(5)
    }

    #[test]
    fn sizes_around_the_thresholds() {
        let mut rng = random();
        for n in [0, 1, 2, SMALL, SMALL + 1, 1000, 4096, 4097, 50_000] {
            check(&(0..n).map(|_| rng.random::<f64>()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn beyond_two_passes() {
        let mut rng = random();
        check(&(0..TWO_PASS + 3).map(|_| rng.random::<f64>()).collect::<Vec<_>>());
        check(&(0..TWO_PASS + 3).map(|_| f64::from(rng.random::<u8>())).collect::<Vec<_>>());
    }

    #[test]
    fn awkward_shapes() {
        let mut rng = random();
        let n = 5000;
        let mut draw = |f: &mut dyn FnMut(f64) -> f64| (0..n).map(|_| f(rng.random())).collect::<Vec<_>>();
        check(&vec![3.5; n]);
        check(&draw(&mut |u| (8.0 * u).floor()));
        check(&draw(&mut |u| (std::f64::consts::PI * (u - 0.5)).tan()));
        check(&draw(&mut |u| (600.0 * (u - 0.5)).exp()));
        check(&draw(&mut |u| 1e15 + u));
        check(&draw(&mut |u| if u < 0.5 { 0.0 } else { -0.0 }));
        let mut outlier = draw(&mut |u| u);
        outlier[17] = 1e150;
        check(&outlier);
        outlier[18] = -1e150;
        check(&outlier);
        check(&(0..n).map(|i| i as f64).collect::<Vec<_>>());
        check(&(0..n).map(|i| -(i as f64)).collect::<Vec<_>>());
    }

    #[test]
    fn memory_is_reused_between_sizes() {
        let mut rng = random();
        let mut sorter = Sorter::default();
        let mut order = Vec::new();
        for n in [4000, 300, 5000, 10] {
            let values: Vec<f64> = (0..n).map(|_| rng.random()).collect();
            sorter.sort(values.as_slice(), &mut order);
            assert!(order.windows(2).all(|w| values[w[0] as usize] <= values[w[1] as usize]));
        }
    }
}
