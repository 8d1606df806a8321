//! `cargo xtask bench scale`: how time and memory grow with the number of points.

use serde_json::{Value, json};

use super::{build, machine, number, python, save};
use crate::shell::Outcome;

const SIZES: [usize; 5] = [100_000, 300_000, 1_000_000, 3_000_000, 10_000_000];
const DIRECTIONS: usize = 20;
/// Memory the largest size may take, in MB.
const GOAL: f64 = 2500.0;

pub fn run() -> Outcome<()> {
    let (swgg, python) = (build()?, python::interpreter(&python::POT)?);
    let directory = super::clouds()?;
    let (swgg, directory) = (&swgg.display().to_string(), &directory.display().to_string());
    println!("min-SWGG by random search, d = 3, f32, L = {DIRECTIONS}, two threads. Best of three runs.");
    println!("Loglinear growth keeps the last column level. Goal at the largest size: {GOAL} MB.\n");
    println!("| n | solve s | peak MB | bytes per point | ns per direction and n log2 n |");
    println!("|---|---|---|---|---|");
    let mut rows = Vec::new();
    for n in SIZES {
        let (size, directions) = (n.to_string(), DIRECTIONS.to_string());
        python::script(&python, "scale.py", 2, &["draw", directory, &size])?;
        let row = python::script(&python, "scale.py", 2, &["run", directory, swgg, &directions])?;
        let (seconds, megabytes) = (number(&row, "seconds")?, number(&row, "megabytes")?);
        let work = DIRECTIONS as f64 * n as f64 * (n as f64).log2();
        let (per_point, per_work) = (megabytes * 1048576.0 / n as f64, 1e9 * seconds / work);
        println!("| {n} | {seconds:.3} | {megabytes:.0} | {per_point:.0} | {per_work:.3} |");
        rows.push(json!({
            "n": n, "seconds": seconds, "megabytes": megabytes,
            "bytes_per_point": per_point, "nanoseconds_per_direction_and_nlogn": per_work,
        }));
    }
    save("scale", &json!({ "machine": machine(), "rows": Value::from(rows) }))
}
