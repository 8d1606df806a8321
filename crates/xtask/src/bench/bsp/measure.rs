//! Runs both sides.

use std::path::PathBuf;
use std::process::Command;

use super::quiet::Quiet;
use super::record::{Measured, Reference, Row, keep_reference, references};
use super::{Case, Goal};
use crate::bench::{clouds, program, python};
use crate::shell::{Outcome, output};

const THREADS: usize = 2;
/// Seconds for a reference that is not kept.
const QUICK: f64 = 10.0;

pub struct Bench {
    program: PathBuf,
    python: PathBuf,
    quick: bool,
}

impl Bench {
    pub fn new(quick: bool) -> Outcome<Self> {
        let program = program("swgg", "plans_time")?;
        Ok(Bench { program, python: python::interpreter(&python::POT)?, quick })
    }

    pub fn measure(&self, case: &Case) -> Outcome<Measured> {
        eprintln!("{} (n = {}, d = {})", case.what, case.n, case.d);
        let place = Place::new(self, case)?;
        self.script(&["draw", &place.directory, case.kind, &case.n.to_string(), &place.dimension])?;
        let quiet = Quiet::new();
        let mut rows = match case.goal {
            Goal::Weighted => {
                place.ours(&jobs("auto", &EFFORTS).chain(["line:200".into()]).collect::<Vec<_>>())?
            }
            _ if case.is_huge() => place.huge()?,
            _ => place.all(case)?,
        };
        let others = quiet.others();
        let shift = rows.iter().find_map(|row| row.shift).ok_or("no run of ours")?;
        let reference = self.reference(case, &place, &rows)?;
        for row in &mut rows {
            row.shift = None;
        }
        let (name, what) = (case.name(), case.what.to_string());
        Ok(Measured { name, what, n: case.n, d: case.d, shift, rows, reference, others })
    }

    /// The optimum, or the best cost known: that of a long run, of an earlier one, or of one of these.
    fn reference(&self, case: &Case, place: &Place, rows: &[Row]) -> Outcome<Reference> {
        let known = references().get(&case.name()).copied();
        let mut reference = match (known, case.goal) {
            (Some(known), _) => known,
            (None, Goal::Weighted) => {
                let best = rows.iter().map(|row| row.cost).fold(f64::INFINITY, f64::min);
                return Ok(Reference { cost: best, lower_bound: 0.0, exact: false });
            }
            (None, goal) => {
                let job = match goal {
                    Goal::Known(seconds) if !self.quick => format!("limit:{seconds}:bounds"),
                    Goal::Known(_) => format!("limit:{QUICK}:bounds"),
                    _ => "exact".to_string(),
                };
                let found = place.ours(&[job])?.pop().ok_or("no reference")?;
                let exact = goal == Goal::Exact;
                Reference { cost: found.cost, lower_bound: found.lower_bound.unwrap_or(0.0), exact }
            }
        };
        for row in rows.iter().filter(|_| !reference.exact) {
            reference.cost = reference.cost.min(row.cost);
            reference.lower_bound = reference.lower_bound.max(row.lower_bound.unwrap_or(0.0));
        }
        if reference.exact || known.is_some() || !self.quick {
            keep_reference(&case.name(), reference)?;
        }
        Ok(reference)
    }

    fn script(&self, words: &[&str]) -> Outcome<Vec<Row>> {
        let rows = python::script(&self.python, "bsp.py", THREADS, words)?;
        serde_json::from_value(rows).map_err(|error| format!("bsp.py: {error}"))
    }
}

const EFFORTS: [u32; 10] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

fn jobs(method: &str, numbers: &[u32]) -> impl Iterator<Item = String> {
    numbers.iter().map(move |number| format!("{method}:{number}"))
}

/// Where the clouds of a case are.
struct Place<'a> {
    bench: &'a Bench,
    directory: String,
    dimension: String,
}

impl<'a> Place<'a> {
    fn new(bench: &'a Bench, case: &Case) -> Outcome<Self> {
        let directory = clouds()?.join("bsp").join(case.name()).display().to_string();
        Ok(Place { bench, directory, dimension: case.d.to_string() })
    }

    fn peer(&self, plans: &str) -> Outcome<Vec<Row>> {
        self.bench.script(&["bsp", &self.directory, &self.dimension, plans])
    }

    /// Jobs of ours, in one process.
    fn ours(&self, jobs: &[String]) -> Outcome<Vec<Row>> {
        let mut command = Command::new(&self.bench.program);
        command.args([&self.directory, &self.dimension, &THREADS.to_string()]).args(jobs);
        let row = |line: &str| serde_json::from_str(line).map_err(|error| format!("`{line}`: {error}"));
        output(&mut command)?.lines().map(row).collect()
    }

    /// All methods, with as much time as the peer takes among them.
    fn all(&self, case: &Case) -> Outcome<Vec<Row>> {
        let mut rows = self.peer("4,8,16,32,64")?;
        let mut mine: Vec<String> = jobs("auto", &EFFORTS).collect();
        mine.push(same_time(&rows)?);
        let certified = if case.n <= 3000 { 1..=5 } else { 5..=5 };
        mine.extend(certified.map(|effort| format!("auto:{effort}:bounds")));
        mine.extend(jobs("trees", &[1, 2, 4, 8, 16, 32, 64]));
        mine.extend([25, 50, 100, 200, 400].map(|lines: u32| format!("merged:{lines}+line:{lines}")));
        rows.extend(self.ours(&mine)?);
        if case.n <= 3000 {
            rows.extend(self.bench.script(&["emd", &self.directory, &self.dimension])?);
        }
        Ok(rows)
    }

    /// Efforts until the peer is reached, each in its own process for the sake of the memory it takes.
    fn huge(&self) -> Outcome<Vec<Row>> {
        let mut rows = self.peer("16,64")?;
        let best = rows.iter().map(|row| row.cost).fold(f64::INFINITY, f64::min);
        for effort in EFFORTS {
            rows.extend(self.ours(&[format!("auto:{effort}")])?);
            if rows.last().is_some_and(|row| row.cost <= best) {
                break;
            }
        }
        for job in [same_time(&rows)?, "auto:5".into(), "auto:5:bounds".into()] {
            if rows.iter().all(|row| row.job != job) {
                rows.extend(self.ours(&[job])?);
            }
        }
        Ok(rows)
    }
}

fn same_time(rows: &[Row]) -> Outcome<String> {
    let peer = rows.iter().find(|row| row.job == "bsp:64").ok_or("no 64 plans of BSP-OT")?;
    Ok(format!("limit:{}", peer.seconds))
}
