//! Swaps of mass between two entries of a plan.

use super::WeightedClouds;
use super::plan::{Entry, Plan};

/// The end of a list.
const NONE: u32 = u32::MAX;

/// A plan whose entries can be found by source and by target, and be changed.
pub(super) struct LinkedPlan<'a> {
    clouds: &'a WeightedClouds<'a>,
    entries: Vec<Entry>,
    /// The entries of each source and of each target, as linked lists.
    heads: [Vec<u32>; 2],
    next: Vec<[u32; 2]>,
    /// Entries that were used up.
    free: Vec<u32>,
}

impl<'a> LinkedPlan<'a> {
    pub fn new(clouds: &'a WeightedClouds<'a>, plan: &Plan) -> Self {
        let heads = [vec![NONE; clouds.sources.count()], vec![NONE; clouds.targets.count()]];
        let mut linked =
            LinkedPlan { clouds, entries: Vec::new(), heads, next: Vec::new(), free: Vec::new() };
        plan.entries.iter().for_each(|e| linked.add(e.source, e.target, e.units));
        linked
    }

    /// Sends mass of `source` to `target` where another plan does so too, in exchange for mass that now goes elsewhere: of all
    /// such exchanges between two entries the one that gains most, if any gains.
    ///
    /// With `w` the smaller mass of the entries `(i, j)` and `(k, target)`, the exchange changes the cost by
    /// `2 w <x_i - x_k, y_j - y_target>`.
    pub fn swap(&mut self, source: u32, target: u32) {
        let (x, y) = (self.clouds.source(source), self.clouds.target(target));
        let mut best = (0.0, NONE, NONE);
        let mut own = self.heads[0][source as usize];
        while own != NONE {
            let from = self.entries[own as usize];
            let v = self.clouds.target(from.target);
            let mut other = if from.target == target { NONE } else { self.heads[1][target as usize] };
            while other != NONE {
                let to = self.entries[other as usize];
                let u = self.clouds.source(to.source);
                let product: f64 = (0..x.len()).map(|k| (x[k] - u[k]) * (v[k] - y[k])).sum();
                let change = product * from.units.min(to.units) as f64;
                if change < best.0 {
                    best = (change, own, other);
                }
                other = self.next[other as usize][1];
            }
            own = self.next[own as usize][0];
        }
        if best.0 < 0.0 {
            let (from, to) = (self.entries[best.1 as usize], self.entries[best.2 as usize]);
            let units = from.units.min(to.units);
            self.take(best.1, units);
            self.take(best.2, units);
            self.add(source, target, units);
            self.add(to.source, from.target, units);
        }
    }

    fn add(&mut self, source: u32, target: u32, units: u64) {
        let mut at = self.heads[0][source as usize];
        while at != NONE {
            if self.entries[at as usize].target == target {
                self.entries[at as usize].units += units;
                return;
            }
            at = self.next[at as usize][0];
        }
        let entry = Entry { units, source, target };
        let links = [self.heads[0][source as usize], self.heads[1][target as usize]];
        let at = match self.free.pop() {
            Some(at) => {
                self.entries[at as usize] = entry;
                self.next[at as usize] = links;
                at
            }
            None => {
                self.entries.push(entry);
                self.next.push(links);
                self.entries.len() as u32 - 1
            }
        };
        self.heads[0][source as usize] = at;
        self.heads[1][target as usize] = at;
    }

    fn take(&mut self, at: u32, units: u64) {
        let entry = &mut self.entries[at as usize];
        entry.units -= units;
        if entry.units > 0 {
            return;
        }
        for (side, end) in [entry.source, entry.target].into_iter().enumerate() {
            let after = self.next[at as usize][side];
            let mut here = self.heads[side][end as usize];
            if here == at {
                self.heads[side][end as usize] = after;
                continue;
            }
            while self.next[here as usize][side] != at {
                here = self.next[here as usize][side];
            }
            self.next[here as usize][side] = after;
        }
        self.free.push(at);
    }

    pub fn into_plan(mut self) -> Plan {
        self.entries.retain(|e| e.units > 0);
        Plan { entries: self.entries }
    }
}
