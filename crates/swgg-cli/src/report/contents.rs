//! What a file holds.

use serde::Serialize;

use super::{Report, Summary};
use crate::printer::{counted, grouped, number};

/// A cloud in a file at a glance.
#[derive(Serialize)]
pub struct ContentsReport {
    pub file: String,
    pub format: String,
    pub rows: usize,
    pub columns: Vec<Column>,
    /// Columns of numbers, which `--columns` could take.
    pub could_take: Vec<String>,
    /// Columns of the file that are not coordinates.
    pub ignored: Vec<String>,
    pub stored_as: String,
    /// Whether some columns hold text.
    #[serde(skip)]
    pub is_mixed: bool,
}

/// One column at a glance; `null` where it has no finite value.
#[derive(Serialize)]
pub struct Column {
    pub name: String,
    pub min: Option<f64>,
    pub mean: Option<f64>,
    pub max: Option<f64>,
    /// Values that are not there, infinite or not a number.
    pub not_finite: usize,
    /// Fields that are text.
    pub words: usize,
    /// One of them.
    #[serde(skip)]
    pub example: Option<String>,
}

impl Report for ContentsReport {
    fn summary(&self) -> Summary {
        /// Columns listed one by one.
        const SHOWN: usize = 12;
        let d = self.columns.len();
        let (file, format, rows) = (&self.file, &self.format, grouped(self.rows));
        let mut summary = Summary::titled(match self.is_mixed {
            true => format!("{file}: {format}, {rows} rows of {}, some of them text", counted(d, "column")),
            false => format!("{file}: {format}, {rows} points in dimension {d}, {}", self.stored_as),
        });
        summary.text(format!("  {:<12} {:>14} {:>14} {:>14}  not finite\n", "column", "min", "mean", "max"));
        let shown = |x: Option<f64>| x.map_or_else(|| "-".to_string(), number);
        for column in self.columns.iter().take(SHOWN) {
            let (min, mean, max) = (shown(column.min), shown(column.mean), shown(column.max));
            let name: String = column.name.chars().take(12).collect();
            if let Some(example) = &column.example {
                let example: String = example.chars().take(24).collect();
                summary.text(format!(
                    "  {name:<12} text in {} rows, such as {example:?}\n",
                    grouped(column.words)
                ));
                continue;
            }
            summary.text(format!(
                "  {name:<12} {min:>14} {mean:>14} {max:>14}  {}\n",
                grouped(column.not_finite)
            ));
        }
        if d > SHOWN {
            summary.text(format!("  ... and {} more columns\n", d - SHOWN));
        }
        let numbers = self.columns.iter().filter(|column| column.words == 0);
        let bad: usize = numbers.map(|column| column.not_finite).sum();
        if bad > 0 {
            let what = if self.is_mixed { "missing or not finite" } else { "not finite" };
            summary.text("\n");
            summary.note(&format!(
                "{} values are {what}: solve will refuse this cloud unless --skip-missing drops their rows.",
                grouped(bad)
            ));
        }
        if self.is_mixed {
            summary.text("\n");
            summary.note(&match self.could_take.as_slice() {
                [] => "No column holds numbers alone, so that none can be a coordinate.".to_string(),
                some => format!("--columns could take {}.", some.join(",")),
            });
        }
        if !self.ignored.is_empty() {
            let ignored = self.ignored.join(", ");
            summary.text("\n");
            summary.note(&format!("Not read as coordinates: {ignored} (--columns picks)."));
        }
        summary
    }
}

/// A plan in a file at a glance.
#[derive(Serialize)]
pub struct PlanContents {
    pub file: String,
    /// Its format.
    pub plan: String,
    pub n: usize,
    pub m: usize,
    /// Whether the file says so; they are the least that its entries need otherwise.
    #[serde(skip)]
    pub is_told: bool,
    pub entries: usize,
    /// Source points that give something.
    pub sources: usize,
    pub mass: f64,
    pub largest: f64,
}

impl Report for PlanContents {
    fn summary(&self) -> Summary {
        let least = if self.is_told { "" } else { "at least " };
        let mut summary = Summary::titled(format!(
            "{}: a plan, {}, from {least}{} to {least}{} points",
            self.file,
            self.plan,
            grouped(self.n),
            grouped(self.m)
        ));
        summary.line("entries", grouped(self.entries));
        summary.line("sources", format!("{} give something", grouped(self.sources)));
        summary.line(
            "mass",
            format!("{} in all, {} at most in an entry", number(self.mass), number(self.largest)),
        );
        summary.text("\n");
        summary.note(&format!("Next: swgg check {} SOURCE TARGET looks at marginals and cost.", self.file));
        summary
    }
}

/// A picture at a glance.
#[derive(Serialize)]
pub struct PictureContents {
    pub file: String,
    pub width: usize,
    pub height: usize,
    pub bits: usize,
    pub is_gray: bool,
    pub has_alpha: bool,
    /// Whether it has a colour profile.
    pub profile: bool,
}

impl Report for PictureContents {
    fn summary(&self) -> Summary {
        let mut summary =
            Summary::titled(format!("{}: a picture of {} x {} pixels", self.file, self.width, self.height));
        let colors = if self.is_gray { "gray" } else { "red, green, blue" };
        let alpha = if self.has_alpha { " and transparency" } else { "" };
        summary.line("channels", format!("{colors}{alpha}, {} bits each", self.bits));
        summary.line("profile", if self.profile { "there is a colour profile" } else { "none, so sRGB" });
        summary.text("\n");
        summary.note("As a cloud it has a row per pixel: r, g and b from 0 to 1.");
        summary
    }
}
