//! Candidate arcs: the few cheapest targets of every source, and what all others cost at least.

use crate::pricing::Few;

/// Candidates of every source. Prices only ever fall, so what is not among them stays above `beyond`.
pub(super) struct Rows {
    first: Vec<usize>,
    len: Vec<u32>,
    /// Places that each source has, some of which may be empty.
    room: Vec<u32>,
    targets: Vec<u32>,
    costs: Vec<f64>,
    /// What any other target costs a source at least, less its price.
    pub beyond: Vec<f64>,
}

impl Rows {
    /// Candidates of all sources.
    pub fn new(few: Few) -> Self {
        let sources = few.beyond.len();
        Rows {
            first: (0..sources).map(|i| i * few.count).collect(),
            len: vec![few.count as u32; sources],
            room: vec![few.count as u32; sources],
            targets: few.targets,
            costs: few.costs,
            beyond: few.beyond,
        }
    }

    /// Sources of which nothing is known.
    pub fn unasked(sources: usize) -> Self {
        Rows {
            first: vec![0; sources],
            len: vec![0; sources],
            room: vec![0; sources],
            targets: Vec::new(),
            costs: Vec::new(),
            beyond: vec![f64::NEG_INFINITY; sources],
        }
    }

    /// New candidates of some sources.
    pub fn replace(&mut self, asked: &[u32], few: &Few) {
        for (k, &i) in asked.iter().enumerate() {
            let i = i as usize;
            let (targets, costs) = (
                &few.targets[k * few.count..(k + 1) * few.count],
                &few.costs[k * few.count..(k + 1) * few.count],
            );
            self.beyond[i] = few.beyond[k];
            if few.count > self.room[i] as usize {
                self.first[i] = self.targets.len();
                self.room[i] = few.count as u32;
                self.targets.extend_from_slice(targets);
                self.costs.extend_from_slice(costs);
            } else {
                let first = self.first[i];
                self.targets[first..first + few.count].copy_from_slice(targets);
                self.costs[first..first + few.count].copy_from_slice(costs);
            }
            self.len[i] = few.count as u32;
        }
    }

    /// Targets and costs of a source.
    #[inline(always)]
    pub fn of(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.first[i]..self.first[i] + self.len[i] as usize;
        (&self.targets[range.clone()], &self.costs[range])
    }
}
