//! `cargo xtask site`: the pages people learn from, as HTML that needs no network.

use std::process::Command;

use crate::python::{Profile, SITE, interpreter, wheel};
use crate::shell::{Outcome, root, run, target};
use crate::test::{OTHERS, documentation};

/// Gathers docs/, docs/site and the references, runs the gallery with the wheel of today, and checks every link.
pub fn run_with(options: &[&str]) -> Outcome<()> {
    let with_rust = match options {
        [] => false,
        ["--rust"] => true,
        _ => return Err(format!("`{}` is no option of site; there is `--rust`", options.join(" "))),
    };
    let python = interpreter(&SITE)?;
    // The one that the tests have: what is compiled already is not compiled again.
    wheel(&python, Profile::Dev)?;
    let mut build = Command::new(&python);
    let place = root().join("target/site");
    build.arg("-B").arg(root().join("crates/xtask/python/site/build.py")).arg(root()).arg(&place);
    if with_rust {
        run(&mut documentation(&OTHERS))?;
        build.arg("--rust").arg(target().join("doc"));
    }
    // The working directory is on Python's path, so it must not be the one with the sources.
    run(build.current_dir(root().join("target")))?;
    println!("{}", place.join("html/index.html").display());
    Ok(())
}
