//! Descent along a gradient estimated from perturbed directions.

use super::descent::{Optimizer, Walker, faded, tangent};
use super::record::Record;
use super::registry::{
    KEEP_COSTS, LEARNING_RATE, OPTIMIZER, PAIRS, RADIUS, START, STEPS, SearchKind, optimizer,
};
use super::{Search, SearchOutcome, start};
use crate::error::Result;
use crate::line::direction::norm;
use crate::line::direction::{Direction, DirectionSet};
use crate::line::sampler::Gaussians;
use crate::number::range::{positive, some, some_steps};
use crate::paper::slices::Slices;
use crate::run::observe::Observe;
use crate::run::stop::Stop;

/// min-SWGG by gradient descent with Stein's estimate of the gradient: no blur, only costs of nearby directions.
///
/// ```text
/// grad ~ (d - 1)/(2 P r) sum_p (h(theta + r z_p) - h(theta - r z_p)) z_p,    h = SWGG_2^2
/// ```
///
/// `z_p` are unit vectors along the sphere, in antithetic pairs: both signs of each, which also cancels `h(theta)`, the usual
/// control variate. Vectors of a step are orthogonal to each other as far as there is room. `2 P` evaluations per step, all in one batch, each of a
/// direction that may itself be the best. The radius falls with the rate.
#[derive(Clone, Debug)]
pub struct Stein {
    /// Steps.
    pub steps: usize,
    /// Antithetic pairs per step, `P`.
    pub pairs: usize,
    /// How far perturbed directions are at first, `r`.
    pub radius: f64,
    /// Length of the first steps.
    pub learning_rate: f64,
    /// How a gradient becomes a step.
    pub optimizer: Optimizer,
    /// A direction to start from, instead of the best of the principal axes and of 32 random directions.
    pub start: Option<Direction>,
    /// Seed of starts and perturbations.
    pub seed: u64,
    /// Whether to keep the cost of every direction.
    pub keep_costs: bool,
}

impl Default for Stein {
    fn default() -> Self {
        Stein {
            steps: 25,
            pairs: 8,
            radius: 0.2,
            learning_rate: 5e-2,
            optimizer: Optimizer::Adam,
            start: None,
            seed: 0,
            keep_costs: false,
        }
    }
}

impl Stein {
    /// Its line in the list of searches.
    pub(super) const KIND: SearchKind = SearchKind {
        name: "stein",
        about: "Descent by the costs of nearby directions, in pairs: good in high dimensions",
        settings: &[&START, &STEPS, &PAIRS, &RADIUS, &LEARNING_RATE, &OPTIMIZER],
        build: |settings, seed, dim| {
            let usual = Stein::default();
            Ok(Box::new(Stein {
                steps: settings.count(&STEPS).unwrap_or(usual.steps),
                pairs: settings.count(&PAIRS).unwrap_or(usual.pairs),
                radius: settings.number(&RADIUS).unwrap_or(usual.radius),
                learning_rate: settings.number(&LEARNING_RATE).unwrap_or(usual.learning_rate),
                optimizer: optimizer(settings),
                start: settings.direction(&START, dim)?,
                seed,
                keep_costs: settings.flag(&KEEP_COSTS),
            }))
        },
    };
}

impl Search for Stein {
    fn name(&self) -> &'static str {
        "stein"
    }

    fn validate(&self) -> Result<()> {
        some_steps(self.steps)?;
        some("the number of pairs", self.pairs)?;
        positive("the radius", self.radius)?;
        positive("the learning rate", self.learning_rate)
    }

    fn run(&self, problem: &dyn Slices, watch: &mut dyn Observe) -> Result<SearchOutcome> {
        self.validate()?;
        let candidates = start::candidates(problem, self.start.as_ref(), 1, self.seed)?;
        let total = (2 * self.pairs).saturating_mul(self.steps).saturating_add(candidates.len());
        let mut record = Record::new(problem, watch, total, self.keep_costs);
        let mut starts = start::choose(&candidates, self.start.as_ref(), 1, &mut record)?;
        let Some((theta, _)) = starts.pop() else { return record.finish(Stop::Interrupted) };
        let mut walker = Walker::new(theta, self.optimizer);
        let mut stop = Stop::MaxIterations;
        for step in 0..self.steps {
            if record.interrupted() {
                break;
            }
            // Streams from the far end: none of them is the stream of a start.
            let mut stream = Gaussians::new(self.seed, usize::MAX - step);
            let radius = faded(self.radius, step, self.steps).max(0.05 * self.radius);
            let noise = perturbations(walker.theta(), self.pairs, &mut stream);
            if noise.is_empty() {
                stop = Stop::Converged;
                break;
            }
            let mut nearby = DirectionSet::with_capacity(problem.dim(), 2 * noise.len());
            for (z, sign) in noise.iter().flat_map(|z| [(z, radius), (z, -radius)]) {
                let moved = walker.theta().as_slice().iter().zip(z).map(|(t, z)| t + sign * z);
                nearby.push(&Direction::new(&moved.collect::<Vec<_>>())?);
            }
            let costs = record.costs(&nearby)?;
            if costs.len() < nearby.len() {
                break;
            }
            let scale = costs.iter().sum::<f64>() / costs.len() as f64;
            let share = (problem.dim() - 1) as f64 / noise.len() as f64;
            let mut gradient = vec![0.0; problem.dim()];
            for (z, pair) in noise.iter().zip(costs.chunks_exact(2)) {
                let slope = (pair[0] - pair[1]) / (2.0 * radius * if scale > 0.0 { scale } else { 1.0 });
                gradient.iter_mut().zip(z).for_each(|(g, z)| *g += share * slope * z);
            }
            if !walker.step(&gradient, faded(self.learning_rate, step, self.steps)) {
                stop = Stop::Converged;
                break;
            }
        }
        record.finish(stop)
    }
}

/// Unit vectors along the sphere at `theta`, orthogonal to each other in groups of `d - 1`; none on the line.
fn perturbations(theta: &Direction, count: usize, stream: &mut Gaussians) -> Vec<Vec<f64>> {
    let room = theta.dim() - 1;
    let mut all: Vec<Vec<f64>> = Vec::with_capacity(count);
    while room > 0 && all.len() < count {
        let group = all.len() - all.len() % room;
        let mut others: Vec<Direction> = vec![theta.clone()];
        others.extend(all[group..].iter().filter_map(|z| Direction::new(z).ok()));
        let fresh = stream.direction(theta.dim(), &others);
        debug_assert!(norm(&tangent(fresh.as_slice(), theta)) > 0.999);
        all.push(fresh.as_slice().to_vec());
    }
    all
}
