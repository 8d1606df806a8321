//! Arguments in, exit code out: results on standard output, everything else on standard error. Used by the programs `swgg-engine` and `swgg-cluster`.

mod args;
mod bar;
mod distance;
mod plan;
mod report;
mod solve;
mod split;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Parser;

use crate::remote::Cluster;
use crate::{Error, Meter, Result};

use args::{Arguments, Command};

pub use args::bytes;

/// Done, and not as it should be: no plan between these tables.
const NOT_AS_ASKED: u8 = 1;
/// Failed: nothing stands under the name of the plan.
const FAILED: u8 = 2;
/// 128 + SIGINT, what shells expect of an interrupted program.
const INTERRUPTED: u8 = 130;

/// Finds the cluster at an address.
pub type Connect = fn(&str) -> Result<Box<dyn Cluster>>;

/// Runs one command line of a program, whose name is the first of the words; some programs know how to reach clusters.
pub fn run(program: &str, args: impl IntoIterator<Item = OsString>, connect: Option<Connect>) -> ExitCode {
    if let Err(error) = same_version(program) {
        let _ = writeln!(io::stderr(), "error: {error}");
        return ExitCode::from(FAILED);
    }
    let arguments = match Arguments::try_parse_from(worded(args)) {
        Ok(arguments) => arguments,
        Err(refusal) => {
            let _ = refusal.print();
            return ExitCode::from(if refusal.use_stderr() { FAILED } else { 0 });
        }
    };
    let meter = Arc::new(Meter::hearing(listen()));
    let outcome = match &arguments.command {
        Command::Solve(args) => solve::run(args, connect, &meter),
        Command::Distance(args) => distance::run(args, &meter),
        Command::Split(args) => split::run(args, &meter),
        Command::SolveCell(args) => split::solve(args, &meter),
        Command::Join(args) => split::joined(args, &meter),
        Command::Info(args) => plan::info(args),
        Command::Check(args) => plan::checked(args, &meter),
    };
    match outcome.and_then(|text| print(&text)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Error::Interrupted) => {
            let _ = writeln!(io::stderr(), "{}", Error::Interrupted);
            ExitCode::from(INTERRUPTED)
        }
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::from(if matches!(error, Error::NotAPlan { .. }) { NOT_AS_ASKED } else { FAILED })
        }
    }
}

/// `solve DIR --cell K` takes other arguments than `solve A B`, and so is a command of its own.
fn worded(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut args: Vec<OsString> = args.into_iter().collect();
    let is_flag = |arg: &OsString| arg == "--cell" || arg.to_string_lossy().starts_with("--cell=");
    if args.get(1).is_some_and(|verb| verb == "solve")
        && args.iter().take_while(|arg| *arg != "--").any(is_flag)
    {
        args[1] = OsString::from("solve-cell");
    }
    args
}

/// `swgg` says which version it is; another one may mean other things by the same words.
///
/// # Errors
///
/// Another version.
pub fn same_version(program: &str) -> Result<()> {
    let own = env!("CARGO_PKG_VERSION");
    match std::env::var("SWGG_CALLER_VERSION") {
        Ok(caller) if caller != own => Err(Error::Setting(format!(
            "swgg is version {caller}, the {program} it found is {own}; build both from the same sources"
        ))),
        _ => Ok(()),
    }
}

/// A flag that Ctrl-C raises. Pressed again, it ends the process at once.
fn listen() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let raised = flag.clone();
    // Without a handler Ctrl-C still ends the process, only less politely.
    let _ = ctrlc::set_handler(move || {
        if raised.swap(true, Ordering::SeqCst) {
            std::process::exit(i32::from(INTERRUPTED));
        }
    });
    flag
}

/// Writes a result. A reader that has gone away is not a failure.
fn print(text: &str) -> Result<()> {
    match io::stdout().lock().write_all(text.as_bytes()).and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::Setting(format!("could not write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}
