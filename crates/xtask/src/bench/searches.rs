//! `cargo xtask bench searches`: what each search finds, and the paper's table of PWD.

use std::process::Command;

use super::program;
use crate::shell::{self, Outcome};

pub fn run() -> Outcome<()> {
    shell::run(&mut Command::new(program("swgg", "searches")?))?;
    println!();
    shell::run(&mut Command::new(program("swgg", "pwd_table")?))
}
