//! `cargo xtask test`: everything that must hold before a change lands.

use crate::engine::PACKAGE;
use crate::shell::{self, Outcome, cargo};

/// PyTorch is installed for the part that needs it only if asked for.
pub fn run(with_torch: bool) -> Outcome<()> {
    // Reads sources and manifests only, so it speaks before anything is compiled.
    println!("\n== house");
    crate::house::check()?;
    step("format", cargo(&["fmt", "--all", "--check"]))?;
    step(
        "lints",
        cargo(&[
            "clippy",
            "--workspace",
            "--exclude",
            PACKAGE,
            "--all-targets",
            "--locked",
            "--",
            "-D",
            "warnings",
        ]),
    )?;
    let mut documentation = cargo(&["doc", "--workspace", "--exclude", PACKAGE, "--no-deps", "--locked"]);
    documentation.env("RUSTDOCFLAGS", "-D warnings");
    step("documentation", documentation)?;
    // All crates but the one on DataFusion, which has a part of its own. The Python half is among them although it has no tests in Rust and
    // is not built here: what is compiled now has the features that the wheel asks for, and is not compiled again for it.
    step("tests", cargo(&["test", "--workspace", "--exclude", PACKAGE, "--locked", "--tests"]))?;
    step(
        "examples of the documentation",
        cargo(&["test", "--workspace", "--exclude", PACKAGE, "--locked", "--doc"]),
    )?;
    crate::examples::check()?;
    crate::python::test(with_torch)?;
    crate::engine::test()?;
    println!("\nAll checks passed.");
    Ok(())
}

fn step(name: &str, mut command: std::process::Command) -> Outcome<()> {
    println!("\n== {name}");
    shell::run(&mut command)
}
