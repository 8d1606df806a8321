//! A ground with one more source and one more target, where mass that does not move comes from and goes to.

use super::ground::{Ground, Side, block_range, position_of_least};

/// Another ground, and dummies after its last source and its last target, where there are such.
pub(super) struct Extended<G> {
    pub inner: G,
    /// Whether there is a dummy source, and a dummy target.
    pub dummies: [bool; 2],
    /// From a point to a dummy, and from a dummy to a point.
    pub stay: f64,
    /// From the dummy source to the dummy target.
    pub between_dummies: f64,
}

impl<G: Ground> Extended<G> {
    fn is_dummy(&self, side: Side, point: usize) -> bool {
        match side {
            Side::Source => point == self.inner.sources(),
            Side::Target => point == self.inner.targets(),
        }
    }
}

impl<G: Ground> Ground for Extended<G> {
    fn sources(&self) -> usize {
        self.inner.sources() + usize::from(self.dummies[0])
    }

    fn targets(&self) -> usize {
        self.inner.targets() + usize::from(self.dummies[1])
    }

    fn cost(&self, i: usize, j: usize) -> f64 {
        match [self.is_dummy(Side::Source, i), self.is_dummy(Side::Target, j)] {
            [false, false] => self.inner.cost(i, j),
            [true, true] => self.between_dummies,
            _ => self.stay,
        }
    }

    fn blocks(&self) -> usize {
        self.inner.blocks()
    }

    fn sources_per_pivot(&self) -> usize {
        self.inner.sources_per_pivot()
    }

    /// The dummy target belongs to the last block.
    fn cheapest(&self, i: usize, block: usize, prices: &[f64]) -> usize {
        let m = self.inner.targets();
        let best = if self.is_dummy(Side::Source, i) {
            // All cost the same.
            let range = block_range(block, m);
            let less: Vec<f64> = prices[range.clone()].iter().map(|price| -price).collect();
            range.start + position_of_least(&less)
        } else {
            self.inner.cheapest(i, block, &prices[..m])
        };
        let is_cheaper =
            |dummy: usize| self.cost(i, dummy) - prices[dummy] < self.cost(i, best) - prices[best];
        if self.dummies[1] && block + 1 == self.blocks() && is_cheaper(m) { m } else { best }
    }

    fn row(&self, i: usize, prices: &[f64], values: &mut [f64]) {
        let m = self.inner.targets();
        if self.is_dummy(Side::Source, i) {
            values[..m].iter_mut().zip(prices).for_each(|(value, price)| *value = self.stay - price);
        } else {
            // Costs less prices, none of them moved by a constant: all grounds of this room do that.
            self.inner.row(i, &prices[..m], &mut values[..m]);
        }
        if self.dummies[1] {
            values[m] = self.cost(i, m) - prices[m];
        }
    }

    /// Dummies carry a large part of the mass, which no sample of equal points can stand for.
    fn sample(&self, _: &[u32], _: &[u32]) -> Option<Self> {
        None
    }

    /// Only where all sources are asked for.
    fn flipped(&self, sources: &[u32]) -> Option<Self> {
        if sources.len() != self.sources() {
            return None;
        }
        let inner = self.inner.flipped(&sources[..self.inner.sources()])?;
        let [source, target] = self.dummies;
        let (stay, between_dummies) = (self.stay, self.between_dummies);
        Some(Extended { inner, dummies: [target, source], stay, between_dummies })
    }

    fn along(&self, side: Side, point: usize) -> f64 {
        if self.is_dummy(side, point) { 0.0 } else { self.inner.along(side, point) }
    }
}
