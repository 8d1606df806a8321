//! The front door: settings in, a plan out.

use crate::coupling::Coupling;
use crate::direction::{Direction, DirectionSet};
use crate::error::{ErrorKind, Result};
use crate::measure::Measure;
use crate::observe::Observe;
use crate::par::Parallelism;
use crate::problem::{InMemory, Problem};
use crate::scalar::Scalar;
use crate::search::{Found, RandomSearch, Scan, Search, Stop};

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

/// min-SWGG with settings: `min_theta SWGG_2^2(mu, nu, theta)` over random directions, and the plan of the best one.
///
/// An upper bound of `W_2^2` that comes with a plan. Paper: Definition "SWGG and min-SWGG".
///
/// ```
/// use swgg::{Measure, MinSwgg, Parallelism};
/// # let source = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0], 2)?;
/// # let target = Measure::from_slice(&[0.0, 2.0, 1.0, 2.0], 2)?;
/// let plan = MinSwgg::new().directions(500).seed(7).parallelism(Parallelism::Serial).solve(&source, &target)?;
/// assert_eq!(plan.distance(), 2.0);
/// # Ok::<(), swgg::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MinSwgg {
    directions: usize,
    seed: u64,
    parallelism: Parallelism,
    keep_costs: bool,
    listed: Option<DirectionSet>,
}

impl Default for MinSwgg {
    fn default() -> Self {
        MinSwgg {
            directions: Self::DIRECTIONS,
            seed: 0,
            parallelism: Parallelism::Auto,
            keep_costs: false,
            listed: None,
        }
    }
}

impl MinSwgg {
    /// Directions tried unless told otherwise.
    pub const DIRECTIONS: usize = 200;

    /// The default settings: 200 random directions, seed 0, all threads.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many random directions to try.
    pub fn directions(mut self, directions: usize) -> Self {
        self.directions = directions;
        self
    }

    /// Seed of the random directions.
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

    /// Try exactly these directions instead of random ones; `directions` and `seed` then do not matter.
    pub fn listed(mut self, directions: DirectionSet) -> Self {
        self.listed = Some(directions);
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
        self.validate(source.dim())?;
        let problem = InMemory::with_parallelism(source, target, self.parallelism)?;
        let keep_costs = self.keep_costs;
        match &self.listed {
            Some(sampler) => {
                let directions = sampler.len();
                Solution::search(&Scan { sampler, directions, keep_costs }, &problem, watch)
            }
            None => {
                let search = RandomSearch { directions: self.directions, seed: self.seed, keep_costs };
                Solution::search(&search, &problem, watch)
            }
        }
    }

    fn validate(&self, dim: usize) -> Result<()> {
        match &self.listed {
            Some(set) if set.dim() != dim => {
                Err(ErrorKind::DirectionDimension { found: set.dim(), expected: dim }.into())
            }
            None if self.directions == 0 => Err(ErrorKind::NoDirections.into()),
            _ => Ok(()),
        }
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
