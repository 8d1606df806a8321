//! Masses of a plan in whole units again.
//!
//! A solver in memory has units of its own. Along its entries the units of the tables are given out so that every point gives and gets
//! exactly what it has: then nothing is lost, however often pairs are regrouped and solved again.

use std::collections::VecDeque;

/// An entry between the points of a cell, by their places there.
pub(crate) type Entry = (u32, u32, u64);

/// Entries in whole units whose sums are these, along the given ones; shares of the whole say how much each has.
///
/// From the leaves inwards: a point with one entry left gives it everything. On cycles an entry is rounded, which opens them. What rounding
/// leaves over, a few units if anything, makes entries of its own. `O(entries)`.
pub(crate) fn whole(shares: &[(u32, u32, f64)], source: &[u64], target: &[u64]) -> Vec<Entry> {
    let total = source.iter().map(|&units| units as f64).sum::<f64>();
    let n = source.len();
    let ends = |&(i, j, _): &(u32, u32, f64)| [i as usize, n + j as usize];
    let mut left: Vec<u64> = source.iter().chain(target).copied().collect();
    let (mut degrees, mut mixed) = (vec![0_u32; left.len()], vec![0_usize; left.len()]);
    for (entry, share) in shares.iter().enumerate() {
        for node in ends(share) {
            degrees[node] += 1;
            // With one entry left, this is its number.
            mixed[node] ^= entry;
        }
    }
    let mut leaves: VecDeque<usize> = (0..left.len()).filter(|&node| degrees[node] == 1).collect();
    let mut units = vec![None; shares.len()];
    let mut next = 0;
    loop {
        let (entry, most) = match leaves.pop_front() {
            Some(node) if degrees[node] == 1 => (mixed[node], u64::MAX),
            Some(_) => continue,
            None => {
                while next < shares.len() && units[next].is_some() {
                    next += 1;
                }
                let Some(share) = shares.get(next) else { break };
                (next, (share.2 * total).round() as u64)
            }
        };
        let both = ends(&shares[entry]);
        let given = most.min(left[both[0]]).min(left[both[1]]);
        units[entry] = Some(given);
        for node in both {
            left[node] -= given;
            degrees[node] -= 1;
            mixed[node] ^= entry;
            if degrees[node] == 1 {
                leaves.push_back(node);
            }
        }
    }
    let mut entries: Vec<Entry> =
        shares.iter().zip(units).map(|(&(i, j, _), units)| (i, j, units.unwrap_or(0))).collect();
    let (mut i, mut j) = (0, 0);
    while i < n && j < target.len() {
        let given = left[i].min(left[n + j]);
        if given > 0 {
            entries.push((i as u32, j as u32, given));
            left[i] -= given;
            left[n + j] -= given;
        }
        i += usize::from(left[i] == 0);
        j += usize::from(left[n + j] == 0);
    }
    entries.retain(|(_, _, units)| *units > 0);
    entries.sort_unstable();
    entries.dedup_by(|later, first| {
        let same = (later.0, later.1) == (first.0, first.1);
        if same {
            first.2 += later.2;
        }
        same
    });
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums by source and by target.
    fn marginals(entries: &[Entry], n: usize, m: usize) -> (Vec<u64>, Vec<u64>) {
        let (mut source, mut target) = (vec![0; n], vec![0; m]);
        for &(i, j, units) in entries {
            source[i as usize] += units;
            target[j as usize] += units;
        }
        (source, target)
    }

    #[test]
    fn a_forest_has_one_answer() {
        let (source, target) = ([3_000_000_001, 7], [1_000_000_000, 2_000_000_001, 7]);
        let total = 3_000_000_008.0;
        let shares = [(0, 0, 1e9 / total), (0, 1, 2e9 / total), (1, 2, 7.3 / total)];
        assert_eq!(
            whole(&shares, &source, &target),
            [(0, 0, 1_000_000_000), (0, 1, 2_000_000_001), (1, 2, 7)]
        );
    }

    #[test]
    fn cycles_and_missing_entries_keep_the_marginals() {
        let (source, target) = ([10, 20, 5], [12, 18, 5]);
        let cycle = [
            (0, 0, 5.4 / 35.0),
            (0, 1, 4.6 / 35.0),
            (1, 0, 6.6 / 35.0),
            (1, 1, 13.4 / 35.0),
            (2, 2, 5.0 / 35.0),
        ];
        let entries = whole(&cycle, &source, &target);
        assert_eq!(marginals(&entries, 3, 3), (source.to_vec(), target.to_vec()));
        assert_eq!(entries.len(), 5);
        // An entry is missing: what is left over finds a place.
        let entries = whole(&cycle[..3], &source, &target);
        assert_eq!(marginals(&entries, 3, 3), (source.to_vec(), target.to_vec()));
        let all = whole(&[], &source, &target);
        assert_eq!(marginals(&all, 3, 3), (source.to_vec(), target.to_vec()));
    }
}
