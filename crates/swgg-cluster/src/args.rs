//! What `swgg cluster` accepts.

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand};
use log::LevelFilter;
use swgg_cluster::{ExecutorPlace, SchedulerPlace};

/// Processes of a Ballista cluster that knows the steps of swgg: `swgg cluster` runs this.
#[derive(Debug, Parser)]
#[command(name = "swgg-cluster", version, max_term_width = 80, arg_required_else_help = true)]
#[command(
    after_help = "Plans on a cluster: swgg solve A B --engine ballista://HOST:PORT --plan PLAN (--help has its flags).\n\
    There is no password: keep the ports in a network that you trust."
)]
pub struct Arguments {
    #[command(subcommand)]
    pub part: Part,
}

#[derive(Debug, Subcommand)]
pub enum Part {
    Scheduler(Scheduler),
    Executor(Executor),
}

/// Run the scheduler of a cluster, until it is told to end
///
/// It takes jobs, and hands their tasks to executors. Drivers and executors must reach its port. Its state is in memory: with it, running jobs
/// are lost, and plans that were begun go on with --resume once there is another one. http://HOST:PORT/readyz answers 200 once executors are there.
#[derive(Debug, Args)]
pub struct Scheduler {
    /// Address of this machine to listen at; 0.0.0.0 for all of them
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub bind: String,
    /// Port for drivers and executors
    #[arg(long, value_name = "PORT", default_value_t = 50050, value_parser = clap::value_parser!(u16).range(1..))]
    pub port: u16,
    /// Seconds after which an executor that is silent counts as lost
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(10..))]
    pub executor_timeout: u64,
    /// Executors that must be there before /readyz says so
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub min_executors: usize,
    /// What to say on standard error: off, error, warn, info, debug
    #[arg(long, value_name = "LEVEL", default_value = "warn", value_parser = level)]
    pub log: LevelFilter,
}

/// Run an executor of a cluster, until it is told to end
///
/// It asks the scheduler for tasks, and waits for a scheduler that is not there yet. Other executors and drivers must reach its port, for results.
/// Tables are read by executors: they must lie where all of them find them by the same path.
#[derive(Debug, Args)]
pub struct Executor {
    /// The scheduler, HOST:PORT
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:50050", value_parser = address)]
    pub scheduler: (String, u16),
    /// Address of this machine to listen at; 0.0.0.0 for all of them
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub bind: String,
    /// Name or address by which others reach this machine [default: where it calls the scheduler from]
    #[arg(long, value_name = "HOST")]
    pub host: Option<String>,
    /// Port for results
    #[arg(long, value_name = "PORT", default_value_t = 50051, value_parser = clap::value_parser!(u16).range(1..))]
    pub port: u16,
    /// Tasks at a time, 0 for as many as there are processors
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub vcores: usize,
    /// Memory for all tasks together, each has its share: bytes, or with a unit as 500MB or 2GB
    #[arg(long, value_name = "SIZE", default_value = "2GB", value_parser = swgg_engine::command::bytes)]
    pub memory: usize,
    /// Folder for shuffles and sorts [default: that of the system]
    #[arg(long, value_name = "DIR")]
    pub work_dir: Option<PathBuf>,
    /// What to say on standard error: off, error, warn, info, debug
    #[arg(long, value_name = "LEVEL", default_value = "warn", value_parser = level)]
    pub log: LevelFilter,
}

impl Scheduler {
    pub fn place(&self) -> SchedulerPlace {
        SchedulerPlace {
            bind: self.bind.clone(),
            port: self.port,
            executor_timeout: self.executor_timeout,
            min_executors: self.min_executors,
        }
    }
}

impl Executor {
    pub fn place(&self, work_dir: &Path) -> ExecutorPlace {
        ExecutorPlace {
            scheduler: self.scheduler.clone(),
            bind: self.bind.clone(),
            host: self.host.clone(),
            port: self.port,
            vcores: self.vcores,
            memory: self.memory as u64,
            work_dir: work_dir.to_path_buf(),
        }
    }
}

fn level(text: &str) -> Result<LevelFilter, &'static str> {
    text.parse().map_err(|_| "expected off, error, warn, info or debug")
}

fn address(text: &str) -> Result<(String, u16), &'static str> {
    let expected = "expected HOST:PORT";
    let (host, port) = text.rsplit_once(':').ok_or(expected)?;
    match port.parse() {
        Ok(port) if !host.is_empty() => Ok((host.to_string(), port)),
        _ => Err(expected),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }

    #[test]
    fn addresses() {
        assert_eq!(address("host:50050"), Ok(("host".to_string(), 50050)));
        assert!(address("host").is_err() && address(":1").is_err() && address("host:x").is_err());
    }
}
