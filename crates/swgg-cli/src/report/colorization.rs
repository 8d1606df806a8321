//! A gray picture with the colours of another one.

use serde::Serialize;

use super::{Report, Summary};
use crate::figure::Tile;
use crate::printer::number;
use crate::seconds::Seconds;

/// A gray picture with the colours of another one.
#[derive(Serialize)]
pub struct ColorizationReport {
    pub source: String,
    pub reference: String,
    pub out: String,
    pub width: usize,
    pub height: usize,
    pub bits: usize,
    /// Mean squared distance between grays and colours, channels from 0 to 1: `W_2^2`, or that inside superpixels.
    pub cost: f64,
    pub superpixels: bool,
    pub threads: usize,
    pub seconds: Seconds,
    /// For the sheet of `--compare`.
    #[serde(skip)]
    pub tiles: Vec<Tile>,
}

impl Report for ColorizationReport {
    fn summary(&self) -> Summary {
        let ColorizationReport { seconds, width, height, bits, .. } = self;
        let mut summary = Summary::default();
        summary.text(format!("{width} x {height} pixels, {bits} bits\n"));
        let what = match self.superpixels {
            true => "exact inside superpixels",
            false => "squared Wasserstein distance, exact",
        };
        summary.line("cost", format!("{} ({what})", number(self.cost)));
        summary.line("time", seconds.told_with_files(self.threads));
        summary.line("written", &self.out);
        summary
    }
}
