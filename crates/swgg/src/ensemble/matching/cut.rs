//! Points in the order of a key, cut at ranks.
//!
//! A key and an index share one word, the key above: words compare as keys do, and equal keys as indices do. So a cut is the same
//! on any thread, and needs nothing but a selection of whole numbers.

/// The index in a word.
#[inline(always)]
pub(super) fn index(word: u64) -> usize {
    word as u32 as usize
}

/// Words for the indices `0..n`.
pub(super) fn words(n: usize) -> Vec<u64> {
    (0..n as u64).collect()
}

/// Gives every index of a cell its key.
#[inline(always)]
pub(super) fn assign_keys(cell: &mut [u64], key: impl Fn(usize) -> f64) {
    // Keys are kept in single precision: seen from a member of the cell they lose nothing that matters.
    let origin = cell.first().map_or(0.0, |&word| key(index(word)));
    for word in cell {
        let i = *word & u64::from(u32::MAX);
        *word = u64::from(ordered((key(i as usize) - origin) as f32)) << 32 | i;
    }
}

/// A whole number that is larger when the number is.
#[inline(always)]
fn ordered(x: f32) -> u32 {
    let bits = x.to_bits();
    bits ^ (((bits as i32) >> 31) as u32 | 1 << 31)
}

/// Orders a cell so that each of `ways` consecutive parts lies below the next; parts differ in size by at most one. `ways` must be a
/// power of two.
pub(super) fn cut_into(cell: &mut [u64], ways: usize) {
    if ways < 2 || cell.len() < 2 {
        return;
    }
    let middle = bound(cell.len(), ways, ways / 2);
    cell.select_nth_unstable(middle);
    let (low, high) = cell.split_at_mut(middle);
    cut_into(low, ways / 2);
    cut_into(high, ways / 2);
}

/// Where part `k` of `ways` begins.
pub(super) fn bound(len: usize, ways: usize, k: usize) -> usize {
    // Halves of halves, as `cut_into` makes them.
    if ways < 2 || k == 0 {
        return 0;
    }
    let middle = len / 2;
    if k < ways / 2 {
        bound(middle, ways / 2, k)
    } else {
        middle + bound(len - middle, ways / 2, k - ways / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_are_ordered_and_even() {
        for n in [1, 2, 3, 7, 16, 61, 1000] {
            let values: Vec<f64> = (0..n).map(|i| f64::from((i * 7919 % 101) as u32) - 50.0).collect();
            for ways in [1, 2, 4, 8] {
                let mut cell = words(n);
                assign_keys(&mut cell, |i| values[i]);
                cut_into(&mut cell, ways);
                let bounds: Vec<usize> = (0..ways).map(|k| bound(n, ways, k)).chain([n]).collect();
                for pair in bounds.windows(3) {
                    let part = |a: usize, b: usize| cell[a..b].iter().map(|&w| (values[index(w)], index(w)));
                    let high = part(pair[0], pair[1]).fold((f64::MIN, 0), |m, k| if k > m { k } else { m });
                    assert!(part(pair[1], pair[2]).all(|k| k > high), "n {n}, {ways} ways");
                }
                assert!(bounds.windows(2).all(|b| (b[1] - b[0]).abs_diff(n / ways) <= 1));
            }
        }
    }

    #[test]
    fn keys_keep_the_order_of_numbers() {
        let numbers = [f32::NEG_INFINITY, -2.0, -1e-30, 0.0, 1e-30, 1.0, 3e38, f32::INFINITY];
        assert!(numbers.windows(2).all(|pair| ordered(pair[0]) < ordered(pair[1])));
    }
}
