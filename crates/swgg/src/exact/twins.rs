//! Points that coincide, seen as one.

use std::cmp::Ordering;

use super::tree::Arc;
use crate::measure::Measure;
use crate::number::scalar::Scalar;

/// Points in one place up to which they are solved one by one.
const MAX_TWINS_TOLD_APART: usize = 20;

/// Carriers of one side, grouped by where they are.
pub(super) struct Groups {
    /// The first carrier of each group: its place among the carriers.
    pub firsts: Vec<u32>,
    /// The carriers of each group, in order.
    members: Vec<Vec<u32>>,
    /// The group of each carrier.
    group_of: Vec<u32>,
}

impl Groups {
    /// Groups of equal points, in the order of their first members.
    pub fn new<T: Scalar>(measure: &Measure<T>, carriers: &[u32]) -> Self {
        let point = |place: u32| measure.point(carriers[place as usize] as usize);
        let compare = |a: &u32, b: &u32| {
            let pairs = point(*a).iter().zip(point(*b));
            // Adding zero makes both zeros one.
            let mut orders = pairs.map(|(x, y)| (x.to_f64() + 0.0).total_cmp(&(y.to_f64() + 0.0)));
            // The first coordinates tell most points apart.
            orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        };
        let mut order: Vec<u32> = (0..carriers.len() as u32).collect();
        order.sort_by(compare);
        let mut members: Vec<Vec<u32>> =
            order.chunk_by(|a, b| compare(a, b).is_eq()).map(<[u32]>::to_vec).collect();
        members.sort_by_key(|group| group[0]);
        let mut group_of = vec![0; carriers.len()];
        for (k, group) in members.iter().enumerate() {
            group.iter().for_each(|&place| group_of[place as usize] = k as u32);
        }
        Groups { firsts: members.iter().map(|group| group[0]).collect(), members, group_of }
    }

    /// Whether a group is so large, or groups are so common, that plans of equal cost abound.
    pub fn are_crowded(&self) -> bool {
        2 * self.members.len() <= self.group_of.len()
            || self.members.iter().any(|group| group.len() > MAX_TWINS_TOLD_APART)
    }

    fn len(&self) -> usize {
        self.members.len()
    }

    /// What the members of each group carry together.
    pub fn masses(&self, masses: &[u64]) -> Vec<u64> {
        self.members.iter().map(|group| group.iter().map(|&place| masses[place as usize]).sum()).collect()
    }

    /// The value of each carrier: that of its group.
    pub fn spread(&self, values: &[f64]) -> Vec<f64> {
        self.group_of.iter().map(|&group| values[group as usize]).collect()
    }
}

/// A plan between groups as a plan between their members, who give and take in their order.
pub(super) fn split(arcs: &[Arc], sides: [(&Groups, &[u64]); 2]) -> Vec<Arc> {
    let [mut giving, mut taking] = sides.map(|(groups, masses)| Queues {
        groups,
        masses,
        at: vec![0; groups.len()],
        used: vec![0; groups.len()],
    });
    let mut all = Vec::with_capacity(arcs.len());
    for &(source, target, flow) in arcs {
        let mut left = flow;
        while left > 0 {
            let (i, there) = giving.front(source);
            let (j, room) = taking.front(target);
            let amount = left.min(there).min(room);
            all.push((i, j, amount));
            giving.pass(source, amount);
            taking.pass(target, amount);
            left -= amount;
        }
    }
    all
}

/// How far the members of each group are used up.
struct Queues<'a> {
    groups: &'a Groups,
    masses: &'a [u64],
    at: Vec<usize>,
    used: Vec<u64>,
}

impl Queues<'_> {
    /// The first member that has something left, and how much.
    fn front(&self, group: u32) -> (u32, u64) {
        let place = self.groups.members[group as usize][self.at[group as usize]];
        (place, self.masses[place as usize] - self.used[group as usize])
    }

    fn pass(&mut self, group: u32, amount: u64) {
        let (place, _) = self.front(group);
        self.used[group as usize] += amount;
        if self.used[group as usize] == self.masses[place as usize] {
            self.at[group as usize] += 1;
            self.used[group as usize] = 0;
        }
    }
}
