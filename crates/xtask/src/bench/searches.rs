//! `cargo xtask bench searches`: what each search finds, and the paper's table of PWD.

use crate::shell::{Outcome, cargo};

/// Both are examples of the library; this runs them for release.
fn run_example(name: &str) -> Outcome<()> {
    crate::shell::run(&mut cargo(&[
        "run",
        "--quiet",
        "--release",
        "--locked",
        "--package",
        "swgg",
        "--example",
        name,
    ]))
}

pub fn run() -> Outcome<()> {
    run_example("searches")?;
    println!();
    run_example("pwd_table")
}
