//! Linear transport between two clouds: both as displacements from a pivot.

use std::cell::{Cell, RefCell};

use swgg::{Coupling, Exact, LinearOt, Measure, Observe, Scalar, Stop};

use super::{Details, Job, parallelism};
use crate::exit::Outcome;
use crate::report::{Solved, Standing};

/// Squared distance of the two vectors of displacements.
///
/// Seen from the source itself its own vector is zero, and what remains is the mean squared way to the average targets:
/// by convexity never above what the plan pays.
pub fn linear<T: Scalar>(
    job: &Job<'_>,
    source: &Measure<T>,
    target: &Measure<T>,
    watch: &mut dyn Observe,
) -> Outcome<Solved> {
    let (mu, nu) = (double(source)?, double(target)?);
    let pivot = job.extras.pivot.as_ref();
    let exact = Exact { seed: job.search.seed, parallelism: parallelism(job), ..Default::default() };
    let (watch, stop) = (RefCell::new(watch), Cell::new(Stop::Converged));
    let matchings = Cell::new(true);
    let solver = |pivot: &Measure, measure: &Measure| -> swgg::Result<Coupling> {
        // Once stopped, the second plan need not be a good one either.
        let mut watch = watch.borrow_mut();
        let found = exact.solve_watched(pivot, measure, &mut **watch)?;
        if found.stop == Stop::Interrupted {
            stop.set(Stop::Interrupted);
        }
        matchings.set(matchings.get() && found.coupling.is_matching());
        Ok(found.coupling)
    };
    let (cost, standing, computed) = match pivot {
        None => {
            let moved = LinearOt::with(mu, solver).embed(&nu)?;
            let standing = if matchings.get() { Standing::Exact } else { Standing::LowerBound };
            (moved.dot(&moved), standing, "mean squared way from the source to its average targets")
        }
        Some((_, pivot)) => {
            let space = LinearOt::with(pivot.clone(), solver);
            let apart = space.embed(&mu)? - space.embed(&nu)?;
            let standing = if matchings.get() { Standing::UpperBound } else { Standing::NoBound };
            (apart.dot(&apart), standing, "squared distance of the displacements from the pivot")
        }
    };
    let pivot_points = pivot.map_or(source.len(), |(_, pivot)| pivot.len());
    // A plan from the source that is not optimal may pay more than the optimum.
    let standing = match (stop.get(), pivot, matchings.get()) {
        (Stop::Interrupted, None, true) => Standing::UpperBound,
        (Stop::Interrupted, None, false) => Standing::NoBound,
        _ => standing,
    };
    Ok(Solved {
        stop: Some(stop.get()),
        details: Some(Details::LinearOt {
            pivot: pivot.map(|(path, _)| path.display().to_string()),
            pivot_points,
            computed,
        }),
        ..Solved::new("linear-ot", cost, standing)
    })
}

fn double<T: Scalar>(measure: &Measure<T>) -> swgg::Result<Measure<'static, f64>> {
    let points = measure.points().iter().map(|x| x.to_f64()).collect();
    let points = Measure::from_vec(points, measure.dim())?;
    match measure.weights() {
        Some(weights) => points.with_weights(weights),
        None => Ok(points),
    }
}
