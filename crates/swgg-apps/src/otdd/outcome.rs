//! Results: the distance between two data sets, and the table of all pairs.

use swgg::ndarray::Array2;
use swgg::{CostIs, Stop};

/// The distance between two data sets.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PairDistance {
    /// Which of the data sets.
    pub source: usize,
    /// Which of the data sets.
    pub target: usize,
    /// The distance: the cost itself for power 1, its root for power 2.
    pub distance: f64,
    /// What the plan between the points costs, not rooted.
    pub cost: f64,
    /// What the cost says about the optimum, the distances between labels as they are.
    pub cost_is: CostIs,
    /// What no plan can cost less than, if it is known, the distances between labels as they are.
    pub lower_bound: Option<f64>,
    /// By how much the cost can be above the optimum, as a share of it.
    pub gap: Option<f64>,
    /// Distances between the labels of the source (rows) and those of the target, rooted.
    pub label_distances: Array2<f64>,
    /// Why the search for the plan ended.
    pub stop: Stop,
    /// One sentence about what was run.
    pub story: String,
    /// Seconds of the distances between labels, and of the plan.
    pub seconds: [f64; 2],
}

/// The distances between all pairs of some data sets.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Distances {
    /// Symmetric, with zeros on the diagonal; NaN where there was no time.
    pub matrix: Array2<f64>,
    /// Every pair that was compared, each once, in the order of the rows of the upper triangle.
    pub pairs: Vec<PairDistance>,
    /// Why it ended: `Interrupted` or `TimeLimit` if some pairs are missing or were cut short.
    pub stop: Stop,
}
