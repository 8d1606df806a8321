//! Where items go when they are sorted by counting, on several threads.

use rayon::prelude::*;

/// Parts of a list, at most.
const MAX_PARTS: usize = 8;

/// Where the items of each key start in the order of keys, for every part of a list.
///
/// Each thread counts a part of its own. Places are whole numbers: how many parts there are does not change them.
pub(super) struct Starts {
    /// Items of a part.
    pub part: usize,
    /// For each part, where its first item of each key goes.
    pub next: Vec<Vec<u32>>,
    /// Where each key starts, and the end.
    pub all: Vec<u32>,
}

impl Starts {
    /// Of keys below `count`; others are left out.
    pub fn new(keys: &[u32], count: usize) -> Self {
        Self::by(keys, 1, count, |_, &key| key)
    }

    /// Of items with a key below `count` each, in parts of whole rows.
    pub fn by<T: Sync>(items: &[T], row: usize, count: usize, key: impl Fn(usize, &T) -> u32 + Sync) -> Self {
        let parts = rayon::current_num_threads().clamp(1, MAX_PARTS);
        let part = (items.len().div_ceil(parts).div_ceil(row) * row).max(1);
        let mut next: Vec<Vec<u32>> = items
            .par_chunks(part)
            .enumerate()
            .map(|(k, items)| {
                let mut counts = vec![0; count];
                for (i, item) in (k * part..).zip(items) {
                    if let Some(count) = counts.get_mut(key(i, item) as usize) {
                        *count += 1;
                    }
                }
                counts
            })
            .collect();
        let mut all = Vec::with_capacity(count + 1);
        let mut before = 0;
        for key in 0..count {
            all.push(before);
            next.iter_mut().for_each(|counts| before += std::mem::replace(&mut counts[key], before));
        }
        all.push(before);
        Starts { part, next, all }
    }
}

#[cfg(test)]
mod tests {
    use swgg::{Parallelism, run::Workers};

    use super::*;

    #[test]
    fn parts_follow_one_another() {
        let keys: Vec<u32> = (0..1000).map(|k| if k % 10 == 9 { u32::MAX } else { k % 3 }).collect();
        for threads in [1, 3] {
            let workers = Workers::pool(Parallelism::from_count(threads)).unwrap();
            let found = workers.install(|| Starts::new(&keys, 3));
            assert_eq!((found.next.len(), &found.all), (threads, &vec![0, 300, 600, 900]));
            assert_eq!(found.next[0], [0, 300, 600]);
        }
        assert_eq!(Starts::new(&[], 2).all, [0, 0, 0]);
    }
}
