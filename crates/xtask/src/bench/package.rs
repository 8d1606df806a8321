//! `cargo xtask bench python`: what the Python package costs on top of the engine.

use serde_json::{Value, json};

use super::{machine, number, python, save};
use crate::shell::Outcome;

/// As many threads as the other benchmarks beside POT.
const THREADS: usize = 2;

pub fn run() -> Outcome<()> {
    let python = python::interpreter(&python::PACKAGE)?;
    let wheel = python::wheel(&python, python::Profile::Release)?;
    let bytes = std::fs::metadata(&wheel).map_err(|error| format!("{}: {error}", wheel.display()))?.len();
    let found = python::script(&python, "package.py", THREADS, &[&THREADS.to_string()])?;
    let of = |field: &str| number(&found, field);
    let (large, command) = (of("large_call_seconds")?, of("large_command_seconds")?);
    println!("\nThe least of several runs each.\n");
    println!("| what | found | goal |");
    println!("|---|---|---|");
    println!(
        "| `swgg.solve`, n = 10: beyond `Result.seconds` | {:.1} us | 20 us |",
        1e6 * of("small_beyond_seconds")?
    );
    println!(
        "| `swgg.solve`, n = 100000, effort 1: beyond `Result.seconds` | {:.3} % | 2 % |",
        100.0 * of("large_beyond_share")?
    );
    println!(
        "| the same, {large:.3} s, beyond the {command:.3} s of the command | {:.1} % (runs differ by {:.1} %) | 2 % |",
        100.0 * (large / command - 1.0),
        100.0 * of("large_spread")?
    );
    println!("| `import swgg` after NumPy | {:.0} ms | 150 ms |", 1e3 * of("import_seconds")?);
    println!("| the wheel | {:.1} MB | 10 MB |", bytes as f64 / 1e6);
    beside_pot(&found["pot"])?;
    save("python", &json!({ "machine": machine(), "wheel_bytes": bytes, "found": found }))
}

/// The call of POT's users, with one import changed.
fn beside_pot(found: &Value) -> Outcome<()> {
    if found.is_null() {
        println!("\nNo `swgg.pot` in this wheel: nothing to compare with POT.");
        return Ok(());
    }
    let (pot, swgg) = (number(found, "pot_seconds")?, number(found, "swgg_seconds")?);
    println!(
        "\n`min_sliced_transport_plan`, n = 100000, d = 3, L = 200, {THREADS} threads: POT {pot:.3} s, \
         swgg {swgg:.3} s, {:.1} times as fast (goal 30); costs agree to {:.0e}.",
        pot / swgg,
        number(found, "worst_relative_difference")?
    );
    Ok(())
}
