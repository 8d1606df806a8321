//! Ground costs beyond powers of Euclidean distances, and those of one's own.

use std::fmt::Debug;

use super::Power;
use crate::error::Result;

/// What a unit of mass pays from `x` to `y`: implement it to bring a cost of your own.
///
/// Costs are finite and not negative. [`between`](GroundCost::between) is all that is needed; the rest makes it faster.
///
/// ```
/// use swgg::cost::GroundCost;
/// use swgg::{Exact, Measure, Question, Run, Solver};
///
/// /// Going up costs ten times as much as going anywhere else.
/// #[derive(Debug)]
/// struct Uphill;
///
/// impl GroundCost for Uphill {
///     fn name(&self) -> String {
///         "uphill".into()
///     }
///     fn between(&self, x: &[f64], y: &[f64]) -> f64 {
///         (y[0] - x[0]).abs() + 10.0 * (y[1] - x[1]).max(0.0)
///     }
/// }
///
/// let source = Measure::from_slice(&[0.0, 0.0, 1.0, 1.0], 2)?;
/// let target = Measure::from_slice(&[0.0, 1.0, 1.0, 0.0], 2)?;
/// let question = Question::new(&source, &target)?.with_cost(&Uphill)?;
/// let found = Exact.answer(&question, &mut Run::default())?;
/// assert_eq!((found.cost, found.plan()?.target_of(0)), (1.0, Some(1)));
/// # Ok::<(), swgg::Error>(())
/// ```
pub trait GroundCost: Sync + Debug {
    /// What to call it in reports and messages.
    fn name(&self) -> String;

    /// What a pair costs.
    fn between(&self, x: &[f64], y: &[f64]) -> f64;

    /// Refuses points that it cannot compare: rows of both clouds.
    fn check(&self, points: [&[f64]; 2], dim: usize) -> Result<()> {
        let _ = (points, dim);
        Ok(())
    }

    /// What many pairs of one source cost: the targets are given by their coordinates, a column each.
    fn fill(&self, x: &[f64], columns: &[&[f64]], costs: &mut [f64]) {
        let mut y = vec![0.0; columns.len()];
        for (k, cost) in costs.iter_mut().enumerate() {
            y.iter_mut().zip(columns).for_each(|(y, column)| *y = column[k]);
            *cost = self.between(x, &y);
        }
    }

    /// What all pairs of some sources and some targets cost, both given as rows of `dim` coordinates: a row of costs per source. `false`, and
    /// nothing done, where there is no quicker way than [`fill`](GroundCost::fill) for each source, as products of matrices are.
    fn fill_block(&self, sources: &[f64], targets: &[f64], dim: usize, costs: &mut [f64]) -> bool {
        let _ = (sources, targets, dim, costs);
        false
    }

    /// No point of the box `low <= y <= high` costs less from `x` than this. Trees leave out what is too far by it; zero, which is
    /// always true, makes them look at everything.
    fn least(&self, x: &[f64], low: &[f64], high: &[f64]) -> f64 {
        let _ = (x, low, high);
        0.0
    }

    /// What no point of the box `low <= x <= high` costs less to `y` than. The same, unless a cost depends on the way it goes.
    fn least_to(&self, y: &[f64], low: &[f64], high: &[f64]) -> f64 {
        self.least(y, low, high)
    }

    /// Where the points are for lines and trees, which know Euclidean distances only: places whose distances say what a pair costs, or
    /// roughly so. By default where they are.
    fn embedded(&self, points: [&[f64]; 2], dim: usize) -> Result<Embedded> {
        Ok(Embedded { points: points.map(<[f64]>::to_vec), dim, is: None })
    }
}

/// Points in a space in which Euclidean distances tell costs.
#[derive(Clone, Debug)]
pub struct Embedded {
    /// Rows of both clouds.
    pub points: [Vec<f64>; 2],
    /// Their dimension.
    pub dim: usize,
    /// How they make costs; `None` if they only resemble them.
    pub is: Option<Form>,
}

/// How distances between embedded points make costs: `c(x, y) = factor |x' - y'|^p + s(x) + t(y)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Form {
    /// The power of the distance.
    pub power: Power,
    /// What it is multiplied by.
    pub factor: f64,
    /// What every plan pays for each point of both clouds, wherever it goes; empty for nothing. A plan that is the cheapest without
    /// is the cheapest with them.
    pub offsets: [Vec<f64>; 2],
}

impl Form {
    /// A power of the distance, times a factor.
    pub fn new(power: Power, factor: f64) -> Self {
        Form { power, factor, offsets: [Vec::new(), Vec::new()] }
    }

    /// Whether points pay something wherever they go.
    pub(crate) fn has_offsets(&self) -> bool {
        self.offsets.iter().any(|offsets| !offsets.is_empty())
    }
}
