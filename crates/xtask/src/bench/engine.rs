//! `cargo xtask bench engine`: plans of tables beside plans in memory, and how time and memory grow with the number of points.

use std::process::Command;

use super::{build, program};
use crate::engine::PACKAGE;
use crate::python::{DASK, interpreter};
use crate::shell::{Outcome, cargo, root, run};

/// Words such as `equal`, `scale` or `auto` choose the part, numbers the sizes.
pub fn run_with(options: &[&str]) -> Outcome<()> {
    if options == ["dask"] {
        return dask();
    }
    let folder = root().join("target/bench/engine");
    run(Command::new(program(PACKAGE, "engine")?).arg(folder).args(options))
}

/// The recipe for Dask between the two clouds of the examples, and what `swgg check` says of its plan.
fn dask() -> Outcome<()> {
    let swgg = build()?;
    run(&mut cargo(&["build", "--release", "--locked", "--package", PACKAGE]))?;
    let python = interpreter(&DASK)?;
    let folder = root().join("target/bench/engine");
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let plan = folder.join("dask-plan");
    let _ = std::fs::remove_dir_all(&plan);
    let clouds = ["source", "target"].map(|name| root().join(format!("examples/{name}.csv")));
    let beside = swgg.parent().map(std::path::Path::to_path_buf).into_iter();
    let old = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths(beside.chain(std::env::split_paths(&old))).map_err(|error| error.to_string())?;
    let recipe = root().join("crates/swgg-engine/examples/cells_dask.py");
    run(Command::new(python).arg(recipe).args(&clouds).arg(&plan).arg("4").env("PATH", path))?;
    run(Command::new(swgg).arg("check").arg(&plan).args(&clouds))
}
