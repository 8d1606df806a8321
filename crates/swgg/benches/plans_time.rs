//! Our side of `cargo xtask bench bsp`: plans between two clouds stored as little-endian `f32`, row by row.
//!
//! ```text
//! cargo bench -p swgg --bench plans_time -- DIRECTORY d threads JOB...
//! ```
//!
//! The directory holds `x.f32` and `y.f32`, and `a.f32` and `b.f32` if there are weights. A job is `auto:EFFORT`,
//! `limit:SECONDS`, `trees:COUNT`, `merged:DIRECTIONS`, `line:DIRECTIONS` (min-SWGG) or `exact`; `auto` and `limit` look for lower
//! bounds with a third word, as in `auto:5:bounds`. Jobs joined by `+` are done in turn. Each prints one JSON object.

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use swgg::answer::Fact;
use swgg::{Auto, Exact, Measure, Merged, MinSwgg, Parallelism, Question, Run, Solver, Trees};

type Outcome<T> = Result<T, Box<dyn Error>>;
type Cloud = Measure<'static, f32>;

/// A job is done again until it was done so many times, or took so many seconds.
const RUNS: usize = 3;
const RUNS_SECONDS: f64 = 10.0;
/// The same for jobs in turn, which are compared with each other: so often that each meets a quiet moment.
const TURNS: usize = 25;
const TURNS_SECONDS: f64 = 25.0;

struct Timed {
    cost: f64,
    lower_bound: Option<f64>,
    solver: String,
    seconds: f64,
}

fn numbers(path: &Path) -> Outcome<Vec<f32>> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (numbers, _) = bytes.as_chunks::<4>();
    Ok(numbers.iter().map(|number| f32::from_le_bytes(*number)).collect())
}

fn cloud(directory: &Path, points: &str, weights: &str, dim: usize) -> Outcome<Cloud> {
    let cloud = Measure::from_vec(numbers(&directory.join(points))?, dim)?;
    let weights = directory.join(weights);
    Ok(if weights.exists() { cloud.with_weights(&numbers(&weights)?)? } else { cloud })
}

fn run(job: &str, source: &Cloud, target: &Cloud, parallelism: Parallelism) -> Outcome<Timed> {
    let words: Vec<&str> = job.split(':').collect();
    let bounds = words.get(2) == Some(&"bounds");
    let number = || words.get(1).ok_or_else(|| format!("`{job}` lacks its number"));
    let question = Question::new(source, target)?;
    let start = Instant::now();
    let mut run = Run { parallelism, bounds, ..Run::default() };
    let solver: Box<dyn Solver<f32>> = match words[0] {
        "auto" => Box::new(Auto { effort: number()?.parse()? }),
        "limit" => {
            run.deadline = start.checked_add(Duration::from_secs_f64(number()?.parse()?));
            Box::new(Auto::default())
        }
        "trees" => Box::new(Trees { trees: number()?.parse()? }),
        "merged" => Box::new(Merged { directions: number()?.parse()? }),
        "line" => Box::new(MinSwgg::new().directions(number()?.parse()?)),
        "exact" => Box::new(Exact),
        _ => return Err(format!("unknown job `{job}`").into()),
    };
    let found = solver.answer(&question, &mut run)?;
    let seconds = start.elapsed().as_secs_f64();
    // The default solver says which of its parts it was.
    let solver = match found.fact("solver") {
        Some(Fact::Text(part)) => part.clone(),
        _ if words[0] == "line" => "line".to_string(),
        _ => found.method.to_string(),
    };
    Ok(Timed { cost: found.cost, lower_bound: found.lower_bound, solver, seconds })
}

/// Of each of some jobs, done in turn, the fastest of a few runs; under a time limit, where it is the cost that varies, the one in the
/// middle.
fn measure(jobs: &[&str], source: &Cloud, target: &Cloud, parallelism: Parallelism) -> Outcome<Vec<Timed>> {
    let (most, enough) = if jobs.len() > 1 { (TURNS, TURNS_SECONDS) } else { (RUNS, RUNS_SECONDS) };
    let mut rounds: Vec<Vec<Timed>> = Vec::new();
    while rounds.len() < most && rounds.iter().flatten().map(|run| run.seconds).sum::<f64>() < enough {
        rounds.push(jobs.iter().map(|job| run(job, source, target, parallelism)).collect::<Outcome<_>>()?);
    }
    let mut found = Vec::new();
    for job in jobs.iter().rev() {
        let mut runs: Vec<Timed> = rounds.iter_mut().filter_map(Vec::pop).collect();
        let limited = job.starts_with("limit");
        runs.sort_by(|one, other| match limited {
            true => one.cost.total_cmp(&other.cost),
            false => one.seconds.total_cmp(&other.seconds),
        });
        let chosen = if limited { runs.len() / 2 } else { 0 };
        found.push(runs.swap_remove(chosen));
    }
    found.reverse();
    Ok(found)
}

/// Most memory this process has held so far; only Linux says.
fn megabytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches("kB").trim().parse::<f64>().ok()? / 1024.0)
}

fn main() -> Outcome<()> {
    // Cargo adds a word of its own.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let [directory, dim, threads, jobs @ ..] = words.as_slice() else {
        return Err("expected DIRECTORY d threads JOB...".into());
    };
    let (directory, dim) = (Path::new(directory), dim.parse()?);
    let source = cloud(directory, "x.f32", "a.f32", dim)?;
    let target = cloud(directory, "y.f32", "b.f32", dim)?;
    let parallelism = Parallelism::from_count(threads.parse()?);
    let shift: f64 = source.mean().iter().zip(target.mean()).map(|(x, y)| (x - y).powi(2)).sum();
    // Threads are started and pages are touched before anything is timed.
    run("auto:1", &source, &target, parallelism)?;
    let or_null = |number: Option<f64>| number.map_or("null".into(), |number| number.to_string());
    for job in jobs {
        let jobs: Vec<&str> = job.split('+').collect();
        let found = measure(&jobs, &source, &target, parallelism)?;
        for (job, Timed { cost, lower_bound, solver, seconds }) in jobs.iter().zip(found) {
            println!(
                "{{\"job\": \"{job}\", \"solver\": \"{solver}\", \"cost\": {cost}, \"shift\": {shift}, \"lower_bound\": {}, \
                 \"seconds\": {seconds}, \"megabytes\": {}}}",
                or_null(lower_bound),
                or_null(megabytes()),
            );
        }
    }
    Ok(())
}
