//! Which solver, with its settings.

use std::time::Duration;

use swgg::{Auto, Exact, Measure, Merged, MinSwgg, Observe, Parallelism, Potentials, Scalar, Trees};

use crate::errors::{Failure, Outcome};
use crate::solve::Found;

/// Settings that solvers share, as Python says them.
#[derive(Clone, Copy)]
pub struct Choice<'a> {
    pub method: &'a str,
    pub effort: u8,
    pub time_limit: Option<f64>,
    /// Trees, or directions.
    pub lines: Option<usize>,
    pub bounds: bool,
    pub p: f64,
    pub seed: u64,
}

/// A solver that returns a plan.
#[derive(Clone)]
pub enum Solver {
    Auto(Auto),
    Trees(Trees),
    Merged(Merged),
    Exact(Exact),
    MinSwgg(MinSwgg),
}

impl Solver {
    pub fn new(choice: Choice<'_>) -> Outcome<Self> {
        let Choice { method, effort, time_limit, lines, bounds, p, seed } = choice;
        let time_limit = time_limit
            .map(|seconds| {
                Duration::try_from_secs_f64(seconds).map_err(|_| {
                    Failure::Said(format!("time_limit: found {seconds}, expected seconds, above 0"))
                })
            })
            .transpose()?;
        Ok(match method {
            "auto" => Solver::Auto(Auto { effort, time_limit, bounds, seed, ..Default::default() }),
            "tree" => {
                let trees = lines.unwrap_or(Trees::default().trees);
                Solver::Trees(Trees { trees, bounds, seed, ..Default::default() })
            }
            "merged" => {
                let directions = lines.unwrap_or(Merged::default().directions);
                Solver::Merged(Merged { directions, bounds, seed, ..Default::default() })
            }
            "exact" => Solver::Exact(Exact { p, seed, ..Default::default() }),
            "min-swgg" => {
                let search = MinSwgg::new().seed(seed);
                Solver::MinSwgg(lines.map_or(search.clone(), |lines| search.directions(lines)))
            }
            _ => return Err(Failure::Said(format!("method: found {method:?}, which is not a solver"))),
        })
    }

    /// The plan, and the potentials of exact transport.
    pub fn find<T: Scalar>(
        &self,
        mu: &Measure<T>,
        nu: &Measure<T>,
        parallelism: Parallelism,
        watch: &mut dyn Observe,
    ) -> swgg::Result<(Found, Option<Potentials>)> {
        let found = match self {
            Solver::Auto(auto) => Auto { parallelism, ..*auto }.solve_watched(mu, nu, watch)?.into(),
            Solver::Trees(trees) => Trees { parallelism, ..*trees }.solve_watched(mu, nu, watch)?.into(),
            Solver::Merged(merged) => Merged { parallelism, ..*merged }.solve_watched(mu, nu, watch)?.into(),
            Solver::Exact(exact) => {
                let found = Exact { parallelism, ..*exact }.solve_watched(mu, nu, watch)?;
                let answer = Found {
                    value: found.cost,
                    lower_bound: Some(found.lower_bound),
                    coupling: found.coupling,
                    theta: None,
                    method: "exact",
                    story: "exact transport".into(),
                    stop: found.stop,
                    n_iter: found.iterations,
                };
                return Ok((answer, Some(found.potentials)));
            }
            Solver::MinSwgg(search) => {
                let found = search.clone().parallelism(parallelism).solve_watched(mu, nu, watch)?;
                Found {
                    value: found.cost,
                    lower_bound: None,
                    coupling: found.coupling,
                    theta: Some(found.theta.as_slice().to_vec()),
                    method: "min-swgg",
                    story: format!("the best of {} lines ({})", found.tried, found.search),
                    stop: found.stop,
                    n_iter: found.tried,
                }
            }
        };
        Ok((found, None))
    }
}
