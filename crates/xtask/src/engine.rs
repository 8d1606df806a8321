//! `cargo xtask test engine`: the crate on DataFusion, which takes longer to build than all others together and so has steps of its own.

use crate::shell::{self, Outcome, cargo};

pub const PACKAGE: &str = "swgg-engine";

pub fn test() -> Outcome<()> {
    println!("\n== engine: tests");
    shell::run(&mut cargo(&["test", "--package", PACKAGE, "--locked"]))?;
    println!("\n== engine: lints");
    shell::run(&mut cargo(&[
        "clippy",
        "--package",
        PACKAGE,
        "--all-targets",
        "--locked",
        "--",
        "-D",
        "warnings",
    ]))?;
    println!("\n== engine: documentation");
    let mut documentation = cargo(&["doc", "--package", PACKAGE, "--no-deps", "--locked"]);
    documentation.env("RUSTDOCFLAGS", "-D warnings");
    shell::run(&mut documentation)
}
