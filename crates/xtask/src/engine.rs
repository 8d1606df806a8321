//! `cargo xtask test engine`: the crate on DataFusion, which takes longer to build than all others together and so has steps of its own.

use crate::shell::{Outcome, cargo, target};
use crate::test::{documentation, lints, step};

pub const PACKAGE: &str = "swgg-engine";

pub fn test() -> Outcome<()> {
    let package = ["--package", PACKAGE];
    step("engine: tests", cargo(&[&["test", "--locked"][..], &package].concat()))?;
    println!("\n== engine: from Python");
    crate::python::engine(
        &target().join("debug").join(format!("{PACKAGE}{}", std::env::consts::EXE_SUFFIX)),
    )?;
    step("engine: lints", lints(&package))?;
    step("engine: documentation", documentation(&package))
}
