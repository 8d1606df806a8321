//! What `swgg pansharpen` accepts.

use std::path::PathBuf;

use clap::Args;
use swgg_apps::pansharpen::Method;

use super::{Print, at_most, count, one_of, thread_count};

/// Sharpen the bands of a satellite image by its panchromatic one
///
/// PAN is one sharp gray band, MS several blurred bands of the same ground, with as many pixels as PAN (enlarged before) or
/// 2 to 16 times fewer in each direction. TIFF files of 8 or 16 bits or 32-bit floats; georeferencing is copied from
/// PAN, the value for missing pixels is respected and kept.
///
/// In each superpixel of MS, optimal transport between grays and colors (exact, as grays lie on a line) tells how the bands
/// change with the gray; the detail that MS lacks is added at that rate. --method paper gives the plain colors of the
/// transport.
#[derive(Debug, Args)]
pub struct Pansharpen {
    /// Sharp image of one band (.tif)
    pub pan: PathBuf,
    /// Blurred image of several bands (.tif)
    pub ms: PathBuf,
    /// Sharp image of all bands to write (.tif)
    #[arg(value_name = "OUT.tif")]
    pub out: PathBuf,

    /// How to bring the detail in
    #[arg(long, default_value = "transport", value_parser = one_of(&Method::NAMES))]
    pub method: Method,
    /// About how many superpixels
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = count(100_000_000))]
    pub markers: usize,
    /// How round superpixels are: 0 follows edges only, 1 weighs a pixel of distance like an average edge
    #[arg(long, value_name = "C", default_value = "1e-8", allow_hyphen_values = true)]
    pub compactness: f64,
    /// transport: how often the result is blurred again, compared with MS and corrected
    #[arg(long, value_name = "K", default_value_t = 2, value_parser = at_most(100))]
    pub rounds: usize,
    /// Bands of MS to sharpen, from 1 [default: all]
    #[arg(long, value_name = "A,B,...", value_delimiter = ',', value_parser = count(65_535))]
    pub bands: Option<Vec<usize>>,
    /// How many times finer PAN is than MS [default: found from sizes, or from how MS was enlarged]
    #[arg(long, value_name = "R", value_parser = count(1_000))]
    pub ratio: Option<usize>,
    /// Judge by Wald's protocol, beside other methods: degrade both by the ratio, fuse, compare with MS
    #[arg(long)]
    pub score: bool,
    /// Threads to use, 0 for all; the result does not depend on it
    #[arg(long, value_name = "T", default_value_t = 0, value_parser = thread_count())]
    pub threads: usize,

    #[command(flatten)]
    pub print: Print,
}
