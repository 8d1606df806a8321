//! What an interpolation found and wrote.

use serde::Serialize;

use super::{Report, Summary, TransportReport};
use crate::printer::grouped;

/// A transport, and the clouds along the way.
#[derive(Serialize)]
pub struct InterpolationReport {
    #[serde(flatten)]
    pub transport: TransportReport,
    pub steps: usize,
    pub files: Vec<String>,
    /// Points of every cloud.
    #[serde(skip)]
    pub pieces: usize,
    /// Where the clouds are.
    #[serde(skip)]
    pub out: String,
    /// What else was written.
    #[serde(skip)]
    pub also: String,
}

impl InterpolationReport {
    /// The masses of the pieces that points are split into, the same at every step.
    pub const WEIGHTS: &str = "weights.npy";
}

impl Report for InterpolationReport {
    fn summary(&self) -> Summary {
        let (steps, pieces, out) = (self.steps, grouped(self.pieces), &self.out);
        let mut summary = self.transport.summary();
        summary.text(format!("\n{steps} clouds of {pieces} points written to {out}\n"));
        let weights = Self::WEIGHTS;
        if self.files.iter().any(|file| file.ends_with(weights)) {
            summary
                .text(format!("Points are split on the way: {weights} there says what each piece weighs.\n"));
        }
        summary.text(&self.also);
        summary
    }
}
