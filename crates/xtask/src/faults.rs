//! `cargo xtask faults`: the worst day, at length. The tests do the same in a few rounds.

use crate::shell::{Outcome, cargo, run};

/// Kills of every kind of output, and limits of each kind.
const ROUNDS: &str = "200";

fn run_rounds(rounds: &str) -> Outcome<()> {
    let words =
        ["test", "--locked", "--package", "swgg-cli", "--test", "cli", "faults::", "--", "--nocapture"];
    run(cargo(&words).env("SWGG_FAULT_ROUNDS", rounds))
}

pub fn run_with(rounds: Option<&str>) -> Outcome<()> {
    let rounds = rounds.unwrap_or(ROUNDS);
    match rounds.parse::<usize>() {
        Ok(1..) => run_rounds(rounds),
        _ => Err(format!("found {rounds} rounds, expected a whole number from 1 on")),
    }
}
