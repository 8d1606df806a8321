//! The direction: given, or found on a sample that fits into memory.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};
use swgg::line::Direction;
use swgg::{Measure, MinSwgg, Observe, Parallelism, Progress, Question, Run, Solver, Stop};

use crate::error::{Error, Result};
use crate::meter::Meter;
use crate::survey::{Sampled, Survey};

/// How a direction was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChosenDirection {
    /// The unit vector.
    pub theta: Vec<f64>,
    /// In words.
    pub story: String,
    /// What the sample said, if there was a search.
    pub sample: Option<SampleFacts>,
}

/// What a search on a sample found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampleFacts {
    /// Points of the source and of the target in the sample.
    pub points: [usize; 2],
    /// Cost of the plan of the sample at the direction.
    pub cost: f64,
    /// Standard error of that cost, by the spread of the costs of its pairs.
    pub standard_error: f64,
}

/// Listens to Ctrl-C for a search.
pub(crate) struct Listener(Arc<AtomicBool>);

impl Listener {
    pub fn new(meter: &Meter) -> Self {
        Listener(meter.flag())
    }
}

impl Observe for Listener {
    fn progress(&mut self, _: &Progress) -> ControlFlow<()> {
        if self.0.load(std::sync::atomic::Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn flag(&self) -> Option<Arc<AtomicBool>> {
        Some(self.0.clone())
    }
}

/// A direction that was given.
pub(crate) fn given(vector: &[f64], dim: usize) -> Result<ChosenDirection> {
    if vector.len() != dim {
        return Err(Error::Setting(format!(
            "--direction has {} coordinates, the points have {dim}; give one number per column",
            vector.len()
        )));
    }
    let theta = Direction::new(vector)?.as_slice().to_vec();
    Ok(ChosenDirection { theta, story: "given direction".to_string(), sample: None })
}

/// The points of a sample as a measure.
pub(crate) fn measure(sample: &[Sampled], dim: usize) -> Result<Measure<'static, f64>> {
    let points: Vec<f64> = sample.iter().flat_map(|point| point.point.iter().copied()).collect();
    let weights: Vec<f64> = sample.iter().map(|point| point.units as f64).collect();
    Ok(Measure::from_vec(points, dim)?.with_weights(&weights)?)
}

/// The winner of a search on the sample.
pub(crate) fn on_sample(
    survey: &Survey,
    dim: usize,
    directions: Option<usize>,
    seed: u64,
    threads: usize,
    meter: &Meter,
) -> Result<ChosenDirection> {
    meter.begin("looking for the direction on a sample", 0);
    let [source, target] = &survey.samples;
    let (source, target) = (measure(source, dim)?, measure(target, dim)?);
    let mut method = MinSwgg::new();
    if let Some(directions) = directions {
        method = method.directions(directions);
    }
    let mut listener = Listener::new(meter);
    let run = Run { seed, parallelism: Parallelism::from_count(threads), ..Run::default() };
    let mut run = run.without_bounds().watched(&mut listener);
    let question = Question::new(&source, &target)?;
    let found = method.answer(&question, &mut run)?;
    if found.stop == Stop::Interrupted {
        return Err(Error::Interrupted);
    }
    let theta = found.direction.as_ref().map(|theta| theta.as_slice().to_vec()).unwrap_or_default();
    let mean = found.cost;
    let spread: f64 = found
        .plan()?
        .entries()
        .map(|(i, j, mass)| {
            let cost = swgg::cost::Cost::between(&swgg::cost::SqEuclidean, source.point(i), target.point(j));
            mass * (cost - mean).powi(2)
        })
        .sum();
    let points = [source.len(), target.len()];
    let standard_error = (spread / points[0].min(points[1]) as f64).sqrt();
    Ok(ChosenDirection {
        theta,
        story: found.story,
        sample: Some(SampleFacts { points, cost: mean, standard_error }),
    })
}
