//! `cargo xtask bench sinkhorn`: entropic transport beside POT's `sinkhorn_log`, as many iterations each.

use serde_json::{Value, json};

use super::{clouds, machine, number, program, python, save};
use crate::shell::Outcome;

const POINTS: &str = "2000";
const ITERATIONS: &str = "20";
/// How many times faster we mean to be.
const GOAL: f64 = 3.0;
/// How far the costs of the plans may differ, relatively.
const AGREEMENT: f64 = 1e-9;

pub fn run() -> Outcome<()> {
    let program = program("swgg", "sinkhorn_time")?.display().to_string();
    let (directory, python) = (clouds()?.display().to_string(), python::interpreter(&python::POT)?);
    println!(
        "n = {POINTS}, f64, {ITERATIONS} plain iterations in logarithms, best of five runs each, same clouds and \
         threads.\n"
    );
    println!(
        "| d | epsilon / mean cost | threads | POT s | swgg s | ratio | goal | POT MB | swgg MB | costs differ by |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let mut rows = Vec::new();
    for (dimension, epsilon) in [("3", "1e-2"), ("3", "1e-3"), ("50", "1e-2"), ("256", "1e-2")] {
        for threads in [1, 2] {
            let count = threads.to_string();
            let args = [&program, &directory, POINTS, dimension, epsilon, ITERATIONS, &count];
            let mut row = python::script(&python, "sinkhorn.py", threads, &args)?;
            let (peer, ours) = (number(&row, "peer_seconds")?, number(&row, "swgg_seconds")?);
            let (peer_mb, ours_mb) = (number(&row, "peer_megabytes")?, number(&row, "swgg_megabytes")?);
            let (peer_cost, our_cost) = (number(&row, "peer_value")?, number(&row, "swgg_value")?);
            let (ratio, gap) = (peer / ours, (our_cost / peer_cost - 1.0).abs());
            println!(
                "| {dimension} | {epsilon} | {threads} | {peer:.3} | {ours:.3} | {ratio:.1} | {GOAL} | {peer_mb:.0} | \
                 {ours_mb:.0} | {gap:.0e} |"
            );
            if gap.is_nan() || gap > AGREEMENT {
                return Err(format!("POT's plan costs {peer_cost}, ours {our_cost}"));
            }
            if let Value::Object(row) = &mut row {
                row.insert("dimension".into(), dimension.into());
                row.insert("epsilon".into(), epsilon.into());
                row.insert("threads".into(), threads.into());
                row.insert("ratio".into(), ratio.into());
                row.insert("goal".into(), GOAL.into());
            }
            rows.push(row);
        }
    }
    save("sinkhorn", &json!({ "machine": machine(), "rows": rows }))
}
