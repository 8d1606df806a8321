//! A matrix with its numbers, darker where they are larger.

use std::fmt::Write;

use super::{Panel, SIZE, escaped, text};
use crate::statistics::short;

pub struct Heat {
    pub title: String,
    pub rows: Vec<String>,
    pub columns: Vec<String>,
    /// Row by row; a place may be empty.
    pub values: Vec<Vec<Option<f64>>>,
}

impl Heat {
    pub fn new(
        title: impl Into<String>,
        rows: &[impl AsRef<str>],
        columns: &[impl AsRef<str>],
        values: Vec<Vec<Option<f64>>>,
    ) -> Self {
        let rows = rows.iter().map(|name| name.as_ref().to_string()).collect();
        let columns = columns.iter().map(|name| name.as_ref().to_string()).collect();
        Heat { title: title.into(), rows, columns, values }
    }
}

/// Colours of the least and of the largest value.
const ENDS: [[f64; 3]; 2] = [[102.0, 51.0, 153.0], [250.0, 200.0, 20.0]];

impl Panel for Heat {
    fn title(&self) -> &str {
        &self.title
    }

    fn draw(&self, svg: &mut String) {
        let seen = || self.values.iter().flatten().flatten().filter(|x| x.is_finite());
        let (low, high) = seen().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
        let left = 10.0;
        let (width, height) = (SIZE.0 - left, SIZE.1 - 6.0);
        let cell = (width / self.columns.len().max(1) as f64, height / self.rows.len().max(1) as f64);
        for (i, (name, values)) in self.rows.iter().zip(&self.values).enumerate() {
            let y = i as f64 * cell.1;
            text(svg, (left - 6.0, y + 0.5 * cell.1 + 4.0), "end", &escaped(name));
            for (j, value) in values.iter().enumerate() {
                let Some(value) = value.filter(|x| x.is_finite()) else { continue };
                let share = if high > low { (value - low) / (high - low) } else { 0.0 };
                let [r, g, b]: [f64; 3] =
                    std::array::from_fn(|c| ENDS[0][c] + share * (ENDS[1][c] - ENDS[0][c]));
                let x = left + j as f64 * cell.0;
                let _ = writeln!(
                    svg,
                    "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"rgb({r:.0},{g:.0},{b:.0})\"/>\
                     <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"{}\">{}</text>",
                    cell.0 - 2.0,
                    cell.1 - 2.0,
                    x + 0.5 * cell.0 - 1.0,
                    y + 0.5 * cell.1 + 3.0,
                    if share > 0.6 { "#222" } else { "#fff" },
                    short(value)
                );
            }
        }
        for (j, name) in self.columns.iter().enumerate() {
            text(svg, (left + (j as f64 + 0.5) * cell.0, SIZE.1 + 10.0), "middle", &escaped(name));
        }
    }
}
