//! What the command line accepts.

mod color;
mod pansharpen;
mod register;

use std::path::{Path, PathBuf};

use clap::builder::{RangedI64ValueParser, RangedU64ValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use swgg_io::ColumnSelection;

pub use self::color::{ColorMethod, ColorTransfer, Colorize};
pub use self::pansharpen::{Fusion, Pansharpen};
pub use self::register::{MatchingKind, OverlapShare, Register, StartPose};

/// Optimal transport between clouds of points: two files in, a plan out.
#[derive(Debug, Parser)]
#[command(name = "swgg", version, max_term_width = 80, arg_required_else_help = true)]
#[command(after_help = "\
Files: .npy .csv .tsv .txt .xyz .pts .ply .pcd .las .laz .parquet, one point
per row.
Exit codes: 0 done, 1 stopped early, 2 failed.")]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Solve(Solve),
    Compare(Compare),
    Distance(Distance),
    Interpolate(Interpolate),
    Landscape(Landscape),
    Register(Register),
    #[command(name = "color-transfer")]
    ColorTransfer(ColorTransfer),
    Colorize(Colorize),
    Pansharpen(Pansharpen),
    Info(Info),
}

/// Find a transport plan between two clouds
///
/// Exact where that is cheap, otherwise the plans of many lines made into one and refined (auto). The cost printed is
/// that of a real plan: an upper bound of the squared Wasserstein distance. A lower bound beside it says how far from
/// optimal the plan can be.
///
/// Other methods with --method; --search, its settings and --costs imply min-swgg, the best single line. Methods without
/// a plan between the points say what their cost is instead: gaussian a lower bound, linear-ot what its plans from the
/// pivot allow.
#[derive(Debug, Args)]
pub struct Solve {
    #[command(flatten)]
    pub clouds: Clouds,
    #[command(flatten)]
    pub search: Search,

    /// How to transport [default: auto, or min-swgg with --search and its settings]
    #[arg(long, value_enum)]
    pub method: Option<Method>,
    #[command(flatten)]
    pub settings: MethodSettings,

    /// Write the plan, one row per moved piece: .csv, .npz (scipy.sparse.load_npz) or .parquet
    #[arg(long, value_name = "OUT")]
    pub plan: Option<PathBuf>,
    /// Write where each source point goes (its average target; gaussian: its image under the affine map), n x d
    #[arg(long, value_name = "OUT.npy")]
    pub map: Option<PathBuf>,
    /// Write the cost of every direction tried
    #[arg(long, value_name = "OUT.npy")]
    pub costs: Option<PathBuf>,

    #[command(flatten)]
    pub print: Print,
}

/// Run several methods on one pair of clouds, one after the other
///
/// Prints what each of them pays, how that compares with the cheapest plan and the best lower bound, and what it takes. Costs are those of plans
/// (upper bounds of the squared Wasserstein distance) unless marked as lower bounds. Methods that would take too long or
/// too much memory are left out and named.
#[derive(Debug, Args)]
pub struct Compare {
    #[command(flatten)]
    pub clouds: Clouds,

    /// Methods to run, between commas [default: auto, tree, merged, min-swgg, exact, sinkhorn, gaussian, factored,
    /// subspace-robust]
    #[arg(long, value_name = "A,B,...", value_enum, value_delimiter = ',')]
    pub methods: Option<Vec<Method>>,
    /// Figure (.svg, .png: cost against time) or table (.csv) to write
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Methods that would take longer are left out; those that do are stopped
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, allow_hyphen_values = true)]
    pub time_limit: f64,
    /// Seed of everything random: same seed, same costs
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Threads to use, 0 for all; costs do not depend on it
    #[arg(long, value_name = "T", default_value_t = 0, value_parser = thread_count())]
    pub threads: usize,

    #[command(flatten)]
    pub print: Print,
}

/// Compute a sliced distance between two clouds
///
/// Means or extremes over lines: SW and max-SW lie below the squared Wasserstein distance, min-SWGG and PWD above it. Only
/// min-SWGG has a plan: see solve.
///
/// sw and pwd take --directions [200]; max-sw climbs from the best of several starts and takes --iterations [50], --starts
/// [4], --learning-rate [0.1], --optimizer and --start; min-swgg takes --search and its settings.
#[derive(Debug, Args)]
pub struct Distance {
    #[command(flatten)]
    pub clouds: Clouds,

    /// Which distance
    #[arg(long, value_enum)]
    pub kind: DistanceKind,
    /// sw, max-sw: the exponent, 1 or more [default: 2]
    #[arg(long, value_name = "P", allow_hyphen_values = true)]
    pub p: Option<f64>,
    /// sw, pwd: draw directions in orthonormal batches
    #[arg(long)]
    pub orthogonal: bool,

    #[command(flatten)]
    pub search: Search,
    #[command(flatten)]
    pub print: Print,
}

/// Draw the cost as a function of the direction
///
/// SWGG, its smoothed surrogate for several blurs and the transport cost along the line, over the angle in the plane,
/// and in higher dimensions over great circles through the best direction found. Minima are marked, and the maximum
/// along the line.
#[derive(Debug, Args)]
pub struct Landscape {
    #[command(flatten)]
    pub clouds: Clouds,

    /// Figure (.svg, .png) or table (.csv) to write
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Directions per circle [default: 720 in the plane, else 240]
    #[arg(long, value_name = "K")]
    pub angles: Option<usize>,
    /// Great circles, at most the dimension less one [default: up to 3]
    #[arg(long, value_name = "C")]
    pub circles: Option<usize>,
    /// Copies of each point for the smoothed curves, one curve per pair of copies and blur [default: 10,50, fewer for
    /// large clouds]
    #[arg(long, value_name = "S,S,...", value_delimiter = ',')]
    pub copies: Option<Vec<usize>>,
    /// Blurs of the smoothed curves, as the deviation of the noise in units of the spread of the projections
    #[arg(
        long,
        value_name = "W,W,...",
        value_delimiter = ',',
        default_value = "0.1,0.5",
        allow_hyphen_values = true
    )]
    pub widths: Vec<f64>,
    /// Seed of everything random
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Threads to use, 0 for all
    #[arg(long, value_name = "T", default_value_t = 0, value_parser = thread_count())]
    pub threads: usize,

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
    /// Columns that are coordinates, by name or number: x,y,z or 0-2 [default: x, y and z of scans (.ply, .pcd, .las,
    /// .laz), all columns of other files]
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

/// Settings that belong to some methods only.
#[derive(Debug, Default, Args)]
pub struct MethodSettings {
    /// auto: from 1, a quick look, to 10, close to the optimum [default: 5]
    #[arg(long, value_name = "E", value_parser = effort(), allow_hyphen_values = true, help_heading = METHODS)]
    pub effort: Option<u8>,
    /// auto: instead of an effort, time for the plan: the best one by then, which depends on the machine. The lower bound
    /// comes on top
    #[arg(
        long,
        value_name = "SECONDS",
        allow_hyphen_values = true,
        conflicts_with = "effort",
        help_heading = METHODS
    )]
    pub time_limit: Option<f64>,
    /// tree: how many trees to grow [default: 16]
    #[arg(long, value_name = "N", value_parser = at_most(MANY), help_heading = METHODS)]
    pub trees: Option<usize>,
    /// Do not look for a lower bound; one that a method has anyway is kept
    #[arg(long, help_heading = METHODS)]
    pub no_bounds: bool,
    /// exact: the exponent of the distance, 1 or more [default: 2]
    #[arg(long, value_name = "P", allow_hyphen_values = true, help_heading = METHODS)]
    pub p: Option<f64>,
    /// exact: what it costs to go from each source point (row) to each target point (column), instead of distances
    #[arg(long, value_name = "C.npy", conflicts_with = "p", help_heading = METHODS)]
    pub cost_matrix: Option<PathBuf>,
    /// factored: points of the pivot [default: 100, fewer for small clouds]; subspace-robust, subspace-detour: dimension of
    /// the subspace [default: 2]
    #[arg(long, value_name = "K", value_parser = at_most(MANY), help_heading = METHODS)]
    pub k: Option<usize>,
    /// subspace-detour: how points are joined that look alike on the subspace (the first principal axes) [default: knothe]
    #[arg(long, value_enum, help_heading = METHODS)]
    pub detour: Option<DetourKind>,
    /// sinkhorn: weight of the entropy, in the units of squared distances [default: relative, see below]
    #[arg(long, value_name = "E", allow_hyphen_values = true, help_heading = METHODS)]
    pub epsilon: Option<f64>,
    /// sinkhorn: weight of the entropy, as a share of the mean cost [default: 0.01]
    #[arg(long, value_name = "R", allow_hyphen_values = true, conflicts_with = "epsilon", help_heading = METHODS)]
    pub relative_epsilon: Option<f64>,
    /// linear-ot: the cloud that both are seen from, with equal weights [default: the source, whose distance to its own
    /// image under the average targets is computed]
    #[arg(long, value_name = "FILE", help_heading = METHODS)]
    pub pivot: Option<PathBuf>,
}

/// Heading of the flags that belong to some methods only.
const METHODS: &str = "Settings of methods";

#[derive(Debug, Default, Args)]
pub struct Search {
    /// How to look for the direction [default: sweep in the plane for up to about 1000 points, stein from dimension 3
    /// on, random otherwise and with --directions]
    #[arg(long, value_enum)]
    pub search: Option<SearchKind>,
    /// Seed of everything random: same seed, same answer
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Threads to use, 0 for all; the answer does not depend on it
    #[arg(long, value_name = "T", default_value_t = 0, value_parser = thread_count())]
    pub threads: usize,

    /// random: how many directions to try [default: 200]
    #[arg(long, value_name = "L", help_heading = SETTINGS)]
    pub directions: Option<usize>,
    /// random: try exactly these directions, one per row
    #[arg(long, value_name = "FILE.npy", conflicts_with = "directions", help_heading = SETTINGS)]
    pub directions_file: Option<PathBuf>,
    /// annealing, gradient, stein, sweep: a direction to start from, as 0.6,0.8
    #[arg(long, value_name = "X,Y,...", allow_hyphen_values = true, help_heading = SETTINGS)]
    pub start: Option<Vector>,
    /// annealing, gradient, stein: steps to take [default: 500, 100, 25]
    #[arg(long, value_name = "K", value_parser = at_most(MANY), help_heading = SETTINGS)]
    pub iterations: Option<usize>,
    /// annealing: further walks beside the first [default: 0]
    #[arg(long, value_name = "R", value_parser = at_most(MANY), help_heading = SETTINGS)]
    pub restarts: Option<usize>,
    /// annealing: length of the first proposals [default: 0.5]
    #[arg(long, value_name = "R", allow_hyphen_values = true, help_heading = SETTINGS)]
    pub reach: Option<f64>,
    /// annealing: share by which a cost may be worse at first [default: 0.01]
    #[arg(long, value_name = "T", allow_hyphen_values = true, help_heading = SETTINGS)]
    pub tolerance: Option<f64>,
    /// gradient: how many starts [default: 2]
    #[arg(long, value_name = "N", value_parser = at_most(MANY), help_heading = SETTINGS)]
    pub starts: Option<usize>,
    /// gradient: copies of each point, s [default: 10000 in all, at least 4]
    #[arg(long, value_name = "S", help_heading = SETTINGS)]
    pub copies: Option<usize>,
    /// gradient: the paper's epsilon; noise of deviation sqrt(epsilon)/2
    /// [default: deviation 0.1 of the spread of the projections]
    #[arg(long, value_name = "EPSILON", allow_hyphen_values = true, help_heading = SETTINGS)]
    pub blur: Option<f64>,
    /// stein: pairs of perturbed directions per step [default: 8]
    #[arg(long, value_name = "P", value_parser = at_most(MANY_AT_ONCE), help_heading = SETTINGS)]
    pub pairs: Option<usize>,
    /// stein: distance of the first perturbed directions [default: 0.2]
    #[arg(long, value_name = "R", allow_hyphen_values = true, help_heading = SETTINGS)]
    pub radius: Option<f64>,
    /// gradient, stein: length of the first steps [default: 0.05]
    #[arg(long, value_name = "ETA", allow_hyphen_values = true, help_heading = SETTINGS)]
    pub learning_rate: Option<f64>,
    /// gradient, stein: how a gradient becomes a step [default: adam]
    #[arg(long, value_enum, help_heading = SETTINGS)]
    pub optimizer: Option<OptimizerKind>,
}

/// Heading of the flags that belong to some searches only.
const SETTINGS: &str = "Settings of searches";

/// Numbers between commas.
#[derive(Clone, Debug)]
pub struct Vector(pub Vec<f64>);

impl std::str::FromStr for Vector {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |word: &str| match word.trim().parse::<f64>() {
            Ok(x) if x.is_finite() => Ok(x),
            _ => Err(format!("{word:?} is not a number; give coordinates between commas, as 0.6,0.8")),
        };
        text.split(',').map(number).collect::<Result<_, _>>().map(Vector)
    }
}

/// More threads than any machine has are a slip of the finger, and starting them takes minutes.
pub fn thread_count() -> RangedU64ValueParser<usize> {
    at_most(1024)
}

/// At least one.
fn count(most: u64) -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=most)
}

fn effort() -> RangedI64ValueParser<u8> {
    RangedI64ValueParser::new().range(1..=10)
}

/// More than anybody waits for: years.
const MANY: u64 = 1_000_000_000;
/// More than is of use, of what is held in memory at once.
const MANY_AT_ONCE: u64 = 1_000_000;

fn at_most(limit: u64) -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(0..=limit)
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
pub enum DistanceKind {
    /// Sliced Wasserstein: mean over lines of the transport cost along them
    Sw,
    /// Max-sliced Wasserstein: the largest transport cost along a line
    MaxSw,
    /// Projected Wasserstein: mean over lines of the cost of their plans
    Pwd,
    /// The smallest cost of the plan of a line
    MinSwgg,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// Exact where that is cheap, otherwise many lines made into one plan
    Auto,
    /// Trees with a line per cell, merged; nothing is refined
    Tree,
    /// The plans of all --directions, merged into one
    Merged,
    /// Best single line: min-SWGG
    MinSwgg,
    /// Exact closed form, when one of the clouds lies on a line
    Line,
    /// The optimum, with a proof: for up to some ten thousand points
    Exact,
    /// Entropic transport, its plan rounded to exact marginals: time grows as n^2
    Sinkhorn,
    /// Gaussians fitted to the clouds: a lower bound and an affine map, no plan
    Gaussian,
    /// A plan through a pivot of k points: of low rank, steady under noise
    Factored,
    /// The plan that is optimal as the worst subspace of dimension k sees it
    SubspaceRobust,
    /// The plan that is optimal on the first k principal axes
    SubspaceDetour,
    /// Distance of the clouds as vectors of displacements from a pivot: no plan
    LinearOt,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DetourKind {
    /// By exact transport across the subspace
    Knothe,
    /// Each with all
    Independent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SearchKind {
    /// Best of L directions drawn on the sphere: fast, good in low dimensions
    Random,
    /// Simulated annealing, with the schedule of the paper
    Annealing,
    /// Descent on a smoothed cost, the optimisation of the paper
    Gradient,
    /// Descent by the costs of nearby directions, in pairs: good in high dimensions
    Stein,
    /// Every direction of the plane, for up to about 2000 points: the true minimum
    Sweep,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OptimizerKind {
    Adam,
    Sgd,
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
