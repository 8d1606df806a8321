//! `cargo xtask bench optimal`: plans with their proofs, over families of clouds, beside POT and OR-tools.

mod options;
mod part;
mod table;

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use options::Options;
use part::{Case, Part};
use serde_json::{Value, json};

use super::{build, clouds, machine, python, save};
use crate::shell::{Outcome, root};

const THREADS: usize = 2;

pub fn run(words: &[&str]) -> Outcome<()> {
    let options = Options::parse(words)?;
    let mut lines = options.json.as_ref().map(Lines::create).transpose()?;
    let bench = Bench { swgg: build()?, directory: clouds()?, limit: options.limit };
    println!("All on {THREADS} threads; the fastest of three runs, or of those within ten seconds.");
    println!("Seconds of ours: plan and proof. gap: certified. bar: whether the goal is met.");
    let mut rows = Vec::new();
    for part in &options.parts {
        println!("\n{}\n{}", part.name, part.what);
        let Some(python) = interpreter(part)? else { continue };
        let cases = part.cases(&options);
        if let Some(first) = cases.first() {
            table::print_header(first);
        }
        let (mut met, mut asked) = (0, 0);
        for case in &cases {
            let row = bench.measure(&python, part, case)?;
            let (yes, all) = table::print(case, &row["found"], options.limit);
            (met, asked) = (met + yes, asked + all);
            if let Some(lines) = &mut lines {
                lines.write(&row)?;
            }
            rows.push(row);
        }
        if asked > 0 {
            println!("{}: {met} of {asked} within their bars", part.name);
        }
    }
    save("optimal", &json!({ "machine": machine(), "threads": THREADS, "rows": rows }))
}

/// Python with the peers of a part. OR-tools is not made for every platform, and the other parts do without it.
fn interpreter(part: &Part) -> Outcome<Option<PathBuf>> {
    if !part.needs_ortools() {
        return python::interpreter(&python::POT).map(Some);
    }
    match python::interpreter(&python::ORTOOLS) {
        Ok(python) => Ok(Some(python)),
        Err(error) => {
            println!("{}: skipped: OR-tools could not be installed: {error}", part.name);
            Ok(None)
        }
    }
}

struct Bench {
    swgg: PathBuf,
    directory: PathBuf,
    limit: f64,
}

impl Bench {
    fn measure(&self, python: &PathBuf, part: &Part, case: &Case) -> Outcome<Value> {
        let (swgg, directory) = (self.swgg.display().to_string(), self.directory.display().to_string());
        let asked = json!({ "draw": case.draw, "jobs": case.jobs, "threads": THREADS, "limit": self.limit })
            .to_string();
        let found = python::script(python, "optimal.py", THREADS, &["row", &swgg, &directory, &asked])?;
        Ok(json!({
            "part": part.name, "label": case.label, "n": case.n, "d": case.d, "seed": case.seed, "draw": case.draw,
            "threads": THREADS, "limit": self.limit, "found": found,
        }))
    }
}

/// A file with a row on each line, complete up to the row that was measured last.
struct Lines {
    path: PathBuf,
    file: File,
}

impl Lines {
    /// A relative path counts from the root, where cargo's verbs work.
    fn create(path: &PathBuf) -> Outcome<Self> {
        let path = root().join(path);
        let file = File::create(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Lines { path, file })
    }

    fn write(&mut self, row: &Value) -> Outcome<()> {
        writeln!(self.file, "{row}").map_err(|error| format!("{}: {error}", self.path.display()))
    }
}
