//! The plan between two data sets.

use std::ops::ControlFlow;
use std::time::Instant;

use swgg::answer::counted;
use swgg::cost::{Labelled, Power};
use swgg::ndarray::Array2;
use swgg::run::Workers;
use swgg::{Measure, Progress, Question, Run, Solver};

use super::data_set::DataSet;
use super::error::Result;
use super::labels::{Counted, Prepared, between};
use super::outcome::PairDistance;
use super::settings::Settings;

/// The distance between two data sets; `None` if told to stop before there was a plan.
pub(super) fn pair(
    sets: [&Prepared<'_>; 2],
    (settings, solver): (&Settings, &dyn Solver<f64>),
    count: Counted,
    (workers, run): (&Workers, &mut Run<'_>),
) -> Result<Option<PairDistance>> {
    let started = Instant::now();
    let Some(labels) = between(sets, &settings.label_distance, count, (workers, run))? else {
        return Ok(None);
    };
    let label_seconds = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let power = settings.power()?;
    let cost = Labelled::new(joint(&labels).view(), power)?;
    let centre = centre(sets.map(|set| set.set));
    let source = placed(sets[0].set, &centre, 0)?;
    let target = placed(sets[1].set, &centre, labels.nrows())?;
    let question = Question::new(&source, &target)?.with_cost(&cost)?;
    let plan_at = Counted { done: count.done + labels.len(), ..count };
    let Run { seed, parallelism, deadline, gap, bounds, .. } = *run;
    // The plan is one of the problems, and its steps are its own.
    let mut tell = |_: &Progress| {
        if plan_at.tell(run) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let inner = Run { seed, parallelism, deadline, gap, bounds, halt: workers.halt(), ..Run::default() };
    let found = solver.answer(&question, &mut inner.watched(&mut tell))?;
    let (cost, classes) = (found.cost, counted(labels.len(), "distance"));
    Ok(Some(PairDistance {
        source: 0,
        target: 0,
        distance: if power == Power::SQUARED { cost.sqrt() } else { cost },
        cost,
        cost_is: found.cost_is,
        lower_bound: found.lower_bound,
        gap: found.gap(),
        label_distances: labels.mapv(f64::sqrt),
        stop: found.stop,
        story: format!(
            "{classes} between labels by {}, then {}",
            settings.label_distance.words(),
            found.story
        ),
        seconds: [label_seconds, started.elapsed().as_secs_f64()],
    }))
}

/// Costs between all labels of both sides, those of the target after those of the source; nobody asks for those within a side.
fn joint(between: &Array2<f64>) -> Array2<f64> {
    let (rows, columns) = between.dim();
    let mut all = Array2::zeros((rows + columns, rows + columns));
    for ((a, b), cost) in between.indexed_iter() {
        all[(a, rows + b)] = *cost;
        all[(rows + b, a)] = *cost;
    }
    all
}

/// The middle of both: around it products of coordinates keep the digits of distances, which do not change.
fn centre(sets: [&DataSet; 2]) -> Vec<f64> {
    let mut centre = vec![0.0; sets[0].dim()];
    for set in sets {
        let share = 0.5 / set.len() as f64;
        for row in set.points().chunks_exact(set.dim()) {
            centre.iter_mut().zip(row).for_each(|(centre, x)| *centre += share * x);
        }
    }
    centre
}

/// Points around a centre, with the place of their class as a last coordinate.
fn placed(set: &DataSet, centre: &[f64], first: usize) -> Result<Measure<'static, f64>> {
    let dim = set.dim();
    let mut rows = Vec::with_capacity(set.len() * (dim + 1));
    for class in 0..set.classes() {
        for row in set.class(class).chunks_exact(dim) {
            rows.extend(row.iter().zip(centre).map(|(x, centre)| x - centre));
            rows.push((first + class) as f64);
        }
    }
    Ok(Measure::from_vec(rows, dim + 1)?)
}
