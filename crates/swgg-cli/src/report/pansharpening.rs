//! What a pan-sharpening made.

use serde::Serialize;

use super::{Report, Summary};
use crate::printer::{counted, duration, grouped};
use crate::seconds::Seconds;

/// A picture with the detail of one band and the colours of several.
#[derive(Serialize)]
pub struct PansharpeningReport {
    pub out: String,
    pub method: &'static str,
    pub bands: usize,
    pub rows: usize,
    pub columns: usize,
    pub depth: String,
    pub ratio: usize,
    pub superpixels: usize,
    /// Pixels that are missing in PAN or MS, and in the result.
    pub missing: usize,
    pub georeferenced: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scores: Option<Vec<Judged>>,
    pub threads: usize,
    pub seconds: Seconds,
    /// Rows and columns of the colours before.
    #[serde(skip)]
    pub native: (usize, usize),
}

/// How good a method is, by pictures of a lower resolution.
#[derive(Serialize)]
pub struct Judged {
    pub method: &'static str,
    pub ergas: f64,
    pub sam_degrees: f64,
    pub uiqi: f64,
}

impl Report for PansharpeningReport {
    fn summary(&self) -> Summary {
        let PansharpeningReport { bands, rows, columns, depth, ratio, superpixels, native, .. } = self;
        let bands = counted(*bands, "band");
        let mut summary =
            Summary::titled(format!("{bands} of {columns} x {rows} pixels, {depth}, sharpened"));
        summary.line("method", self.method);
        summary.line("ratio", format!("{ratio}, MS of {} x {} pixels of its own", native.1, native.0));
        if *superpixels > 0 {
            summary.line("transport", format!("in {}", counted(*superpixels, "superpixel")));
        }
        if self.missing > 0 {
            summary.line("missing", format!("{} pixels", grouped(self.missing)));
        }
        summary.line("georef", if self.georeferenced { "copied" } else { "none to copy" });
        let (fuse, read) = (duration(self.seconds["fuse"]), duration(self.seconds["read"]));
        summary.line(
            "time",
            format!("{fuse} to sharpen on {}, {read} to read", counted(self.threads, "thread")),
        );
        if let Some(scores) = &self.scores {
            summary.text(format!(
                "\n  {:<22} {:>8} {:>8} {:>8}\n",
                "Wald's protocol", "ERGAS", "SAM deg", "UIQI"
            ));
            for Judged { method, ergas, sam_degrees, uiqi } in scores {
                summary.text(format!("  {method:<22} {ergas:>8.3} {sam_degrees:>8.3} {uiqi:>8.4}\n"));
            }
            summary.text("\nERGAS and SAM: smaller is better; UIQI: 1 is best.\n");
        }
        summary.text(format!("\nwritten to {}\n", self.out));
        summary
    }
}
