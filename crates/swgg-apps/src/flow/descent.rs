//! The loop: measure, step, again.

use std::time::Instant;

use swgg::ndarray::Array2;
use swgg::run::Workers;
use swgg::{Measure, Observe, Parallelism, Progress, Scalar, Stop};

use super::error::{Error, Result};
use super::judge::Judge;
use super::loss::Loss;
use super::optimizer::Mover;
use super::outcome::{Flow, Snapshot, Step};
use super::settings::Settings;
use super::slope::{Slope, Sloped, Turn, slope};

/// Coordinates looked at in a step, below which one thread is quicker than several.
const MIN_SHARED_WORK: f64 = 4e6;

/// Particles from the source towards the target, along the gradient of a loss.
///
/// Weights stay with their points, sizes may differ, and points without mass stay where they are. Step `k` depends on the seed and on
/// `k` only, besides the particles. Paper: Section "Gradient Flows" and Supp. "Gradient Flows".
///
/// ```
/// use swgg::Measure;
/// use swgg_apps::flow::{Loss, Settings, flow};
/// let source = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0], 2)?;
/// let target = Measure::from_slice(&[2.0, 1.0, 3.0, 1.0, 2.0, 2.0], 2)?;
/// let settings = Settings { loss: Loss::Auto { effort: 5 }, rate: 0.05, steps: 400, ..Default::default() };
/// let found = flow(&source, &target, &settings)?;
/// assert!(found.w2().is_some_and(|distance| distance < 1e-3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Clouds of different dimension, settings that make no sense, and steps so long that particles leave all bounds.
pub fn flow<T: Scalar>(source: &Measure<T>, target: &Measure<T>, settings: &Settings) -> Result<Flow> {
    flow_watched(source, target, settings, &mut ())
}

/// [`flow`] with an observer, which is told about every step and may stop: then the particles are where they have come to.
pub fn flow_watched<T: Scalar>(
    source: &Measure<T>,
    target: &Measure<T>,
    settings: &Settings,
    watch: &mut dyn Observe,
) -> Result<Flow> {
    settings.validate()?;
    let target = in_double(target)?;
    let mut descent = Descent {
        settings,
        dim: source.dim(),
        points: coordinates(source),
        weights: source.weights().map(<[f64]>::to_vec),
        target: &target,
        slope: slope(&settings.loss),
        judge: Judge::new(settings.exact_every, (source.len(), target.len())),
        mover: Mover::new(settings.optimizer, settings.rate, source.points().len()),
        workers: Workers::new(settings.parallelism)?,
        found: Flow {
            points: Array2::zeros((0, 0)),
            story: Vec::new(),
            snapshots: Vec::new(),
            steps: 0,
            search: None,
            stop: Stop::MaxIterations,
            seconds: [0.0; 2],
        },
    };
    descent.run(watch)?;
    let Descent { points, slope, found, dim, .. } = descent;
    Ok(Flow { points: rows(points, dim)?, search: slope.search(), ..found })
}

/// A loss and its gradient in the points of the source, one row per point, as the first step of a flow with this seed sees them.
///
/// # Errors
///
/// Clouds of different dimension, and settings of the loss that make no sense.
pub fn gradient<T: Scalar>(
    source: &Measure<T>,
    target: &Measure<T>,
    loss: &Loss,
    seed: u64,
) -> Result<(f64, Array2<f64>)> {
    let (mu, nu) = (in_double(source)?, in_double(target)?);
    let turn = Turn::new(seed, 0, Parallelism::Auto, None);
    let Sloped { loss, gradient, .. } = slope(loss).at(&mu, &nu, &turn)?;
    Ok((loss, rows(gradient, source.dim())?))
}

fn coordinates<T: Scalar>(measure: &Measure<T>) -> Vec<f64> {
    measure.points().iter().map(|x| x.to_f64()).collect()
}

fn in_double<T: Scalar>(measure: &Measure<T>) -> Result<Measure<'static, f64>> {
    Ok(weighted(Measure::from_vec(coordinates(measure), measure.dim())?, measure.weights())?)
}

fn weighted<'a>(points: Measure<'a, f64>, weights: Option<&[f64]>) -> swgg::Result<Measure<'a, f64>> {
    match weights {
        Some(weights) => points.with_weights(weights),
        None => Ok(points),
    }
}

fn rows(points: Vec<f64>, dim: usize) -> Result<Array2<f64>> {
    let shape = (points.len() / dim, dim);
    // As many numbers as there are places.
    Array2::from_shape_vec(shape, points)
        .map_err(|_| swgg::Error::from(swgg::ErrorKind::RaggedBuffer { len: shape.0 * dim, dim }).into())
}

/// A flow under way.
struct Descent<'a> {
    settings: &'a Settings,
    dim: usize,
    points: Vec<f64>,
    weights: Option<Vec<f64>>,
    target: &'a Measure<'a, f64>,
    slope: Box<dyn Slope>,
    judge: Judge,
    mover: Mover,
    workers: Workers,
    found: Flow,
}

impl Descent<'_> {
    fn run(&mut self, watch: &mut dyn Observe) -> Result<()> {
        let Settings { steps, rate, seed, .. } = *self.settings;
        // One more round than there are steps: the last one only looks.
        for step in 0..=steps {
            let turn = Turn::new(seed, step, self.parallelism(), watch.flag());
            let clock = Instant::now();
            let Some(Sloped { loss, gradient, is_optimal }) = self.measured(&turn)? else { break };
            self.found.seconds[0] += clock.elapsed().as_secs_f64();
            let vanishes = gradient.iter().all(|g| *g == 0.0);
            let is_last = step == steps || vanishes;
            let w2 = self.distance(step, is_last, is_optimal.then_some(loss), &turn)?;
            self.found.story.push(Step { step, loss, w2 });
            self.keep(step, is_last)?;
            let told = watch.progress(&Progress { tried: step, total: steps, best: loss });
            if is_last {
                self.found.stop = if step == steps { Stop::MaxIterations } else { Stop::Converged };
                return Ok(());
            }
            if told.is_break() || turn.is_halted() {
                break;
            }
            let clock = Instant::now();
            self.mover.step(&mut self.points, &gradient);
            self.found.seconds[0] += clock.elapsed().as_secs_f64();
            self.found.steps = step + 1;
            let within = |x: &f64| x.abs() <= Measure::<f64>::LARGEST_COORDINATE;
            if !self.points.iter().all(within) {
                return Err(Error::Diverged { step: step + 1, rate });
            }
        }
        self.found.stop = Stop::Interrupted;
        let step = self.found.steps;
        self.keep(step, true)
    }

    /// Threads, where there is enough to do for them.
    fn parallelism(&self) -> Parallelism {
        let both = (self.points.len() / self.dim + self.target.len()) as f64;
        let work = both * (self.dim + 16) as f64 * Loss::DIRECTIONS as f64;
        if work < MIN_SHARED_WORK { Parallelism::Serial } else { self.workers.parallelism() }
    }

    /// The loss and its gradient; `None` if told to stop meanwhile.
    fn measured(&mut self, turn: &Turn) -> Result<Option<Sloped>> {
        let Descent { points, weights, target, slope, dim, workers, .. } = self;
        let mu = weighted(Measure::from_slice(points, *dim)?, weights.as_deref())?;
        let mut task = || slope.at(&mu, target, turn);
        let sloped = if turn.parallelism == Parallelism::Serial { task() } else { workers.install(task) };
        // What was stopped in the middle is not the gradient of anything.
        if turn.is_halted() { Ok(None) } else { sloped.map(Some) }
    }

    /// The exact distance, where it is due: known already if the loss is its square.
    fn distance(
        &mut self,
        step: usize,
        is_last: bool,
        known: Option<f64>,
        turn: &Turn,
    ) -> Result<Option<f64>> {
        if known.is_some() || !self.judge.is_due(step, is_last) {
            return Ok(known.map(|cost| cost.max(0.0).sqrt()));
        }
        let clock = Instant::now();
        let Descent { points, weights, target, judge, dim, workers, .. } = self;
        let mu = weighted(Measure::from_slice(points, *dim)?, weights.as_deref())?;
        let mut task = || judge.distance(&mu, target, turn);
        let found = if turn.parallelism == Parallelism::Serial { task() } else { workers.install(task) };
        self.found.seconds[1] += clock.elapsed().as_secs_f64();
        found
    }

    /// Keeps the particles, where that was asked for.
    fn keep(&mut self, step: usize, is_last: bool) -> Result<()> {
        let is_kept = self.found.snapshots.last().is_some_and(|last| last.step == step);
        let is_due = self.settings.every.is_some_and(|every| is_last || step.is_multiple_of(every));
        if is_due && !is_kept {
            let points = rows(self.points.clone(), self.dim)?;
            self.found.snapshots.push(Snapshot { step, points });
        }
        Ok(())
    }
}
