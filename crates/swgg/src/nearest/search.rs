//! Queries that look for their neighbours together.

use std::collections::BinaryHeap;

use pulp::{Simd, WithSimd};

use super::POINTS_PER_LEAF;
use super::neighbor::{MAX_SORTED_NEIGHBORS, Neighbor, SortedNeighbors};
use super::tree::{KdTree, Node};
use crate::cost::total;

/// Coordinates that are added up before asking whether the rest can still matter.
const COORDINATES_PER_CHECK: usize = 32;

/// The neighbours of the queries of one leaf: they look at the same nodes.
pub(super) struct LeafSearch<'a> {
    tree: &'a KdTree,
    k: usize,
    /// Nodes still to look at.
    stack: Vec<(usize, [f64; POINTS_PER_LEAF])>,
    /// The best so far: up to `MAX_SORTED_NEIGHBORS` sorted, else in a heap with the farthest on top.
    sorted: [SortedNeighbors; POINTS_PER_LEAF],
    found: [BinaryHeap<Neighbor>; POINTS_PER_LEAF],
    /// What a point must beat: a square and, if that is equal, an index, as a number of the same width so that lanes go together.
    far: [f64; POINTS_PER_LEAF],
    last: [f64; POINTS_PER_LEAF],
    lanes: usize,
}

impl<'a> LeafSearch<'a> {
    pub fn new(tree: &'a KdTree, k: usize) -> Self {
        LeafSearch {
            tree,
            k,
            stack: Vec::new(),
            sorted: Default::default(),
            found: Default::default(),
            far: [0.0; POINTS_PER_LEAF],
            last: [0.0; POINTS_PER_LEAF],
            lanes: 0,
        }
    }

    /// Starts the queries of a leaf, with a neighbour that each must beat.
    pub fn begin(&mut self, known: impl ExactSizeIterator<Item = Neighbor>) {
        self.lanes = known.len();
        // What fills the last leaf up looks for nothing.
        self.far = [f64::NEG_INFINITY; POINTS_PER_LEAF];
        known.enumerate().for_each(|(lane, known)| self.must_beat(lane, known));
    }

    #[inline(always)]
    fn must_beat(&mut self, lane: usize, near: Neighbor) {
        (self.far[lane], self.last[lane]) = (near.square, f64::from(near.index));
    }

    #[inline(always)]
    fn look(&mut self, asking: &[[f64; POINTS_PER_LEAF]]) {
        self.stack.push((0, [0.0; POINTS_PER_LEAF]));
        while let Some((mut node, mut least)) = self.stack.pop() {
            loop {
                let Node { next, is_leaf, first } = self.tree.nodes[node];
                if !self.may_find(&least, first) {
                    break;
                }
                if is_leaf {
                    self.scan(asking, next, &least, first);
                    break;
                }
                let (left, right) = (self.tree.least(node + 1, asking), self.tree.least(next, asking));
                // The more promising half first.
                if total(&right) < total(&left) {
                    self.stack.push((node + 1, left));
                    (node, least) = (next, right);
                } else {
                    self.stack.push((next, right));
                    (node, least) = (node + 1, left);
                }
            }
        }
    }

    /// Whether something at this distance, with no lower index than this, may be better for a query.
    #[inline(always)]
    fn may_beat(&self, lane: usize, square: f64, index: u32) -> bool {
        let (far, last) = (self.far[lane], self.last[lane]);
        (square < far) | ((square == far) & (f64::from(index) < last))
    }

    /// Whether one of the queries may find something in a node.
    #[inline(always)]
    fn may_find(&self, least: &[f64; POINTS_PER_LEAF], first: u32) -> bool {
        // No early end: all lanes at once are faster.
        (0..POINTS_PER_LEAF).fold(false, |may, lane| may | self.may_beat(lane, least[lane], first))
    }

    #[inline(always)]
    fn scan(
        &mut self,
        asking: &[[f64; POINTS_PER_LEAF]],
        leaf: usize,
        least: &[f64; POINTS_PER_LEAF],
        first: u32,
    ) {
        let (columns, members) = (self.tree.leaves.leaf(leaf), self.tree.leaves.members(leaf));
        for lane in 0..self.lanes {
            if !self.may_beat(lane, least[lane], first) {
                continue;
            }
            let far = self.far[lane];
            let mut sums = [0.0; POINTS_PER_LEAF];
            for (columns, asking) in
                columns.chunks(COORDINATES_PER_CHECK).zip(asking.chunks(COORDINATES_PER_CHECK))
            {
                for (column, asking) in columns.iter().zip(asking) {
                    let x = asking[lane];
                    for (sum, y) in sums.iter_mut().zip(column) {
                        let gap = x - y;
                        *sum += gap * gap;
                    }
                }
                // Sums only grow.
                if sums.iter().fold(true, |all, sum| all & (*sum > far)) {
                    break;
                }
            }
            // A bit for each that is near enough: as a rule there are few.
            let near = |near: u32, (place, sum): (usize, &f64)| near | u32::from(*sum <= far) << place;
            let mut near = sums.iter().enumerate().fold(0, near);
            while near != 0 {
                let place = near.trailing_zeros() as usize;
                near &= near - 1;
                // The last leaf may not be full.
                if let Some(&index) = members.get(place)
                    && self.may_beat(lane, sums[place], index)
                {
                    self.keep(lane, Neighbor { square: sums[place], index });
                }
            }
        }
    }

    #[inline(always)]
    fn keep(&mut self, lane: usize, near: Neighbor) {
        if self.k == 1 {
            // The one to beat is the one that was found.
            self.must_beat(lane, near);
            return;
        }
        if self.k <= MAX_SORTED_NEIGHBORS {
            if let Some(last) = self.sorted[lane].insert(near, self.k) {
                self.must_beat(lane, last);
            }
            return;
        }
        let found = &mut self.found[lane];
        if found.len() == self.k {
            found.pop();
        }
        found.push(near);
        if found.len() == self.k
            && let Some(&last) = found.peek()
        {
            self.must_beat(lane, last);
        }
    }

    /// Hands the neighbours of all queries over, nearest first.
    pub fn take(&mut self, all: &mut Vec<Neighbor>) {
        if self.k == 1 {
            let found = self.far.iter().zip(&self.last).take(self.lanes);
            all.extend(found.map(|(&square, &index)| Neighbor { square, index: index as u32 }));
            return;
        }
        if self.k <= MAX_SORTED_NEIGHBORS {
            for few in &mut self.sorted[..self.lanes] {
                all.extend_from_slice(few.as_slice());
                few.clear();
            }
            return;
        }
        for found in &mut self.found[..self.lanes] {
            all.extend(std::mem::take(found).into_sorted_vec());
        }
    }
}

/// A look as a kernel of its own: a closure that could be called twice would not be compiled for the wide instructions.
pub(super) struct LeafQuery<'a, 'b> {
    pub search: &'a mut LeafSearch<'b>,
    pub asking: &'a [[f64; POINTS_PER_LEAF]],
}

impl WithSimd for LeafQuery<'_, '_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.search.look(self.asking);
    }
}
