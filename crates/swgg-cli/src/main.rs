//! The command `swgg`.

use std::process::ExitCode;

/// Where memory runs out, a sentence and exit 2.
#[global_allocator]
static MEMORY: swgg_cli::Scarce = swgg_cli::Scarce;

fn main() -> ExitCode {
    swgg_cli::run(std::env::args_os())
}
