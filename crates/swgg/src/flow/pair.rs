//! Two clouds that ask each other for their cheapest points.

use crate::pricing::Ground;

/// Two clouds seen from either side.
pub(super) struct Pair<'a> {
    there: &'a dyn Ground,
    back: Box<dyn Ground + 'a>,
}

impl<'a> Pair<'a> {
    /// `None` where targets cannot ask quickly.
    pub fn of(there: &'a dyn Ground) -> Option<Self> {
        Some(Pair { there, back: there.mirrored()? })
    }

    /// From the points of a side to those of the other.
    pub fn ground(&self, side: usize) -> &dyn Ground {
        if side == 0 { self.there } else { &*self.back }
    }

    /// Points of both sides.
    pub fn sizes(&self) -> [usize; 2] {
        self.there.order().map(<[u32]>::len)
    }

    /// What a source and a target cost.
    pub fn cost(&self, i: u32, j: u32) -> f64 {
        self.there.cost(i as usize, j as usize)
    }
}
