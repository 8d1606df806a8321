//! A plan in units.

use super::WeightedClouds;
use crate::cost::sq_distance;
use crate::plan::coupling::Coupling;

/// A piece of mass from a source to a target, both counted among the carriers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    pub units: u64,
    pub source: u32,
    pub target: u32,
}

/// A plan: pieces of mass that add up to the marginals exactly.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plan {
    pub(super) entries: Vec<Entry>,
}

impl Plan {
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }
}

impl WeightedClouds<'_> {
    /// Cost of a plan, the shift between the clouds included.
    pub fn cost(&self, plan: &Plan) -> f64 {
        self.shift + self.centred_cost(plan)
    }

    /// Cost of a plan after both clouds have been moved to one mean.
    pub fn centred_cost(&self, plan: &Plan) -> f64 {
        // Sums in blocks lose less than one long sum, and do not depend on threads.
        let block = |entries: &[Entry]| {
            let pay = |e: &Entry| e.units as f64 * sq_distance(self.source(e.source), self.target(e.target));
            entries.iter().map(pay).sum::<f64>()
        };
        let sum: f64 = plan.entries.chunks(1024).map(block).sum();
        sum / self.total as f64 * self.scale
    }

    /// The plan as a coupling of the measures, by source.
    pub fn coupling(&self, plan: &Plan) -> Coupling {
        let mut entries = plan.entries.clone();
        entries.sort_unstable_by_key(|e| (e.source, e.target));
        let place = |side: &super::Side, k: u32| side.places[k as usize];
        let per_unit = 1.0 / self.total as f64;
        Coupling::from_merge(
            self.sources.len,
            self.targets.len,
            entries.iter().map(|e| place(&self.sources, e.source)).collect(),
            entries.iter().map(|e| place(&self.targets, e.target)).collect(),
            entries.iter().map(|e| e.units as f64 * per_unit).collect(),
        )
    }
}
