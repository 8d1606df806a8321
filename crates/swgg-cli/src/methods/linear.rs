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
    let (matchings, bound) = (Cell::new(true), Cell::new(0.0));
    let solver = |pivot: &Measure, measure: &Measure| -> swgg::Result<Coupling> {
        // Once stopped, the second plan need not be a good one either.
        let mut watch = watch.borrow_mut();
        let found = exact.solve_watched(pivot, measure, &mut **watch)?;
        if found.stop == Stop::Interrupted {
            stop.set(Stop::Interrupted);
        }
        bound.set(found.lower_bound);
        matchings.set(matchings.get() && found.coupling.is_matching());
        Ok(found.coupling)
    };
    let (cost, computed) = match pivot {
        None => {
            let moved = LinearOt::with(mu, solver).embed(&nu)?;
            (moved.dot(&moved), "mean squared way from the source to its average targets")
        }
        Some((_, pivot)) => {
            let space = LinearOt::with(pivot.clone(), solver);
            let apart = space.embed(&mu)? - space.embed(&nu)?;
            (apart.dot(&apart), "squared distance of the displacements from the pivot")
        }
    };
    let standing = match (matchings.get(), pivot, stop.get()) {
        (true, _, _) => Standing::UpperBound,
        // A plan that is not optimal may pay more than the optimum, its averages too.
        (false, None, Stop::Converged) => Standing::LowerBound,
        (false, _, _) => Standing::NoBound,
    };
    let pivot_points = pivot.map_or(source.len(), |(_, pivot)| pivot.len());
    Ok(Solved {
        // From the source, the only plan is that between the clouds.
        lower_bound: pivot.is_none().then_some(bound.get()),
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
