//! `cargo xtask bench pot`: the same clouds, the same directions, the same threads, in the same run.

use serde_json::{Value, json};

use super::{build, machine, number, python, save};
use crate::shell::Outcome;

/// One row of the table.
struct Case {
    n: usize,
    m: usize,
    d: usize,
    directions: usize,
    threads: usize,
    /// How many times faster we mean to be.
    goal: f64,
}

/// Uniform clouds of one size, or weighted ones of two.
fn cases() -> Vec<Case> {
    let case = |n, m, d, threads, goal| Case { n, m, d, directions: 200, threads, goal };
    let mut cases = vec![case(100_000, 100_000, 3, 1, 15.0), case(100_000, 100_000, 3, 2, 30.0)];
    for (d, goal) in [(2, 10.0), (20, 10.0), (200, 5.0)] {
        for n in [1000, 10_000] {
            cases.extend([case(n, n, d, 1, goal), case(n, n, d, 2, goal)]);
        }
    }
    cases.extend([case(100_000, 70_000, 3, 1, 10.0), case(100_000, 70_000, 3, 2, 10.0)]);
    cases
}

pub fn run() -> Outcome<()> {
    let (swgg, python) = (build()?, python::interpreter(&python::POT)?);
    let directory = super::clouds()?;
    println!("min-SWGG by random search beside POT's `ot.min_sliced_transport_plan(..., dense=False)`, f64.");
    println!("Best of five runs each; solving only, inputs in memory; peak memory of the whole process.\n");
    println!(
        "| n | m | d | L | threads | POT s | swgg s | ratio | goal | POT MB | swgg MB | costs agree to |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let mut rows = Vec::new();
    for case in cases() {
        let row = measure(&case, &swgg.display().to_string(), &python, &directory.display().to_string())?;
        println!(
            "| {} | {} | {} | {} | {} | {:.4} | {:.4} | {:.1} | {} | {:.0} | {:.0} | {:.0e} |",
            case.n,
            case.m,
            case.d,
            case.directions,
            case.threads,
            number(&row, "pot_seconds")?,
            number(&row, "swgg_seconds")?,
            number(&row, "ratio")?,
            case.goal,
            number(&row, "pot_megabytes")?,
            number(&row, "swgg_megabytes")?,
            number(&row, "worst_relative_difference")?,
        );
        rows.push(row);
    }
    // The first two cases are the same but for the threads.
    let speedup = number(&rows[0], "swgg_seconds")? / number(&rows[1], "swgg_seconds")?;
    println!("\nTwo threads are {speedup:.2} times as fast as one at n = 100000, L = 200 (goal 1.6).");
    save("pot", &json!({ "machine": machine(), "rows": rows, "two_threads_over_one": speedup }))
}

fn measure(case: &Case, swgg: &str, python: &std::path::PathBuf, directory: &str) -> Outcome<Value> {
    let Case { n, m, d, directions, threads, goal } = *case;
    let shape: Vec<String> = [n, m, d, directions, threads].iter().map(ToString::to_string).collect();
    let mut args = vec![swgg, directory];
    args.extend(shape.iter().map(String::as_str));
    let mut row = python::script(python, "pot.py", threads, &args)?;
    let ratio = number(&row, "pot_seconds")? / number(&row, "swgg_seconds")?;
    let facts = json!({
        "n": n, "m": m, "d": d, "directions": directions, "threads": threads, "goal": goal, "ratio": ratio,
    });
    if let (Value::Object(row), Value::Object(facts)) = (&mut row, facts) {
        row.extend(facts);
    }
    Ok(row)
}
