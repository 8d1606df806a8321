//! `cargo xtask bench exact`: exact transport beside the network simplex of POT; `cargo xtask golden`: its costs for our tests.

use serde_json::{Value, json};

use super::{build, clouds, machine, number, python, save};
use crate::shell::{Outcome, root};

/// A pair of clouds, what it is, and how many times faster we mean to be.
const PAIRS: [(&str, &str, f64); 5] = [
    ("gaussians", "two Gaussians, n = 3000", 5.0),
    ("cube", "same cube, n = 3000", 5.0),
    ("sphere", "sphere to cube, n = 3000", 5.0),
    ("weighted", "weighted, 2000 to 3000", 3.0),
    ("large", "same cube, n = 10 000", 1.0),
];

pub fn run() -> Outcome<()> {
    let (swgg, directory) = (build()?.display().to_string(), clouds()?.display().to_string());
    let python = python::interpreter(&python::POT)?;
    println!(
        "`ot.emd2(a, b, ot.dist(x, y))` beside `swgg solve --method exact`, d = 3, f64, best of five (n = 10 000: one of"
    );
    println!("POT, best of two of swgg), same clouds and threads.\n");
    println!("| pair | threads | POT s | swgg s | ratio | goal | POT MB | swgg MB | costs differ by |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut rows = Vec::new();
    for (name, what, goal) in PAIRS {
        for threads in [1, 2] {
            let count = threads.to_string();
            let mut row =
                python::script(&python, "exact.py", threads, &["row", &swgg, &directory, name, &count])?;
            let (peer, ours) = (number(&row, "peer_seconds")?, number(&row, "swgg_seconds")?);
            let (peer_mb, ours_mb) = (number(&row, "peer_megabytes")?, number(&row, "swgg_megabytes")?);
            let (ratio, difference) = (peer / ours, number(&row, "difference")?);
            println!(
                "| {what} | {threads} | {peer:.3} | {ours:.3} | {ratio:.1} | {goal} | {peer_mb:.0} | {ours_mb:.0} | {difference:.0e} |"
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
    save("exact", &json!({ "machine": machine(), "rows": rows }))
}

/// Writes the costs that tests of the library compare with.
pub fn golden() -> Outcome<()> {
    for (kind, peers) in [("exact", python::POT), ("factored", python::POT), ("divergence", python::TORCH)] {
        let python = python::interpreter(&peers)?;
        let path = root().join("crates/swgg/tests/golden").join(format!("{kind}.csv"));
        let found = python::script(&python, "exact.py", 1, &["golden", &path.display().to_string(), kind])?;
        println!("{} costs in {}", found["problems"], path.strip_prefix(root()).unwrap_or(&path).display());
    }
    Ok(())
}
