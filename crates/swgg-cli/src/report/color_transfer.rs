//! A picture with the colours of another one.

use serde::Serialize;

use super::{Report, Summary};
use crate::figure::Tile;
use crate::printer::{counted, grouped, number};
use crate::seconds::Seconds;

/// A picture with the colours of another one.
#[derive(Serialize)]
pub struct ColorTransferReport {
    pub source: String,
    pub reference: String,
    pub out: String,
    pub width: usize,
    pub height: usize,
    pub bits: usize,
    pub method: &'static str,
    pub space: &'static str,
    pub strength: f64,
    pub smoothing: f64,
    /// `None` for all pixels.
    pub samples: Option<usize>,
    /// Pixels that took part.
    pub pixels: usize,
    /// Colours, or groups of them, that the plan is between.
    pub colors: [usize; 2],
    /// Mean squared distance between pixels and their images, channels from 0 to 1.
    pub cost: f64,
    /// Whether every colour of the file is one of the reference, as often as it is there.
    pub exact_colors: bool,
    pub story: String,
    pub seed: u64,
    pub threads: usize,
    pub seconds: Seconds,
    /// For the sheet of `--compare`.
    #[serde(skip)]
    pub tiles: Vec<Tile>,
}

impl Report for ColorTransferReport {
    fn summary(&self) -> Summary {
        let ColorTransferReport { seconds, colors: [from, to], width, height, bits, method, .. } = self;
        let mut summary = Summary::default();
        summary.text(format!("{width} x {height} pixels, {bits} bits, by {method}\n"));
        if self.pixels < width * height {
            summary.line("changed", counted(self.pixels, "pixel"));
        }
        summary.line("cost", format!("{} (mean squared distance in {})", number(self.cost), self.space));
        summary.line("plan", &self.story);
        if *from > 0 {
            let samples = if self.samples.is_some() { " samples" } else { "" };
            summary.line("colours", format!("{} to {}{samples}", grouped(*from), grouped(*to)));
        }
        summary.line(
            "result",
            match self.strength {
                1.0 if self.exact_colors => "those of the reference, exactly".to_string(),
                1.0 => "like those of the reference".to_string(),
                strength => format!("strength {strength}, from 0 (the source) to 1 (the reference)"),
            },
        );
        summary.line("time", seconds.told_with_files(self.threads));
        summary.line("written", &self.out);
        summary
    }
}
