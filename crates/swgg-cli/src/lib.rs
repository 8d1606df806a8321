//! The command line of swgg, as a function: arguments in, exit code out.
//!
//! Results go to standard output, everything else to standard error. Exit 0 done, 1 done but not as required (a search that
//! was stopped), 2 failed, 130 left at a second Ctrl-C.

mod about;
mod args;
mod commands;
mod engine;
mod exit;
mod figure;
mod input;
mod interrupt;
mod memory;
mod method;
mod new_directory;
mod outputs;
mod page;
mod printer;
mod progress;
mod report;
mod scarce;
mod seconds;
mod shrunk;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use swgg::{Measure, Scalar};

pub use page::{HeatMap, Told, Way};
pub use scarce::Scarce;

/// Runs one command line, program name included.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    shrunk::tell();
    scarce::reserve();
    ExitCode::from(exit_code(args))
}

/// [`run`] for those who need the number.
pub fn exit_code(args: impl IntoIterator<Item = OsString>) -> u8 {
    let args: Vec<OsString> = args.into_iter().collect();
    if engine::is_asked_for(&args) {
        return engine::run(&args).unwrap_or_else(|failure| {
            printer::complain(&failure);
            exit::FAILED
        });
    }
    page::remember(&args);
    let is_tame = args.iter().all(|arg| !arg.to_string_lossy().contains(char::is_control));
    let arguments = match args::parse(args) {
        Ok(arguments) => arguments,
        Err(refusal) => {
            // Help is a result; the rest are mistakes. A closed pipe is nobody's mistake.
            if is_tame {
                let _ = refusal.print();
            } else {
                let _ = write!(io::stderr(), "{}", printer::tamed(&refusal.render().to_string()));
            }
            return if refusal.use_stderr() { exit::FAILED } else { exit::DONE };
        }
    };
    let run = || match &arguments.command {
        Some(command) if !arguments.version => commands::run(command),
        None if !arguments.version => {
            Err(exit::Failure::usage("no command is given; swgg --help lists them"))
        }
        _ => {
            printer::result(&if arguments.verbose { about::verbose() } else { about::version() })?;
            Ok(exit::DONE)
        }
    };
    match exit::without_panics(run) {
        Ok(code) => code,
        Err(failure) => {
            printer::complain(&failure);
            exit::FAILED
        }
    }
}

/// A page to look at of any plan between two clouds, as one HTML file: what `swgg solve --report` writes.
///
/// # Errors
///
/// What cannot be drawn, in a finished sentence.
pub fn plan_page<T: Scalar>(
    clouds: [&Measure<'_, T>; 2],
    way: Way<'_>,
    told: Told,
) -> Result<String, String> {
    page::of_plan(clouds, way, told).map(|page| page.html()).map_err(|failure| failure.to_string())
}

/// A page to look at of a matrix of numbers, such as distances between data sets, as one HTML file: a title, a sentence, a heat map,
/// and what everything random began with.
pub fn matrix_page(title: &str, lead: &str, map: &HeatMap<'_>, seed: u64, threads: usize) -> String {
    let summary = report::Summary::titled(title.to_string());
    page::matrix(&summary, lead.to_string(), map, (seed, threads)).html()
}
