//! The command `swgg`.

use std::process::ExitCode;

fn main() -> ExitCode {
    swgg_cli::run(std::env::args_os())
}
