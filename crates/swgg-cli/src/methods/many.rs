//! Many lines, one plan: the default solver and its parts.

use swgg::{Measure, Merged, Observe, Scalar, Transport, Trees};

use super::budget::Sizes;
use super::{Details, Job, parallelism};
use crate::exit::Outcome;
use crate::report::{Solved, Standing};

/// Whatever suits the sizes.
pub fn auto<T: Scalar>(
    job: &Job<'_>,
    source: &Measure<T>,
    target: &Measure<T>,
    watch: &mut dyn Observe,
) -> Outcome<Solved> {
    let mut solver = job.settings.auto();
    (solver.seed, solver.parallelism) = (job.search.seed, parallelism(job));
    // An exact solver has its bound anyway.
    solver.bounds |= job.settings.is_exact(Sizes::of(source, target));
    let found = solver.solve_watched(source, target, watch)?;
    let (time_limit, effort) = (job.settings.time_limit, solver.effort);
    let (name, passes) = (found.solver, found.passes);
    let trees = if name == "refined" { found.lines } else { 0 };
    let details = Details::Auto { solver: name, trees, passes, time_limit, effort };
    let effort = time_limit.is_none().then_some(effort);
    // Closed forms and exact solvers do not look: their bound is the proof they end with.
    let certified = name == "refined";
    Ok(Solved { effort, certified, ..solved("auto", found, details) })
}

/// Trees, and nothing refined.
pub fn trees<T: Scalar>(
    job: &Job<'_>,
    source: &Measure<T>,
    target: &Measure<T>,
    watch: &mut dyn Observe,
) -> Outcome<Solved> {
    let usual = Trees::default();
    let solver = Trees {
        trees: job.settings.trees.unwrap_or(usual.trees),
        bounds: !job.settings.no_bounds,
        seed: job.search.seed,
        parallelism: parallelism(job),
    };
    let found = solver.solve_watched(source, target, watch)?;
    let details = Details::Tree { trees: found.lines };
    Ok(solved("tree", found, details))
}

/// All directions in one plan.
pub fn merged<T: Scalar>(
    job: &Job<'_>,
    source: &Measure<T>,
    target: &Measure<T>,
    watch: &mut dyn Observe,
) -> Outcome<Solved> {
    let usual = Merged::default();
    let solver = Merged {
        directions: job.search.directions.unwrap_or(usual.directions),
        bounds: !job.settings.no_bounds,
        seed: job.search.seed,
        parallelism: parallelism(job),
    };
    let found = solver.solve_watched(source, target, watch)?;
    let tried = found.lines;
    Ok(Solved { tried, ..solved("merged", found, Details::Merged {}) })
}

fn solved(method: &'static str, found: Transport, details: Details) -> Solved {
    Solved {
        lower_bound: found.lower_bound,
        certified: true,
        coupling: Some(found.coupling),
        stop: Some(found.stop),
        story: Some(found.story),
        details: Some(details),
        ..Solved::new(method, found.cost, Standing::UpperBound)
    }
}
