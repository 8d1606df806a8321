//! Transport along some arcs only.

use super::ground::Ground;

/// Arcs from sources to targets, each with its cost. What is not among them costs a penalty, so that every problem has a plan; one
/// that pays the penalty shows that the arcs do not suffice.
pub(super) struct Support {
    /// The arcs of each source: targets in order, with costs.
    arcs: Vec<Vec<(u32, f64)>>,
    /// The sources of each target.
    sources: Vec<Vec<u32>>,
    largest: f64,
    pub penalty: f64,
}

impl Support {
    pub fn new(n: usize, m: usize, arcs: impl Iterator<Item = (u32, u32, f64)>) -> Self {
        let (mut by_source, mut by_target) = (vec![Vec::new(); n], vec![Vec::new(); m]);
        let mut largest = 0.0_f64;
        for (i, j, cost) in arcs {
            by_source[i as usize].push((j, cost));
            largest = largest.max(cost);
        }
        for (i, arcs) in by_source.iter_mut().enumerate() {
            arcs.sort_by_key(|arc| arc.0);
            arcs.dedup_by_key(|arc| arc.0);
            arcs.iter().for_each(|arc| by_target[arc.0 as usize].push(i as u32));
        }
        let penalty = 4.0 * if largest > 0.0 { largest } else { 1.0 };
        Support { arcs: by_source, sources: by_target, largest, penalty }
    }

    pub fn contains(&self, i: usize, j: usize) -> bool {
        self.arcs[i].binary_search_by_key(&(j as u32), |arc| arc.0).is_ok()
    }

    /// A penalty that no detour along arcs can be worth.
    pub fn highest_penalty(&self) -> f64 {
        let nodes = (self.arcs.len() + self.sources.len()) as f64;
        4.0 * nodes * if self.largest > 0.0 { self.largest } else { 1.0 }
    }
}

impl Ground for Support {
    fn sources(&self) -> usize {
        self.arcs.len()
    }

    fn targets(&self) -> usize {
        self.sources.len()
    }

    fn cost(&self, i: usize, j: usize) -> f64 {
        let arcs = &self.arcs[i];
        arcs.binary_search_by_key(&(j as u32), |arc| arc.0).map_or(self.penalty, |place| arcs[place].1)
    }

    fn blocks(&self) -> usize {
        1
    }

    /// A pivot takes much longer than a look at the few arcs of a source, so the best of about the square root of all arcs is worth it.
    fn sources_per_pivot(&self) -> usize {
        let arcs = self.arcs.iter().map(Vec::len).sum::<usize>() as f64;
        ((self.arcs.len() as f64 / arcs.sqrt()) as usize).max(1)
    }

    fn cheapest(&self, i: usize, _: usize, prices: &[f64]) -> usize {
        let offers = self.arcs[i].iter().map(|&(j, cost)| (cost - prices[j as usize], j as usize));
        offers.fold((f64::INFINITY, 0), |best, offer| if offer.0 < best.0 { offer } else { best }).1
    }

    fn row(&self, i: usize, prices: &[f64], values: &mut [f64]) {
        values.iter_mut().zip(prices).for_each(|(value, price)| *value = self.penalty - price);
        for &(j, cost) in &self.arcs[i] {
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
