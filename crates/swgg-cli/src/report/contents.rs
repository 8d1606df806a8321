//! What a file holds.

use serde::Serialize;

use super::{Report, Summary};
use crate::printer::{grouped, number};

/// A cloud in a file at a glance.
#[derive(Serialize)]
pub struct ContentsReport {
    pub file: String,
    pub format: String,
    pub rows: usize,
    pub columns: Vec<Column>,
    /// Columns of the file that are not coordinates.
    pub ignored: Vec<String>,
    pub stored_as: String,
}

/// One column at a glance; `null` where it has no finite value.
#[derive(Serialize)]
pub struct Column {
    pub name: String,
    pub min: Option<f64>,
    pub mean: Option<f64>,
    pub max: Option<f64>,
    pub not_finite: usize,
}

impl Report for ContentsReport {
    fn summary(&self) -> Summary {
        /// Columns listed one by one.
        const SHOWN: usize = 12;
        let d = self.columns.len();
        let mut summary = Summary::titled(format!(
            "{}: {}, {} points in dimension {d}, {}",
            self.file,
            self.format,
            grouped(self.rows),
            self.stored_as
        ));
        summary.text(format!("  {:<12} {:>14} {:>14} {:>14}  not finite\n", "column", "min", "mean", "max"));
        let shown = |x: Option<f64>| x.map_or_else(|| "-".to_string(), number);
        for column in self.columns.iter().take(SHOWN) {
            let (min, mean, max) = (shown(column.min), shown(column.mean), shown(column.max));
            let name: String = column.name.chars().take(12).collect();
            summary.text(format!(
                "  {name:<12} {min:>14} {mean:>14} {max:>14}  {}\n",
                grouped(column.not_finite)
            ));
        }
        if d > SHOWN {
            summary.text(format!("  ... and {} more columns\n", d - SHOWN));
        }
        let bad: usize = self.columns.iter().map(|column| column.not_finite).sum();
        if bad > 0 {
            summary
                .text(format!("\n{} values are not finite: solve will refuse this cloud.\n", grouped(bad)));
        }
        if !self.ignored.is_empty() {
            let ignored = self.ignored.join(", ");
            summary.text("\n");
            summary.note(&format!("Not read as coordinates: {ignored} (--columns picks)."));
        }
        summary
    }
}
