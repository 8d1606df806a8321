//! What a pair of points costs, for trees and for comparisons of all with all.

use crate::cost::{Cost, GroundCost, Power};

/// The cost of a ground: a power of the Euclidean distance, or any function of two points.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Metric<'a> {
    Distance(Power),
    Function {
        cost: &'a dyn GroundCost,
        /// Whether the points that ask are those that mass goes to.
        is_flipped: bool,
    },
}

/// Points of either side that tell whether a cost knows boxes.
const PROBED_POINTS: usize = 8;

impl<'a> Metric<'a> {
    pub const SQUARED: Metric<'static> = Metric::Distance(Power::SQUARED);

    pub fn of(cost: &'a dyn GroundCost) -> Self {
        Metric::Function { cost, is_flipped: false }
    }

    pub fn is_squared(self) -> bool {
        matches!(self, Metric::Distance(power) if power == Power::SQUARED)
    }

    /// The same cost, asked from the other side.
    pub fn flipped(self) -> Self {
        match self {
            Metric::Function { cost, is_flipped } => Metric::Function { cost, is_flipped: !is_flipped },
            plain => plain,
        }
    }

    pub fn between(self, x: &[f64], y: &[f64]) -> f64 {
        match self {
            Metric::Distance(power) => power.between(x, y),
            Metric::Function { cost, is_flipped: false } => cost.between(x, y),
            Metric::Function { cost, is_flipped: true } => cost.between(y, x),
        }
    }

    /// What many pairs of one point cost: the others are given by their coordinates, a column each.
    pub fn fill(self, x: &[f64], columns: &[&[f64]], costs: &mut [f64]) {
        match self {
            Metric::Distance(power) => {
                costs.fill(0.0);
                for (x, column) in x.iter().zip(columns) {
                    costs.iter_mut().zip(*column).for_each(|(sum, y)| *sum += (x - y) * (x - y));
                }
                costs.iter_mut().for_each(|cost| *cost = power.of_square(*cost));
            }
            Metric::Function { cost, is_flipped: false } => cost.fill(x, columns, costs),
            Metric::Function { cost, is_flipped: true } => {
                let mut y = vec![0.0; columns.len()];
                for (k, paid) in costs.iter_mut().enumerate() {
                    y.iter_mut().zip(columns).for_each(|(y, column)| *y = column[k]);
                    *paid = cost.between(&y, x);
                }
            }
        }
    }

    /// What all pairs of some points that ask and some others cost, both given as rows; `false` where that is not quicker than
    /// [`fill`](Metric::fill) for each.
    pub fn fill_block(self, asking: &[f64], asked: &[f64], dim: usize, costs: &mut [f64]) -> bool {
        match self {
            Metric::Function { cost, is_flipped: false } => cost.fill_block(asking, asked, dim, costs),
            Metric::Function { cost, is_flipped: true } => {
                let (n, m) = (asking.len() / dim, asked.len() / dim);
                let mut turned = vec![0.0; n * m];
                let is_done = cost.fill_block(asked, asking, dim, &mut turned);
                for (j, line) in turned.chunks_exact(n.max(1)).enumerate().filter(|_| is_done) {
                    line.iter().enumerate().for_each(|(i, cost)| costs[i * m + j] = *cost);
                }
                is_done
            }
            Metric::Distance(_) => false,
        }
    }

    /// No point of a box is cheaper than this.
    pub fn least(self, x: &[f64], low: &[f64], high: &[f64]) -> f64 {
        match self {
            Metric::Distance(power) => {
                let gaps = x.iter().zip(low.iter().zip(high));
                let gap = |(x, (low, high)): (&f64, (&f64, &f64))| (low - x).max(x - high).max(0.0);
                power.of_square(gaps.map(gap).map(|gap| gap * gap).sum())
            }
            Metric::Function { cost, is_flipped: false } => cost.least(x, low, high),
            Metric::Function { cost, is_flipped: true } => cost.least_to(x, low, high),
        }
    }

    /// Whether boxes tell anything, so that trees can leave some out: a box that is a single point should know what going there costs.
    pub fn knows_boxes(self, [x, y]: [&[f64]; 2], dim: usize) -> bool {
        let Metric::Function { .. } = self else { return true };
        let some = |rows: &'_ [f64]| {
            let rows: Vec<Vec<f64>> = rows.chunks_exact(dim).map(<[f64]>::to_vec).collect();
            let step = rows.len().div_ceil(PROBED_POINTS);
            rows.into_iter().step_by(step.max(1)).collect::<Vec<_>>()
        };
        let (sources, targets) = (some(x), some(y));
        let mut pairs = sources.iter().flat_map(|x| targets.iter().map(move |y| (x, y)));
        pairs.any(|(x, y)| self.least(x, y, y) > 0.0 && self.flipped().least(y, x, x) > 0.0)
            || sources.iter().all(|x| targets.iter().all(|y| self.between(x, y) == 0.0))
    }

    /// By how many times more than a sum of as many numbers as there are coordinates a cost may be off by rounding.
    pub fn roundings(self) -> f64 {
        match self {
            Metric::Distance(power) => power.exponent(),
            Metric::Function { .. } => 4.0,
        }
    }
}
