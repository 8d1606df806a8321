//! The command `swgg-engine`, which `swgg --engine ...` hands its arguments to.

use std::process::ExitCode;

fn main() -> ExitCode {
    swgg_engine::command::run("swgg-engine", std::env::args_os(), None)
}
