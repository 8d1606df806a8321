//! What the command line accepts.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use swgg_io::ColumnSelection;

use crate::remote::{self, Batches};
use crate::{Error, Method, Reading, Request, Result};

/// Optimal transport between tables that do not fit into memory: `swgg` with `--engine` runs this.
#[derive(Debug, Parser)]
#[command(name = "swgg-engine", version, max_term_width = 80, arg_required_else_help = true)]
#[command(after_help = "Tables: files, folders and patterns of .parquet .csv .tsv .arrow .feather .ipc\n\
    Exit codes: 0 done, 1 not a plan (check), 2 failed, 130 interrupted.")]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Solve(Solve),
    Distance(DistanceArgs),
    Split(SplitArgs),
    /// Solve one cell of a folder that split wrote, and write its part there: swgg solve DIR --cell K
    #[command(name = "solve-cell", hide = true, override_usage = "swgg solve DIR --cell K [OPTIONS]")]
    SolveCell(CellArgs),
    Join(JoinArgs),
    /// Say what a folder holds that solve --plan wrote, by its manifest
    Info(Folder),
    Check(CheckArgs),
}

#[derive(Debug, Args)]
pub struct Folder {
    /// Folder of a plan
    #[arg(value_name = "PLAN")]
    pub folder: PathBuf,
    /// Print the manifest as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Check a plan: parts against the manifest, masses against the tables
///
/// Every part is read, and its entries, mass and cost are compared with the manifest. With the two tables, every point must also give and get what its
/// weight says; columns and weights are named as for solve. Exit code 1 if it is not a plan between them.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Folder of a plan
    #[arg(value_name = "PLAN")]
    pub folder: PathBuf,
    /// Table that the plan moves
    #[arg(value_name = "SOURCE", requires = "target")]
    pub source: Option<String>,
    /// Table that it reaches
    #[arg(value_name = "TARGET")]
    pub target: Option<String>,
    #[command(flatten)]
    pub columns: ColumnFlags,
    /// Memory for masses; less means more passes over the tables
    #[arg(long, value_name = "SIZE", default_value = "2GB", value_parser = bytes)]
    pub memory: usize,
    /// Threads to use, 0 for all
    #[arg(long, value_name = "T", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=1024))]
    pub threads: u16,
    /// Print the manifest as one JSON object
    #[arg(long)]
    pub json: bool,
}

impl CheckArgs {
    /// What the masses are compared with, if tables are named.
    pub fn request(&self) -> Option<Request> {
        let (source, target) = (self.source.as_ref()?, self.target.as_ref()?);
        Some(Request {
            readings: self.columns.readings(),
            memory: self.memory,
            threads: usize::from(self.threads),
            ..Request::new(source, target)
        })
    }
}

/// Find a plan between two tables of any size
///
/// The plan of min-swgg is the one that `swgg solve --method min-swgg` finds in memory for the same direction, entry by entry, whatever the memory
/// and the threads. Without --direction the direction is the winner of a search on a sample of at most 32768 points of each table, drawn by
/// the hashes of their ids. The plan of auto is much cheaper: cells of at most 262144 points a side are solved in memory, then pairs are
/// regrouped by their midpoints and solved again. It depends on --cells, --effort, --passes and --seed, not on memory and threads.
#[derive(Debug, Args)]
pub struct Solve {
    #[command(flatten)]
    pub tables: Tables,
    #[command(flatten)]
    pub how: How,
    /// auto: how often every pair is solved, in other cells each time [default: 3]
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u8).range(1..=100))]
    pub passes: Option<u8>,
    /// Folder to write the plan to: Parquet parts with the columns source, target, mass and cost, and manifest.json
    #[arg(long, value_name = "DIR")]
    pub plan: Option<PathBuf>,
    /// Go on where a run to the same folder was stopped: finished cells are not solved again
    #[arg(long, requires = "plan")]
    pub resume: bool,
    /// ballista: jobs that the cells are divided into; a lost one costs its share [default: 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub batches: Option<u32>,
    /// ballista: seconds after which a job counts as lost and is tried again [default: 900]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub deadline: Option<u64>,
    #[command(flatten)]
    pub resources: Resources,
    #[command(flatten)]
    pub print: Print,
}

#[derive(Debug, Args)]
pub struct How {
    /// min-swgg, the paper's plan of the best line; or auto, cells solved in memory
    #[arg(long, value_name = "METHOD", value_enum, default_value = "min-swgg")]
    pub method: MethodName,
    /// min-swgg: the direction, one number per coordinate [default: searched for on a sample]
    #[arg(long, value_name = "X,X,...", value_delimiter = ',', allow_hyphen_values = true)]
    pub direction: Option<Vec<f64>>,
    /// min-swgg: try so many random directions on the sample [default: the recommended search]
    #[arg(long, value_name = "L", conflicts_with = "direction", value_parser = clap::value_parser!(u32).range(1..))]
    pub directions: Option<u32>,
    /// auto: from 1, a quick look, to 10, close to the optimum of every cell [default: 5]
    #[arg(long, value_name = "E", value_parser = clap::value_parser!(u8).range(1..=10))]
    pub effort: Option<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MethodName {
    MinSwgg,
    Auto,
}

impl How {
    /// The method, if the settings are its own.
    fn method(&self, passes: Option<u8>) -> Result<Method> {
        let refuse = |flag: &str, method: &str| {
            Err(Error::Setting(format!("{flag} is for --method {method}; leave it out or take that method")))
        };
        match self.method {
            MethodName::MinSwgg if self.effort.is_some() => refuse("--effort", "auto"),
            MethodName::MinSwgg if passes.is_some() => refuse("--passes", "auto"),
            MethodName::MinSwgg => Ok(Method::MinSwgg),
            MethodName::Auto if self.direction.is_some() => refuse("--direction", "min-swgg"),
            MethodName::Auto if self.directions.is_some() => refuse("--directions", "min-swgg"),
            MethodName::Auto => Ok(Method::Auto {
                effort: self.effort.unwrap_or(swgg::Auto::default().effort),
                passes: passes.map_or(Method::PASSES, usize::from),
            }),
        }
    }
}

/// Cut two tables into cells and write each to files of its own, for any scheduler
///
/// DIR gets split.json and for each cell cell-00000-source.parquet and cell-00000-target.parquet. `swgg solve DIR --cell K` solves one, wherever DIR
/// can be read and written; `swgg join DIR --plan PLAN` checks the parts and joins them. With min-swgg the plan is the one that
/// `swgg solve` finds; with auto it is that of one pass.
#[derive(Debug, Args)]
pub struct SplitArgs {
    #[command(flatten)]
    pub tables: Tables,
    #[command(flatten)]
    pub how: How,
    /// Folder to write the cells to, new or empty
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    #[command(flatten)]
    pub resources: Resources,
    #[command(flatten)]
    pub print: Print,
}

#[derive(Debug, Args)]
pub struct CellArgs {
    /// Folder that `swgg split` wrote
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Number of the cell, from 0
    #[arg(long, value_name = "K")]
    pub cell: usize,
    /// Threads, 0 for all; the part does not depend on it
    #[arg(long, value_name = "T", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=1024))]
    pub threads: u16,
    #[command(flatten)]
    pub print: Print,
}

/// Check the parts of a split and join them to a plan
#[derive(Debug, Args)]
pub struct JoinArgs {
    /// Folder that `swgg split` wrote, with every cell solved
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Folder to write the plan to: Parquet parts with the columns source, target, mass and cost, and manifest.json
    #[arg(long, value_name = "PLAN")]
    pub plan: PathBuf,
    /// Print the manifest as one JSON object
    #[arg(long)]
    pub json: bool,
}

impl SplitArgs {
    /// What the library is asked for.
    pub fn request(&self) -> Result<Request> {
        Ok(Request {
            method: self.how.method(None)?,
            direction: self.how.direction.clone(),
            directions: self.how.directions.map(|count| count as usize),
            ..request(&self.tables, &self.resources)
        })
    }
}

/// Compute a distance by lines between two tables of any size
///
/// sw averages the transport cost along random lines, each evaluated on all rows. max-sw and min-swgg look for their line on a sample of at most
/// 32768 points of each table and evaluate the winner on all rows.
#[derive(Debug, Args)]
pub struct DistanceArgs {
    #[command(flatten)]
    pub tables: Tables,
    /// Which distance
    #[arg(long, value_enum)]
    pub kind: DistanceKind,
    /// sw, max-sw: the exponent, 1 or more
    #[arg(long, value_name = "P", default_value_t = 2.0, allow_hyphen_values = true)]
    pub p: f64,
    /// sw: lines [default: 20]; min-swgg: random directions to try [default: the recommended search]
    #[arg(long, value_name = "L", value_parser = clap::value_parser!(u32).range(1..))]
    pub directions: Option<u32>,
    /// min-swgg with --directions: evaluate every direction on all rows instead of the sample
    #[arg(long)]
    pub full: bool,
    #[command(flatten)]
    pub resources: Resources,
    #[command(flatten)]
    pub print: Print,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DistanceKind {
    /// Sliced Wasserstein: mean over lines of the transport cost along them
    Sw,
    /// Max-sliced Wasserstein: the largest transport cost along a line
    MaxSw,
    /// The smallest cost of the plan of a line
    MinSwgg,
}

#[derive(Debug, Args)]
pub struct Tables {
    /// Table to move, one point per row: a file, a folder or a pattern
    #[arg(value_name = "SOURCE")]
    pub source: String,
    /// Table to reach
    #[arg(value_name = "TARGET")]
    pub target: String,
    /// What runs it: datafusion, on this machine; solve also takes ballista://HOST:PORT, the scheduler of a cluster
    #[arg(long, value_name = "ENGINE", default_value = "datafusion")]
    pub engine: Engine,
    #[command(flatten)]
    pub columns: ColumnFlags,
}

#[derive(Debug, Args)]
pub struct ColumnFlags {
    /// Columns that are coordinates, by name or number: x,y,z or 0-2 [default: all columns of numbers but weights and ids]
    #[arg(long, value_name = "LIST")]
    pub columns: Option<ColumnSelection>,
    /// Column of the source that holds weights [default: equal weights]
    #[arg(long, value_name = "COLUMN")]
    pub source_weights: Option<String>,
    /// Column of the target that holds weights [default: equal weights]
    #[arg(long, value_name = "COLUMN")]
    pub target_weights: Option<String>,
    /// Column of both tables that names the points, whole numbers from 0 on [default: numbers of rows, files in the order of their paths]
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,
}

#[derive(Debug, Args)]
pub struct Resources {
    /// Memory for everything that grows with the tables: bytes, or with a unit as 500MB or 2GB
    #[arg(long, value_name = "SIZE", default_value = "2GB", value_parser = bytes)]
    pub memory: usize,
    /// Folder for what does not fit into memory [default: beside the plan]
    #[arg(long, value_name = "DIR")]
    pub spill: Option<PathBuf>,
    /// Cells that the tables are cut into [default: as many as memory asks for; auto: as many as points ask for]
    #[arg(long, value_name = "N")]
    pub cells: Option<usize>,
    /// Threads and partitions, 0 for all; the plan does not depend on it
    #[arg(long, value_name = "T", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=1024))]
    pub threads: u16,
    /// Seed of everything random
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
}

#[derive(Debug, Args)]
pub struct Print {
    /// Print one JSON object instead of the summary
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors (and the JSON, if asked for)
    #[arg(long, short)]
    pub quiet: bool,
    /// Print progress as lines of JSON on standard error, for programs
    #[arg(long, hide = true)]
    pub progress_lines: bool,
}

/// What runs the passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Engine {
    /// DataFusion, on this machine
    Datafusion,
    /// A cluster, by the address of its scheduler
    Ballista(String),
}

impl FromStr for Engine {
    type Err = &'static str;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        const EXPECTED: &str = "expected datafusion, or ballista://HOST:PORT with the port of a scheduler";
        if text == "datafusion" {
            return Ok(Engine::Datafusion);
        }
        let address = text.strip_prefix("ballista://").ok_or(EXPECTED)?.trim_end_matches('/');
        let (host, port) = address.rsplit_once(':').ok_or(EXPECTED)?;
        let is_port = port.parse::<u16>().is_ok_and(|port| port > 0);
        if host.is_empty() || host.contains(['/', '@', ' ']) || !is_port {
            return Err(EXPECTED);
        }
        Ok(Engine::Ballista(address.to_string()))
    }
}

impl Engine {
    /// Its name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Engine::Datafusion => "datafusion",
            Engine::Ballista(_) => "ballista",
        }
    }

    /// Refuses a cluster where there is nothing for it to do.
    pub fn here(&self) -> Result<()> {
        match self {
            Engine::Datafusion => Ok(()),
            Engine::Ballista(_) => Err(Error::Setting(
                "--engine ballista:// is for solve; distances and cells as files are made on this machine, with --engine datafusion"
                    .to_string(),
            )),
        }
    }
}

impl Solve {
    /// How a run on a cluster is cut into jobs, if the settings are for one.
    pub fn batches(&self) -> Result<Batches> {
        if self.tables.engine == Engine::Datafusion {
            let flags = [("--batches", self.batches.is_some()), ("--deadline", self.deadline.is_some())];
            if let Some((flag, _)) = flags.iter().find(|(_, is_given)| *is_given) {
                return Err(Error::Setting(format!(
                    "{flag} is for --engine ballista://HOST:PORT; leave it out"
                )));
            }
        }
        Ok(Batches {
            count: self.batches.map_or(remote::BATCHES, |count| count as usize),
            deadline: Duration::from_secs(self.deadline.unwrap_or(remote::DEADLINE)),
        })
    }

    /// What the library is asked for.
    pub fn request(&self) -> Result<Request> {
        Ok(Request {
            method: self.how.method(self.passes)?,
            direction: self.how.direction.clone(),
            directions: self.how.directions.map(|count| count as usize),
            plan: self.plan.clone(),
            resume: self.resume,
            ..request(&self.tables, &self.resources)
        })
    }
}

/// Tables and what there is to work with.
pub fn request(tables: &Tables, resources: &Resources) -> Request {
    Request {
        readings: tables.columns.readings(),
        seed: resources.seed,
        cells: resources.cells,
        memory: resources.memory,
        spill: resources.spill.clone(),
        threads: usize::from(resources.threads),
        ..Request::new(&tables.source, &tables.target)
    }
}

impl ColumnFlags {
    /// For source and target.
    fn readings(&self) -> [Reading; 2] {
        let reading = |weights: &Option<String>| Reading {
            columns: self.columns.clone(),
            weights: weights.clone(),
            id: self.id.clone(),
        };
        [reading(&self.source_weights), reading(&self.target_weights)]
    }
}

/// A size in bytes.
pub fn bytes(text: &str) -> std::result::Result<usize, String> {
    const UNITS: [(&str, f64); 9] = [
        ("KIB", 1024.0),
        ("MIB", 1048576.0),
        ("GIB", 1073741824.0),
        ("KB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("TB", 1e12),
        ("G", 1e9),
        ("M", 1e6),
    ];
    let upper = text.trim().to_uppercase();
    let unit = UNITS.iter().find(|(unit, _)| upper.ends_with(unit));
    let (number, factor) =
        unit.map_or((upper.as_str(), 1.0), |(unit, factor)| (&upper[..upper.len() - unit.len()], *factor));
    match number.trim().parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 && number * factor < 9e18 => {
            Ok((number * factor) as usize)
        }
        _ => Err("give bytes, or a number with a unit such as 500MB or 2GB".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(bytes("2GB"), Ok(2_000_000_000));
        assert_eq!(bytes("1.5 MiB"), Ok(1_572_864));
        assert_eq!(bytes("4096"), Ok(4096));
        assert!(bytes("much").is_err() && bytes("-1GB").is_err());
    }

    #[test]
    fn the_command_line_is_sound() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }
}
