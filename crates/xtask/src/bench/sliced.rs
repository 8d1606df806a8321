//! `cargo xtask bench sliced`: the sliced distance beside POT, one step of the smoothed descent beside PyTorch.

use serde_json::{Value, json};

use super::{build, clouds, machine, number, python, save};
use crate::shell::Outcome;

/// One peer and what it is compared by.
struct Case {
    kind: &'static str,
    what: &'static str,
    peers: python::Environment,
    points: &'static str,
    dimension: &'static str,
    /// Directions, or copies of each point.
    size: &'static str,
    /// How many times faster we mean to be.
    goal: f64,
}

pub fn run() -> Outcome<()> {
    let (swgg, directory) = (build()?.display().to_string(), clouds()?.display().to_string());
    println!("f64, best of five runs each, same clouds and threads.\n");
    println!("| what | n | d | threads | peer s | swgg s | ratio | goal | peer MB | swgg MB |");
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let what = "SW, L = 200, beside `ot.sliced_wasserstein_distance`";
    let sw = |points, dimension, goal| Case {
        kind: "sw",
        what,
        peers: python::POT,
        points,
        dimension,
        size: "200",
        goal,
    };
    let sw = [sw("100000", "3", 60.0), sw("10000", "784", 5.0)];
    let what = "one step of `gradient`, s = 10, beside PyTorch";
    let gradient = Case {
        kind: "gradient",
        what,
        peers: python::TORCH,
        points: "100000",
        dimension: "3",
        size: "10",
        goal: 10.0,
    };
    let mut rows = Vec::new();
    for Case { kind, what, peers, points, dimension, size, goal } in sw.into_iter().chain([gradient]) {
        let python = python::interpreter(&peers)?;
        for threads in [1, 2] {
            let count = threads.to_string();
            let args = [kind, &swgg, &directory, points, dimension, size, &count];
            let mut row = python::script(&python, "sliced.py", threads, &args)?;
            let (peer, ours) = (number(&row, "peer_seconds")?, number(&row, "swgg_seconds")?);
            let (peer_mb, ours_mb) = (number(&row, "peer_megabytes")?, number(&row, "swgg_megabytes")?);
            let ratio = peer / ours;
            println!(
                "| {what} | {points} | {dimension} | {threads} | {peer:.4} | {ours:.4} | {ratio:.1} | {goal} | {peer_mb:.0} | {ours_mb:.0} |"
            );
            if let Value::Object(row) = &mut row {
                row.insert("what".into(), what.into());
                row.insert("n".into(), points.into());
                row.insert("d".into(), dimension.into());
                row.insert("threads".into(), threads.into());
                row.insert("ratio".into(), ratio.into());
                row.insert("goal".into(), goal.into());
            }
            rows.push(row);
        }
    }
    save("sliced", &json!({ "machine": machine(), "rows": rows }))
}
