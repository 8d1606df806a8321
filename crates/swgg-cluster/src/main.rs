//! The command `swgg-cluster`, which `swgg cluster` and `swgg solve --engine ballista://...` hand their arguments to.

mod args;
mod log;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use swgg_cluster::{Ballista, run_executor, run_scheduler};
use swgg_engine::command::same_version;
use swgg_engine::remote::Cluster;
use swgg_engine::{Error, Result};

use args::{Arguments, Executor, Part, Scheduler};

/// Failed.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    let mut args: Vec<OsString> = std::env::args_os().collect();
    // Everything but the processes of a cluster is what the engine understands, with a cluster to turn to.
    if args.get(1).is_some_and(|verb| verb == "solve") {
        return swgg_engine::command::run("swgg-cluster", args, Some(connect));
    }
    if let Err(error) = same_version("swgg-cluster") {
        let _ = writeln!(io::stderr(), "error: {error}");
        return ExitCode::from(FAILED);
    }
    // `swgg cluster scheduler` is `swgg-cluster scheduler`.
    if args.get(1).is_some_and(|verb| verb == "cluster") {
        args.remove(1);
    }
    let arguments = match Arguments::try_parse_from(args) {
        Ok(arguments) => arguments,
        Err(refusal) => {
            let _ = refusal.print();
            return ExitCode::from(if refusal.use_stderr() { FAILED } else { 0 });
        }
    };
    let outcome = match arguments.part {
        Part::Scheduler(args) => scheduler(&args),
        Part::Executor(args) => executor(&args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::from(FAILED)
        }
    }
}

fn connect(address: &str) -> Result<Box<dyn Cluster>> {
    Ok(Box::new(Ballista::at(address)?))
}

/// Threads of a process of a cluster.
fn runtime(threads: usize) -> Result<tokio::runtime::Runtime> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    if threads > 0 {
        builder.worker_threads(threads);
    }
    // Plans are read by functions that call themselves.
    builder
        .thread_stack_size(16 << 20)
        .enable_all()
        .build()
        .map_err(|error| Error::Setting(format!("threads could not be started ({error})")))
}

fn scheduler(args: &Scheduler) -> Result<()> {
    log::to_stderr(args.log);
    let place = args.place();
    runtime(0)?.block_on(async {
        tokio::select! {
            outcome = run_scheduler(&place) => outcome,
            () = told_to_end() => Ok(()),
        }
    })
}

fn executor(args: &Executor) -> Result<()> {
    log::to_stderr(args.log);
    let folder = args.work_dir.clone().unwrap_or_else(std::env::temp_dir);
    // One for each executor, gone when it ends.
    let work_dir =
        tempfile::Builder::new().prefix("swgg-executor-").tempdir_in(&folder).map_err(|error| {
            Error::Cluster {
                address: folder.display().to_string(),
                problem: format!("cannot be written to ({error}); --work-dir names a folder that exists"),
            }
        })?;
    // It listens to Ctrl-C and SIGTERM by itself, and takes its leave from the scheduler.
    runtime(args.vcores)?.block_on(run_executor(&args.place(work_dir.path())))
}

/// Ctrl-C, or SIGTERM where there is one.
async fn told_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
