//! Simulated annealing.

use super::descent::tangent;
use super::record::Record;
use super::registry::{KEEP_COSTS, REACH, RESTARTS, START, STEPS, SearchKind, TOLERANCE};
use super::{Search, SearchOutcome, start};
use crate::error::Result;
use crate::line::direction::{Direction, DirectionSet};
use crate::line::sampler::Gaussians;
use crate::number::range::{positive, some, some_steps};
use crate::paper::slices::Slices;
use crate::run::observe::Observe;
use crate::run::stop::Stop;

/// min-SWGG by simulated annealing: random steps that shorten as it cools, worse ones accepted now and then.
///
/// ```text
/// T_k = 1 - (k + 1)/K,    theta' = normalised(theta + r T_k g),    accepted if u < exp(-(c' - c) / (T_k c_T))
/// ```
///
/// `g` is Gaussian along the sphere with unit mean square length, `r` the [`reach`](Annealing::reach), `u` uniform, and `c_T`
/// a [`tolerance`](Annealing::tolerance) times the current cost, so that nothing has a unit. The schedule of temperatures is
/// the paper's (Supp. "Computing min-SWGG"), which leaves the proposal open. Walks start from the best of the principal axes and of 32 random
/// directions, and each is independent of the others; they are evaluated side by side. `K` evaluations per walk.
#[derive(Clone, Debug)]
pub struct Annealing {
    /// Steps of each walk, `K`.
    pub steps: usize,
    /// Further walks, each from its own start.
    pub restarts: usize,
    /// Length of a proposal at temperature 1.
    pub reach: f64,
    /// At temperature 1, a cost worse by this share is accepted with probability `1/e`.
    pub tolerance: f64,
    /// A direction for the first walk to start from.
    pub start: Option<Direction>,
    /// Seed of starts, proposals and acceptances.
    pub seed: u64,
    /// Whether to keep the cost of every direction.
    pub keep_costs: bool,
}

impl Default for Annealing {
    fn default() -> Self {
        Annealing {
            steps: 500,
            restarts: 0,
            reach: 0.5,
            tolerance: 0.01,
            start: None,
            seed: 0,
            keep_costs: false,
        }
    }
}

impl Annealing {
    /// Its line in the list of searches.
    pub(super) const KIND: SearchKind = SearchKind {
        name: "annealing",
        about: "Simulated annealing, with the schedule of the paper",
        settings: &[&START, &STEPS, &RESTARTS, &REACH, &TOLERANCE],
        build: |settings, seed, dim| {
            let usual = Annealing::default();
            Ok(Box::new(Annealing {
                steps: settings.count(&STEPS).unwrap_or(usual.steps),
                restarts: settings.count(&RESTARTS).unwrap_or(usual.restarts),
                reach: settings.number(&REACH).unwrap_or(usual.reach),
                tolerance: settings.number(&TOLERANCE).unwrap_or(usual.tolerance),
                start: settings.direction(&START, dim)?,
                seed,
                keep_costs: settings.flag(&KEEP_COSTS),
            }))
        },
    };
}

impl Search for Annealing {
    fn name(&self) -> &'static str {
        "annealing"
    }

    fn validate(&self) -> Result<()> {
        some_steps(self.steps)?;
        positive("the reach of a proposal", self.reach)?;
        positive("the tolerance", self.tolerance)?;
        some("the number of walks", self.restarts.saturating_add(1))
    }

    fn run(&self, problem: &dyn Slices, watch: &mut dyn Observe) -> Result<SearchOutcome> {
        self.validate()?;
        let walks = self.restarts.saturating_add(1);
        let candidates = start::candidates(problem, self.start.as_ref(), walks, self.seed)?;
        let total = walks.saturating_mul(self.steps).saturating_add(candidates.len());
        let mut record = Record::new(problem, watch, total, self.keep_costs);
        let mut states = start::choose(&candidates, self.start.as_ref(), walks, &mut record)?;
        // A stream for each walk, none of them the stream of a start.
        let mut streams: Vec<Gaussians> =
            (0..states.len()).map(|walk| Gaussians::new(self.seed, usize::MAX - walk)).collect();
        for k in 0..self.steps {
            if record.interrupted() {
                break;
            }
            let temperature = 1.0 - (k + 1) as f64 / self.steps as f64;
            let mut proposals = DirectionSet::with_capacity(problem.dim(), states.len());
            for ((theta, _), stream) in states.iter().zip(&mut streams) {
                // The last temperature is zero; a proposal must still move.
                let length = self.reach * temperature.max(0.5 / self.steps as f64);
                proposals.push(&proposal(theta, length, stream)?);
            }
            let costs = record.costs(&proposals)?;
            for (walk, &cost) in costs.iter().enumerate() {
                let (theta, current) = &mut states[walk];
                let worse = (cost - *current) / (self.tolerance * *current);
                if streams[walk].uniform() < (-worse / temperature).exp() || cost <= *current {
                    (*theta, *current) = (proposals.get(walk), cost);
                }
            }
        }
        record.finish(Stop::MaxIterations)
    }
}

/// A direction about `length` away.
fn proposal(theta: &Direction, length: f64, stream: &mut Gaussians) -> Result<Direction> {
    let mut noise = vec![0.0; theta.dim()];
    stream.fill(&mut noise);
    let scale = length / (theta.dim().max(2) as f64 - 1.0).sqrt();
    let step = tangent(&noise, theta);
    let moved: Vec<f64> = theta.as_slice().iter().zip(&step).map(|(t, g)| t + scale * g).collect();
    Direction::new(&moved)
}
