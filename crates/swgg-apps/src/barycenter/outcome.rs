//! The barycenter, and the facts of each step.

use swgg::{Coupling, Measure, Stop};

/// One step: plans, then a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// `sum_i w_i` times the cost of the plan to cloud `i`, after the move; never above that of the step before.
    pub objective: f64,
    /// Sum of the squared distances that points have moved.
    pub shift_sq: f64,
    /// The effort of the default solver in this step; `None` for other methods, and where it was exact.
    pub effort: Option<u8>,
}

/// A cloud in the middle of several, and how it was found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Barycenter {
    /// Its points and their masses.
    pub support: Measure<'static, f64>,
    /// What each cloud counts; they sum to one.
    pub weights: Vec<f64>,
    /// `sum_i w_i` times the cost of the plan to cloud `i`: at least `F` of these points.
    pub objective: f64,
    /// What no cloud at all, of however many points, can be below; `None` where nobody asked.
    pub lower_bound: Option<f64>,
    /// Cost of the plan from the points to each cloud, not rooted; `None` for clouds of weight 0.
    pub costs: Vec<Option<f64>>,
    /// The plans, in the order of the clouds; `None` for clouds of weight 0.
    pub plans: Vec<Option<Coupling>>,
    /// Every step; none where the answer is a geodesic, or one of the clouds.
    pub steps: Vec<Step>,
    /// Whether it is a point of the geodesic between two clouds, and so needed no steps.
    pub is_geodesic: bool,
    /// Name of the method that made the plans.
    pub method: &'static str,
    /// Why it ended.
    pub stop: Stop,
    /// One sentence about what was run.
    pub story: String,
}

impl Barycenter {
    /// By how much the objective can be above the least of all, as a share of it; `None` where nothing is known.
    pub fn gap(&self) -> Option<f64> {
        match self.lower_bound? {
            _ if self.objective == 0.0 => Some(0.0),
            bound if bound > 0.0 => Some((self.objective / bound - 1.0).max(0.0)),
            _ => None,
        }
    }
}
