//! A neighbour.

use std::cmp::Ordering;

/// A point and how far it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Near {
    pub square: f64,
    pub index: u32,
}

impl Eq for Near {}

impl Ord for Near {
    fn cmp(&self, other: &Self) -> Ordering {
        self.square.total_cmp(&other.square).then(self.index.cmp(&other.index))
    }
}

impl PartialOrd for Near {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Neighbours up to this many are kept in order.
pub(super) const FEW: usize = 32;

/// The nearest so far, in order.
#[derive(Clone, Copy)]
pub(super) struct Few {
    near: [Near; FEW],
    count: usize,
}

impl Default for Few {
    fn default() -> Self {
        Few { near: [Near { square: f64::INFINITY, index: u32::MAX }; FEW], count: 0 }
    }
}

impl Few {
    /// Those there are.
    pub fn as_slice(&self) -> &[Near] {
        &self.near[..self.count]
    }

    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Puts one in its place among the first `k`, and returns the last of these if there are so many.
    #[inline(always)]
    pub fn insert(&mut self, near: Near, k: usize) -> Option<Near> {
        self.count = k.min(self.count + 1);
        let few = &mut self.near[..self.count];
        let mut place = few.len() - 1;
        while place > 0 && near.is_before(&few[place - 1]) {
            few[place] = few[place - 1];
            place -= 1;
        }
        few[place] = near;
        (few.len() == k).then(|| few[k - 1])
    }
}

impl Near {
    #[inline(always)]
    pub fn is_before(&self, other: &Near) -> bool {
        (self.square < other.square) | ((self.square == other.square) & (self.index < other.index))
    }
}
