//! A neighbour, and short sorted lists of them.

use std::cmp::Ordering;

/// A point and its squared distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Neighbor {
    pub square: f64,
    pub index: u32,
}

impl Eq for Neighbor {}

impl Ord for Neighbor {
    fn cmp(&self, other: &Self) -> Ordering {
        self.square.total_cmp(&other.square).then(self.index.cmp(&other.index))
    }
}

impl PartialOrd for Neighbor {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Neighbours up to this many are kept in order.
pub(super) const MAX_SORTED_NEIGHBORS: usize = 32;

/// The nearest so far, in order.
#[derive(Clone, Copy)]
pub(super) struct SortedNeighbors {
    near: [Neighbor; MAX_SORTED_NEIGHBORS],
    count: usize,
}

impl Default for SortedNeighbors {
    fn default() -> Self {
        SortedNeighbors {
            near: [Neighbor { square: f64::INFINITY, index: u32::MAX }; MAX_SORTED_NEIGHBORS],
            count: 0,
        }
    }
}

impl SortedNeighbors {
    /// The neighbours kept so far.
    pub fn as_slice(&self) -> &[Neighbor] {
        &self.near[..self.count]
    }

    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Puts one in its place among the first `k`, and returns the last of these if there are so many.
    #[inline(always)]
    pub fn insert(&mut self, near: Neighbor, k: usize) -> Option<Neighbor> {
        self.count = k.min(self.count + 1);
        let kept = &mut self.near[..self.count];
        let mut place = kept.len() - 1;
        while place > 0 && near.is_before(&kept[place - 1]) {
            kept[place] = kept[place - 1];
            place -= 1;
        }
        kept[place] = near;
        (kept.len() == k).then(|| kept[k - 1])
    }
}

impl Neighbor {
    #[inline(always)]
    pub fn is_before(&self, other: &Neighbor) -> bool {
        (self.square < other.square) | ((self.square == other.square) & (self.index < other.index))
    }
}
