//! What a node promises at other costs than squared distances: a box, and a plane above the prices of its points.

use super::node::solve;

/// The box of the points of a node, and a plane above their prices, `price(y) <= slope (y - middle) + top`.
///
/// The highest price alone says little where prices have a slope, and those of plans do: distances from a far source rise across a cell as
/// fast as the prices of its targets.
#[derive(Clone, Copy)]
pub(super) struct Slab<const D: usize> {
    pub low: [f64; D],
    pub high: [f64; D],
    pub middle: [f64; D],
    /// From the middle to a side, rounded up.
    pub half: [f64; D],
    pub slope: [f64; D],
    pub top: f64,
    /// The highest price.
    pub highest: f64,
    /// A little less than one, and a little more: what is multiplied by them is on the safe side, however it was rounded.
    pub less: f64,
    pub more: f64,
}

/// Points that a plane is fitted to: any is above once it is raised, a few points find a good one.
const MAX_FITTED_POINTS: usize = 256;

impl<const D: usize> Slab<D> {
    /// `has_slope` asks for a plane that may lean; it is level otherwise.
    pub fn of(points: &[[f64; D]], prices: &[f64], has_slope: bool) -> Self {
        let (mut low, mut high, mut highest) = (points[0], points[0], f64::NEG_INFINITY);
        for (point, price) in points.iter().zip(prices) {
            for c in 0..D {
                low[c] = low[c].min(point[c]);
                high[c] = high[c].max(point[c]);
            }
            highest = highest.max(*price);
        }
        let middle: [f64; D] = std::array::from_fn(|c| low[c] + 0.5 * (high[c] - low[c]));
        let unit = 16.0 * (D + 8) as f64 * f64::EPSILON;
        let (less, more) = (1.0 - unit, 1.0 + unit);
        let half = std::array::from_fn(|c| (high[c] - middle[c]).max(middle[c] - low[c]) * more);
        let mut slab = Slab { low, high, middle, half, slope: [0.0; D], top: highest, highest, less, more };
        if has_slope && points.len() > 1 {
            slab.lean(points, prices, unit);
        }
        slab
    }

    fn lean(&mut self, points: &[[f64; D]], prices: &[f64], unit: f64) {
        let step = points.len().div_ceil(MAX_FITTED_POINTS);
        let fitted = || points.iter().zip(prices).step_by(step);
        let count = points.len().div_ceil(step) as f64;
        let (mut mean, mut level) = ([0.0; D], 0.0);
        for (point, price) in fitted() {
            level += price / count;
            (0..D).for_each(|c| mean[c] += point[c] / count);
        }
        let (mut spread, mut along) = ([[0.0; D]; D], [0.0; D]);
        for (point, price) in fitted() {
            let gap: [f64; D] = std::array::from_fn(|c| point[c] - mean[c]);
            for c in 0..D {
                along[c] += gap[c] * (price - level);
                for e in 0..=c {
                    spread[c][e] += gap[c] * gap[e];
                }
            }
        }
        if !solve(&mut spread, &mut along) {
            return;
        }
        self.slope = along;
        let (mut top, mut size) = (f64::NEG_INFINITY, 0.0_f64);
        for (point, price) in points.iter().zip(prices) {
            let rise: f64 = (0..D).map(|c| along[c] * (point[c] - self.middle[c])).sum();
            top = top.max(price - rise);
            size = size.max(price.abs());
        }
        size += (0..D).map(|c| along[c].abs() * self.half[c]).sum::<f64>();
        // Rounding must not make the plane too low for a point.
        self.top = top + unit * size;
    }
}
