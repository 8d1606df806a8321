//! What a flow found and wrote.

use serde::Serialize;

use super::{Cell, Report, Summary, Table};
use crate::figure::{Curve, Panel, Style};
use crate::printer::{counted, duration, grouped, number};
use crate::seconds::Seconds;

/// Particles that followed the gradient of a loss.
#[derive(Serialize)]
pub struct FlowReport {
    pub loss: &'static str,
    /// How directions were looked for, where the loss has a search.
    pub search: Option<&'static str>,
    pub n: usize,
    pub m: usize,
    pub d: usize,
    /// Steps taken.
    pub steps: usize,
    pub rate: f64,
    pub optimizer: &'static str,
    /// The last loss, not rooted.
    pub cost: Option<f64>,
    /// The last exact distance, rooted.
    pub distance: Option<f64>,
    /// The loss before each step, and after the last one.
    pub losses: Vec<f64>,
    /// The exact distance at the same places, where it was looked for.
    pub distances: Vec<Option<f64>>,
    pub seed: u64,
    pub threads: usize,
    pub stop: &'static str,
    pub files: Vec<String>,
    pub picture: Option<String>,
    /// That a page was written, in words.
    #[serde(skip)]
    pub page: Option<String>,
    pub seconds: Seconds,
}

impl FlowReport {
    /// The loss and the distance at every step, beside the clouds.
    pub const STORY: &str = "story.csv";

    pub fn title(&self) -> String {
        let (n, m, d) = (grouped(self.n), grouped(self.m), self.d);
        format!("{n} particles towards {m} points in dimension {d}, loss {}", self.loss)
    }

    /// The distance over the steps, or the loss where no distance is known, in powers of ten.
    pub fn curve(&self) -> Panel {
        let logarithms = |values: &mut dyn Iterator<Item = Option<f64>>| -> Vec<(f64, f64)> {
            let known = values.enumerate().filter_map(|(step, value)| Some((step as f64, value?)));
            known.filter(|(_, value)| *value > 0.0).map(|(step, value)| (step, value.log10())).collect()
        };
        let mut points = logarithms(&mut self.distances.iter().copied());
        let mut y_label = "log10 of the exact distance W2";
        if points.len() < 2 {
            points = logarithms(&mut self.losses.iter().copied().map(Some));
            y_label = "log10 of the loss, not rooted";
        }
        // Axes need two places.
        if points.len() < 2 {
            let level = points.first().map_or(0.0, |point| point.1);
            points = vec![(0.0, level), (self.steps.max(1) as f64, level)];
        }
        let last = points.last().map_or(1.0, |point| point.0);
        let curve = Curve { name: String::new(), points, style: Style::Main, mark: None };
        let ticks = crate::figure::round_numbers(0.0, last, 4);
        let (caption, y_label) = (String::new(), y_label.to_string());
        Panel { caption, y_label, height: 420, ticks, curves: vec![curve] }
    }
}

impl Report for FlowReport {
    fn summary(&self) -> Summary {
        let (n, m, d) = (grouped(self.n), grouped(self.m), self.d);
        let mut summary = Summary::titled(format!("Flow of {n} points to {m} in dimension {d}"));
        let from_to = |first: f64, last: f64| format!("{} to {}", number(first), number(last));
        if let (Some(first), Some(last)) = (self.losses.first(), self.losses.last()) {
            summary.line("loss", format!("{:<28} {}, not rooted", from_to(*first, *last), self.loss));
        }
        let known = || self.distances.iter().flatten();
        if let (Some(first), Some(last)) = (known().next(), known().last()) {
            summary.line("distance", format!("{:<28} W2, exact", from_to(*first, *last)));
        }
        let steps = counted(self.steps, "step");
        summary.line("steps", format!("{steps} of {}, rate {}", self.optimizer, number(self.rate)));
        if let Some(search) = self.search {
            summary.line("search", format!("{search}, seed {}", self.seed));
        }
        let threads = counted(self.threads, "thread");
        let (solve, read) = (duration(self.seconds["solve"]), duration(self.seconds["read"]));
        summary.line("time", format!("{solve} to flow on {threads}, {read} to read"));
        if self.stop == "interrupted" {
            summary.line("stopped", "early; the particles are where they had come to");
        }
        if self.stop == "converged" {
            summary.line("stopped", "as the gradient vanished");
        }
        // Clouds, and their story.
        if let Some(clouds) = self.files.len().checked_sub(1) {
            let place = self.files[clouds].trim_end_matches(Self::STORY).trim_end_matches(['/', '\\']);
            let clouds = counted(clouds, "cloud");
            summary.text(format!("\n{clouds} and {} written to {place}\n", Self::STORY));
        }
        if let Some(picture) = &self.picture {
            summary.text(format!("\nPicture written to {picture}\n"));
        }
        if let Some(page) = &self.page {
            summary.text(format!("\n{page}"));
        }
        summary
    }

    /// One row per step.
    fn table(&self) -> Table {
        let columns = ["step", "loss", "distance"].map(String::from).to_vec();
        let row = |(step, (loss, distance)): (usize, (&f64, &Option<f64>))| {
            vec![Cell::Count(step as u64), Cell::Number(*loss), (*distance).into()]
        };
        Table { columns, rows: self.losses.iter().zip(&self.distances).enumerate().map(row).collect() }
    }
}
