//! Descent along the gradient of the smoothed surrogate: the paper's optimisation.

use super::descent::{Optimizer, Walker, faded};
use super::record::Record;
use super::registry::{
    BLUR, COPIES, KEEP_COSTS, LEARNING_RATE, OPTIMIZER, START, STARTS, STEPS, SearchKind, optimizer,
};
use super::{Search, SearchOutcome, start};
use crate::error::Result;
use crate::line::direction::{Direction, DirectionSet};
use crate::number::range::{positive, some, some_steps};
use crate::paper::slices::Slices;
use crate::paper::smooth::{Blur, BlurWidth};
use crate::run::observe::Observe;
use crate::run::stop::Stop;

/// min-SWGG by gradient descent on its [smoothed](crate::paper::Smoothed) surrogate, from several starts.
///
/// ```text
/// theta <- theta - eta grad,    theta <- theta / |theta|
/// ```
///
/// Starts are the best of the principal axes and of 32 random directions; every direction on the way, and two on either side of
/// each step, are evaluated without blur and the best one is kept, so the result is never worse than any of them. The rate falls to nothing along half a cosine.
/// Gradients are divided by the cost, so that rates have no unit. `O(s n d + s n)` time per step and start (`O(n d + s n)` from dimension 64 on), `O(s n + n d)`
/// memory: copies are numbers along the line, and each cloud is held twice as `f64`.
///
/// Paper: Section 4.3 "Optimization scheme for min-SWGG" and Supp. "Smoothing of SWGG" (whose update has the wrong sign).
#[derive(Clone, Debug)]
pub struct Gradient {
    /// Steps from each start.
    pub steps: usize,
    /// How many starts.
    pub starts: usize,
    /// Length of the first steps, `eta`.
    pub learning_rate: f64,
    /// How a gradient becomes a step.
    pub optimizer: Optimizer,
    /// Copies and blur of the surrogate.
    pub blur: Blur,
    /// A direction to start from, besides those chosen.
    pub start: Option<Direction>,
    /// Seed of the random starts.
    pub seed: u64,
    /// Whether to keep the cost of every direction.
    pub keep_costs: bool,
}

/// Beside each step, a shorter and a longer one are tried: without blur they cost little, and the landscape is rough.
const OTHER_LENGTHS: [f64; 2] = [0.3, 3.0];

impl Default for Gradient {
    fn default() -> Self {
        Gradient {
            steps: 100,
            starts: 2,
            learning_rate: 5e-2,
            optimizer: Optimizer::Adam,
            blur: Blur::default(),
            start: None,
            seed: 0,
            keep_costs: false,
        }
    }
}

impl Gradient {
    /// Its line in the list of searches.
    pub(super) const KIND: SearchKind = SearchKind {
        name: "gradient",
        about: "Descent on a smoothed cost, the optimisation of the paper",
        settings: &[&START, &STEPS, &STARTS, &COPIES, &BLUR, &LEARNING_RATE, &OPTIMIZER],
        build: |settings, seed, dim| {
            let usual = Gradient::default();
            let width = settings.number(&BLUR).map_or(usual.blur.width, BlurWidth::Epsilon);
            Ok(Box::new(Gradient {
                steps: settings.count(&STEPS).unwrap_or(usual.steps),
                starts: settings.count(&STARTS).unwrap_or(usual.starts),
                learning_rate: settings.number(&LEARNING_RATE).unwrap_or(usual.learning_rate),
                optimizer: optimizer(settings),
                blur: Blur { copies: settings.count(&COPIES), width, seed },
                start: settings.direction(&START, dim)?,
                seed,
                keep_costs: settings.flag(&KEEP_COSTS),
            }))
        },
    };
}

impl Search for Gradient {
    fn name(&self) -> &'static str {
        "gradient"
    }

    fn validate(&self) -> Result<()> {
        some_steps(self.steps)?;
        some("the number of starts", self.starts)?;
        positive("the learning rate", self.learning_rate)?;
        self.blur.validate()
    }

    fn run(&self, problem: &dyn Slices, watch: &mut dyn Observe) -> Result<SearchOutcome> {
        self.validate()?;
        let candidates = start::candidates(problem, self.start.as_ref(), self.starts, self.seed)?;
        let per_step = self.starts * (1 + OTHER_LENGTHS.len());
        let total = per_step.saturating_mul(self.steps).saturating_add(candidates.len());
        let mut record = Record::new(problem, watch, total, self.keep_costs);
        let starts = start::choose(&candidates, self.start.as_ref(), self.starts, &mut record)?;
        let mut costs: Vec<f64> = starts.iter().map(|(_, cost)| *cost).collect();
        let mut walkers: Vec<Walker> =
            starts.into_iter().map(|(theta, _)| Walker::new(theta, self.optimizer)).collect();
        let mut stop = Stop::MaxIterations;
        for step in 0..self.steps {
            if record.interrupted() {
                break;
            }
            let rate = faded(self.learning_rate, step, self.steps);
            let mut thetas = DirectionSet::with_capacity(problem.dim(), walkers.len());
            walkers.iter().for_each(|walker| thetas.push(walker.theta()));
            let slopes = problem.slopes(&thetas, &self.blur)?;
            let mut moved = false;
            let mut nearby = DirectionSet::with_capacity(problem.dim(), 3 * walkers.len());
            for ((walker, slope), cost) in walkers.iter_mut().zip(&slopes).zip(&costs) {
                let scale = if *cost > 0.0 { *cost } else { 1.0 };
                let gradient: Vec<f64> = slope.iter().map(|g| g / scale).collect();
                let before = walker.theta().clone();
                moved |= walker.step(&gradient, rate);
                nearby.push(walker.theta());
                for share in OTHER_LENGTHS {
                    nearby.push(&between(&before, walker.theta(), share)?);
                }
            }
            if !moved {
                stop = Stop::Converged;
                break;
            }
            let seen = record.costs(&nearby)?;
            for (cost, seen) in costs.iter_mut().zip(seen.chunks(1 + OTHER_LENGTHS.len())) {
                *cost = seen[0];
            }
        }
        record.finish(stop)
    }
}

/// The direction at `share` of the way from one to another, or beyond.
fn between(from: &Direction, to: &Direction, share: f64) -> Result<Direction> {
    let pairs = from.as_slice().iter().zip(to.as_slice());
    // Steps are much shorter than a quarter turn; a sum that vanishes would need one of half a turn.
    Direction::new(&pairs.map(|(f, t)| f + share * (t - f)).collect::<Vec<_>>()).or_else(|_| Ok(to.clone()))
}
