//! `cargo xtask test cluster`: the crate on Ballista, which takes longer to build than the engine, and so is a verb of its own.

use crate::shell::{Outcome, cargo};
use crate::test::{documentation, lints, step};

pub const PACKAGE: &str = "swgg-cluster";

pub fn test() -> Outcome<()> {
    let package = ["--package", PACKAGE];
    step("cluster: tests", cargo(&[&["test", "--locked"][..], &package].concat()))?;
    step("cluster: lints", lints(&package))?;
    step("cluster: documentation", documentation(&package))
}
