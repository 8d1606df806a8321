//! The quantile plan along one line, in units.

use super::plan::{Entry, Plan};
use super::{Side, WeightedClouds, dot};

impl WeightedClouds<'_> {
    /// Pairs masses in the order of their projections on a direction: the plan of SWGG.
    pub fn line(&self, theta: &[f64]) -> Plan {
        let sorted = |side: &Side| -> Vec<(f64, u32)> {
            let points = side.points.chunks_exact(self.dim);
            let mut order: Vec<(f64, u32)> = points.map(|x| dot(x, theta)).zip(0..).collect();
            // Equal projections keep the order of the caller, as everywhere.
            let place = |k: u32| side.places[k as usize];
            order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then_with(|| place(a.1).cmp(&place(b.1))));
            order
        };
        let (sigma, tau) = (sorted(&self.sources), sorted(&self.targets));
        let mut entries = Vec::with_capacity(self.most_entries());
        let (mut k, mut l) = (0, 0);
        let (mut left, mut right) =
            (self.sources.units[sigma[0].1 as usize], self.targets.units[tau[0].1 as usize]);
        loop {
            let units = left.min(right);
            entries.push(Entry { units, source: sigma[k].1, target: tau[l].1 });
            (left, right) = (left - units, right - units);
            if left == 0 {
                k += 1;
                let Some(next) = sigma.get(k) else { break };
                left = self.sources.units[next.1 as usize];
            }
            if right == 0 {
                l += 1;
                let Some(next) = tau.get(l) else { break };
                right = self.targets.units[next.1 as usize];
            }
        }
        Plan { entries }
    }
}
