//! Figure 3, right: running times beside other distances and plans.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use swgg::paper::{Blur, Gradient, InMemory, RandomSearch, Search};
use swgg::sliced::{MaxSliced, Sliced, Slicing};
use swgg::solver::{Factored, Sinkhorn, SubspaceRobust};
use swgg::{Exact, Measure, Question, Run, Solver, Stop};
use swgg_testkit::gaussian_pair;

use super::Experiment;
use crate::Outcome;
use crate::chart::{Axis, Plot, Series, Sheet};
use crate::clouds::measure;
use crate::record::{Record, Table, slug};
use crate::scale::Scale;
use crate::statistics::{growth, short};

/// Lines of SW and of random search; steps of max-SW and of the descent, with their rate and copies (Supp. E.2).
const LINES: usize = 200;
const STEPS: usize = 100;
const RATE: f64 = 1.0;
const COPIES: usize = 50;
/// Runs shorter than this are measured three times, and the shortest counts.
const BRIEF: f64 = 0.3;

pub struct Runtimes;

/// A method: its value, and whether it came to its end in time.
type Method = fn(&Measure<f64>, &Measure<f64>, &mut Run) -> Outcome<(f64, bool)>;

const METHODS: [(&str, Method); 8] = [
    ("SW", |mu, nu, run| {
        let lines = Sliced { directions: LINES, ..Sliced::new(Slicing::Wasserstein { p: 2.0 }) };
        let found = lines.estimate(mu, nu, run)?;
        Ok((found.cost, found.stop == Stop::AllTried))
    }),
    ("max-SW", |mu, nu, run| {
        let climb = MaxSliced { steps: STEPS, starts: 1, learning_rate: RATE, ..Default::default() };
        Ok((climb.maximum(mu, nu, run)?.cost, !run.is_late))
    }),
    ("min-SWGG, random", |mu, nu, run| {
        let search = RandomSearch { directions: LINES, ..Default::default() };
        let found = search.run(&InMemory::new(mu, nu)?, run)?;
        Ok((found.cost, found.stop == Stop::AllTried))
    }),
    ("min-SWGG, optimised", |mu, nu, run| {
        let blur = Blur { copies: Some(COPIES), ..Default::default() };
        let search = Gradient { steps: STEPS, starts: 1, learning_rate: RATE, blur, ..Default::default() };
        Ok((search.run(&InMemory::new(mu, nu)?, run)?.cost, !run.is_late))
    }),
    ("SRW", |mu, nu, run| solved(&SubspaceRobust::default(), mu, nu, run)),
    ("factored", |mu, nu, run| solved(&Factored::default(), mu, nu, run)),
    ("Sinkhorn", |mu, nu, run| solved(&Sinkhorn::default(), mu, nu, run)),
    ("exact", |mu, nu, run| solved(&Exact, mu, nu, run)),
];

fn solved(
    solver: &dyn Solver<f64>,
    mu: &Measure<f64>,
    nu: &Measure<f64>,
    run: &mut Run,
) -> Outcome<(f64, bool)> {
    let found = solver.answer(&Question::new(mu, nu)?, run)?;
    Ok((found.cost, found.stop != Stop::TimeLimit))
}

/// One method at one size: seconds and value, or nothing if there was no time for it.
#[derive(Clone, Serialize, Deserialize)]
struct Timed {
    n: usize,
    found: Option<(f64, f64)>,
}

impl Experiment for Runtimes {
    fn name(&self) -> &'static str {
        "runtimes"
    }

    fn place(&self) -> &'static str {
        "Figure 3, right"
    }

    fn title(&self) -> &'static str {
        "Running times beside others"
    }

    fn shows(&self) -> &'static str {
        "Seconds for two Gaussians in dimension 3 of 100 to 100 000 points: SW, max-SW, min-SWGG both ways, subspace-robust transport, factored coupling, Sinkhorn and exact transport."
    }

    fn says(&self) -> &'static str {
        "min-SWGG by random search is as fast as SW and grows a little faster than linearly; optimised, it is faster than SRW, which also needs more memory. (The paper measures on a GPU, with other people's implementations.)"
    }

    fn run(&self, scale: &Scale) -> Outcome<Record> {
        let sizes: &[usize] =
            scale.pick(&[50, 200], &[100, 1000, 10_000, 50_000], &[100, 1000, 10_000, 50_000, 100_000]);
        let limit = scale.pick(2.0, 2.0, 120.0);
        let mut record = Record { seed: "0".to_string(), ..Record::default() };
        record.set("clouds", "Gaussians with random means and covariances, d = 3");
        record.set("SW, random search", format!("{LINES} lines"));
        record.set("max-SW, descent", format!("{STEPS} steps of rate {RATE}, one start; s = {COPIES}"));
        record.set("SRW", "subspaces of 2 dimensions, Frank-Wolfe, exact plans inside");
        record.set("factored", "100 points, exact plans inside");
        record.set("Sinkhorn", "epsilon 0.01 of the mean cost, until the marginals are met");
        record.set(
            "time limit",
            format!("{limit} s; a method that does not keep it is not asked for more points"),
        );
        record.set("threads", "all");
        let mut columns = Vec::new();
        for (name, method) in METHODS {
            let part = format!("runtimes-{}", slug(name));
            columns.push(scale.part(&part, || times(method, sizes, limit))?);
        }
        let mut table = Table::new("seconds", std::iter::once("n").chain(METHODS.map(|(name, _)| name)));
        for (at, n) in sizes.iter().enumerate() {
            let cell = |column: &Vec<Timed>| match column.get(at).map(|timed| timed.found) {
                Some(Some((seconds, _))) => short(seconds),
                Some(None) => format!("> {limit}"),
                None => "-".to_string(),
            };
            table.row([n.to_string()].into_iter().chain(columns.iter().map(cell)));
        }
        record.tables.push(table);
        let mut plot = Plot::new("d = 3", Axis::log("points"), Axis::log("seconds"));
        for (k, ((name, _), column)) in METHODS.iter().zip(&columns).enumerate() {
            let points: Vec<(f64, f64)> = seconds(column);
            record.ours(
                format!("{name}: seconds"),
                column.iter().map(|timed| timed.found.map(|(s, _)| s)).collect::<Vec<_>>(),
            );
            plot.series.push(Series::line(*name, k, points));
        }
        record.ours("n", sizes.to_vec());
        record.svg("", "Seconds on this machine.", Sheet::one(plot));
        claims(&mut record, &columns);
        Ok(record)
    }
}

/// Seconds by size, of what was finished.
fn seconds(column: &[Timed]) -> Vec<(f64, f64)> {
    column.iter().filter_map(|timed| Some((timed.n as f64, timed.found?.0))).collect()
}

fn times(method: Method, sizes: &[usize], limit: f64) -> Outcome<Vec<Timed>> {
    let mut column = Vec::new();
    for &n in sizes {
        let (x, y) = gaussian_pair(n, 3, 3, 0);
        let (mu, nu) = (measure(&x)?, measure(&y)?);
        let mut best: Option<(f64, f64)> = None;
        for _ in 0..3 {
            let mut run = Run::for_at_most(Duration::from_secs_f64(limit)).without_bounds();
            let clock = Instant::now();
            let (value, is_whole) = method(&mu, &nu, &mut run)?;
            let seconds = clock.elapsed().as_secs_f64();
            if is_whole && seconds <= limit && best.is_none_or(|(least, _)| seconds < least) {
                best = Some((seconds, value));
            }
            if seconds > BRIEF {
                break;
            }
        }
        column.push(Timed { n, found: best });
        if best.is_none() {
            break;
        }
    }
    Ok(column)
}

fn claims(record: &mut Record, columns: &[Vec<Timed>]) {
    let column = |name: &str| {
        let at = METHODS.iter().position(|(known, _)| *known == name).unwrap_or(0);
        &columns[at]
    };
    let first =
        |name: &str| column(name).first().and_then(|timed| timed.found).map_or(f64::NAN, |(_, value)| value);
    let names = ["SW", "max-SW", "exact", "min-SWGG, optimised"];
    let values = names.map(first);
    let also = first("min-SWGG, random").min(first("factored"));
    record.claim(
        values.windows(2).all(|pair| pair[0] <= pair[1] * (1.0 + 1e-6)) && values[2] <= also * (1.0 + 1e-6),
        format!(
            "at the smallest size {} are {}, as bounds from below, the optimum and bounds from above must be",
            names.join(", "),
            values.map(short).join(", ")
        ),
    );
    let (sw, random) = (seconds(column("SW")), seconds(column("min-SWGG, random")));
    if let (Some((n, sw)), Some((_, random))) = (sw.last(), random.last()) {
        record.timed_claim(
            *random < 3.0 * sw,
            format!("with {n} points random min-SWGG takes {} s, SW {} s", short(*random), short(*sw)),
        );
    }
    let large: Vec<(f64, f64)> = random.iter().copied().filter(|(n, _)| *n >= 1000.0).collect();
    if large.len() >= 2 {
        let power = growth(&large);
        record.timed_claim(power < 1.4, format!("random min-SWGG grows as n to the power {power:.2}"));
    }
    let (descent, robust) = (seconds(column("min-SWGG, optimised")), seconds(column("SRW")));
    if let Some((n, robust)) = robust.last()
        && let Some((_, descent)) = descent.iter().find(|(size, _)| size == n)
    {
        record.timed_claim(
            descent < robust,
            format!(
                "with {n} points optimised min-SWGG takes {} s, SRW {} s",
                short(*descent),
                short(*robust)
            ),
        );
    }
}
