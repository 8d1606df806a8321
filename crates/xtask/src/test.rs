//! `cargo xtask test`: everything that must hold before a change lands.

use std::process::Command;

use crate::shell::{self, Outcome, cargo};
use crate::{cluster, engine};

/// All crates but the one on DataFusion, which has a part of its own, and the one on Ballista, which has a verb of its own.
pub const OTHERS: [&str; 5] = ["--workspace", "--exclude", engine::PACKAGE, "--exclude", cluster::PACKAGE];

/// PyTorch is installed for the part that needs it only if asked for.
pub fn run(with_torch: bool) -> Outcome<()> {
    // Reads sources and manifests only, so it speaks before anything is compiled.
    println!("\n== house");
    crate::house::check()?;
    crate::supply::check()?;
    step("format", cargo(&["fmt", "--all", "--check"]))?;
    step("lints", lints(&OTHERS))?;
    step("documentation", documentation(&OTHERS))?;
    // The Python half is among them although it has no tests in Rust and
    // is not built here: what is compiled now has the features that the wheel asks for, and is not compiled again for it.
    step("tests", cargo(&[&["test", "--locked", "--tests"][..], &OTHERS].concat()))?;
    step("examples of the documentation", cargo(&[&["test", "--locked", "--doc"][..], &OTHERS].concat()))?;
    crate::examples::check()?;
    crate::python::test(with_torch)?;
    engine::test()?;
    println!("\nAll checks passed.");
    Ok(())
}

/// Lints of some packages.
pub fn lints(packages: &[&str]) -> Command {
    let strict = ["--all-targets", "--locked", "--", "-D", "warnings"];
    cargo(&[&["clippy"], packages, &strict].concat())
}

/// The documentation of some packages, without warnings.
pub fn documentation(packages: &[&str]) -> Command {
    let mut command = cargo(&[&["doc", "--no-deps", "--locked"], packages].concat());
    command.env("RUSTDOCFLAGS", "-D warnings");
    command
}

/// A command under its name.
pub fn step(name: &str, mut command: Command) -> Outcome<()> {
    println!("\n== {name}");
    shell::run(&mut command)
}
