//! The doors.

use swgg::ndarray::Array2;
use swgg::{Run, Solver, Stop};

use super::data_set::DataSet;
use super::error::{Error, Result};
use super::labels::{Counted, Prepared};
use super::outcome::{Distances, PairDistance};
use super::pair::pair;
use super::settings::Settings;

/// The distance between two data sets; see [the module](super) for the formula.
///
/// ```
/// use swgg::{Auto, Run};
/// use swgg_apps::otdd::{DataSet, Settings, otdd};
/// let first = DataSet::new(vec![0.0, 1.0, 10.0, 11.0], 1, &[0, 0, 1, 1])?;
/// // The same points three further on, with the labels called the other way round.
/// let second = DataSet::new(vec![3.0, 4.0, 13.0, 14.0], 1, &[1, 1, 0, 0])?;
/// let found = otdd(&first, &second, &Settings::default(), &Auto::default(), &mut Run::default())?;
/// assert!((found.distance - 18.0_f64.sqrt()).abs() < 1e-12);
/// assert_eq!(found.label_distances[(0, 1)], 3.0);
/// # Ok::<(), swgg_apps::otdd::Error>(())
/// ```
///
/// # Errors
///
/// Points of different dimensions, settings that make no sense, a solver that takes no such costs, and [`Error::Stopped`] where the run ended before
/// there was a plan.
pub fn otdd(
    source: &DataSet,
    target: &DataSet,
    settings: &Settings,
    solver: &dyn Solver<f64>,
    run: &mut Run<'_>,
) -> Result<PairDistance> {
    let found = all([source, target].into_iter(), settings, solver, run)?;
    found.pairs.into_iter().next().ok_or(Error::Stopped)
}

/// The distances between all pairs of two or more data sets.
///
/// Every pair is looked at once: the distance is symmetric, and that of a data set to itself is zero. Told to stop, it keeps the pairs that
/// are done.
///
/// # Errors
///
/// As [`otdd`], but for stopping.
pub fn otdd_matrix(
    sets: &[DataSet],
    settings: &Settings,
    solver: &dyn Solver<f64>,
    run: &mut Run<'_>,
) -> Result<Distances> {
    all(sets.iter(), settings, solver, run)
}

fn all<'a>(
    sets: impl Iterator<Item = &'a DataSet>,
    settings: &Settings,
    solver: &dyn Solver<f64>,
    run: &mut Run<'_>,
) -> Result<Distances> {
    let sets: Vec<&DataSet> = sets.collect();
    check(&sets, settings)?;
    let workers = run.workers()?;
    let count = sets.len();
    let indices = (0..count).flat_map(|i| (i + 1..count).map(move |j| (i, j)));
    let problems = |(i, j): (usize, usize)| sets[i].classes() * sets[j].classes() + 1;
    let mut counted = Counted { done: 0, total: indices.clone().map(problems).sum() };
    let mut found = Distances {
        matrix: Array2::from_shape_fn((count, count), |(i, j)| if i == j { 0.0 } else { f64::NAN }),
        pairs: Vec::new(),
        stop: Stop::Converged,
    };
    if !counted.tell(run) {
        return Ok(stopped(found, run));
    }
    let prepare =
        |set: &&'a DataSet| Prepared::new(set, &sets, &settings.label_distance, (run.seed, &workers));
    let prepared: Result<Vec<Prepared<'_>>> = sets.iter().map(prepare).collect();
    let prepared = match prepared {
        Err(Error::Stopped) => return Ok(stopped(found, run)),
        prepared => prepared?,
    };
    for (i, j) in indices {
        let sides = [&prepared[i], &prepared[j]];
        let Some(done) = pair(sides, (settings, solver), counted, (&workers, run))? else {
            return Ok(stopped(found, run));
        };
        found.matrix[(i, j)] = done.distance;
        found.matrix[(j, i)] = done.distance;
        let stop = done.stop;
        found.pairs.push(PairDistance { source: i, target: j, ..done });
        if matches!(stop, Stop::Interrupted | Stop::TimeLimit) {
            found.stop = stop;
            return Ok(found);
        }
        counted.done += problems((i, j));
    }
    counted.tell(run);
    Ok(found)
}

fn stopped(found: Distances, run: &Run<'_>) -> Distances {
    Distances { stop: if run.is_late { Stop::TimeLimit } else { Stop::Interrupted }, ..found }
}

fn check(sets: &[&DataSet], settings: &Settings) -> Result<()> {
    settings.validate()?;
    let found = sets.len();
    if found < 2 {
        return Err(Error::FewSets { found });
    }
    let expected = sets[0].dim();
    match sets.iter().position(|set| set.dim() != expected) {
        Some(set) => Err(Error::Dimensions { set, found: sets[set].dim(), expected }),
        None => Ok(()),
    }
}
