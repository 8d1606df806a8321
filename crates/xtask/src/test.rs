//! `cargo xtask test`: everything that must hold before a change lands.

use crate::shell::{self, Outcome, cargo};

/// PyTorch is installed for the part that needs it only if asked for.
pub fn run(with_torch: bool) -> Outcome<()> {
    step("format", cargo(&["fmt", "--all", "--check"]))?;
    step("lints", cargo(&["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"]))?;
    let mut documentation = cargo(&["doc", "--workspace", "--no-deps", "--locked"]);
    documentation.env("RUSTDOCFLAGS", "-D warnings");
    step("documentation", documentation)?;
    // The lints have compiled the examples, which have no tests, and those of the Python half are in Python: not built again.
    let tests = ["test", "--workspace", "--exclude", "swgg-python", "--locked"];
    step("tests", cargo(&[&tests[..], &["--lib", "--bins", "--tests"]].concat()))?;
    step("examples of the documentation", cargo(&[&tests[..], &["--doc"]].concat()))?;
    crate::examples::check()?;
    crate::python::test(with_torch)?;
    println!("\nAll checks passed.");
    Ok(())
}

fn step(name: &str, mut command: std::process::Command) -> Outcome<()> {
    println!("\n== {name}");
    shell::run(&mut command)
}
