//! An auction for plans that split points (Bertsekas and Castanon, 1989): sources bid for mass of the targets.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::ops::ControlFlow;

use crate::flow::candidates::{Candidates, Offer};
use crate::pricing::Ground;
use crate::run::observe::{Observe, Progress};
use crate::run::workers::Workers;

/// Bids between two reports to the observer: some milliseconds of work.
const BIDS_PER_REPORT: usize = 1 << 13;
/// Bids of a phase, at most, for each source and target. The last of them fight over a few targets that are priced too low, or over points
/// that coincide by the thousand; what is left is brought elsewhere, or to the simplex, which takes longer the more points there are.
const MAX_BIDS_PER_POINT: std::ops::RangeInclusive<usize> = 3..=30;
/// Points of both sides for each of these bids.
const POINTS_PER_BID: usize = 6000;
/// Pieces of a target before those of one source are made one.
const FIRST_MERGE: usize = 16;

/// Mass of one source at one target.
#[derive(Clone, Copy)]
struct Piece {
    /// The price at which others can take it, when that was last looked at: it only falls.
    price: f64,
    source: u32,
    mass: u64,
    cost: f64,
}

impl PartialEq for Piece {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Piece {}

impl PartialOrd for Piece {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The highest price first, as prices are subtracted from costs; then the lowest source.
impl Ord for Piece {
    fn cmp(&self, other: &Self) -> Ordering {
        self.price
            .total_cmp(&other.price)
            .then(other.source.cmp(&self.source))
            .then(self.mass.cmp(&other.mass))
    }
}

/// A plan as far as it has come. Every source has a value that only rises within a phase; its mass at a target can be taken by those who
/// pay the price `cost - value`. The price of a target is the highest of these, or the one it began with while it has room: it only falls.
pub(super) struct Auction<'a> {
    pub candidates: Candidates<'a>,
    pub prices: Vec<f64>,
    values: Vec<f64>,
    /// Mass of each source that is nowhere.
    pub left: Vec<u64>,
    /// Mass of each target that nobody has.
    pub room: Vec<u64>,
    pieces: Vec<BinaryHeap<Piece>>,
    /// Pieces of the source that bids, which it does not bid for.
    aside: Vec<(u32, Piece)>,
    /// Pieces of a target at which those of one source are made one.
    most: Vec<usize>,
    /// Sources that got new candidates and have not bid with success since.
    is_renewed: Vec<bool>,
    pub bids: usize,
}

impl<'a> Auction<'a> {
    /// At these prices, with some candidates of every source and nothing moved.
    pub fn new(
        ground: &'a dyn Ground,
        [supply, demand]: [&[u64]; 2],
        prices: Vec<f64>,
        candidates: usize,
        workers: &'a Workers,
    ) -> Self {
        Auction {
            candidates: Candidates::new(ground, &prices, candidates, workers),
            prices,
            values: vec![f64::NEG_INFINITY; supply.len()],
            pieces: vec![BinaryHeap::new(); demand.len()],
            left: supply.to_vec(),
            room: demand.to_vec(),
            aside: Vec::new(),
            most: vec![FIRST_MERGE; demand.len()],
            is_renewed: vec![false; supply.len()],
            bids: 0,
        }
    }

    /// Takes over the entries of a plan, as far as there is mass for them.
    pub fn follow(&mut self, plan: impl Iterator<Item = (u32, u32, u64)>) {
        for (source, target, mass) in plan {
            let (i, j) = (source as usize, target as usize);
            let mass = mass.min(self.left[i]).min(self.room[j]);
            if mass > 0 {
                self.left[i] -= mass;
                self.room[j] -= mass;
                let cost = self.candidates.ground.cost(i, j);
                self.pieces[j].push(Piece { price: f64::NEG_INFINITY, source, mass, cost });
            }
        }
    }

    /// What the cheapest of all targets costs a source at least, less its price.
    pub fn value(&self, i: usize) -> f64 {
        self.candidates.value(i, &self.prices)
    }

    /// See [`Candidates::spread`].
    pub fn spread(&self) -> f64 {
        self.candidates.spread(&self.prices)
    }

    /// A phase: all mass ends where it is at most `epsilon` dearer than at the cheapest target of its source, unless that takes more bids
    /// than it is worth.
    pub fn phase(&mut self, epsilon: f64, watch: &mut dyn Observe) -> ControlFlow<()> {
        let n = self.left.len();
        self.candidates.tell_prices(&self.prices);
        let mut free = self.release(epsilon);
        let mut stale = Vec::new();
        let points = n + self.room.len();
        let per_point =
            (points / POINTS_PER_BID).clamp(*MAX_BIDS_PER_POINT.start(), *MAX_BIDS_PER_POINT.end());
        let most = self.bids + per_point * points;
        loop {
            while self.bids <= most
                && let Some(i) = free.pop()
            {
                self.bids += 1;
                if self.bids.is_multiple_of(BIDS_PER_REPORT) {
                    let tried = n - (free.len() + stale.len()).min(n);
                    watch.progress(&Progress { tried, total: n, best: f64::INFINITY })?;
                }
                if self.bid(i, epsilon, &mut free) {
                    self.is_renewed[i as usize] = false;
                } else {
                    stale.push(i);
                }
            }
            if stale.is_empty() || self.bids > most {
                self.settle();
                return ControlFlow::Continue(());
            }
            watch.progress(&Progress { tried: n - stale.len(), total: n, best: f64::INFINITY })?;
            if self.candidates.workers.is_halted() {
                return ControlFlow::Break(());
            }
            stale.sort_unstable();
            self.renew(&stale);
            free.extend(stale.drain(..).rev());
        }
    }

    /// Brings the mass of a source that is nowhere to the cheapest targets, and raises its value to what the next cheapest would cost, and a
    /// little above. Whether its candidates sufficed.
    fn bid(&mut self, source: u32, epsilon: f64, free: &mut Vec<u32>) -> bool {
        let i = source as usize;
        for k in 0..self.candidates.rows.of(i).0.len() {
            self.refresh(self.candidates.rows.of(i).0[k] as usize, source, true);
        }
        let beyond = self.candidates.rows.beyond[i];
        let mut reached = f64::NEG_INFINITY;
        let suffices = loop {
            let Offer { target, cost, best, second } = self.candidates.look(i, &self.prices);
            let target = target as usize;
            if best > beyond || best == f64::INFINITY {
                break best <= beyond;
            }
            if self.refresh(target, source, false) {
                continue;
            }
            let mass = self.take(target, self.left[i], free);
            self.left[i] -= mass;
            self.aside.push((target as u32, Piece { price: 0.0, source, mass, cost }));
            reached = best;
            self.refresh(target, source, false);
            if self.left[i] == 0 {
                let next = second.min(beyond).min(cost - self.prices[target]);
                reached = if next.is_finite() { next } else { best };
                break true;
            }
        };
        self.values[i] = self.values[i].max(reached + epsilon);
        while let Some((j, mut piece)) = self.aside.pop() {
            piece.price = piece.cost - self.values[i];
            self.put(j as usize, piece);
        }
        suffices
    }

    fn put(&mut self, j: usize, piece: Piece) {
        if self.room[j] == 0 {
            self.prices[j] = self.prices[j].max(piece.price);
        }
        self.pieces[j].push(piece);
        if self.pieces[j].len() >= self.most[j] {
            self.merge(j);
        }
    }

    /// One piece of each source at a target.
    fn merge(&mut self, j: usize) {
        let mut pieces = std::mem::take(&mut self.pieces[j]).into_vec();
        pieces.sort_unstable_by_key(|piece| piece.source);
        pieces.dedup_by(|piece, kept| {
            let same = piece.source == kept.source;
            kept.mass += if same { piece.mass } else { 0 };
            kept.price = if same { kept.price.max(piece.price) } else { kept.price };
            same
        });
        self.most[j] = 2 * pieces.len() + FIRST_MERGE;
        self.pieces[j] = pieces.into();
    }

    /// The price of a target for a source, whose own pieces are put aside where they are in the way. Whether it has changed.
    fn refresh(&mut self, j: usize, source: u32, own_only: bool) -> bool {
        if self.room[j] > 0 {
            return false;
        }
        let before = self.prices[j];
        loop {
            let Some(mut top) = self.pieces[j].peek_mut() else {
                self.prices[j] = f64::NEG_INFINITY;
                break;
            };
            if top.source == source {
                self.aside.push((j as u32, PeekMut::pop(top)));
                continue;
            }
            let price = top.cost - self.values[top.source as usize];
            if own_only || price >= top.price {
                self.prices[j] = top.price.min(self.prices[j]);
                break;
            }
            top.price = price;
        }
        self.prices[j] != before
    }

    /// Takes up to this much of the cheapest mass of a target.
    fn take(&mut self, j: usize, most: u64, free: &mut Vec<u32>) -> u64 {
        if self.room[j] > 0 {
            let mass = most.min(self.room[j]);
            self.room[j] -= mass;
            return mass;
        }
        let Some(mut top) = self.pieces[j].peek_mut() else { return 0 };
        let (mass, holder) = (most.min(top.mass), top.source);
        top.mass -= mass;
        if top.mass == 0 {
            PeekMut::pop(top);
        }
        if self.left[holder as usize] == 0 {
            free.push(holder);
        }
        self.left[holder as usize] += mass;
        mass
    }

    /// Prices as they are.
    fn settle(&mut self) {
        for j in 0..self.room.len() {
            self.refresh(j, u32::MAX, false);
        }
    }

    /// Gives up what is more than `epsilon` dearer than the cheapest target. All sources with mass that is nowhere, last first.
    fn release(&mut self, epsilon: f64) -> Vec<u32> {
        for i in 0..self.left.len() {
            self.values[i] = self.value(i) + epsilon;
        }
        for j in 0..self.room.len() {
            self.merge(j);
            let mut pieces = std::mem::take(&mut self.pieces[j]).into_vec();
            pieces.retain_mut(|piece| {
                let i = piece.source as usize;
                piece.price = piece.cost - self.values[i];
                let is_kept = piece.price <= self.prices[j];
                if !is_kept {
                    self.left[i] += piece.mass;
                    self.room[j] += piece.mass;
                }
                is_kept
            });
            self.pieces[j] = pieces.into();
        }
        (0..self.left.len() as u32).rev().filter(|&i| self.left[i as usize] > 0).collect()
    }

    /// New candidates for sources that others may be cheaper for; more of them for those whose new ones did not suffice, because they hold
    /// them all or rounding leaves it open.
    fn renew(&mut self, stale: &[u32]) {
        let (again, first): (Vec<u32>, Vec<u32>) = stale.iter().partition(|&&i| self.is_renewed[i as usize]);
        self.candidates.refetch(&first, self.candidates.count, &self.prices);
        for i in again {
            let more = 2 * self.candidates.rows.of(i as usize).0.len();
            self.candidates.refetch(&[i], more, &self.prices);
        }
        stale.iter().for_each(|&i| self.is_renewed[i as usize] = true);
    }

    /// What has been moved: source, target and mass, some of them more than once.
    pub fn arcs(&self) -> impl Iterator<Item = (u32, u32, u64)> {
        let of_target = |(j, pieces): (usize, &'_ BinaryHeap<Piece>)| {
            pieces.iter().map(|piece| (piece.source, j as u32, piece.mass)).collect::<Vec<_>>()
        };
        self.pieces.iter().enumerate().flat_map(of_target)
    }

    /// The lower bound that the prices prove, times the mass.
    pub fn bound(&self, [supply, demand]: [&[u64]; 2]) -> f64 {
        let values = supply.iter().enumerate().map(|(i, &mass)| mass as f64 * self.value(i));
        let prices = demand.iter().zip(&self.prices).map(|(&mass, price)| mass as f64 * price);
        values.sum::<f64>() + prices.sum::<f64>()
    }
}
