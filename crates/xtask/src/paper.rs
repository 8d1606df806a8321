//! `cargo xtask paper`: builds the program that computes the paper anew, for release, and runs it.

use std::process::Command;

use crate::shell::{Outcome, cargo, run, target};

/// Words are passed on as they are, for the program knows them; what it writes goes beside what cargo builds unless they say where.
pub fn run_with(words: &[&str]) -> Outcome<()> {
    run(&mut cargo(&["build", "--quiet", "--release", "--package", "swgg-paper", "--locked"]))?;
    let program = target().join("release").join(format!("swgg-paper{}", std::env::consts::EXE_SUFFIX));
    let mut command = Command::new(program);
    command.args(words);
    if !words.contains(&"--out") {
        command.arg("--out").arg(target().join("paper"));
    }
    run(&mut command)
}
