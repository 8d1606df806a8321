//! The front door: settings in, a plan out.

use std::fmt;
use std::sync::Arc;

use crate::coupling::Coupling;
use crate::direction::{Direction, DirectionSet};
use crate::error::Result;
use crate::measure::Measure;
use crate::observe::Observe;
use crate::par::Parallelism;
use crate::problem::{InMemory, Problem};
use crate::scalar::Scalar;
use crate::search::{Found, RandomSearch, Scan, Search, Stop, recommended};

/// min-SWGG between two clouds with the default settings; see [`MinSwgg`].
///
/// ```
/// use swgg::Measure;
/// let source = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0], 2)?;
/// let target = Measure::from_slice(&[3.0, 1.0, 3.0, 0.0, 4.0, 0.0], 2)?;
/// let plan = swgg::min_swgg(&source, &target)?;
/// assert_eq!(plan.cost, 9.0);
/// assert_eq!(plan.coupling.target_of(0), Some(1));
/// # Ok::<(), swgg::Error>(())
/// ```
pub fn min_swgg<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> Result<Solution> {
    MinSwgg::new().solve(source, target)
}

/// min-SWGG with settings: `min_theta SWGG_2^2(mu, nu, theta)`, and the plan of the best direction found.
///
/// An upper bound of `W_2^2` that comes with a plan. Unless told how to look, it takes the [recommended](crate::recommended) search for the dimension.
/// Paper: Definition "SWGG and min-SWGG".
///
/// ```
/// use swgg::{Gradient, Measure, MinSwgg, Parallelism};
/// # let source = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0], 2)?;
/// # let target = Measure::from_slice(&[0.0, 2.0, 1.0, 2.0], 2)?;
/// let plan = MinSwgg::new().directions(500).seed(7).parallelism(Parallelism::Serial).solve(&source, &target)?;
/// assert_eq!(plan.distance(), 2.0);
/// let plan = MinSwgg::new().search(Gradient { steps: 20, ..Default::default() }).solve(&source, &target)?;
/// assert_eq!(plan.search, "gradient");
/// # Ok::<(), swgg::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct MinSwgg {
    how: How,
    seed: u64,
    parallelism: Parallelism,
    keep_costs: bool,
}

/// How to look for the direction.
#[derive(Clone, Default)]
enum How {
    #[default]
    Recommended,
    Random(usize),
    Listed(DirectionSet),
    Given(Arc<dyn Search + Send + Sync>),
}

impl MinSwgg {
    /// The default settings: the recommended search, seed 0, all threads.
    pub fn new() -> Self {
        Self::default()
    }

    /// Look at this many random directions.
    pub fn directions(mut self, directions: usize) -> Self {
        self.how = How::Random(directions);
        self
    }

    /// Try exactly these directions; the seed then does not matter.
    pub fn listed(mut self, directions: DirectionSet) -> Self {
        self.how = How::Listed(directions);
        self
    }

    /// Look in this way. A search has a seed and a `keep_costs` of its own: those set here then do not matter.
    pub fn search(mut self, search: impl Search + Send + Sync + 'static) -> Self {
        self.how = How::Given(Arc::new(search));
        self
    }

    /// Seed of random directions and of the recommended search.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// How many threads to use; the answer does not depend on it.
    pub fn parallelism(mut self, parallelism: Parallelism) -> Self {
        self.parallelism = parallelism;
        self
    }

    /// Also return the cost of every direction.
    pub fn keep_costs(mut self, keep: bool) -> Self {
        self.keep_costs = keep;
        self
    }

    /// Searches and returns the plan of the best direction.
    pub fn solve<T: Scalar>(&self, source: &Measure<T>, target: &Measure<T>) -> Result<Solution> {
        self.solve_watched(source, target, &mut ())
    }

    /// [`solve`](MinSwgg::solve) with an observer, which may show progress or stop the search.
    pub fn solve_watched<T: Scalar>(
        &self,
        source: &Measure<T>,
        target: &Measure<T>,
        watch: &mut dyn Observe,
    ) -> Result<Solution> {
        let problem = InMemory::with_parallelism(source, target, self.parallelism)?;
        let (seed, keep_costs) = (self.seed, self.keep_costs);
        match &self.how {
            How::Recommended => Solution::search(&*recommended(&problem, seed, keep_costs), &problem, watch),
            How::Random(directions) => {
                let search = RandomSearch { directions: *directions, seed, keep_costs };
                Solution::search(&search, &problem, watch)
            }
            How::Listed(sampler) => {
                let directions = sampler.len();
                Solution::search(&Scan { sampler, directions, keep_costs }, &problem, watch)
            }
            How::Given(search) => Solution::search(&**search, &problem, watch),
        }
    }
}

impl fmt::Debug for MinSwgg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = match &self.how {
            How::Recommended => "recommended".to_string(),
            How::Random(directions) => format!("{directions} random directions"),
            How::Listed(set) => format!("{} listed directions", set.len()),
            How::Given(search) => search.name().to_string(),
        };
        let MinSwgg { seed, parallelism, keep_costs, .. } = self;
        let mut shown = f.debug_struct("MinSwgg");
        shown.field("search", &how).field("seed", seed).field("parallelism", parallelism);
        shown.field("keep_costs", keep_costs).finish()
    }
}

/// A transport plan and how it was found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Solution {
    /// Cost of the plan, its mean squared displacement: an upper bound of `W_2^2`.
    pub cost: f64,
    /// The plan.
    pub coupling: Coupling,
    /// The direction that induces it.
    pub theta: Direction,
    /// How many directions were tried.
    pub tried: usize,
    /// Name of the search.
    pub search: &'static str,
    /// Why the search ended.
    pub stop: Stop,
    /// The cost of every direction tried, if they were kept.
    pub costs: Option<Vec<f64>>,
}

impl Solution {
    /// Runs any search on any problem and takes the plan of the best direction.
    pub fn search(search: &dyn Search, problem: &dyn Problem, watch: &mut dyn Observe) -> Result<Self> {
        let Found { theta, cost, tried, stop, costs, .. } = search.run(problem, watch)?;
        let coupling = problem.coupling(&theta)?;
        Ok(Solution { cost, coupling, theta, tried, search: search.name(), stop, costs })
    }

    /// Root of the cost: an upper bound of `W_2`.
    pub fn distance(&self) -> f64 {
        self.cost.sqrt()
    }
}
