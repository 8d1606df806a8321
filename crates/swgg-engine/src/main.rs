//! The command `swgg-engine`, which `swgg --engine ...` hands its arguments to.

mod command;

use std::process::ExitCode;

fn main() -> ExitCode {
    command::run(std::env::args_os())
}
