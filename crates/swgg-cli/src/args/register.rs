//! What `swgg register` accepts.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use clap::builder::TypedValueParser;
use swgg_apps::registration::Matching;
use swgg_io::ColumnSelection;

use super::{MOST_COUNT, MOST_HELD_LINES, Print, TableFlags, at_most, named, seed_number, thread_count};

/// Find the motion that brings one cloud onto another
///
/// Points are matched and the best motion for the matches is fitted, in turn, until nothing moves. The search begins with
/// many poses, so that the answer does not depend on how the clouds lie. Prints the homogeneous matrix that maps the source
/// into the frame of the target, and how sure one may be of it.
///
/// Points that are not finite are dropped and counted.
#[derive(Debug, Args)]
pub struct Register {
    /// Cloud to move, one point per row
    #[arg(value_name = "SOURCE")]
    pub source: PathBuf,
    /// Cloud to bring it onto
    #[arg(value_name = "TARGET")]
    pub target: PathBuf,
    /// Columns that are coordinates, by name or number: x,y,z or 0-2, pc1-pc3, pc* [default: x, y and z if there are columns of these
    /// names, else all]
    #[arg(long, value_name = "LIST")]
    pub columns: Option<ColumnSelection>,
    #[command(flatten)]
    pub tables: TableFlags,
    /// Drop points at the origin exactly, which some sensors write where they saw nothing
    #[arg(long)]
    pub drop_origin: bool,

    /// Where to begin: global (anywhere), identity (as the clouds lie), or a file with a homogeneous matrix
    #[arg(long, value_name = "global|identity|T.txt", default_value = "global")]
    pub start: StartPose,
    /// How points are matched
    #[arg(long, value_name = "MATCHING", default_value = "auto", value_parser = matching_names())]
    pub matching: Matching,
    /// min-swgg: how many directions to try in every step [default: 100]
    #[arg(long, value_name = "L", value_parser = at_most(MOST_HELD_LINES))]
    pub directions: Option<usize>,
    /// Rotations and translations; the default
    #[arg(long, conflicts_with_all = ["orthogonal", "similarity"])]
    pub rigid: bool,
    /// Reflections too
    #[arg(long, conflicts_with = "similarity")]
    pub orthogonal: bool,
    /// Rotations, translations, and one scale for all coordinates
    #[arg(long)]
    pub similarity: bool,
    /// Share of the source that has a counterpart in the target, above 0 and at most 1, or auto to estimate it
    #[arg(long, value_name = "F|auto", default_value = "1", allow_hyphen_values = true)]
    pub overlap: OverlapShare,
    /// Steps at most
    #[arg(long, value_name = "K", default_value_t = 100, value_parser = at_most(MOST_COUNT))]
    pub max_steps: usize,
    /// A step that moves points by less than this share of the size of the cloud is the last one
    #[arg(long, value_name = "E", default_value_t = 1e-5, allow_hyphen_values = true)]
    pub tolerance: f64,
    /// Seed of everything random: same seed, same answer
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = seed_number())]
    pub seed: u64,
    /// Threads to use, 0 for all; the answer does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = thread_count())]
    pub threads: usize,

    /// Write the source where it belongs, with its colours, intensities, normals (turned) and all other columns
    #[arg(long, value_name = "ALIGNED")]
    pub out: Option<PathBuf>,
    /// Write the matrix: .txt, .csv or .npy; --start reads it
    #[arg(long, value_name = "T.txt")]
    pub transform: Option<PathBuf>,
    /// Directory for the cloud as it came and after each step, coordinates only; created, or empty
    #[arg(long, value_name = "DIR")]
    pub trace: Option<PathBuf>,
    /// Draw the clouds before and after: .png or .svg
    #[arg(long, value_name = "FILE.png")]
    pub picture: Option<PathBuf>,
    /// Write a page to look at: one HTML file with a slider that moves the source
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,

    #[command(flatten)]
    pub print: Print,
}

impl Register {
    /// Every file that is read.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let start = match &self.start {
            StartPose::File(path) => Some(path.as_path()),
            StartPose::Global | StartPose::Identity => None,
        };
        [self.source.as_path(), &self.target].into_iter().chain(start)
    }
}

#[derive(Clone, Debug)]
pub enum StartPose {
    Global,
    Identity,
    File(PathBuf),
}

impl FromStr for StartPose {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "global" => Ok(StartPose::Global),
            "identity" => Ok(StartPose::Identity),
            "" => Err("say global, identity or the name of a file".to_string()),
            path => Ok(StartPose::File(path.into())),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub enum OverlapShare {
    Auto,
    Share(f64),
}

impl FromStr for OverlapShare {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "auto" => Ok(OverlapShare::Auto),
            text => text
                .parse()
                .map(OverlapShare::Share)
                .map_err(|_| "give a share above 0 and at most 1, such as 0.7, or auto".to_string()),
        }
    }
}

/// Names of matchings: the list of registration.
fn matching_names() -> impl TypedValueParser<Value = Matching> {
    named(Matching::all(), Matching::from_name)
}
