//! Plans and moves, in turn.

use std::ops::ControlFlow;

use swgg::answer::counted;
use swgg::question::Sizes;
use swgg::run::Workers;
use swgg::{Measure, Observe, Parallelism, Progress, Run, Stop};

use super::error::Result;
use super::inputs::Inputs;
use super::outcome::{Barycenter, Step};
use super::plans::{Kept, PlanMaker};
use super::settings::{Ending, Settings};

/// Share of the objective that a step must gain for the next one to have no more effort.
const GAIN_OF_AN_EFFORT: f64 = 1e-2;
/// Share that the last step gains where plans are exact: nothing, but for rounding.
const EXACT_GAIN: f64 = 1e-9;
/// The same where they are not: more effort gains more.
const ROUGH_GAIN: f64 = 1e-3;
/// Coordinates of a space in which plans take little memory.
const FEW_COORDINATES: usize = 8;
/// Pairs of points up to which several plans at the same time take little memory in any space.
const FEW_PAIRS: usize = 20_000_000;

/// Points on their way, and the best plan known to every cloud.
pub(super) struct Iteration<'a, 'b> {
    inputs: &'a Inputs<'a>,
    maker: &'a PlanMaker<'b>,
    workers: Workers,
    points: Measure<'static, f64>,
    /// Masses as they were given: scaled again at every step they would be the same to the last bit.
    masses: Option<Vec<f64>>,
    kept: Vec<Kept>,
    steps: Vec<Step>,
    sizes: Vec<Sizes>,
    max_steps: usize,
}

impl<'a, 'b> Iteration<'a, 'b> {
    pub fn new(
        inputs: &'a Inputs<'a>,
        maker: &'a PlanMaker<'b>,
        start: Measure<'static, f64>,
        settings: &Settings,
        run: &Run<'_>,
    ) -> Result<Self> {
        let size = |cloud: &&Measure<'_, f64>| Sizes { n: start.len(), m: cloud.len(), d: inputs.dim };
        let sizes: Vec<Sizes> = inputs.clouds.iter().map(size).collect();
        sizes.iter().try_for_each(|sizes| maker.validate(*sizes))?;
        let masses = start.weights().map(<[f64]>::to_vec);
        Ok(Iteration {
            inputs,
            maker,
            workers: run.workers()?,
            points: weighted(start.points().to_vec(), inputs.dim, masses.as_deref())?,
            masses,
            kept: Vec::new(),
            steps: Vec::new(),
            sizes,
            max_steps: settings.max_steps,
        })
    }

    /// Steps until the end.
    pub fn run(mut self, ending: Ending, run: &mut Run<'_>) -> Result<Barycenter> {
        let efforts = self.maker.efforts(&self.sizes);
        let is_exact = self.sizes.iter().all(|sizes| self.maker.is_exact(*sizes));
        let mut effort = efforts.map(|(first, _)| first);
        let stop = loop {
            // Other lines in every step: what some do not see others do.
            let seed = run.seed.wrapping_add(self.steps.len() as u64);
            let broken = self.plan_all(effort, seed, run)?;
            let before = self.objective();
            let shift_sq = self.step(before)?;
            let objective = self.objective();
            self.steps.push(Step { objective, shift_sq, effort });
            if let Some(stop) = broken {
                break stop;
            }
            let last = self.steps.len().checked_sub(2).map(|k| self.steps[k].objective);
            // The first step is compared with its own plans: nothing was known before.
            let gain = last.unwrap_or(f64::INFINITY) - objective;
            let is_at_rest = match ending {
                Ending::Shift(most) => shift_sq <= most,
                Ending::Gain(share) => gain <= share * objective,
                Ending::AsPlansAre => gain <= objective * if is_exact { EXACT_GAIN } else { ROUGH_GAIN },
            };
            let more = efforts.and_then(|(_, last)| effort.filter(|effort| *effort < last));
            match more {
                None if is_at_rest => break Stop::Converged,
                Some(little) if is_at_rest || gain <= GAIN_OF_AN_EFFORT * objective => {
                    effort = Some(little + 1);
                }
                _ => {}
            }
            if self.steps.len() >= self.max_steps {
                break Stop::MaxIterations;
            }
        };
        self.finish(stop)
    }

    /// Plans to all clouds, none dearer than the one before; why it has to end, if it has to.
    fn plan_all(&mut self, effort: Option<u8>, seed: u64, run: &mut Run<'_>) -> Result<Option<Stop>> {
        let (count, threads) = (self.inputs.clouds.len(), self.workers.count());
        let is_first = self.kept.is_empty();
        // A cloud for each thread where there are enough of them, otherwise all threads for one cloud.
        let fits = |s: &Sizes| s.d <= FEW_COORDINATES || s.n.saturating_mul(s.m) <= FEW_PAIRS;
        let at_once = if count >= threads && self.sizes.iter().all(fits) { threads } else { 1 };
        let best = self.steps.last().map_or(f64::INFINITY, |step| step.objective);
        let mut stop = None;
        for first in (0..count).step_by(at_once) {
            let progress =
                Progress { tried: self.steps.len() * count + first, total: self.max_steps * count, best };
            if run.progress(&progress) == ControlFlow::Break(()) {
                stop = Some(if run.is_late { Stop::TimeLimit } else { Stop::Interrupted });
                // Without a plan to every cloud there is no answer; those that are missing are made in a hurry.
                if !is_first {
                    return Ok(stop);
                }
            }
            let (gap, halt) = (run.gap, self.workers.halt());
            let made = |k: usize, parallelism: Parallelism| {
                let (cloud, kept) = (self.inputs.clouds[k], self.kept.get(k));
                let mut part =
                    Run { seed, parallelism, gap, halt: halt.clone(), ..Run::default().without_bounds() };
                self.maker.plan([&self.points, cloud], kept, effort, &mut part)
            };
            let made = if at_once == 1 {
                vec![self.workers.run(|parallelism| made(first, parallelism))]
            } else {
                let some = at_once.min(count - first);
                self.workers.map(some, |k| made(first + k, Parallelism::Serial))
            };
            for (k, kept) in (first..).zip(made) {
                let kept = kept?;
                if is_first { self.kept.push(kept) } else { self.kept[k] = kept }
            }
        }
        // Plans that were cut short are plans, but not what was asked for.
        if stop.is_none() && self.workers.is_halted() {
            let progress =
                Progress { tried: (self.steps.len() + 1) * count, total: self.max_steps * count, best };
            let told = run.progress(&progress);
            stop = told.is_break().then_some(if run.is_late { Stop::TimeLimit } else { Stop::Interrupted });
        }
        Ok(stop)
    }

    /// `sum_i w_i` times the cost of the plan to cloud `i`.
    fn objective(&self) -> f64 {
        self.inputs.weights.iter().zip(&self.kept).map(|(weight, kept)| weight * kept.cost).sum()
    }

    /// Moves every point to the mean of the places its mass goes to, if that is no worse than before; returns how far.
    fn step(&mut self, before: f64) -> Result<f64> {
        let mut places = vec![0.0; self.points.points().len()];
        for ((cloud, weight), kept) in self.inputs.clouds.iter().zip(&self.inputs.weights).zip(&self.kept) {
            let image = kept.coupling.barycentric_map(&self.points, cloud)?;
            places.iter_mut().zip(&image).for_each(|(place, x)| *place += weight * x);
        }
        let moved = weighted(places, self.inputs.dim, self.masses.as_deref())?;
        let costs = self.inputs.clouds.iter().zip(&self.kept);
        let costs =
            costs.map(|(cloud, kept)| kept.after_move(&moved, cloud)).collect::<Result<Vec<f64>>>()?;
        let after: f64 = self.inputs.weights.iter().zip(&costs).map(|(weight, cost)| weight * cost).sum();
        // The mean is the best place; only rounding can say otherwise.
        if after > before {
            return Ok(0.0);
        }
        let squares = self.points.points().iter().zip(moved.points()).map(|(a, b)| (a - b) * (a - b));
        let shift_sq = squares.sum();
        self.kept.iter_mut().zip(costs).for_each(|(kept, cost)| kept.cost = cost);
        self.points = moved;
        Ok(shift_sq)
    }

    fn finish(self, stop: Stop) -> Result<Barycenter> {
        let (inputs, objective) = (self.inputs, self.objective());
        let method = self.maker.method().name;
        let is_exact = self.sizes.iter().all(|sizes| self.maker.is_exact(*sizes));
        let plans = match self.steps.iter().filter_map(|step| step.effort).max() {
            Some(1) => "plans by auto with effort 1".to_string(),
            Some(effort) => format!("plans by auto with efforts from 1 to {effort}"),
            None if is_exact => "exact plans, each from the one before".to_string(),
            None => format!("plans by {method}"),
        };
        let (points, steps) = (counted(self.points.len(), "point"), counted(self.steps.len(), "step"));
        let (costs, couplings) = self.kept.into_iter().map(|kept| (kept.cost, kept.coupling)).unzip();
        Ok(Barycenter {
            support: self.points,
            weights: inputs.all_weights.clone(),
            objective,
            lower_bound: None,
            costs: inputs.spread(costs),
            plans: inputs.spread(couplings),
            steps: self.steps,
            is_geodesic: false,
            method,
            stop,
            story: format!("{points} to the means of their plans in {steps}, {plans}"),
        })
    }
}

/// Points with these masses.
fn weighted(points: Vec<f64>, dim: usize, masses: Option<&[f64]>) -> Result<Measure<'static, f64>> {
    let points = Measure::from_vec(points, dim)?;
    Ok(match masses {
        Some(masses) => points.with_weights(masses)?,
        None => points,
    })
}
