//! Flags about how tables are read, and the commands on saved plans.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use swgg_io::{ColumnSelection, Format, ReadOptions};

use super::{Clouds, Print, count, seed_number, thread_count};

/// How tables are read.
#[derive(Clone, Debug, Default, Args)]
pub struct TableFlags {
    /// Leave out rows with an empty, missing or infinite value, and say how many
    #[arg(long)]
    pub skip_missing: bool,
    /// Read 1,5 as 1.5 in text
    #[arg(long)]
    pub decimal_comma: bool,
    /// Format of the files, instead of what their endings say; beside - (standard input) it is for - alone
    #[arg(long, value_name = "FORMAT", hide_possible_values = true, value_parser = formats())]
    pub input_format: Option<Format>,
}

impl TableFlags {
    /// What readers are told.
    pub fn options(&self, columns: Option<&ColumnSelection>) -> ReadOptions {
        ReadOptions {
            columns: columns.cloned(),
            weights: None,
            skip_missing: self.skip_missing,
            decimal_comma: self.decimal_comma,
            format: self.input_format,
        }
    }
}

fn formats() -> impl TypedValueParser<Value = Format> {
    let names = Format::ALL.iter().map(|format| format.name());
    let of = |name: String| Format::ALL.iter().copied().find(|format| format.name() == name);
    // Only names of the list get here.
    PossibleValuesParser::new(names).map(move |name| of(name).unwrap_or(Format::Csv))
}

/// Move new points as a saved plan moves those near them
///
/// Every point takes the way of the source point that is nearest to it: the difference between the mean of the places its mass goes to
/// and itself. Points of the source land where solve --map says.
#[derive(Debug, Args)]
pub struct Apply {
    /// Plan that solve wrote: .csv, .npz or .parquet
    #[arg(value_name = "PLAN")]
    pub plan: PathBuf,
    #[command(flatten)]
    pub clouds: Clouds,
    /// Cloud to move
    #[arg(value_name = "CLOUD")]
    pub cloud: PathBuf,
    /// Write the moved points, with everything else they carry
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Go to the place where the nearest source point goes, instead of the same way
    #[arg(long)]
    pub to_image: bool,
    /// Take the mean over so many source points near by, near ones counting more
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = count(1000))]
    pub neighbors: usize,
    /// Threads to use, 0 for all; the answer does not depend on it
    #[arg(long, value_name = "T", default_value_t = 0, value_parser = thread_count())]
    pub threads: usize,
    #[command(flatten)]
    pub print: Print,
}

/// Check a saved plan: marginals, cost, bound
///
/// Exit code 1 if it is not a plan between these clouds: a point gives or gets another mass than its weight says. A folder that --engine
/// wrote is compared with its manifest instead, without the clouds.
#[derive(Debug, Args)]
pub struct Check {
    /// Plan to look at: .csv, .npz or .parquet
    #[arg(value_name = "PLAN")]
    pub plan: PathBuf,
    #[command(flatten)]
    pub clouds: Clouds,
    /// Do not look for a lower bound
    #[arg(long)]
    pub no_bounds: bool,
    /// Largest difference between a mass and a weight that is taken for rounding, as a share of all the mass
    #[arg(long, value_name = "SHARE", default_value_t = 1e-9, allow_hyphen_values = true)]
    pub tolerance: f64,
    /// Seed of everything random in the bound
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = seed_number())]
    pub seed: u64,
    /// Threads to use, 0 for all; the answer does not depend on it
    #[arg(long, value_name = "T", default_value_t = 0, value_parser = thread_count())]
    pub threads: usize,
    #[command(flatten)]
    pub print: Print,
}
