//! The distances between all labels of two data sets.

use std::ops::ControlFlow;

use swgg::ndarray::Array2;
use swgg::paper::SearchSpec;
use swgg::run::Workers;
use swgg::solver::Sinkhorn;
use swgg::{Auto, Exact, Measure, MinSwgg, Observe, Parallelism, Progress, Question, Run, Solver};

use super::bures::Factor;
use super::data_set::DataSet;
use super::error::{Error, Result};
use super::label_distance::LabelDistance;

/// Pairs of points up to which two classes are compared in a moment.
const FEW_PAIRS: usize = 250_000;
/// Pairs of classes that a thread compares between two looks at the observer, where each takes a moment.
const AT_ONCE: usize = 4;

/// A data set, and what is computed once for each of its classes.
pub(super) struct Prepared<'a> {
    pub set: &'a DataSet,
    /// For Bures only.
    factors: Vec<Factor>,
}

/// How far a search for all distances has come.
#[derive(Clone, Copy)]
pub(super) struct Counted {
    pub done: usize,
    pub total: usize,
}

impl Counted {
    /// Tells the observer; whether to go on.
    pub fn tell(self, run: &mut Run<'_>) -> bool {
        run.progress(&Progress { tried: self.done, total: self.total, best: f64::INFINITY })
            == ControlFlow::Continue(())
    }
}

impl<'a> Prepared<'a> {
    pub fn new(set: &'a DataSet, distance: &LabelDistance, workers: &Workers) -> Result<Self> {
        let factors = match distance {
            LabelDistance::Bures => workers
                .map(set.classes(), |class| {
                    if workers.is_halted() {
                        return Err(Error::Stopped);
                    }
                    Factor::of(set.class(class), set.dim())
                })
                .into_iter()
                .collect::<Result<Vec<_>>>()?,
            _ => Vec::new(),
        };
        Ok(Prepared { set, factors })
    }

    fn cloud(&self, class: usize) -> Result<Measure<'_, f64>> {
        Ok(Measure::from_slice(self.set.class(class), self.set.dim())?)
    }
}

/// `W_2^2` between every class of one and every class of the other, as the distance has it; `None` if told to stop before the last.
pub(super) fn between(
    [source, target]: [&Prepared<'_>; 2],
    distance: &LabelDistance,
    mut counted: Counted,
    (workers, run): (&Workers, &mut Run<'_>),
) -> Result<Option<Array2<f64>>> {
    let (rows, columns) = (source.set.classes(), target.set.classes());
    let (count, threads, seed) = (rows * columns, workers.count(), run.seed);
    let largest = |set: &DataSet| set.class_sizes().into_iter().max().unwrap_or(0);
    let is_quick = largest(source.set) * largest(target.set) <= FEW_PAIRS;
    // A pair for each thread where there are enough of them, otherwise all threads for one pair.
    let at_once = match count >= threads {
        true if is_quick => AT_ONCE * threads,
        true => threads,
        false => 1,
    };
    let mut found = Vec::with_capacity(count);
    for first in (0..count).step_by(at_once) {
        if !counted.tell(run) {
            return Ok(None);
        }
        let some = at_once.min(count - first);
        let one = |k: usize, parallelism: Parallelism| {
            let part = Run { seed, parallelism, halt: workers.halt(), ..Run::default().without_bounds() };
            let (a, b) = ((first + k) / columns, (first + k) % columns);
            classes([source, target], [a, b], distance, part)
        };
        let parts = if at_once == 1 {
            vec![workers.run(|parallelism| one(0, parallelism))]
        } else {
            workers.map(some, |k| one(k, Parallelism::Serial))
        };
        for cost in parts {
            found.push(cost?);
        }
        counted.done += some;
        // What was cut short is worth nothing.
        if workers.is_halted() {
            counted.tell(run);
            return Ok(None);
        }
    }
    Ok(Array2::from_shape_vec((rows, columns), found).ok())
}

/// Between two classes.
fn classes(
    [source, target]: [&Prepared<'_>; 2],
    [a, b]: [usize; 2],
    distance: &LabelDistance,
    mut run: Run<'_>,
) -> Result<f64> {
    if let LabelDistance::Bures = distance {
        return source.factors[a].cost_to(&target.factors[b]);
    }
    let (mu, nu) = (source.cloud(a)?, target.cloud(b)?);
    let question = Question::new(&mu, &nu)?;
    let found = match distance {
        LabelDistance::Sinkhorn { epsilon } => {
            let sinkhorn = Sinkhorn { epsilon: *epsilon, ..Sinkhorn::default() };
            return Ok(sinkhorn.divergence(&question, &mut run)?.value);
        }
        LabelDistance::Exact => Exact.answer(&question, &mut run)?,
        LabelDistance::MinSwgg { search } => {
            MinSwgg::new().spec(SearchSpec::new(search.clone())?).answer(&question, &mut run)?
        }
        LabelDistance::Auto | LabelDistance::Bures => Auto::default().answer(&question, &mut run)?,
    };
    Ok(found.cost)
}
