//! Transport along some arcs only.

use super::ground::Ground;

/// Arcs from sources to targets, each with its cost. What is not among them costs a penalty, so that every problem has a plan; one
/// that pays the penalty shows that the arcs do not suffice.
pub(super) struct Support {
    /// Where the arcs of each source begin in the two lists below, and where those of the last one end.
    first: Vec<usize>,
    /// The targets of each source, in order.
    to: Vec<u32>,
    costs: Vec<f64>,
    /// The sources of each target.
    sources: Vec<Vec<u32>>,
    largest: f64,
    pub penalty: f64,
}

impl Support {
    pub fn new(n: usize, m: usize, arcs: impl Iterator<Item = (u32, u32, f64)>) -> Self {
        let mut arcs: Vec<(u32, u32, f64)> = arcs.collect();
        arcs.sort_by_key(|arc| (arc.0, arc.1));
        arcs.dedup_by_key(|arc| (arc.0, arc.1));
        let (mut first, mut sources) = (vec![0; n + 1], vec![Vec::new(); m]);
        for &(i, j, _) in &arcs {
            first[i as usize + 1] += 1;
            sources[j as usize].push(i);
        }
        for i in 0..n {
            first[i + 1] += first[i];
        }
        let (to, costs): (Vec<u32>, Vec<f64>) = arcs.iter().map(|arc| (arc.1, arc.2)).unzip();
        let largest = costs.iter().fold(0.0_f64, |most, cost| most.max(*cost));
        let penalty = 4.0 * if largest > 0.0 { largest } else { 1.0 };
        Support { first, to, costs, sources, largest, penalty }
    }

    /// Targets and costs of the arcs of a source.
    fn arcs(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.first[i]..self.first[i + 1];
        (&self.to[range.clone()], &self.costs[range])
    }

    pub fn contains(&self, i: usize, j: usize) -> bool {
        self.arcs(i).0.binary_search(&(j as u32)).is_ok()
    }

    /// A penalty that no detour along arcs can be worth.
    pub fn highest_penalty(&self) -> f64 {
        let nodes = (Ground::sources(self) + self.targets()) as f64;
        4.0 * nodes * if self.largest > 0.0 { self.largest } else { 1.0 }
    }
}

impl Ground for Support {
    fn sources(&self) -> usize {
        self.first.len() - 1
    }

    fn targets(&self) -> usize {
        self.sources.len()
    }

    fn cost(&self, i: usize, j: usize) -> f64 {
        let (to, costs) = self.arcs(i);
        to.binary_search(&(j as u32)).map_or(self.penalty, |place| costs[place])
    }

    fn blocks(&self) -> usize {
        1
    }

    /// A pivot takes much longer than a look at the few arcs of a source, so the best of about the square root of all arcs is worth it.
    fn sources_per_pivot(&self) -> usize {
        ((Ground::sources(self) as f64 / (self.to.len() as f64).sqrt()) as usize).max(1)
    }

    fn cheapest(&self, i: usize, block: usize, prices: &[f64]) -> usize {
        self.offer(i, block, prices).0
    }

    fn offer(&self, i: usize, _: usize, prices: &[f64]) -> (usize, f64) {
        let (to, costs) = self.arcs(i);
        let (mut best, mut least) = ((0, self.penalty), f64::INFINITY);
        for (&j, &cost) in to.iter().zip(costs) {
            let pays = cost - prices[j as usize];
            if pays < least {
                (best, least) = ((j as usize, cost), pays);
            }
        }
        best
    }

    fn row(&self, i: usize, prices: &[f64], values: &mut [f64]) {
        values.iter_mut().zip(prices).for_each(|(value, price)| *value = self.penalty - price);
        let (to, costs) = self.arcs(i);
        for (&j, cost) in to.iter().zip(costs) {
            values[j as usize] = cost - prices[j as usize];
        }
    }

    /// A sample of the points would have next to no arcs left.
    fn sample(&self, _: &[u32], _: &[u32]) -> Option<Self> {
        None
    }

    fn flipped(&self, _: &[u32]) -> Option<Self> {
        None
    }

    fn sources_of(&self, target: usize) -> Option<&[u32]> {
        Some(&self.sources[target])
    }
}
