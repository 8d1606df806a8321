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

impl Near {
    #[inline(always)]
    pub fn is_before(&self, other: &Near) -> bool {
        other.yields_to(self.square, self.index)
    }

    /// Whether something at this distance, with no lower index than this, may be better.
    #[inline(always)]
    pub fn yields_to(&self, square: f64, index: u32) -> bool {
        (square < self.square) | ((square == self.square) & (index < self.index))
    }
}
