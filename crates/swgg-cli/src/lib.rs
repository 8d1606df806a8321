//! The command line of swgg, as a function: arguments in, exit code out.
//!
//! Results go to standard output, everything else to standard error. Exit 0 done, 1 done but not as required (a search that
//! was stopped), 2 failed.

mod args;
mod commands;
mod exit;
mod figure;
mod input;
mod interrupt;
mod memory;
mod method;
mod new_directory;
mod outputs;
mod printer;
mod progress;
mod report;
mod seconds;

use std::ffi::OsString;
use std::process::ExitCode;

/// Runs one command line, program name included.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    ExitCode::from(exit_code(args))
}

/// [`run`] for those who need the number.
pub fn exit_code(args: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments = match args::parse(args) {
        Ok(arguments) => arguments,
        Err(refusal) => {
            // Help and version are results; the rest are mistakes. A closed pipe is nobody's mistake.
            let _ = refusal.print();
            return if refusal.use_stderr() { exit::FAILED } else { exit::DONE };
        }
    };
    match exit::without_panics(|| commands::run(&arguments.command)) {
        Ok(code) => code,
        Err(failure) => {
            printer::complain(&failure);
            exit::FAILED
        }
    }
}
