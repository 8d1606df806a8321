//! What `swgg flow` accepts.

use std::ops::Deref;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use swgg::solver::settings::{EFFORT, RELATIVE_EPSILON};
use swgg_apps::flow::{LOSSES, LossKind, Optimizer};

use super::{Clouds, Print, SearchFlags, at_most, whole_number};

/// Move a cloud towards another along the gradient of a loss
///
/// Every point of the source is a particle; at each step all of them move against the gradient of a loss between them and the
/// target. Prints how the loss fell, and the exact Wasserstein distance beside it where that takes little time. Ctrl-C keeps
/// what there is.
///
/// sw and pwd take --directions [100], new ones at every step; min-swgg takes --search and its settings, max-sw --iterations
/// [50], --starts [4], --learning-rate [0.1] and --start: both go on from the direction of the step before. auto takes
/// --effort, sinkhorn --relative-epsilon.
#[derive(Debug, Args)]
pub struct Flow {
    #[command(flatten)]
    pub clouds: Clouds,

    /// What is to fall
    #[arg(long, value_name = "LOSS", default_value = "min-swgg", value_parser = loss_names())]
    pub loss: &'static LossKind,
    /// Steps to take
    #[arg(long, value_name = "K", default_value_t = 2000, value_parser = at_most(10_000_000))]
    pub steps: usize,
    /// Length of the steps
    #[arg(long, value_name = "ETA", default_value_t = 5e-3, allow_hyphen_values = true)]
    pub rate: f64,
    /// Keep the cloud at every so many steps, for --out, --picture and --report [default: a twentieth of the steps]
    #[arg(long, value_name = "K", value_parser = at_most(10_000_000))]
    pub every: Option<usize>,
    /// Look for the exact distance at every so many steps, 0 for never [default: by the sizes, at every step for up to 200
    /// points a side]
    #[arg(long, value_name = "K", value_parser = at_most(10_000_000))]
    pub exact_every: Option<usize>,
    /// min-swgg, max-sw: forget the direction of the step before
    #[arg(long)]
    pub cold: bool,
    /// auto: from 1, a quick look, to 10, close to the optimum [default: 5]
    #[arg(long, value_name = "E", allow_hyphen_values = true, value_parser = |text: &str| whole_number(text, 1, 10))]
    pub effort: Option<usize>,
    /// sinkhorn: weight of the entropy, as a share of the mean cost at the first step [default: 0.01]
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    pub relative_epsilon: Option<f64>,

    #[command(flatten)]
    pub search: FlowFlags,

    /// Directory to write clouds and their story to; created, or empty
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Format of the clouds
    #[arg(long, default_value = "csv", value_parser = ["csv", "npy", "xyz", "ply", "parquet"])]
    pub format: String,
    /// Write a picture of the paths and of the distance (.svg, .png)
    #[arg(long, value_name = "FILE")]
    pub picture: Option<PathBuf>,
    /// Write a page to look at: one HTML file with a slider over the steps
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,

    #[command(flatten)]
    pub print: Print,
}

fn loss_names() -> impl TypedValueParser<Value = &'static LossKind> {
    let values = LOSSES.iter().map(|kind| PossibleValue::new(kind.name).help(kind.about));
    // Only names of the list get here.
    PossibleValuesParser::new(values)
        .map(|name| LOSSES.iter().find(|kind| kind.name == name).unwrap_or(&LOSSES[0]))
}

impl Flow {
    /// Settings of losses that are not those of searches.
    pub fn own_settings(&self) -> Vec<(&'static swgg::setting::Setting, swgg::setting::Value)> {
        use swgg::setting::Value;
        let effort = self.effort.map(|effort| (&EFFORT, Value::Count(effort)));
        let epsilon = self.relative_epsilon.map(|share| (&RELATIVE_EPSILON, Value::Number(share)));
        effort.into_iter().chain(epsilon).collect()
    }
}

/// The flags of searches, of which `--optimizer` is that of the particles.
#[derive(Clone, Debug, Default)]
pub struct FlowFlags(SearchFlags);

impl FlowFlags {
    /// The flag that particles take from searches.
    pub const OPTIMIZER: &'static str = "optimizer";
}

impl Deref for FlowFlags {
    type Target = SearchFlags;

    fn deref(&self) -> &SearchFlags {
        &self.0
    }
}

impl Args for FlowFlags {
    fn augment_args(command: Command) -> Command {
        let names = Optimizer::ALL.map(Optimizer::name).join(" or ");
        let help = format!("How a gradient becomes a step of the particles: {names} [default: adam]");
        SearchFlags::augment_args(command)
            .mut_arg(Self::OPTIMIZER, |argument| argument.help(help).help_heading(None::<&'static str>))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for FlowFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        SearchFlags::from_arg_matches(matches).map(FlowFlags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}
