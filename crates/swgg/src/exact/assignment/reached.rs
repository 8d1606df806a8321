//! Shortest paths from all free sources at once.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::super::ground::Ground;
use super::super::start::cheapest_target;
use super::NONE;
use super::core::Core;
use crate::run::workers::Workers;

/// Distances from the free sources, kept from call to call.
pub(super) struct Reached {
    pub distance: Vec<f64>,
    pub from: Vec<u32>,
    /// Targets whose distance is final, in order.
    pub settled: Vec<u32>,
    touched: Vec<u32>,
    pub is_settled: Vec<bool>,
    /// The free source from which each source was reached.
    pub root_of: Vec<u32>,
    /// Free sources that have found a target.
    pub is_done: Vec<bool>,
    heap: BinaryHeap<Reverse<HeapEntry>>,
}

#[derive(PartialEq)]
struct HeapEntry {
    distance: f64,
    target: u32,
}

impl Eq for HeapEntry {}

impl Ord for HeapEntry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.distance.total_cmp(&other.distance).then(self.target.cmp(&other.target))
    }
}

impl PartialOrd for HeapEntry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Reached {
    pub fn new(n: usize) -> Self {
        Reached {
            distance: vec![f64::INFINITY; n],
            from: vec![NONE; n],
            settled: Vec::new(),
            touched: Vec::new(),
            is_settled: vec![false; n],
            root_of: vec![NONE; n],
            is_done: vec![false; n],
            heap: BinaryHeap::new(),
        }
    }

    pub fn clear(&mut self) {
        for &target in &self.touched {
            self.distance[target as usize] = f64::INFINITY;
            self.is_settled[target as usize] = false;
        }
        self.touched.clear();
        self.settled.clear();
        self.heap.clear();
    }

    /// Follows the arcs of a source that is `so_far` away.
    pub fn relax(&mut self, row: usize, so_far: f64, prices: &[f64], values: &[f64], core: &Core) {
        let value = values[row];
        for &(j, cost) in &core.0[row] {
            // Below zero for rounding only.
            self.offer(row, j, so_far + (cost - prices[j as usize] - value).max(0.0));
        }
    }

    fn offer(&mut self, row: usize, target: u32, distance: f64) {
        let known = &mut self.distance[target as usize];
        if distance < *known && !self.is_settled[target as usize] {
            if *known == f64::INFINITY {
                self.touched.push(target);
            }
            *known = distance;
            self.from[target as usize] = row as u32;
            self.heap.push(Reverse(HeapEntry { distance, target }));
        }
    }

    /// No arc leads on: every source reached gets the cheapest arc to a target that is not.
    pub fn widen<G: Ground>(
        &mut self,
        ground: &G,
        free: &[u32],
        source_of: &[u32],
        (prices, values, core): (&[f64], &[f64], &mut Core),
        workers: &Workers,
    ) {
        let mut open = prices.to_vec();
        self.touched.iter().for_each(|&j| open[j as usize] = f64::NEG_INFINITY);
        let settled = self.settled.iter();
        let rows: Vec<(u32, f64)> = free
            .iter()
            .map(|&source| (source, 0.0))
            .chain(settled.map(|&j| (source_of[j as usize], self.distance[j as usize])))
            .collect();
        for (i, so_far) in rows {
            if workers.is_halted() {
                return;
            }
            let (pays, j) = cheapest_target(ground, i as usize, &open);
            core.admit(ground, i as usize, j as u32);
            // Below zero the prices were wrong, which the look at all arcs will find.
            self.offer(i as usize, j as u32, so_far + (pays - values[i as usize]).max(0.0));
        }
    }

    /// The nearest target that is not settled.
    pub fn nearest(&mut self) -> Option<u32> {
        loop {
            let Reverse(near) = self.heap.pop()?;
            let target = near.target as usize;
            if !self.is_settled[target] && near.distance <= self.distance[target] {
                return Some(near.target);
            }
        }
    }
}
