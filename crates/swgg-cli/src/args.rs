//! What the command line accepts.

use std::path::{Path, PathBuf};

use clap::builder::RangedU64ValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use swgg_io::ColumnSelection;

/// Optimal transport between clouds of points: two files in, a plan out.
#[derive(Debug, Parser)]
#[command(name = "swgg", version, max_term_width = 80, arg_required_else_help = true)]
#[command(after_help = "\
Files: .npy .csv .tsv .txt .xyz .pts .ply .parquet, one point per row.
Exit codes: 0 done, 1 stopped early, 2 failed.")]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Solve(Solve),
    Interpolate(Interpolate),
    Info(Info),
}

/// Find a transport plan between two clouds
///
/// Projects both clouds on a line, sorts, pairs by rank, pays the cost in the full space, and keeps the line whose
/// pairing is cheapest (min-SWGG). The cost printed is that of a real plan: an upper bound of the squared Wasserstein
/// distance.
#[derive(Debug, Args)]
pub struct Solve {
    #[command(flatten)]
    pub clouds: Clouds,
    #[command(flatten)]
    pub search: Search,

    /// How to transport
    #[arg(long, value_enum, default_value_t = Method::MinSwgg)]
    pub method: Method,

    /// Write the plan, one row per moved piece: .csv, .npz (scipy.sparse.load_npz) or .parquet
    #[arg(long, value_name = "OUT")]
    pub plan: Option<PathBuf>,
    /// Write where each source point goes (its average target), n x d
    #[arg(long, value_name = "OUT.npy")]
    pub map: Option<PathBuf>,
    /// Write the cost of every direction tried
    #[arg(long, value_name = "OUT.npy")]
    pub costs: Option<PathBuf>,

    #[command(flatten)]
    pub print: Print,
}

/// Write the clouds along the way from one cloud to another
///
/// Follows the generalized geodesic of the best direction found: every point walks straight to its target. Writes
/// step_0 (the source) to step_K-1 (the target) into a new directory, and weights.npy when points carry unequal masses.
#[derive(Debug, Args)]
pub struct Interpolate {
    #[command(flatten)]
    pub clouds: Clouds,
    #[command(flatten)]
    pub search: Search,

    /// How many clouds to write, both ends included
    #[arg(long, value_name = "K", default_value_t = 11)]
    pub steps: usize,
    /// Directory to write to; created, or empty
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Format of the clouds
    #[arg(long, value_enum, default_value_t = CloudFormat::Csv)]
    pub format: CloudFormat,

    #[command(flatten)]
    pub print: Print,
}

/// Say what a file holds
///
/// Its format, rows and columns, and for each column the range, the mean and how many values are not finite.
#[derive(Debug, Args)]
pub struct Info {
    /// File to look at
    pub file: PathBuf,
    /// Columns to look at, by name or number: x,y,z or 0-2
    #[arg(long, value_name = "LIST")]
    pub columns: Option<ColumnSelection>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Clouds {
    /// Cloud to move, one point per row
    #[arg(value_name = "SOURCE")]
    pub source: PathBuf,
    /// Cloud to reach
    #[arg(value_name = "TARGET")]
    pub target: PathBuf,
    /// Columns that are coordinates, by name or number: x,y,z or 0-2
    #[arg(long, value_name = "LIST")]
    pub columns: Option<ColumnSelection>,
    /// Weights of the source points, one per row (default: equal)
    #[arg(long, value_name = "FILE")]
    pub source_weights: Option<PathBuf>,
    /// Weights of the target points, one per row (default: equal)
    #[arg(long, value_name = "FILE")]
    pub target_weights: Option<PathBuf>,
}

impl Clouds {
    /// Every file that is read.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let weights = [&self.source_weights, &self.target_weights].into_iter().flatten();
        [&self.source, &self.target].into_iter().chain(weights).map(PathBuf::as_path)
    }
}

#[derive(Debug, Args)]
pub struct Search {
    /// How to look for the direction
    #[arg(long, value_enum, default_value_t = SearchKind::Random)]
    pub search: SearchKind,
    /// How many directions to try [default: 200]
    #[arg(long, value_name = "L")]
    pub directions: Option<usize>,
    /// Try exactly these directions, one per row
    #[arg(long, value_name = "FILE.npy", conflicts_with = "directions")]
    pub directions_file: Option<PathBuf>,
    /// Seed of the random directions: same seed, same answer
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Threads to use, 0 for all; the answer does not depend on it
    #[arg(long, value_name = "T", default_value_t = 0, value_parser = thread_count())]
    pub threads: usize,
}

/// More threads than any machine has are a slip of the finger, and starting them takes minutes.
fn thread_count() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(0..=1024)
}

#[derive(Debug, Args)]
pub struct Print {
    /// Print one JSON object instead of the summary
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors (and the JSON, if asked for)
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// Best single line: min-SWGG
    MinSwgg,
    /// Exact closed form, when one of the clouds lies on a line
    Line,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SearchKind {
    /// Best of L directions drawn on the sphere
    Random,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CloudFormat {
    Csv,
    Npy,
    Xyz,
    Ply,
    Parquet,
}

impl CloudFormat {
    pub fn extension(self) -> &'static str {
        match self {
            CloudFormat::Csv => "csv",
            CloudFormat::Npy => "npy",
            CloudFormat::Xyz => "xyz",
            CloudFormat::Ply => "ply",
            CloudFormat::Parquet => "parquet",
        }
    }
}
