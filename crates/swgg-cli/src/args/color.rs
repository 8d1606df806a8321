//! What the commands on pictures accept.

use std::path::PathBuf;

use clap::Args;
use clap::builder::TypedValueParser;
use swgg_apps::color::{self, SMOOTHING, Space};

use super::{Print, count, named, one_of, seed_number, thread_count};

/// Give a picture the colours of another one
///
/// Colours move by a smooth map, so that skies have no seams: the result looks like the reference. With --method auto every
/// pixel gets the colour of a pixel of the reference instead: the result has exactly its colours, as many of each (scaled,
/// where the sizes differ), and may be torn where colours have no counterpart. Pictures: .png .jpg .tif .webp .bmp with 8 or 16 bits (.tif: floats too). Alpha
/// and ICC profile are kept, the orientation is applied. Transparent pixels take no part.
///
/// SOURCE may be a folder or a pattern such as 'photos/*.jpg'; then OUT is a folder.
#[derive(Debug, Args)]
pub struct ColorTransfer {
    /// Picture to change, a folder of pictures, or a pattern
    pub source: PathBuf,
    /// Picture with the colours
    pub reference: PathBuf,
    /// Picture to write; a folder if SOURCE is one
    pub out: PathBuf,

    /// How colours are transported [default: smooth; auto with --mass or --samples]
    #[arg(long, value_name = "METHOD", value_parser = method_names())]
    pub method: Option<color::Method>,
    /// How far to go: 0 changes nothing, 1 goes all the way
    #[arg(long, value_name = "T", default_value_t = 1.0, allow_hyphen_values = true)]
    pub strength: f64,
    /// Where distances between colours are measured [default: oklab for smooth, else rgb]
    #[arg(long, value_parser = one_of(&Space::NAMES))]
    pub space: Option<Space>,
    /// How much to spare smooth parts such as skies: 0 is the cheapest plan, which may be grainy and torn, 1 the smoothest
    #[arg(long, value_name = "S", default_value_t = SMOOTHING, allow_hyphen_values = true)]
    pub smoothing: f64,
    /// Change only the cheapest share of the pixels: colours without a counterpart in the reference stay what they are
    #[arg(long, value_name = "F", default_value_t = 1.0, allow_hyphen_values = true)]
    pub mass: f64,
    /// Change only where this picture is white, or nearer to white than to black; it has the size of SOURCE
    #[arg(long, value_name = "M.png")]
    pub mask: Option<PathBuf>,
    /// full, or make the plan from so many pixels of each and extend it by nearest neighbours
    #[arg(long, value_name = "N|full", default_value = "full")]
    pub samples: SampleCount,
    /// With --samples N: the centres of N clusters instead of N pixels
    #[arg(long)]
    pub k_means: bool,
    /// Seed of everything random: same seed, same picture
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = seed_number())]
    pub seed: u64,
    /// Threads to use, 0 for all; the picture does not depend on it
    #[arg(long, value_name = "T", default_value_t = 0, value_parser = thread_count())]
    pub threads: usize,
    /// Draw source, reference and result with their colours on one sheet
    #[arg(long, value_name = "SHEET.png")]
    pub compare: Option<PathBuf>,
    /// What these methods give, between commas, is drawn on the sheet too
    #[arg(long, value_name = "A,B,...", value_delimiter = ',', value_parser = method_names(), requires = "compare")]
    pub against: Vec<color::Method>,
    /// Write a page to look at: one HTML file with a slider between before and after
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// With a folder for OUT: replace pictures that are there already
    #[arg(long)]
    pub overwrite: bool,

    #[command(flatten)]
    pub print: Print,
}

/// Give a gray picture the colours of another one
///
/// Grays lie on a line, so the transport is exact and takes no search: both pictures are sorted by brightness. Among
/// pixels of one gray the surroundings decide. A picture with colours is made gray first (luma of Rec. 709).
///
/// GRAY may be a folder or a pattern such as 'scans/*.tif'; then OUT is a folder.
#[derive(Debug, Args)]
pub struct Colorize {
    /// Picture to give colours, a folder of pictures, or a pattern
    pub gray: PathBuf,
    /// Picture with the colours
    pub reference: PathBuf,
    /// Picture to write; a folder if GRAY is one
    pub out: PathBuf,

    /// The reference shows the same scene at the same size: colours stay in the superpixel they come from
    #[arg(long)]
    pub superpixels: bool,
    /// With --superpixels: about how many
    #[arg(long, value_name = "K", default_value_t = 500, requires = "superpixels", value_parser = count(100_000_000))]
    pub markers: usize,
    /// Threads to use, 0 for all; the picture does not depend on it
    #[arg(long, value_name = "T", default_value_t = 0, value_parser = thread_count())]
    pub threads: usize,
    /// Draw source, reference and result with their colours on one sheet
    #[arg(long, value_name = "SHEET.png")]
    pub compare: Option<PathBuf>,
    /// With a folder for OUT: replace pictures that are there already
    #[arg(long)]
    pub overwrite: bool,

    #[command(flatten)]
    pub print: Print,
}

fn method_names() -> impl TypedValueParser<Value = color::Method> {
    named(color::Method::all(), color::Method::from_name)
}

/// A number of samples, or all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleCount(pub Option<usize>);

impl std::str::FromStr for SampleCount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.parse()) {
            ("full", _) => Ok(SampleCount(None)),
            (_, Ok(count)) if count > 0 => Ok(SampleCount(Some(count))),
            _ => Err("give a number of samples from 1 on, or full".to_string()),
        }
    }
}
