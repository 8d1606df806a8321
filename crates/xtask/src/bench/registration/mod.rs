//! `cargo xtask bench registration`: the paper's tables, clouds that overlap in part, real scans, and small_gicp beside us.

mod tables;

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Map, Value, json};

use super::{machine, program, python, save, seed_count};
use crate::shell::{Outcome, output};

/// What is measured, and whether that needs files.
const CASES: [(&str, bool); 8] = [
    ("letter", false),
    ("mumble", false),
    ("dragon", false),
    ("cut", false),
    ("half", false),
    ("both", false),
    ("scans", true),
    ("lidar", true),
];
/// Runs of the peer; ours are as many.
const REPEATS: &str = "5";
const THREADS: usize = 2;

/// What was asked for.
struct Options {
    chosen: Vec<&'static str>,
    data: Option<PathBuf>,
    seeds: usize,
}

impl Options {
    fn parse(words: &[&str]) -> Outcome<Self> {
        let mut options = Options { chosen: Vec::new(), data: None, seeds: 50 };
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            let mut value = || words.next().ok_or(format!("`{word}` needs a value"));
            match word {
                "--data" => options.data = Some(PathBuf::from(value()?)),
                "--seeds" => options.seeds = seed_count(value()?)?,
                _ => match CASES.iter().find(|(name, _)| *name == word) {
                    Some((name, _)) => options.chosen.push(name),
                    None => {
                        let names = CASES.map(|(name, _)| name).join(", ");
                        return Err(format!(
                            "no case is called `{word}`; there are {names}, and --data DIR and --seeds N"
                        ));
                    }
                },
            }
        }
        Ok(options)
    }

    fn wants(&self, case: &str) -> bool {
        self.chosen.is_empty() || self.chosen.contains(&case)
    }
}

pub fn run(words: &[&str]) -> Outcome<()> {
    let options = Options::parse(words)?;
    let directory = options.data.as_ref().map(|data| prepare(data)).transpose()?;
    let program = program("swgg-apps", "registration")?;
    tables::introduce(options.data.is_some(), options.seeds);
    let mut cases = Map::new();
    for (case, needs_files) in CASES.into_iter().filter(|(case, _)| options.wants(case)) {
        if needs_files && directory.is_none() {
            println!("\n{case}: left out, there is no shape of ours for it; it needs --data DIR");
            continue;
        }
        let mut command = Command::new(&program);
        command.arg(case).arg(options.seeds.to_string()).args(&directory);
        // Progress is for people, and tells nothing once it is over.
        command.stderr(std::process::Stdio::inherit());
        let mut found: Value = serde_json::from_str(&output(&mut command)?)
            .map_err(|error| format!("no record of {case}: {error}"))?;
        if let ("lidar", Some(directory)) = (case, &directory) {
            let peer = peer(directory)?;
            found["methods"].as_array_mut().ok_or("a record without methods")?.push(peer);
        }
        tables::print(case, &found)?;
        cases.insert(case.into(), found);
    }
    let shapes = if options.data.is_some() { "files" } else { "generated" };
    save(
        "registration",
        &json!({ "machine": machine(), "clouds": shapes, "threads": THREADS, "cases": cases }),
    )
}

/// The clouds of a folder of data, as the bench reads them; says where.
fn prepare(data: &std::path::Path) -> Outcome<PathBuf> {
    let directory = super::clouds()?.join("registration");
    std::fs::create_dir_all(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    let data = std::path::absolute(data).map_err(|error| format!("{}: {error}", data.display()))?;
    let python = python::interpreter(&python::GICP)?;
    let (from, to) = (data.display().to_string(), directory.display().to_string());
    let found = python::script(&python, "registration.py", THREADS, &["clouds", &from, &to])?;
    let missing: Vec<&str> =
        found["missing"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !missing.is_empty() {
        return Err(format!(
            "{from} has no files for {}; without --data shapes of ours are taken",
            missing.join(", ")
        ));
    }
    Ok(directory)
}

/// small_gicp on the same pair, from the same start, with as many threads.
fn peer(directory: &std::path::Path) -> Outcome<Value> {
    let python = python::interpreter(&python::GICP)?;
    let (directory, threads) = (directory.display().to_string(), THREADS.to_string());
    python::script(&python, "registration.py", THREADS, &["peer", &directory, REPEATS, &threads])
}
