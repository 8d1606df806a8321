//! `cargo xtask bench python --pot`: every function of `swgg.pot` beside POT's.

use serde_json::json;

use super::{machine, number, python, save};
use crate::shell::Outcome;

/// As many threads as the other benchmarks beside POT.
const THREADS: usize = 2;
/// How many times as fast as POT every row is meant to be, and most of them.
const LEAST_RATIO: f64 = 1.0;
const MOST_RATIO: f64 = 3.0;

/// One row per function and size; words choose rows.
pub fn run(words: &[&str]) -> Outcome<()> {
    let python = python::interpreter(&python::PACKAGE)?;
    python::wheel(&python, python::Profile::Release)?;
    let found = python::script(&python, "functions.py", THREADS, words)?;
    let rows = found.as_array().ok_or("functions.py printed no list")?;
    println!("\nPOT and swgg in turn, the least of several runs, {THREADS} threads.\n");
    println!("| call | POT | swgg.pot | times as fast | values apart |");
    println!("|---|---|---|---|---|");
    let (mut slower, mut quick, mut wrong) = (Vec::new(), 0, Vec::new());
    for row in rows {
        let name = row["name"].as_str().unwrap_or_default();
        let (pot, swgg) = (number(row, "pot_seconds")?, number(row, "swgg_seconds")?);
        let (ratio, apart) = (number(row, "ratio")?, number(row, "apart")?);
        println!("| `{name}` | {} | {} | {ratio:.1} | {apart:.0e} |", shown(pot), shown(swgg));
        if ratio < LEAST_RATIO {
            slower.push(name);
        }
        quick += usize::from(ratio >= MOST_RATIO);
        if apart > number(row, "allowed")? {
            wrong.push(name);
        }
    }
    println!("\n{quick} of {} rows are at least {MOST_RATIO} times as fast as POT.", rows.len());
    if !slower.is_empty() {
        println!("Slower than POT: {}.", slower.join("; "));
    }
    save("functions", &json!({ "machine": machine(), "rows": rows }))?;
    if wrong.is_empty() { Ok(()) } else { Err(format!("values differ from POT's: {}", wrong.join("; "))) }
}

fn shown(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.1} us", 1e6 * s),
        s if s < 1.0 => format!("{:.2} ms", 1e3 * s),
        s => format!("{s:.2} s"),
    }
}
