//! The distances between all labels of two data sets.

use std::ops::ControlFlow;

use swgg::ndarray::Array2;
use swgg::paper::SearchSpec;
use swgg::run::Workers;
use swgg::solver::{Epsilon, Sinkhorn, WithItself};
use swgg::{Auto, Exact, Measure, MinSwgg, Observe, Parallelism, Progress, Question, Run, Solver};

use super::bures::Factor;
use super::data_set::DataSet;
use super::error::{Error, Result};
use super::label_distance::LabelDistance;
use super::lines::{self, Lines};

/// Pairs of points up to which two classes are compared in a moment.
const FEW_PAIRS: usize = 250_000;
/// Pairs of classes that a thread compares between two looks at the observer, where each takes a moment.
const AT_ONCE: usize = 4;

/// A data set, and what is computed once for each of its classes.
pub(super) struct Prepared<'a> {
    pub set: &'a DataSet,
    /// For Bures only.
    factors: Vec<Factor>,
    /// For min-SWGG by random lines only, where there is room for them.
    lines: Option<Lines>,
    /// The mean squared distance from the mean of all points, and that mean.
    spread: (f64, Vec<f64>),
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
    pub fn new(
        set: &'a DataSet,
        others: &[&DataSet],
        distance: &LabelDistance,
        (seed, workers): (u64, &Workers),
    ) -> Result<Self> {
        let lines = match distance {
            LabelDistance::MinSwgg { search } => lines::count(search)?
                .filter(|count| others.iter().all(|other| lines::are_worth_it([set, other], *count)))
                .map(|count| Lines::new(set, count, seed, workers))
                .transpose()?,
            _ => None,
        };
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
        let spread = match distance {
            LabelDistance::Sinkhorn { .. } => spread(set),
            _ => (0.0, Vec::new()),
        };
        Ok(Prepared { set, factors, lines, spread })
    }

    fn cloud(&self, class: usize) -> Result<Measure<'_, f64>> {
        Ok(Measure::from_slice(self.set.class(class), self.set.dim())?)
    }
}

/// The mean squared distance of the points from their mean, and the mean.
fn spread(set: &DataSet) -> (f64, Vec<f64>) {
    let (dim, share) = (set.dim(), 1.0 / set.len() as f64);
    let mut mean = vec![0.0; dim];
    for row in set.points().chunks_exact(dim) {
        mean.iter_mut().zip(row).for_each(|(mean, x)| *mean += share * x);
    }
    let square = |row: &[f64]| row.iter().zip(&mean).map(|(x, mean)| (x - mean) * (x - mean)).sum::<f64>();
    (share * set.points().chunks_exact(dim).map(square).sum::<f64>(), mean)
}

/// The Sinkhorn divergence between classes: one epsilon for all of them, so that each is compared with itself once.
struct Diverging {
    sinkhorn: Sinkhorn,
    /// Of every class with itself, source and target.
    itself: [Vec<WithItself>; 2],
}

impl Diverging {
    /// `None` if told to stop.
    fn new(sides: [&Prepared<'_>; 2], epsilon: Epsilon, workers: &Workers) -> Result<Option<Self>> {
        let epsilon = match epsilon {
            Epsilon::Absolute(epsilon) => epsilon,
            Epsilon::Relative(share) => {
                // The mean squared distance between a point of one and a point of the other.
                let [(of_source, from), (of_target, to)] = sides.map(|side| &side.spread);
                let way: f64 = from.iter().zip(to).map(|(from, to)| (from - to) * (from - to)).sum();
                let mean = of_source + of_target + way;
                if mean > 0.0 { share * mean } else { share }
            }
        };
        let sinkhorn = Sinkhorn { epsilon: Epsilon::Absolute(epsilon), ..Sinkhorn::default() };
        let [source, target] = sides.map(|side| {
            workers
                .map(side.set.classes(), |class| {
                    let mut run =
                        Run { parallelism: Parallelism::Serial, halt: workers.halt(), ..Run::default() };
                    Ok(sinkhorn.with_itself(&side.cloud(class)?, &mut run)?)
                })
                .into_iter()
                .collect::<Result<Vec<_>>>()
        });
        let itself = [source?, target?];
        Ok((!workers.is_halted()).then_some(Diverging { sinkhorn, itself }))
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
    if !counted.tell(run) {
        return Ok(None);
    }
    let diverging = match distance {
        LabelDistance::Sinkhorn { epsilon } => match Diverging::new([source, target], *epsilon, workers)? {
            None => {
                counted.tell(run);
                return Ok(None);
            }
            diverging => diverging,
        },
        _ => None,
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
            classes([source, target], [a, b], (distance, diverging.as_ref()), part)
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
    (distance, diverging): (&LabelDistance, Option<&Diverging>),
    mut run: Run<'_>,
) -> Result<f64> {
    if let LabelDistance::Bures = distance {
        return source.factors[a].cost_to(&target.factors[b]);
    }
    if let (Some(lines), Some(others)) = (&source.lines, &target.lines) {
        return Ok(lines.least(others, [source.set, target.set], [a, b]));
    }
    let (mu, nu) = (source.cloud(a)?, target.cloud(b)?);
    let question = Question::new(&mu, &nu)?;
    if let Some(Diverging { sinkhorn, itself: [of_source, of_target] }) = diverging {
        let known = [of_source[a], of_target[b]];
        return Ok(sinkhorn.divergence_knowing(&question, known, &mut run)?.value);
    }
    let found = match distance {
        LabelDistance::Exact => Exact.answer(&question, &mut run)?,
        LabelDistance::MinSwgg { search } => {
            MinSwgg::new().spec(SearchSpec::new(search.clone())?).answer(&question, &mut run)?
        }
        LabelDistance::Sinkhorn { epsilon } => {
            let sinkhorn = Sinkhorn { epsilon: *epsilon, ..Sinkhorn::default() };
            return Ok(sinkhorn.divergence(&question, &mut run)?.value);
        }
        LabelDistance::Auto | LabelDistance::Bures => Auto::default().answer(&question, &mut run)?,
    };
    Ok(found.cost)
}
