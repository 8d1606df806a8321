//! What a node of a tree with prices can promise: no target in it is cheaper than this.

use super::tree::{Lanes, POINTS_PER_LEAF};

/// What is known of the points of a node: their box, and a paraboloid above their prices,
/// `price(y) <= sum_c slope_c y_c + (1 - bend_c) y_c^2 + top`.
///
/// The highest price alone says nothing of a cell whose points come from far away: prices that fit a plan have a slope of twice the
/// displacement, and bend where the plan stretches.
#[derive(Clone, Copy)]
pub(super) struct Node<const D: usize> {
    low: [f64; D],
    high: [f64; D],
    slope: [f64; D],
    /// How cost less price bends along each axis.
    pub bend: [f64; D],
    top: f64,
}

/// Points that a paraboloid is fitted to: any is above once it is raised, a few points find a good one.
const MAX_FITTED_POINTS: usize = 256;
/// How flat cost less price may be taken for: where it is flat every place is as good as another.
const MIN_BEND: f64 = 0.02;

impl<const D: usize> Node<D> {
    /// `bend` is that of the parent, for cells of too few points to tell.
    pub fn of(points: &[[f64; D]], prices: &[f64], bend: [f64; D]) -> Self {
        let step = points.len().div_ceil(MAX_FITTED_POINTS);
        let fitted = || points.iter().zip(prices).step_by(step);
        let count = points.len().div_ceil(step) as f64;
        let mut mean = [0.0; D];
        fitted().for_each(|(point, _)| (0..D).for_each(|c| mean[c] += point[c] / count));
        let bend = if points.len() < 16 * D { bend } else { bends(fitted(), &mean, count).unwrap_or(bend) };
        let beyond = |point: &[f64; D], price: f64| {
            price - (0..D).map(|c| (1.0 - bend[c]) * point[c] * point[c]).sum::<f64>()
        };
        let level = fitted().map(|(point, price)| beyond(point, *price)).sum::<f64>() / count;
        let (mut spread, mut along) = ([[0.0; D]; D], [0.0; D]);
        for (point, price) in fitted() {
            let rise = beyond(point, *price) - level;
            let gap: [f64; D] = std::array::from_fn(|c| point[c] - mean[c]);
            for c in 0..D {
                along[c] += gap[c] * rise;
                for e in 0..=c {
                    spread[c][e] += gap[c] * gap[e];
                }
            }
        }
        let slope = if solve(&mut spread, &mut along) { along } else { [0.0; D] };
        let (mut low, mut high) = (points[0], points[0]);
        let (mut top, mut size) = (f64::NEG_INFINITY, 0.0_f64);
        for (point, price) in points.iter().zip(prices) {
            for c in 0..D {
                low[c] = low[c].min(point[c]);
                high[c] = high[c].max(point[c]);
            }
            top = top.max(beyond(point, *price) - (0..D).map(|c| slope[c] * point[c]).sum::<f64>());
            size = size.max(price.abs());
        }
        for c in 0..D {
            let reach = low[c].abs().max(high[c].abs());
            size += reach * (reach * (1.0 + bend[c]) + slope[c].abs());
        }
        // Rounding must not make the paraboloid too low for a point.
        Node { low, high, slope, bend, top: top + 8.0 * (D + 4) as f64 * f64::EPSILON * size }
    }

    /// No target of the node is cheaper than this from each of the points: every coordinate at its best place in the box.
    #[inline(always)]
    pub fn least(&self, asking: &[Lanes; D]) -> Lanes {
        let mut sums = [-self.top; POINTS_PER_LEAF];
        for (c, asking) in asking.iter().enumerate() {
            let (slope, bend, half) = (self.slope[c], self.bend[c], 0.5 / self.bend[c]);
            for (sum, x) in sums.iter_mut().zip(asking) {
                let pull = 2.0 * x + slope;
                let z = pull * half;
                let z = if z > self.low[c] { z } else { self.low[c] };
                let z = if z < self.high[c] { z } else { self.high[c] };
                *sum += x * x + z * (bend * z - pull);
            }
        }
        sums
    }

    /// [`least`](Node::least) for one point.
    #[inline(always)]
    pub fn least_of_one(&self, point: &[f64; D]) -> f64 {
        let mut sum = -self.top;
        for (c, &x) in point.iter().enumerate() {
            let pull = 2.0 * x + self.slope[c];
            let z = pull * (0.5 / self.bend[c]);
            let z = if z > self.low[c] { z } else { self.low[c] };
            let z = if z < self.high[c] { z } else { self.high[c] };
            sum += x * x + z * (self.bend[c] * z - pull);
        }
        sum
    }
}

/// How cost less price bends along each axis, by least squares over slopes and bends.
fn bends<'a, const D: usize>(
    fitted: impl Iterator<Item = (&'a [f64; D], &'a f64)> + Clone,
    mean: &[f64; D],
    count: f64,
) -> Option<[f64; D]> {
    let (mut squares, mut level) = ([0.0; D], 0.0);
    for (point, price) in fitted.clone() {
        level += price / count;
        (0..D).for_each(|c| squares[c] += (point[c] - mean[c]).powi(2) / count);
    }
    // Unknowns of one size: coordinates in units of their deviation.
    let mut matrix = vec![[0.0; 16]; 2 * D];
    let mut right = [0.0; 16];
    for (point, price) in fitted {
        let mut features = [0.0; 16];
        for c in 0..D {
            if squares[c] > 0.0 {
                let gap = point[c] - mean[c];
                features[c] = gap / squares[c].sqrt();
                features[D + c] = gap * gap / squares[c] - 1.0;
            }
        }
        for c in 0..2 * D {
            right[c] += features[c] * (price - level);
            for e in 0..=c {
                matrix[c][e] += features[c] * features[e];
            }
        }
    }
    if !solve(&mut matrix, &mut right[..2 * D]) {
        return None;
    }
    let bend = |c: usize| if squares[c] > 0.0 { 1.0 - right[D + c] / squares[c] } else { 1.0 };
    Some(std::array::from_fn(|c| bend(c).max(MIN_BEND)))
}

/// Solves a positive semi-definite system, lower half given, with a little added to the diagonal. False where that fails.
pub(super) fn solve<const N: usize>(matrix: &mut [[f64; N]], right: &mut [f64]) -> bool {
    let n = right.len();
    let ridge = 1e-6 * (0..n).map(|c| matrix[c][c]).sum::<f64>();
    for c in 0..n {
        for e in 0..c {
            let known: f64 = (0..e).map(|k| matrix[c][k] * matrix[e][k]).sum();
            matrix[c][e] = (matrix[c][e] - known) / matrix[e][e];
        }
        let pivot = matrix[c][c] + ridge - (0..c).map(|k| matrix[c][k] * matrix[c][k]).sum::<f64>();
        if !(pivot > 0.5 * ridge && pivot.is_finite()) {
            return false;
        }
        matrix[c][c] = pivot.sqrt();
    }
    for c in 0..n {
        right[c] = (right[c] - (0..c).map(|k| matrix[c][k] * right[k]).sum::<f64>()) / matrix[c][c];
    }
    for c in (0..n).rev() {
        right[c] = (right[c] - (c + 1..n).map(|k| matrix[k][c] * right[k]).sum::<f64>()) / matrix[c][c];
    }
    right.iter().all(|x| x.is_finite())
}
