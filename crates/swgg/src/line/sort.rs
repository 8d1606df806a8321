//! The hot loop: sorting projections, exactly and in linear time.
//!
//! A projection is quantised to a key of about `log2 n + 5` bits, a radix sort orders (key, index) pairs, and the few points
//! whose keys collide are put right by comparing the projections themselves. The result is the exact order, ties by index.
//!
//! Two passes suffice below 2^20 points because the second digit and the index fit together in 32 bits: once points are
//! ordered by the low digit, that digit is no longer needed. Small records matter more than anything else here: at 100 000
//! points the passes run at the speed of the second-level cache.

use super::scale::{Scale, key_bits};

/// Numbers to sort, computed on demand: stored ones, or projections that are cheaper to compute again than to keep.
pub(crate) trait Values {
    /// Number of values.
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
pub(super) const MAX_COMPARISON_SORT_LEN: usize = 128;
/// Largest size whose indices leave room for a digit of 12 bits in a 32-bit record.
pub(super) const MAX_NARROW_SORT_LEN: usize = 1 << 20;
/// Bits of a rank in such a cloud.
const RANK_BITS: u32 = 20;
/// Bits of a key by which larger clouds are dealt out first.
const TOP_DIGIT_BITS: u32 = 10;
/// Values turned into keys at a time: they stay in the first-level cache.
pub(crate) const VALUES_PER_BLOCK: usize = 128;

/// Sorts by radix, reusing its memory from call to call.
#[derive(Default)]
pub(crate) struct Sorter {
    /// Records of the two-pass sort. Free between calls.
    pub records: Vec<u32>,
    /// Records of a large cloud, dealt out, and one share of them.
    wide: [Vec<u64>; 2],
    heads: [Vec<u64>; 3],
    collisions: Vec<u32>,
    pairs: Vec<(f64, u32)>,
}

impl Sorter {
    /// Writes to `order` the indices of `values` in increasing order, equal values by index.
    pub fn sort<V: Values + ?Sized>(&mut self, values: &V, order: &mut Vec<u32>) {
        order.resize(values.len(), 0);
        let scale = Scale::guess(values);
        if let Some(scale) = &scale {
            let mut block = [0.0; VALUES_PER_BLOCK];
            for (b, keys) in order.chunks_mut(VALUES_PER_BLOCK).enumerate() {
                let block = &mut block[..keys.len()];
                values.fill(b * VALUES_PER_BLOCK, block);
                scale.keys(block, keys);
            }
        }
        self.sort_keys(values, scale.as_ref(), order);
    }

    /// Sorts `values` whose keys on `scale` are already in `order`.
    pub fn sort_keys<V: Values + ?Sized>(&mut self, values: &V, scale: Option<&Scale>, order: &mut [u32]) {
        // Too few, all alike, or so crowded that too many keys collide: comparisons have the last word.
        if !scale.is_some_and(|scale| self.sort_by_radix(values, scale, order)) {
            order.iter_mut().enumerate().for_each(|(i, slot)| *slot = i as u32);
            self.sort_by_comparison(values, order);
        }
    }

    fn sort_by_radix<V: Values + ?Sized>(&mut self, values: &V, scale: &Scale, order: &mut [u32]) -> bool {
        let n = order.len();
        let collisions = match key_bits(n) / 2 {
            _ if n > MAX_NARROW_SORT_LEN => self.sort_wide(order),
            7 => self.sort_narrow::<6, 64, 8, 256>(order),
            8 => self.sort_narrow::<7, 128, 9, 512>(order),
            9 => self.sort_narrow::<8, 256, 10, 1024>(order),
            10 => self.sort_narrow::<9, 512, 11, 2048>(order),
            11 => self.sort_narrow::<10, 1024, 12, 4096>(order),
            _ => self.sort_narrow::<12, 4096, 12, 4096>(order),
        };
        // What fell off the ends of the scale is sorted by comparison; heavy tails and outliers end up there.
        let key_of = |i: u32| scale.key(values.at(i as usize));
        let left = order.partition_point(|&i| key_of(i) == 0);
        let right = order.partition_point(|&i| key_of(i) < scale.last as u32);
        self.sort_by_comparison(values, &mut order[..left]);
        self.sort_by_comparison(values, &mut order[right..]);
        // The point of rank 0 may have been marked in vain and has no left neighbour.
        let (first, mut kept) = (left.max(1), 0);
        for k in 0..collisions {
            let rank = self.collisions[k];
            self.collisions[kept] = rank;
            kept += usize::from((first..right).contains(&(rank as usize)));
        }
        repair(values, order, &self.collisions[..kept])
    }

    /// Two passes over 32-bit records, by a digit of `LOW` bits and one of `HIGH` bits: turns the keys in `order` into indices
    /// by key. Returns how many collide; `collisions` holds their ranks.
    ///
    /// Digits are constants, and `LOWS` and `HIGHS` are two to their power, so that shifts are immediate and buckets need no
    /// check. The low digit is the shorter one because it is spread over all its buckets; the high one crowds in the middle.
    fn sort_narrow<const LOW: u32, const LOWS: usize, const HIGH: u32, const HIGHS: usize>(
        &mut self,
        order: &mut [u32],
    ) -> usize {
        const { assert!(LOWS == 1 << LOW && HIGHS == 1 << HIGH) };
        let n = order.len();
        let index_bits = 32 - HIGH;
        let (mut low_heads, mut high_heads) = ([0_u32; LOWS], [0_u32; HIGHS]);
        for &key in order.iter() {
            low_heads[key as usize % LOWS] += 1;
            high_heads[(key >> LOW) as usize % HIGHS] += 1;
        }
        let mut start = 0;
        for head in &mut low_heads {
            start += std::mem::replace(head, start);
        }
        let mut start = 0;
        for head in &mut high_heads {
            // Points of one key arrive one after the other in the bucket of their high digit: the upper bits of a head
            // remember the low digit that came last, and a point that meets its own is a collision. At first they hold the
            // digit that comes last of all: at worst the first point of a bucket is looked at for nothing.
            start += std::mem::replace(head, start | (LOWS as u32 - 1) << RANK_BITS);
        }

        self.records.resize(n.max(self.records.len()), 0);
        let records = &mut self.records[..n];
        for (i, &key) in order.iter().enumerate() {
            let head = &mut low_heads[key as usize % LOWS];
            records[*head as usize] = (key >> LOW) << index_bits | i as u32;
            *head += 1;
        }

        self.collisions.resize(n.max(self.collisions.len()), 0);
        let collisions = &mut self.collisions[..n];
        let (mut found, mut start) = (0, 0);
        for (digit, &end) in low_heads.iter().enumerate() {
            let tag = (digit as u32) << RANK_BITS;
            for &record in &records[start..end as usize] {
                let head = &mut high_heads[(record >> index_bits) as usize % HIGHS];
                let rank = *head % (1 << RANK_BITS);
                order[rank as usize] = record & ((1 << index_bits) - 1);
                collisions[found] = rank;
                found += usize::from(*head - rank == tag);
                *head = tag | (rank + 1);
            }
            start = end as usize;
        }
        found
    }

    /// [`sort_narrow`](Sorter::sort_narrow) for clouds beyond [`MAX_NARROW_SORT_LEN`], over 64-bit records: one pass through memory
    /// deals them out by the first [`TOP_DIGIT_BITS`] bits of their keys, and each of these shares is sorted by two passes in the cache.
    fn sort_wide(&mut self, order: &mut [u32]) -> usize {
        let n = order.len();
        let rest = key_bits(n) - TOP_DIGIT_BITS;
        let (low_bits, high_bits) = (rest / 2, rest - rest / 2);
        let [top_heads, low_heads, high_heads] = &mut self.heads;
        let [dealt, share] = &mut self.wide;
        reset(top_heads, TOP_DIGIT_BITS);
        for &key in order.iter() {
            top_heads[(key >> rest) as usize] += 1;
        }
        accumulate(top_heads, 0);
        dealt.resize(n.max(dealt.len()), 0);
        for (i, &key) in order.iter().enumerate() {
            let head = &mut top_heads[(key >> rest) as usize];
            dealt[*head as usize] = u64::from(key) << 32 | i as u64;
            *head += 1;
        }

        self.collisions.resize(n.max(self.collisions.len()), 0);
        let (mut found, mut start) = (0, 0);
        for &end in top_heads.iter() {
            let end = end as usize;
            let low_digit = |record: u64| (record >> 32) as usize % (1 << low_bits);
            let high_digit = |record: u64| (record >> (32 + low_bits)) as usize % (1 << high_bits);
            reset(low_heads, low_bits);
            reset(high_heads, high_bits);
            for &record in &dealt[start..end] {
                low_heads[low_digit(record)] += 1;
                high_heads[high_digit(record)] += 1;
            }
            accumulate(low_heads, 0);
            accumulate(high_heads, start as u64);
            share.resize((end - start).max(share.len()), 0);
            for &record in &dealt[start..end] {
                let head = &mut low_heads[low_digit(record)];
                share[*head as usize] = record;
                *head += 1;
            }
            high_heads.iter_mut().for_each(|head| *head |= u64::from(u32::MAX) << 32);
            for &record in &share[..end - start] {
                let (key, head) = (record >> 32, &mut high_heads[high_digit(record)]);
                let rank = *head as u32;
                order[rank as usize] = record as u32;
                self.collisions[found] = rank;
                found += usize::from(*head >> 32 == key);
                *head = key << 32 | u64::from(rank + 1);
            }
            start = end;
        }
        found
    }

    /// Sorts the indices in `order`.
    fn sort_by_comparison<V: Values + ?Sized>(&mut self, values: &V, order: &mut [u32]) {
        if order.len() == values.len() && order.len() <= VALUES_PER_BLOCK {
            return sort_few(values, order);
        }
        self.pairs.clear();
        // Adding zero turns -0.0 into 0.0, so that the total order of bits agrees with `==`.
        self.pairs.extend(order.iter().map(|&i| (values.at(i as usize) + 0.0, i)));
        self.pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (slot, pair) in order.iter_mut().zip(&self.pairs) {
            *slot = pair.1;
        }
    }
}

/// Bits of an index below [`VALUES_PER_BLOCK`].
const FEW_BITS: u32 = VALUES_PER_BLOCK.trailing_zeros();
const _: () = assert!(VALUES_PER_BLOCK.is_power_of_two());

/// Sorts a whole cloud of at most [`VALUES_PER_BLOCK`] points. The last bits of each value make room for its index: single words are
/// sorted in half the time of pairs. Neighbours that only those bits tell apart are then compared as they are.
fn sort_few<V: Values + ?Sized>(values: &V, order: &mut [u32]) {
    let n = order.len();
    let (mut exact, mut words) = ([0.0; VALUES_PER_BLOCK], [0_u64; VALUES_PER_BLOCK]);
    let (exact, words) = (&mut exact[..n], &mut words[..n]);
    values.fill(0, exact);
    let index = |word: u64| (word % VALUES_PER_BLOCK as u64) as usize;
    for (i, (word, value)) in words.iter_mut().zip(exact.iter()).enumerate() {
        // Adding zero turns -0.0 into 0.0. Bits of negative numbers run the other way.
        let bits = (value + 0.0).to_bits();
        let rising = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
        *word = rising >> FEW_BITS << FEW_BITS | i as u64;
    }
    words.sort_unstable();
    for k in 1..n {
        let (word, mut slot) = (words[k], k);
        let is_after =
            |left: u64| left >> FEW_BITS == word >> FEW_BITS && exact[index(left)] > exact[index(word)];
        while slot > 0 && is_after(words[slot - 1]) {
            words[slot] = words[slot - 1];
            slot -= 1;
        }
        words[slot] = word;
    }
    order.iter_mut().zip(words).for_each(|(slot, word)| *slot = index(*word) as u32);
}

fn reset(heads: &mut Vec<u64>, bits: u32) {
    heads.clear();
    heads.resize(1 << bits, 0);
}

/// Turns counts into the position of the first element of each bucket, the first of them at `start`.
fn accumulate(heads: &mut [u64], start: u64) {
    let mut position = start;
    for head in heads {
        position += std::mem::replace(head, position);
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
            let index = order[slot];
            let mut left_value =
                if order[slot - 1] == left { left_value } else { values.at(order[slot - 1] as usize) };
            while left_value > value {
                order[slot] = order[slot - 1];
                slot -= 1;
                if budget == 0 {
                    return false;
                }
                budget -= 1;
                // Only the neighbours of a run of three or more have to be looked at again.
                left_value = if slot > 0 { values.at(order[slot - 1] as usize) } else { f64::NEG_INFINITY };
            }
            order[slot] = index;
        }
    }
    true
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
        for n in [0, 1, 2, MAX_COMPARISON_SORT_LEN, MAX_COMPARISON_SORT_LEN + 1, 1000, 4096, 4097, 50_000] {
            check(&(0..n).map(|_| rng.random::<f64>()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn few_values_that_differ_in_their_last_bits() {
        let mut rng = random();
        for n in [2, 33, 100, VALUES_PER_BLOCK] {
            let mut draw = |f: &dyn Fn(u32) -> f64| (0..n).map(|_| f(rng.random())).collect::<Vec<_>>();
            check(&draw(&|u| 1.0 + f64::from(u % 300) * f64::EPSILON));
            check(&draw(&|u| -1.0 - f64::from(u % 300) * f64::EPSILON));
            check(&draw(&|u| f64::from(u % 3) - 1.0));
            check(&draw(&|u| if u % 2 == 0 { 0.0 } else { -0.0 }));
            check(&draw(&|u| f64::from_bits(u64::from(u % 1000)) * if u % 2 == 0 { 1.0 } else { -1.0 }));
            check(&draw(&|u| (f64::from(u) - 2e9) * 1e200));
        }
    }

    #[test]
    fn beyond_two_passes() {
        let mut rng = random();
        check(&(0..MAX_NARROW_SORT_LEN + 3).map(|_| rng.random::<f64>()).collect::<Vec<_>>());
        check(&(0..MAX_NARROW_SORT_LEN + 3).map(|_| f64::from(rng.random::<u8>())).collect::<Vec<_>>());
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
        let mut few_ties = draw(&mut |u| u);
        (0..n / 2).step_by(100).for_each(|i| few_ties[n - 1 - i] = few_ties[i]);
        check(&few_ties);
        let mut outlier = draw(&mut |u| u);
        outlier[17] = 1e150;
        check(&outlier);
        outlier[18] = -1e150;
        check(&outlier);
        check(&(0..n).map(|i| i as f64).collect::<Vec<_>>());
        check(&(0..n).map(|i| -(i as f64)).collect::<Vec<_>>());
    }

    #[test]
    fn many_small_clouds() {
        let mut rng = random();
        for n in MAX_COMPARISON_SORT_LEN + 1..MAX_COMPARISON_SORT_LEN + 1500 {
            check(&(0..n).map(|_| rng.random::<f64>()).collect::<Vec<_>>());
        }
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
