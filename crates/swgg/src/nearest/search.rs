//! Queries that look for their neighbours together.

use std::collections::BinaryHeap;

use super::LEAF;
use super::near::Near;
use super::tree::{Node, Tree};

/// Neighbours up to this many are kept in order.
const FEW: usize = 32;
/// Coordinates that are added up before asking whether the rest can still matter.
const STRETCH: usize = 32;

/// The neighbours of the queries of one leaf: they look at the same nodes.
pub(super) struct Search<'a> {
    tree: &'a Tree,
    k: usize,
    /// Nodes still to look at.
    stack: Vec<(usize, [f64; LEAF])>,
    /// The best so far: if they are few in order, else the farthest on top.
    few: [Vec<Near>; LEAF],
    found: [BinaryHeap<Near>; LEAF],
    /// What a point must beat.
    worst: [Near; LEAF],
    lanes: usize,
}

impl<'a> Search<'a> {
    pub fn new(tree: &'a Tree, k: usize) -> Self {
        let worst = [Near { square: 0.0, index: 0 }; LEAF];
        Search {
            tree,
            k,
            stack: Vec::new(),
            few: Default::default(),
            found: Default::default(),
            worst,
            lanes: 0,
        }
    }

    /// What the queries of a leaf know.
    pub fn begin(&mut self, known: impl ExactSizeIterator<Item = Near>) {
        self.lanes = known.len();
        // What fills the last leaf up looks for nothing.
        self.worst = [Near { square: f64::NEG_INFINITY, index: u32::MAX }; LEAF];
        self.worst.iter_mut().zip(known).for_each(|(worst, known)| *worst = known);
    }

    #[inline(always)]
    pub fn look(&mut self, asking: &[[f64; LEAF]]) {
        let lanes = self.lanes;
        self.stack.push((0, [0.0; LEAF]));
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
                let sum = |least: &[f64; LEAF]| least[..lanes].iter().sum::<f64>();
                // The more promising half first.
                if sum(&right) < sum(&left) {
                    self.stack.push((node + 1, left));
                    (node, least) = (next, right);
                } else {
                    self.stack.push((next, right));
                    (node, least) = (node + 1, left);
                }
            }
        }
    }

    /// Whether one of the queries may find something in a node.
    #[inline(always)]
    fn may_find(&self, least: &[f64; LEAF], first: u32) -> bool {
        // No early end: all lanes at once are faster.
        least.iter().zip(&self.worst).fold(false, |may, (least, worst)| may | worst.yields_to(*least, first))
    }

    #[inline(always)]
    fn scan(&mut self, asking: &[[f64; LEAF]], leaf: usize, least: &[f64; LEAF], first: u32) {
        let (columns, members) = (self.tree.leaves.leaf(leaf), self.tree.leaves.members(leaf));
        for lane in 0..self.lanes {
            if !self.worst[lane].yields_to(least[lane], first) {
                continue;
            }
            let mut sums = [0.0; LEAF];
            for (columns, asking) in columns.chunks(STRETCH).zip(asking.chunks(STRETCH)) {
                for (column, asking) in columns.iter().zip(asking) {
                    let x = asking[lane];
                    for (sum, y) in sums.iter_mut().zip(column) {
                        let gap = x - y;
                        *sum += gap * gap;
                    }
                }
                // Sums only grow.
                let far = self.worst[lane].square;
                if sums.iter().fold(true, |all, sum| all & (*sum > far)) {
                    break;
                }
            }
            for (&index, &square) in members.iter().zip(&sums) {
                if self.worst[lane].yields_to(square, index) {
                    self.keep(lane, Near { square, index });
                }
            }
        }
    }

    #[inline(always)]
    fn keep(&mut self, lane: usize, near: Near) {
        if self.k == 1 {
            // The one to beat is the one that was found.
            self.worst[lane] = near;
            return;
        }
        if self.k <= FEW {
            let few = &mut self.few[lane];
            if few.len() < self.k {
                few.push(near);
            }
            let mut place = few.len() - 1;
            while place > 0 && near.is_before(&few[place - 1]) {
                few[place] = few[place - 1];
                place -= 1;
            }
            few[place] = near;
            if few.len() == self.k {
                self.worst[lane] = few[self.k - 1];
            }
            return;
        }
        let found = &mut self.found[lane];
        if found.len() == self.k {
            found.pop();
        }
        found.push(near);
        if found.len() == self.k
            && let Some(worst) = found.peek()
        {
            self.worst[lane] = *worst;
        }
    }

    /// Hands the neighbours of all queries over, nearest first.
    pub fn take(&mut self, all: &mut Vec<Near>) {
        if self.k == 1 {
            all.extend_from_slice(&self.worst[..self.lanes]);
            return;
        }
        if self.k <= FEW {
            self.few[..self.lanes].iter_mut().for_each(|few| all.append(few));
            return;
        }
        for found in &mut self.found[..self.lanes] {
            all.extend(std::mem::take(found).into_sorted_vec());
        }
    }
}
