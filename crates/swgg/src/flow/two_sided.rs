//! Auctions in which both sides bid (Bertsekas, Castanon and Tsaknakis, 1993).
//!
//! Every point has a value, `f` of a source and `g` of a target, with `f_i + g_j <= c_ij + epsilon` for all pairs and equality for those
//! that are matched. In a turn the free points of one side bid for points of the other, whose values fall. In the next turn the others bid:
//! a target that nobody wants need not wait until all others have become as dear, it comes to meet a source. A point that is matched
//! stays matched while its side is bid for, so turns end.
//!
//! Staying is worth a cap, and no value is higher. Who is free in the end is at its cap. What comes out is within `epsilon` per point of
//! the cheapest partial matching at these caps.

use std::cell::RefCell;
use std::ops::ControlFlow;

use super::auction::NONE;
use super::candidates::Candidates;
use super::pair::Pair;
use crate::run::observe::{Observe, Progress};
use crate::run::workers::Workers;

/// Candidates of each point.
const CANDIDATES: usize = 16;
/// Bids between two reports to the observer: some milliseconds of work.
const BIDS_PER_REPORT: usize = 1 << 14;
/// Sources that tell how far apart candidates are.
const PROBED_SOURCES: usize = 1000;
/// A spread is at least this share of the mean cost.
const MIN_SPREAD_SHARE: f64 = 1e-6;
/// A turn ends after so many bids for each point of its side, if one fewer is free: sources have longer turns, as they know their candidates
/// from before.
const BIDS_PER_TURN: [f64; 2] = [2.0, 1.0];

/// A matching as far as it has come, in the order of the trees.
pub(super) struct TwoSided<'a> {
    pair: &'a Pair<'a>,
    workers: &'a Workers,
    /// What staying is worth to a source and to a target: infinite where none may stay.
    pub caps: [f64; 2],
    /// Of the sources and of the targets.
    pub values: [Vec<f64>; 2],
    /// Who is matched with whom, seen from both sides.
    pub partners: [Vec<u32>; 2],
    pub bids: usize,
    /// Those of the sources, as long as the values of the targets have only fallen.
    candidates: Option<Candidates<'a>>,
    /// What the cheapest target costs each source, less its value, if that is known.
    least: RefCell<Option<Vec<f64>>>,
}

impl<'a> TwoSided<'a> {
    /// Nobody is matched; targets have these values, or less where staying is worth less.
    pub fn new(pair: &'a Pair<'a>, caps: [f64; 2], targets: Vec<f64>, workers: &'a Workers) -> Self {
        let [n, m] = pair.sizes();
        let targets = targets.into_iter().map(|value| value.min(caps[1])).collect();
        let partners = [vec![NONE; n], vec![NONE; m]];
        let values = [vec![caps[0]; n], targets];
        TwoSided {
            pair,
            workers,
            caps,
            values,
            partners,
            bids: 0,
            candidates: None,
            least: RefCell::default(),
        }
    }

    /// How far apart the candidates of a source are, cost less value of the target: the scale on which values are not known yet.
    pub fn spread(&self) -> f64 {
        let n = self.values[0].len();
        let asked: Vec<u32> = (0..n).step_by(n.div_ceil(PROBED_SOURCES)).map(|i| i as u32).collect();
        let prices = &self.values[1];
        let outlook = self.pair.ground(0).outlook(prices, self.workers);
        let few = outlook.few(&asked, CANDIDATES, prices, self.workers);
        let width = |k: usize| {
            let row = k * few.count..(k + 1) * few.count;
            let pays = row.map(|at| few.costs[at] - prices[few.targets[at] as usize]);
            let least = pays.clone().fold(f64::INFINITY, f64::min);
            let last = if few.beyond[k].is_finite() { few.beyond[k] } else { pays.fold(least, f64::max) };
            (last - least).max(0.0)
        };
        let mean = (0..asked.len()).map(width).sum::<f64>() / asked.len() as f64;
        let size = few.costs.iter().sum::<f64>() / few.costs.len() as f64;
        // Where candidates coincide there is no spread; then values move in steps that are small beside the costs.
        mean.max(MIN_SPREAD_SHARE * size).max(f64::MIN_POSITIVE)
    }

    /// Goes back to values of the targets at which something was found.
    pub fn set_targets(&mut self, caps: [f64; 2], values: Vec<f64>) {
        self.set_caps(caps);
        self.values[1] = values;
    }

    /// Staying is worth something else from now on.
    pub fn set_caps(&mut self, caps: [f64; 2]) {
        for side in [0, 1] {
            let (old, new) = (self.caps[side], caps[side]);
            for (value, &partner) in self.values[side].iter_mut().zip(&self.partners[side]) {
                // Who stays is worth the cap.
                let stays = partner == NONE && *value >= old;
                *value = if stays { new } else { value.min(new) };
            }
        }
        self.caps = caps;
        (self.candidates, self.least) = (None, RefCell::default());
    }

    /// Turns until no more than `leave` points of either side bid, or until there were so many bids for each point.
    pub fn phase(
        &mut self,
        epsilon: f64,
        (max_bids, leave): (usize, usize),
        watch: &mut dyn Observe,
    ) -> ControlFlow<()> {
        self.release(epsilon);
        let most = self.bids + max_bids * self.values[0].len().max(self.values[1].len());
        let mut side = 0;
        while self.bids < most {
            if self.free(side).count() <= leave {
                side = 1 - side;
                if self.free(side).count() <= leave {
                    break;
                }
            }
            self.turn(side, epsilon, leave, watch)?;
            side = 1 - side;
        }
        ControlFlow::Continue(())
    }

    /// Values of the sources as high as those of the targets allow. Pairs that are more than `epsilon` dearer part.
    fn release(&mut self, epsilon: f64) {
        let cap = self.caps[0];
        for (i, least) in self.least(self.workers).into_iter().enumerate() {
            let (value, j) = (least.min(cap), self.partners[0][i]);
            if j != NONE {
                let left = self.pair.cost(i as u32, j) - self.values[1][j as usize];
                if left <= value + epsilon {
                    self.values[0][i] = left;
                    continue;
                }
                self.partners[0][i] = NONE;
                self.partners[1][j as usize] = NONE;
            }
            self.values[0][i] = value;
        }
    }

    /// The points of a side that are alone and would rather not be.
    fn free(&self, side: usize) -> impl Iterator<Item = u32> {
        let (points, cap) = (self.partners[side].iter().zip(&self.values[side]), self.caps[side]);
        (0..).zip(points).filter(move |(_, (j, value))| **j == NONE && **value < cap).map(|(i, _)| i)
    }

    /// Free points of one side bid for points of the other, whose values fall.
    fn turn(&mut self, side: usize, epsilon: f64, leave: usize, watch: &mut dyn Observe) -> ControlFlow<()> {
        let (pair, workers, cap) = (self.pair, self.workers, self.caps[side]);
        let mut stale: Vec<u32> = self.free(side).collect();
        let n = self.values[side].len();
        let most = self.bids + (BIDS_PER_TURN[side] * n as f64) as usize;
        let at_first = stale.len();
        let [of_sources, of_targets] = &mut self.values;
        let (values, prices) = if side == 0 { (of_sources, of_targets) } else { (of_targets, of_sources) };
        let [sources, targets] = &mut self.partners;
        let (own, other) = if side == 0 { (sources, targets) } else { (targets, sources) };
        let known = self.candidates.take().filter(|_| side == 0);
        let mut candidates =
            known.unwrap_or_else(|| Candidates::unasked(pair.ground(side), prices, CANDIDATES, workers));
        self.least = RefCell::default();
        let (mut free, mut is_over, mut is_stopped) = (Vec::new(), false, false);
        while !is_over && !stale.is_empty() && !is_stopped {
            if workers.is_halted() {
                is_stopped = true;
                break;
            }
            is_stopped = watch
                .progress(&Progress { tried: n - stale.len(), total: n, best: f64::INFINITY })
                .is_break();
            stale.sort_unstable();
            candidates.renew(&stale, prices);
            free.extend(stale.drain(..).rev());
            while !is_over
                && !is_stopped
                && let Some(i) = free.pop()
            {
                if candidates.is_unasked(i as usize) {
                    stale.push(i);
                    continue;
                }
                let (offer, beyond) =
                    (candidates.look(i as usize, prices), candidates.rows.beyond[i as usize]);
                if offer.best > beyond && beyond < cap {
                    stale.push(i);
                    continue;
                }
                if offer.best >= cap {
                    values[i as usize] = cap;
                    continue;
                }
                self.bids += 1;
                if self.bids.is_multiple_of(BIDS_PER_REPORT) {
                    let tried = n - free.len() - stale.len() - 1;
                    is_stopped =
                        watch.progress(&Progress { tried, total: n, best: f64::INFINITY }).is_break();
                }
                let target = offer.target as usize;
                let raise = offer.second.min(beyond).min(cap) - offer.best;
                prices[target] -= if raise.is_finite() { raise } else { 0.0 } + epsilon;
                values[i as usize] = (offer.cost - prices[target]).min(cap);
                own[i as usize] = offer.target;
                let holder = std::mem::replace(&mut other[target], i);
                if holder != NONE {
                    own[holder as usize] = NONE;
                    free.push(holder);
                }
                let left = free.len() + stale.len();
                is_over = left <= leave || (self.bids > most && left < at_first);
            }
        }
        free.append(&mut stale);
        free.sort_unstable();
        candidates.renew(&free, prices);
        // Whoever was stopped may have no candidates, and nobody asks for values any more.
        if is_stopped || workers.is_halted() {
            return ControlFlow::Break(());
        }
        // Those that are left know what they could have.
        for i in free {
            values[i as usize] = candidates.value(i as usize, prices).min(cap);
        }
        self.candidates = (side == 0).then_some(candidates);
        ControlFlow::Continue(())
    }

    /// What the cheapest of all targets costs each source, less its value.
    fn least(&self, workers: &Workers) -> Vec<f64> {
        let ask = || self.pair.ground(0).values(&self.values[1], None, workers).0;
        self.least.borrow_mut().get_or_insert_with(ask).clone()
    }

    /// The pairs, sources first.
    pub fn pairs(&self) -> Vec<(u32, u32)> {
        (0..).zip(&self.partners[0]).filter(|(_, j)| **j != NONE).map(|(i, &j)| (i, j)).collect()
    }

    /// Values that hold for all pairs, as high as those of the targets allow.
    pub fn proof(&self, workers: &Workers) -> [Vec<f64>; 2] {
        let capped =
            |values: Vec<f64>, cap: f64| values.into_iter().map(|value| value.min(cap)).collect::<Vec<f64>>();
        let f = capped(self.least(workers), self.caps[0]);
        let g = capped(self.pair.ground(0).prices(&f, None, workers).0, self.caps[1]);
        [f, g]
    }
}
