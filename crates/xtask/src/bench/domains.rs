//! `cargo xtask bench domains`: digits of one data set moved onto those of another, beside POT's transport that knows labels.

use std::collections::BTreeMap;

use serde_json::json;

use super::{machine, number, python, save};
use crate::shell::Outcome;

/// As many threads as the other benchmarks beside POT.
const THREADS: usize = 2;
/// Seeds unless told otherwise.
const SEEDS: &str = "3";

pub fn run(options: &[&str]) -> Outcome<()> {
    let (mut data, mut seeds) = (std::env::var("SWGG_DATA").ok(), SEEDS);
    for pair in options.chunks(2) {
        match *pair {
            ["--data", directory] => data = Some(directory.to_owned()),
            ["--seeds", count] => seeds = count,
            _ => return Err(format!("found {}, expected --data DIR or --seeds N", options.join(" "))),
        }
    }
    let data = data.ok_or("name the folder that holds usps and mnist by --data DIR or SWGG_DATA")?;
    let python = python::interpreter(&python::PACKAGE)?;
    python::wheel(&python, python::Profile::Release)?;
    let found = python::script(&python, "domains.py", THREADS, &[&data, seeds])?;
    let rows = found.as_array().ok_or("domains.py printed no list")?;
    let mut methods: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
    for row in rows {
        let facts = (number(row, "accuracy")?, number(row, "seconds")?);
        methods.entry(row["method"].as_str().unwrap_or_default()).or_default().push(facts);
    }
    println!("\nUSPS to MNIST, 2000 digits each of 16 x 16 pixels, {seeds} seeds, {THREADS} threads.\n");
    println!("| method | digits of MNIST that are told right | seconds |");
    println!("|---|---|---|");
    for (method, facts) in methods {
        let mean = |of: fn(&(f64, f64)) -> f64| facts.iter().map(of).sum::<f64>() / facts.len() as f64;
        println!("| {method} | {:.1} % | {:.2} |", 100.0 * mean(|fact| fact.0), mean(|fact| fact.1));
    }
    save("domains", &json!({ "machine": machine(), "rows": rows }))
}
