//! What the command line accepts.

mod barycenter;
mod color;
mod flags;
mod flow;
mod otdd;
mod pansharpen;
mod register;
mod shell;
mod tables;

use std::ffi::OsString;
use std::mem;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use swgg::solver::Method;
use swgg::solver::settings::OF_THE_QUESTION;
use swgg_io::ColumnSelection;

use crate::printer::wrapped;

pub use self::barycenter::Barycenter;
pub use self::color::{ColorTransfer, Colorize};
pub use self::flags::{MethodFlags, PlanFlags, SearchFlags, Typed, is_of_searches};
pub use self::flow::{Flow, FlowFlags};
pub use self::otdd::Otdd;
pub use self::pansharpen::Pansharpen;
pub use self::register::{OverlapShare, Register, StartPose};
pub use self::shell::{Completions, Help, Man};
pub use self::tables::{Apply, Check, TableFlags};

/// Optimal transport between clouds of points: two files in, a plan out.
#[derive(Debug, Parser)]
#[command(name = "swgg", max_term_width = 80, arg_required_else_help = true)]
#[command(disable_help_subcommand = true, override_usage = "swgg <COMMAND>", after_help = after_help())]
pub struct Arguments {
    /// Print version
    #[arg(long, short = 'V')]
    pub version: bool,
    /// With --version: instruction sets, threads, formats
    #[arg(long, requires = "version")]
    pub verbose: bool,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// All commands and flags.
pub fn command() -> clap::Command {
    let mut command = Arguments::command();
    for verb in command.get_subcommands_mut() {
        // Barycenters refuse what changes the question, with a sentence.
        let has_question = verb.get_name() != "barycenter";
        // A negative number is a value that may be refused, not a flag that nobody knows.
        *verb = mem::take(verb).mut_args(|argument| {
            let is_flag = argument.get_long().is_some() && argument.get_action().takes_values();
            let asks = OF_THE_QUESTION.iter().any(|setting| argument.get_long() == Some(setting.flag));
            let is_hidden = argument.is_hide_set() || (asks && !has_question);
            argument.allow_negative_numbers(is_flag).hide(is_hidden)
        });
    }
    command
}

/// Reads a command line, program name included.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Arguments, clap::Error> {
    let mut command = command();
    let matches = command.try_get_matches_from_mut(args)?;
    Arguments::from_arg_matches(&matches).map_err(|refusal| refusal.format(&mut command))
}

/// What the help ends with.
fn after_help() -> String {
    let files = format!("Files, one point per row: {}", swgg_io::readable_extensions().join(" "));
    wrapped(&files, 80)
        + "Exit codes: 0 done, 1 stopped early, 2 failed, 130 left at a second Ctrl-C.\n\
           More: swgg help formats, columns, methods, searches, costs, exit-codes."
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Solve(Solve),
    Compare(Compare),
    Distance(Distance),
    Interpolate(Interpolate),
    Barycenter(Barycenter),
    Flow(Flow),
    Otdd(Otdd),
    Landscape(Landscape),
    Register(Register),
    #[command(name = "color-transfer")]
    ColorTransfer(ColorTransfer),
    Colorize(Colorize),
    Pansharpen(Pansharpen),
    Apply(Apply),
    Check(Check),
    Info(Info),
    /// Cut tables beyond memory into cells for any scheduler
    Split(Handed),
    /// Check the solved cells of a split and join them to a plan
    Join(Handed),
    /// Run a scheduler or executor that solves tables beyond memory
    Cluster(Handed),
    Completions(Completions),
    Man(Man),
    Help(Help),
}

// What the programs swgg-engine and swgg-cluster read; this one only lists it in its help.
#[derive(Debug, Args)]
pub struct Handed {
    /// What the program swgg-engine (cluster: swgg-cluster) is given; where it is installed, --help is its own
    #[arg(value_name = "ARGS", trailing_var_arg = true, allow_hyphen_values = true)]
    #[allow(dead_code, reason = "handed over before anything is parsed; here it is for the help")]
    pub words: Vec<OsString>,
}

/// Find a transport plan between two clouds
///
/// Exact where that is cheap, otherwise the plans of many lines made into one and refined (auto). The cost printed is
/// that of a real plan: an upper bound of the squared Wasserstein distance. A lower bound beside it says how far from
/// optimal the plan can be.
///
/// Other methods with --method; --search, --directions and --costs imply min-swgg, the best single line. Methods without
/// a plan between the points say what their cost is instead: gaussian a lower bound, linear-ot what its plans from the
/// pivot allow.
#[derive(Debug, Args)]
pub struct Solve {
    #[command(flatten)]
    pub clouds: Clouds,
    #[command(flatten)]
    pub how: MethodFlags,

    /// For tables beyond memory: datafusion, or ballista://HOST:PORT, a cluster. Another program takes over; add --help for its flags
    #[arg(long, value_name = "ENGINE")]
    #[allow(dead_code, reason = "asked for before anything is parsed; here it is for the help")]
    pub engine: Option<String>,
    /// Write the plan, one row per moved piece: .csv, .npz (scipy.sparse.load_npz) or .parquet; - is .csv on standard output
    #[arg(long, value_name = "OUT")]
    pub plan: Option<PathBuf>,
    /// Write where each source point goes (its average target; gaussian: its image under the affine map), n x d, as a cloud of any
    /// format
    #[arg(long, value_name = "OUT")]
    pub map: Option<PathBuf>,
    /// Write the cost of every direction tried
    #[arg(long, value_name = "OUT.npy")]
    pub costs: Option<PathBuf>,
    /// Draw the clouds and some ways of the plan: .svg or .png
    #[arg(long, value_name = "FILE.svg")]
    pub picture: Option<PathBuf>,
    /// Write a page to look at: one HTML file with the clouds, the plan, costs and bounds
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,

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

    #[arg(long, value_name = "A,B,...", value_delimiter = ',', value_parser = flags::method_names(), help = flags::compared())]
    pub methods: Option<Vec<&'static Method>>,
    /// Figure (.svg, .png: cost against time) or table (.csv) to write
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write a page to look at: one HTML file with costs, times and the clouds
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Methods that would take longer are left out; those that do are stopped
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, allow_hyphen_values = true)]
    pub time_limit: f64,
    /// Seed of everything random: same seed, same costs
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = seed_number())]
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
    /// For tables beyond memory: datafusion. The program swgg-engine takes over; add --help for its flags
    #[arg(long, value_name = "ENGINE")]
    #[allow(dead_code, reason = "asked for before anything is parsed; here it is for the help")]
    pub engine: Option<String>,

    #[command(flatten)]
    pub search: SearchFlags,
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
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = seed_number())]
    pub seed: u64,
    /// Threads to use, 0 for all
    #[arg(long, value_name = "T", default_value_t = 0, value_parser = thread_count())]
    pub threads: usize,

    #[command(flatten)]
    pub print: Print,
}

/// Write the clouds along the way from one cloud to another
///
/// Follows a plan: every point walks straight to its target. Any method with a plan will do; with min-swgg the curve is the
/// generalized geodesic of the best direction found. Writes step_0 (the source) to step_K-1 (the target) into a new
/// directory, and weights.npy when points carry unequal masses.
#[derive(Debug, Args)]
pub struct Interpolate {
    #[command(flatten)]
    pub clouds: Clouds,
    #[command(flatten)]
    pub how: PlanFlags,

    /// How many clouds to write, both ends included
    #[arg(long, value_name = "K", default_value_t = 11)]
    pub steps: usize,
    /// Directory to write to; created, or empty
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Format of the clouds
    #[arg(long, default_value = "csv", value_parser = ["csv", "npy", "xyz", "ply", "parquet"])]
    pub format: String,
    /// Draw the clouds and some ways between them: .svg or .png
    #[arg(long, value_name = "FILE.svg")]
    pub picture: Option<PathBuf>,
    /// Write a page to look at: one HTML file with a slider that walks the curve
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,

    #[command(flatten)]
    pub print: Print,
}

/// Say what a file holds
///
/// Of a cloud: its format, rows and columns, and for each column the range, the mean and how many values are not finite; of a table with
/// text also which columns --columns could take. Of a plan: its size and its mass. Of a picture: its size and its depth.
#[derive(Debug, Args)]
pub struct Info {
    /// File to look at
    pub file: PathBuf,
    /// Columns to look at, by name or number: x,y,z or 0-2
    #[arg(long, value_name = "LIST")]
    pub columns: Option<ColumnSelection>,
    #[command(flatten)]
    pub tables: TableFlags,
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
    /// Columns that are coordinates, by name or number: x,y,z or 0-2, pc1-pc3, pc* [default: x, y and z of scans (.ply, .pcd, .las,
    /// .laz), all columns of other files]
    #[arg(long, value_name = "LIST")]
    pub columns: Option<ColumnSelection>,
    /// Weights of the source points, one per row (default: equal)
    #[arg(long, value_name = "FILE")]
    pub source_weights: Option<PathBuf>,
    /// Weights of the target points, one per row (default: equal)
    #[arg(long, value_name = "FILE")]
    pub target_weights: Option<PathBuf>,
    /// A column of both files that holds the weights, by its name
    #[arg(long, value_name = "NAME", conflicts_with_all = ["source_weights", "target_weights"])]
    pub weights_column: Option<String>,
    #[command(flatten)]
    pub tables: TableFlags,
}

impl Clouds {
    /// Every file that is read.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let weights = [&self.source_weights, &self.target_weights].into_iter().flatten();
        [&self.source, &self.target].into_iter().chain(weights).map(PathBuf::as_path)
    }
}

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

/// A thing by its name, of which there are some: names and help.
fn named<T: Default + Clone + Send + Sync + 'static>(
    all: Vec<(&'static str, String)>,
    from_name: impl Fn(&str) -> Option<T> + Clone + Send + Sync + 'static,
) -> impl TypedValueParser<Value = T> {
    let values = all.into_iter().map(|(name, about)| PossibleValue::new(name).help(about));
    // Only names of the list get here.
    PossibleValuesParser::new(values).map(move |name| from_name(&name).unwrap_or_default())
}

/// The same from a table.
fn one_of<T: Default + Copy + Send + Sync + 'static>(
    all: &'static [(T, &str, &str)],
) -> impl TypedValueParser<Value = T> {
    let names = all.iter().map(|(_, name, about)| (*name, (*about).to_string())).collect();
    named(names, |name| all.iter().find(|(_, other, _)| *other == name).map(|(thing, ..)| *thing))
}

/// More threads than any machine has are a slip of the finger, and starting them takes minutes.
pub fn thread_count() -> ValueParser {
    ValueParser::new(|text: &str| {
        whole_number(text, 0, 1024).map_err(|error| format!("{error}; 0 stands for all threads there are"))
    })
}

/// What everything random begins with.
pub fn seed_number() -> ValueParser {
    ValueParser::new(|text: &str| {
        text.parse::<u64>().map_err(|_| format!("a seed is a whole number from 0 to {}, such as 1", u64::MAX))
    })
}

/// At least one.
fn count(most: usize) -> ValueParser {
    ValueParser::new(move |text: &str| whole_number(text, 1, most))
}

/// More than anybody waits for: years.
const MOST_COUNT: usize = 1_000_000_000;
/// More than is of use, of what is held in memory at once.
const MOST_HELD_LINES: usize = 1_000_000;

/// Whole numbers up to a limit.
fn at_most(limit: usize) -> ValueParser {
    ValueParser::new(move |text: &str| whole_number(text, 0, limit))
}

/// A whole number between two others.
fn whole_number(text: &str, least: usize, most: usize) -> Result<usize, String> {
    let number = text.parse::<i128>().map_err(|error| error.to_string())?;
    let count = usize::try_from(number).ok().filter(|count| (least..=most).contains(count));
    count.ok_or_else(|| format!("{number} is not in {least}..={most}"))
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
