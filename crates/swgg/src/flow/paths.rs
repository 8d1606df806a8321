//! Shortest augmenting paths, one free source at a time (Jonker and Volgenant, 1987), along candidates that are fetched when they
//! are needed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use super::auction::{Auction, NONE};
use crate::run::observe::{Observe, Progress};

/// Targets settled between two reports to the observer: some milliseconds of work.
const SETTLED_PER_REPORT: usize = 1 << 13;

/// Distances from a free source, kept from search to search.
pub(super) struct Paths {
    distance: Vec<f64>,
    /// The source before each target.
    from: Vec<u32>,
    is_settled: Vec<bool>,
    touched: Vec<u32>,
    settled: Vec<u32>,
    /// Distances, which are not negative, as their bits: these are in the same order. Numbers from `n` on stand for what is beyond the
    /// candidates of a source.
    heap: BinaryHeap<Reverse<(u64, u32)>>,
    unreported: usize,
}

impl Paths {
    pub fn new(n: usize) -> Self {
        Paths {
            distance: vec![f64::INFINITY; n],
            from: vec![NONE; n],
            is_settled: vec![false; n],
            touched: Vec::new(),
            settled: Vec::new(),
            heap: BinaryHeap::new(),
            unreported: 0,
        }
    }

    /// Matches free sources one after the other. Every pair must be the cheapest of its source.
    pub fn finish(
        &mut self,
        auction: &mut Auction<'_>,
        free: &[u32],
        watch: &mut dyn Observe,
    ) -> ControlFlow<()> {
        let n = auction.held.len();
        for (k, &root) in free.iter().enumerate() {
            self.augment(auction, root, (n - free.len() + k, watch))?;
        }
        ControlFlow::Continue(())
    }

    fn augment(
        &mut self,
        auction: &mut Auction<'_>,
        root: u32,
        (matched, watch): (usize, &mut dyn Observe),
    ) -> ControlFlow<()> {
        self.clear();
        let n = auction.held.len();
        let root_value = auction.value(root as usize);
        self.relax(auction, root, 0.0, root_value);
        let end = loop {
            let Some(Reverse((bits, node))) = self.heap.pop() else {
                // Candidates grow until they are all targets, and some target is free as long as a source is.
                return ControlFlow::Continue(());
            };
            self.unreported += 1;
            if self.unreported >= SETTLED_PER_REPORT {
                self.unreported = 0;
                watch.progress(&Progress { tried: matched, total: n, best: f64::INFINITY })?;
            }
            let distance = f64::from_bits(bits);
            if node as usize >= n {
                let i = node as usize - n;
                auction.refetch(&[i as u32], 2 * auction.candidates.rows.of(i).0.len());
                let (so_far, value) = match auction.target_of[i] {
                    NONE => (0.0, root_value),
                    j => (self.distance[j as usize], auction.held[i] - auction.prices[j as usize]),
                };
                self.relax(auction, i as u32, so_far, value);
                continue;
            }
            let j = node as usize;
            if self.is_settled[j] || distance > self.distance[j] {
                continue;
            }
            self.is_settled[j] = true;
            self.settled.push(node);
            match auction.source_of[j] {
                NONE => break node,
                holder => {
                    let value = auction.held[holder as usize] - auction.prices[j];
                    self.relax(auction, holder, distance, value);
                }
            }
        };
        let longest = self.distance[end as usize];
        for &j in &self.settled {
            auction.prices[j as usize] -= longest - self.distance[j as usize];
        }
        let mut target = end;
        while target != NONE {
            let i = self.from[target as usize];
            auction.source_of[target as usize] = i;
            auction.held[i as usize] = auction.candidates.ground.cost(i as usize, target as usize);
            target = std::mem::replace(&mut auction.target_of[i as usize], target);
        }
        ControlFlow::Continue(())
    }

    fn clear(&mut self) {
        for &j in &self.touched {
            self.distance[j as usize] = f64::INFINITY;
            self.is_settled[j as usize] = false;
        }
        self.touched.clear();
        self.settled.clear();
        self.heap.clear();
    }

    /// Follows the candidates of a source that is `so_far` away, and remembers where they end.
    #[inline(always)]
    fn relax(&mut self, auction: &Auction<'_>, i: u32, so_far: f64, value: f64) {
        let (targets, costs) = auction.candidates.rows.of(i as usize);
        for (&j, &cost) in targets.iter().zip(costs) {
            // Below zero for rounding only.
            let distance = so_far + (cost - auction.prices[j as usize] - value).max(0.0);
            let known = &mut self.distance[j as usize];
            if distance < *known {
                if *known == f64::INFINITY {
                    self.touched.push(j);
                }
                *known = distance;
                self.from[j as usize] = i;
                self.heap.push(Reverse((distance.to_bits(), j)));
            }
        }
        let beyond = auction.candidates.rows.beyond[i as usize];
        if beyond.is_finite() {
            let distance = so_far + (beyond - value).max(0.0);
            self.heap.push(Reverse((distance.to_bits(), auction.held.len() as u32 + i)));
        }
    }
}
