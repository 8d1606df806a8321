//! A picture with the colours of another one.

use serde::Serialize;

use super::{Report, Summary};
use crate::figure::Tile;
use crate::page::Shown;
use crate::printer::{counted, grouped, number};
use crate::seconds::Seconds;

/// A picture with the colours of another one, whichever command gave them.
#[derive(Serialize)]
pub struct RecoloringReport {
    pub source: String,
    pub reference: String,
    pub out: String,
    pub width: usize,
    pub height: usize,
    pub bits: usize,
    #[serde(flatten)]
    pub details: RecoloringDetails,
    pub threads: usize,
    pub seconds: Seconds,
    /// For the sheet of `--compare`.
    #[serde(skip)]
    pub tiles: Vec<Tile>,
    /// For the page: before, after and the reference.
    #[serde(skip)]
    pub shown: Vec<Shown>,
}

/// What only one of the commands has to say.
#[derive(Serialize)]
#[serde(untagged)]
pub enum RecoloringDetails {
    Transfer {
        method: &'static str,
        space: &'static str,
        strength: f64,
        smoothing: f64,
        /// The share of the pixels that got new colours.
        mass: f64,
        /// `None` for all pixels.
        samples: Option<usize>,
        /// Pixels that took part.
        pixels: usize,
        /// Colours of the source and of the reference.
        colors: [usize; 2],
        /// Colours, or groups of them, that the plan is between.
        groups: [usize; 2],
        /// Mean squared distance between pixels and their images, channels from 0 to 1.
        cost: f64,
        /// Whether every colour of the file is one of the reference, as often as it is there.
        exact_colors: bool,
        story: String,
        seed: u64,
    },
    Colorization {
        /// Mean squared distance between grays and colours, channels from 0 to 1: `W_2^2`, or that inside superpixels.
        cost: f64,
        superpixels: bool,
    },
}

impl Report for RecoloringReport {
    fn summary(&self) -> Summary {
        let RecoloringReport { width, height, bits, .. } = self;
        let size = format!("{width} x {height} pixels, {bits} bits");
        let mut summary = Summary::default();
        match &self.details {
            RecoloringDetails::Transfer {
                method,
                space,
                strength,
                samples,
                pixels,
                colors: [from, to],
                groups: [first, second],
                cost,
                exact_colors,
                story,
                ..
            } => {
                summary.text(format!("{size}, by {method}\n"));
                if *pixels < width * height {
                    summary.line("changed", counted(*pixels, "pixel"));
                }
                summary.line("cost", format!("{} (mean squared distance in {space})", number(*cost)));
                summary.line("plan", story);
                summary.line("colours", format!("{} to {}", grouped(*from), grouped(*to)));
                if *first > 0 && (first, second) != (from, to) {
                    let what = if samples.is_some() { "samples" } else { "groups" };
                    summary.line("", format!("{} to {} {what} of them", grouped(*first), grouped(*second)));
                }
                let result = match strength {
                    1.0 if *exact_colors => "those of the reference, exactly".to_string(),
                    1.0 => "like those of the reference".to_string(),
                    strength => format!("strength {strength}, from 0 (the source) to 1 (the reference)"),
                };
                summary.line("result", result);
            }
            RecoloringDetails::Colorization { cost, superpixels } => {
                let what = match superpixels {
                    true => "exact inside superpixels",
                    false => "squared Wasserstein distance, exact",
                };
                summary.text(format!("{size}\n"));
                summary.line("cost", format!("{} ({what})", number(*cost)));
            }
        }
        summary.line("time", self.seconds.told_with_files(self.threads));
        summary.line("written", &self.out);
        summary
    }
}
