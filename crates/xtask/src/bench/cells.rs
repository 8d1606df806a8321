//! `cargo xtask bench cells`: couplings between drawn populations of cells, with growth.

use serde_json::json;

use super::{machine, number, python, save};
use crate::shell::Outcome;

/// Threads of every run.
const THREADS: usize = 2;
/// Cells of each day unless told otherwise: the sizes at which users of moscot report days.
const SIZES: [&str; 2] = ["228000", "405000"];

pub fn run(sizes: &[&str]) -> Outcome<()> {
    let sizes = if sizes.is_empty() { &SIZES[..] } else { sizes };
    let python = python::interpreter(&python::PACKAGE)?;
    python::wheel(&python, python::Profile::Release)?;
    println!("\nd = 50, growth as weights, {THREADS} threads; goal: 15 minutes and 4000 MB.\n");
    println!("| cells | seconds | MB | entries | above the optimum, at most | mass that keeps its type |");
    println!("|---|---|---|---|---|---|");
    let mut rows = Vec::new();
    for size in sizes {
        let row = python::script(&python, "cells.py", THREADS, &[size, &THREADS.to_string()])?;
        let gap = row["gap"].as_f64().map_or("-".into(), |gap| format!("{:.2} %", 100.0 * gap));
        println!(
            "| {size} | {:.1} | {:.0} | {:.0} | {gap} | {:.1} % |",
            number(&row, "seconds")?,
            number(&row, "megabytes")?,
            number(&row, "entries")?,
            100.0 * number(&row, "kept_type")?
        );
        rows.push(row);
    }
    save("cells", &json!({ "machine": machine(), "rows": rows }))
}
