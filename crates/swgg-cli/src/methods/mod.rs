//! The methods of transport, each from its flags to what it found.

pub mod budget;
mod linear;
mod many;
pub mod settings;

use std::time::Instant;

use serde::Serialize;
use swgg::ndarray::ArrayView2;
use swgg::{
    Detour, Epsilon, ErrorKind, Exact, Factored, Glue, Lift, Measure, MinSwgg, Observe, Parallelism, Scalar,
    Sinkhorn, SqEuclidean, Stop, Subspace, SubspaceRobust, gaussian_transport, line_transport, lower_bounds,
};

use crate::args::{DetourKind, Method, MethodSettings, Search};
use crate::exit::{Failure, Outcome};
use crate::printer::{counted, number};
use crate::progress::SearchBar;
use crate::report::{Solved, Standing};
use budget::Sizes;
use settings::Extras;

/// What to do.
pub struct Job<'a> {
    pub method: Method,
    pub settings: &'a MethodSettings,
    pub search: &'a Search,
    /// For min-SWGG.
    pub min_swgg: &'a MinSwgg,
    pub extras: &'a Extras,
    /// Whether a cost without a plan will not do.
    pub needs_plan: bool,
}

/// What a method has to say beyond its cost.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Details {
    Auto {
        /// `exact`, `line` or `refined`.
        solver: &'static str,
        trees: usize,
        passes: usize,
        #[serde(skip)]
        time_limit: Option<f64>,
        #[serde(skip)]
        effort: u8,
    },
    Tree {
        trees: usize,
    },
    Merged {},
    Exact {
        /// `None` for costs that were given.
        p: Option<f64>,
        iterations: usize,
    },
    Sinkhorn {
        /// In the units of costs.
        epsilon: f64,
        /// The entropic objective.
        value: f64,
        marginal_error: f64,
        converged: bool,
        iterations: usize,
    },
    Gaussian {
        computed: &'static str,
    },
    Factored {
        k: usize,
        /// The sum of the two halves.
        factored: f64,
        glue: &'static str,
        iterations: usize,
    },
    SubspaceRobust {
        k: usize,
        /// Bounds of the squared robust distance.
        robust_lower: f64,
        robust_upper: f64,
        iterations: usize,
    },
    SubspaceDetour {
        k: usize,
        detour: &'static str,
        subspace_cost: f64,
        fibres: [usize; 2],
    },
    LinearOt {
        /// The file, or `None` for the source.
        pivot: Option<String>,
        pivot_points: usize,
        computed: &'static str,
    },
}

impl Details {
    /// For the summary: names of at most ten letters, and values.
    pub fn lines(&self, story: Option<&str>, seed: u64) -> Vec<(&'static str, String)> {
        let fact = |value: f64, what: String| format!("{:<12} {what}", number(value));
        let story = story.unwrap_or_default();
        match self {
            Details::Auto { solver: "refined", time_limit, effort, .. } => {
                let how = match time_limit {
                    Some(seconds) => format!("time limit {seconds} s"),
                    None => format!("effort {effort} of 10"),
                };
                vec![("method", story.to_string()), ("", format!("{how}, seed {seed}"))]
            }
            Details::Auto { .. } => vec![("method", story.to_string())],
            Details::Tree { .. } | Details::Merged {} => vec![("method", format!("{story}, seed {seed}"))],
            Details::Exact { iterations, .. } => {
                vec![("method", format!("augmenting paths or simplex, {}", counted(*iterations, "step")))]
            }
            Details::Sinkhorn { epsilon, marginal_error, converged, iterations, .. } => {
                let done = if *converged { "converged" } else { "not converged" };
                let steps = counted(*iterations, "iteration");
                vec![
                    ("epsilon", fact(*epsilon, "weight of the entropy, in units of the cost".to_string())),
                    ("method", format!("Sinkhorn, {steps}, {done}")),
                    ("", format!("marginals met to {marginal_error:.1e}, then rounded")),
                ]
            }
            Details::Gaussian { .. } => {
                vec![("method", "closed form between Gaussians fitted to the clouds".to_string())]
            }
            Details::Factored { k, factored, glue, iterations } => vec![
                ("halves", fact(*factored, "squared, to the pivot and from it".to_string())),
                ("method", format!("pivot of {}, glued in {glue} pairs", counted(*k, "point"))),
                ("", format!("{}, seed {seed}", counted(*iterations, "iteration"))),
            ],
            Details::SubspaceRobust { k, robust_lower, robust_upper, iterations } => vec![
                (
                    "robust",
                    fact(*robust_lower, format!("squared, seen from the worst {}", counted(*k, "dimension"))),
                ),
                ("", format!("{:<12} at most", number(*robust_upper))),
                ("method", format!("exact plan for that subspace, {}", counted(*iterations, "iteration"))),
            ],
            Details::SubspaceDetour { k, detour, subspace_cost, .. } => vec![
                ("subspace", fact(*subspace_cost, "squared, of the plan on the subspace".to_string())),
                ("method", format!("exact on the first {}, {detour} lift", axes(*k))),
            ],
            Details::LinearOt { pivot, pivot_points, computed } => {
                let plans = match pivot {
                    None => "exact plan from the source".to_string(),
                    Some(_) => format!("exact plans from a cloud of {}", counted(*pivot_points, "point")),
                };
                vec![("method", plans), ("computed", computed.to_string())]
            }
        }
    }
}

fn axes(k: usize) -> String {
    if k == 1 { "principal axis".to_string() } else { format!("{k} principal axes") }
}

/// The name on the command line.
pub fn name(method: Method) -> &'static str {
    match method {
        Method::Auto => "auto",
        Method::Tree => "tree",
        Method::Merged => "merged",
        Method::MinSwgg => "min-swgg",
        Method::Line => "line",
        Method::Exact => "exact",
        Method::Sinkhorn => "sinkhorn",
        Method::Gaussian => "gaussian",
        Method::Factored => "factored",
        Method::SubspaceRobust => "subspace-robust",
        Method::SubspaceDetour => "subspace-detour",
        Method::LinearOt => "linear-ot",
    }
}

/// Whether there is anything to stop: closed forms are done before anybody could.
pub fn can_stop(method: Method) -> bool {
    !matches!(method, Method::Line | Method::Gaussian)
}

/// A progress bar over what the method counts.
pub fn bar(method: Method, settings: &MethodSettings, sizes: Sizes, quiet: bool) -> SearchBar {
    let exact = method == Method::Auto && settings.is_exact(sizes);
    let unit = match method {
        // Trees and passes.
        Method::Auto if !exact => "steps",
        Method::Tree => "trees",
        Method::Sinkhorn | Method::Factored | Method::SubspaceRobust => "iterations",
        Method::Auto | Method::Exact | Method::SubspaceDetour | Method::LinearOt => "sources in order",
        _ => "directions",
    };
    let bounding =
        matches!(method, Method::Auto | Method::Tree | Method::Merged) && !settings.no_bounds && !exact;
    SearchBar::new(quiet).counting(unit).bounding(bounding)
}

/// Runs a method. The lower bound is the method's own, if it has one.
pub fn transport<T: Scalar>(
    job: &Job<'_>,
    source: &Measure<T>,
    target: &Measure<T>,
    watch: &mut dyn Observe,
) -> Outcome<Solved> {
    match job.method {
        Method::Auto => many::auto(job, source, target, watch),
        Method::Tree => many::trees(job, source, target, watch),
        Method::Merged => many::merged(job, source, target, watch),
        Method::MinSwgg => min_swgg(job.min_swgg, source, target, watch),
        Method::Line => closed_form(source, target),
        Method::Exact => exact(job, source, target, watch),
        Method::Sinkhorn => entropic(job, source, target, watch),
        Method::Gaussian => gaussian(source, target),
        Method::Factored => factored(job, source, target, watch),
        Method::SubspaceRobust => robust(job, source, target, watch),
        Method::SubspaceDetour => detour(job, source, target, watch),
        Method::LinearOt => linear::linear(job, source, target, watch),
    }
}

/// Raises the lower bound of a solution to the best that is cheap to know.
pub fn bound<T: Scalar>(
    solved: &mut Solved,
    source: &Measure<T>,
    target: &Measure<T>,
    parallelism: Parallelism,
) -> Outcome<()> {
    let started = Instant::now();
    // Somebody who pressed Ctrl-C does not want to wait for it.
    let interrupted = solved.stop == Some(Stop::Interrupted);
    if interrupted || solved.certified || solved.p != Some(2.0) || solved.proven() == Standing::Exact {
        return Ok(());
    }
    let also = solved.theta.as_slice();
    let mut best = lower_bounds(source, target, also, parallelism)?.best();
    best = best.max(solved.lower_bound.unwrap_or(0.0));
    // Rounding must not set them in the wrong order.
    let above = matches!(solved.standing, Standing::UpperBound | Standing::Exact);
    solved.lower_bound = Some(if above { best.min(solved.cost) } else { best });
    solved.bound_seconds = started.elapsed().as_secs_f64();
    Ok(())
}

fn min_swgg<T: Scalar>(
    settings: &MinSwgg,
    source: &Measure<T>,
    target: &Measure<T>,
    watch: &mut dyn Observe,
) -> Outcome<Solved> {
    let found = settings.solve_watched(source, target, watch)?;
    Ok(Solved {
        search: Some(found.search),
        coupling: Some(found.coupling),
        theta: Some(found.theta),
        tried: found.tried,
        stop: Some(found.stop),
        costs: found.costs,
        ..Solved::new("min-swgg", found.cost, Standing::UpperBound)
    })
}

/// Exact, so its cost is its own lower bound.
fn closed_form<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> Outcome<Solved> {
    let exact = line_transport(source, target)?;
    Ok(Solved {
        lower_bound: Some(exact.cost),
        coupling: Some(exact.coupling),
        theta: Some(exact.line.direction),
        ..Solved::new("line", exact.cost, Standing::UpperBound)
    })
}

fn exact<T: Scalar>(
    job: &Job<'_>,
    source: &Measure<T>,
    target: &Measure<T>,
    watch: &mut dyn Observe,
) -> Outcome<Solved> {
    let p = job.settings.p.unwrap_or(2.0);
    let solver = Exact { p, seed: job.search.seed, parallelism: parallelism(job) };
    let (found, p) = match &job.extras.costs {
        None => (solver.solve_watched(source, target, watch)?, Some(p)),
        Some((path, costs)) => {
            let refuse = |why: String| Failure::new(format!("{}: {why}", path.display()));
            let values = costs.to_f64();
            let matrix = ArrayView2::from_shape((costs.rows(), costs.columns()), &values)
                .map_err(|error| refuse(error.to_string()))?;
            let found = solver.solve_matrix(matrix, source.weights(), target.weights(), watch);
            (found.map_err(|error| refuse(error.to_string()))?, None)
        }
    };
    Ok(Solved {
        p,
        lower_bound: Some(found.lower_bound.min(found.cost)),
        coupling: Some(found.coupling),
        stop: Some(found.stop),
        details: Some(Details::Exact { p, iterations: found.iterations }),
        ..Solved::new("exact", found.cost, Standing::UpperBound)
    })
}

/// The cost is that of the rounded plan, which has the marginals it should have.
fn entropic<T: Scalar>(
    job: &Job<'_>,
    source: &Measure<T>,
    target: &Measure<T>,
    watch: &mut dyn Observe,
) -> Outcome<Solved> {
    let usual = Sinkhorn::default();
    let epsilon = match (job.settings.epsilon, job.settings.relative_epsilon) {
        (Some(epsilon), _) => Epsilon::Absolute(epsilon),
        (None, Some(share)) => Epsilon::Relative(share),
        (None, None) => usual.epsilon,
    };
    let solver = Sinkhorn { epsilon, parallelism: parallelism(job), ..usual };
    let found = solver.solve_watched(source, target, watch)?;
    let plan = match found.plan(source, target) {
        Ok(plan) => Some(plan),
        // Too many entries to hold.
        Err(error) if matches!(error.kind(), ErrorKind::PlanTooLarge { .. }) && !job.needs_plan => None,
        Err(error) => return Err(error.into()),
    };
    let (cost, standing) = match &plan {
        Some(plan) => (plan.cost(source, target, &SqEuclidean)?, Standing::UpperBound),
        // Its marginals are off by a little, and so may the cost be.
        None => (found.cost, Standing::NoBound),
    };
    let image = match plan {
        Some(_) => None,
        None => Some(found.barycentric_map(source, target)?.into_raw_vec_and_offset().0),
    };
    let (epsilon, value, marginal_error) = (found.epsilon, found.value, found.marginal_error);
    let (converged, iterations) = (found.converged, found.iterations);
    Ok(Solved {
        lower_bound: Some(found.lower_bound.min(cost)),
        coupling: plan,
        image,
        stop: Some(found.stop),
        details: Some(Details::Sinkhorn { epsilon, value, marginal_error, converged, iterations }),
        ..Solved::new("sinkhorn", cost, standing)
    })
}

fn gaussian<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> Outcome<Solved> {
    let found = gaussian_transport(source, target)?;
    let computed = "W2^2 between the Gaussians with the means and covariances of the clouds";
    Ok(Solved {
        lower_bound: Some(found.lower_bound),
        image: Some(found.image(source)?.points().to_vec()),
        details: Some(Details::Gaussian { computed }),
        ..Solved::new("gaussian", found.cost, Standing::LowerBound)
    })
}

fn factored<T: Scalar>(
    job: &Job<'_>,
    source: &Measure<T>,
    target: &Measure<T>,
    watch: &mut dyn Observe,
) -> Outcome<Solved> {
    let k = job.settings.pivot_points(source.len(), target.len());
    let solver =
        Factored { points: k, seed: job.search.seed, parallelism: parallelism(job), ..Default::default() };
    let found = solver.solve_watched(source, target, watch)?;
    let glue = match found.glue {
        Glue::Independent => "independent",
        Glue::Monotone => "monotone",
    };
    let (factored, iterations) = (found.factored, found.iterations);
    Ok(Solved {
        coupling: Some(found.coupling),
        stop: Some(found.stop),
        details: Some(Details::Factored { k, factored, glue, iterations }),
        ..Solved::new("factored", found.cost, Standing::UpperBound)
    })
}

fn robust<T: Scalar>(
    job: &Job<'_>,
    source: &Measure<T>,
    target: &Measure<T>,
    watch: &mut dyn Observe,
) -> Outcome<Solved> {
    let k = job.settings.dimension(source.dim())?;
    let solver = SubspaceRobust { k, parallelism: parallelism(job), ..Default::default() };
    let found = solver.solve_watched(source, target, watch)?;
    let (robust_lower, robust_upper, iterations) = (found.value, found.upper, found.iterations);
    Ok(Solved {
        lower_bound: Some(below(found.value).min(found.cost)),
        coupling: Some(found.coupling),
        stop: Some(found.stop),
        details: Some(Details::SubspaceRobust { k, robust_lower, robust_upper, iterations }),
        ..Solved::new("subspace-robust", found.cost, Standing::UpperBound)
    })
}

fn detour<T: Scalar>(
    job: &Job<'_>,
    source: &Measure<T>,
    target: &Measure<T>,
    watch: &mut dyn Observe,
) -> Outcome<Solved> {
    let k = job.settings.dimension(source.dim())?;
    let (lift, detour) = match job.settings.detour {
        None | Some(DetourKind::Knothe) => (Lift::MongeKnothe, "knothe"),
        Some(DetourKind::Independent) => (Lift::MongeIndependent, "independent"),
    };
    let subspace = Subspace::principal(source, target, k)?;
    let solver = Detour { subspace, lift, parallelism: parallelism(job) };
    let found = solver.solve_watched(source, target, watch)?;
    let (subspace_cost, fibres) = (found.subspace_cost, found.fibres);
    // A plan that was stopped early costs more than the best one on the subspace.
    let certain = found.stop != Stop::Interrupted;
    Ok(Solved {
        lower_bound: certain.then_some(below(subspace_cost).min(found.cost)),
        coupling: Some(found.coupling),
        stop: Some(found.stop),
        details: Some(Details::SubspaceDetour { k, detour, subspace_cost, fibres }),
        ..Solved::new("subspace-detour", found.cost, Standing::UpperBound)
    })
}

/// A little lower: coordinates in another basis are rounded, and a bound must not be above for that.
fn below(bound: f64) -> f64 {
    bound * (1.0 - 1e-12)
}

fn parallelism(job: &Job<'_>) -> Parallelism {
    Parallelism::from_count(job.search.threads)
}
