//! `cargo xtask bench engine`: plans of tables beside plans in memory, and how time and memory grow with the number of points.

use std::process::Command;

use super::program;
use crate::engine::PACKAGE;
use crate::shell::{Outcome, root, run};

/// Words such as `equal` or `scale` choose the part, numbers the sizes.
pub fn run_with(options: &[&str]) -> Outcome<()> {
    let folder = root().join("target/bench/engine");
    run(Command::new(program(PACKAGE, "engine")?).arg(folder).args(options))
}
