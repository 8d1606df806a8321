//! `cargo xtask bench sliced`: the sliced distance beside POT, one step of the smoothed descent beside PyTorch.

use serde_json::{Value, json};

use super::{build, clouds, machine, number, python, save};
use crate::shell::Outcome;

const POINTS: &str = "100000";
const DIMENSION: &str = "3";

/// One peer and what it is compared by.
struct Case {
    kind: &'static str,
    what: &'static str,
    peers: python::Environment,
    /// Directions, or copies of each point.
    size: &'static str,
    /// How many times faster we mean to be.
    goal: f64,
}

pub fn run() -> Outcome<()> {
    let (swgg, directory) = (build()?.display().to_string(), clouds()?.display().to_string());
    println!("n = {POINTS}, d = {DIMENSION}, f64, best of five runs each, same clouds and threads.\n");
    println!("| what | threads | peer s | swgg s | ratio | goal | peer MB | swgg MB |");
    println!("|---|---|---|---|---|---|---|---|");
    let what = "SW, L = 200, beside `ot.sliced_wasserstein_distance`";
    let sw = Case { kind: "sw", what, peers: python::POT, size: "200", goal: 60.0 };
    let what = "one step of `gradient`, s = 10, beside PyTorch";
    let gradient = Case { kind: "gradient", what, peers: python::TORCH, size: "10", goal: 10.0 };
    let mut rows = Vec::new();
    for Case { kind, what, peers, size, goal } in [sw, gradient] {
        let python = python::interpreter(&peers)?;
        for threads in [1, 2] {
            let count = threads.to_string();
            let args = [kind, &swgg, &directory, POINTS, DIMENSION, size, &count];
            let mut row = python::script(&python, "sliced.py", threads, &args)?;
            let (peer, ours) = (number(&row, "peer_seconds")?, number(&row, "swgg_seconds")?);
            let (peer_mb, ours_mb) = (number(&row, "peer_megabytes")?, number(&row, "swgg_megabytes")?);
            let ratio = peer / ours;
            println!(
                "| {what} | {threads} | {peer:.4} | {ours:.4} | {ratio:.1} | {goal} | {peer_mb:.0} | {ours_mb:.0} |"
            );
            if let Value::Object(row) = &mut row {
                row.insert("what".into(), what.into());
                row.insert("threads".into(), threads.into());
                row.insert("ratio".into(), ratio.into());
                row.insert("goal".into(), goal.into());
            }
            rows.push(row);
        }
    }
    save("sliced", &json!({ "machine": machine(), "rows": rows }))
}
