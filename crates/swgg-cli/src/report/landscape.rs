//! The cost as a function of the direction: what was found, its figure and its table.

use serde::Serialize;
use swgg::ndarray::Array2;
use swgg::paper::{Blur, BlurWidth};

use super::{Cell, Report, Summary, Table};
use crate::figure::{Curve, Figure, Panel, Style};
use crate::printer::{counted, duration, grouped, number, vector};
use crate::seconds::Seconds;

/// The cost as a function of the direction.
#[derive(Serialize)]
pub struct LandscapeReport {
    pub n: usize,
    pub m: usize,
    pub d: usize,
    pub circles: usize,
    pub angles: usize,
    /// The lowest SWGG found, squared, and its direction.
    pub cost: f64,
    pub theta: Vec<f64>,
    /// What no plan can beat; `None` after Ctrl-C.
    pub lower_bound: Option<f64>,
    pub search: &'static str,
    pub stop: &'static str,
    /// What was written, unless the user stopped before.
    pub file: Option<String>,
    pub seconds: Seconds,
    /// What is drawn.
    #[serde(skip)]
    pub curves: Option<Curves>,
}

/// The curves along one circle of directions.
pub struct Circle {
    pub caption: String,
    pub angles_deg: Vec<f64>,
    /// The directions at these angles, one per row.
    pub thetas: Array2<f64>,
    pub swgg: Vec<f64>,
    pub line: Vec<f64>,
    pub smoothed: Vec<Vec<f64>>,
}

/// Costs along circles of directions.
pub struct Curves {
    pub circles: Vec<Circle>,
    /// Of the smoothed curves.
    pub blurs: Vec<Blur>,
    /// In the plane: the angle of the lowest direction, and its cost.
    pub best: Option<(f64, f64)>,
}

impl LandscapeReport {
    /// A figure with a column per circle, of two panels, or of three where smoothed curves would flatten the main one.
    pub fn figure(&self) -> Figure {
        let (n, m, d) = (grouped(self.n), grouped(self.m), self.d);
        let title = format!("SWGG by direction, {n} and {m} points in dimension {d}; best ones marked");
        let mut columns = Vec::new();
        let (circles, blurs, best) = match &self.curves {
            Some(curves) => (&curves.circles[..], &curves.blurs[..], curves.best),
            None => (&[][..], &[][..], None),
        };
        // Side by side, panels are lower: all of them fit on a screen.
        let is_alone = circles.len() < 2;
        let height = |alone: u32, beside: u32| if is_alone { alone } else { beside };
        let apart = circles.iter().any(|circle| flattens(&circle.swgg, &circle.smoothed));
        for circle in circles {
            let mut panels = Vec::new();
            let first = circle.angles_deg[0];
            let ticks: Vec<f64> = (0..=6).map(|k| first + 30.0 * f64::from(k)).collect();
            let panel = |caption: &str, y_label: &str, height, curves| {
                let (caption, y_label) = (caption.to_string(), y_label.to_string());
                Panel { caption, y_label, height, ticks: ticks.clone(), curves }
            };
            let curve = |name: &str, values: &[f64], style| {
                let points: Vec<(f64, f64)> =
                    circle.angles_deg.iter().copied().zip(values.iter().copied()).collect();
                let mark = points.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1));
                Curve { name: name.to_string(), points, style, mark }
            };
            let mut main = vec![curve("SWGG", &circle.swgg, Style::Main)];
            main[0].mark = best.or(main[0].mark);
            let blurred = blurs.iter().zip(&circle.smoothed).enumerate();
            let smoothed: Vec<Curve> =
                blurred.map(|(k, (blur, values))| curve(&name(blur), values, Style::Variant(k))).collect();
            if apart {
                panels.push(panel(&circle.caption, "squared cost", height(300, 230), main));
                panels.push(panel("", "squared cost", height(240, 180), smoothed));
            } else {
                main.extend(smoothed);
                panels.push(panel(&circle.caption, "squared cost", height(360, 320), main));
            }
            let mut line = curve("W2 along the line, squared", &circle.line, Style::Reference);
            line.mark = line.points.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1));
            panels.push(panel("", "W2, squared", height(190, 160), vec![line]));
            columns.push(panels);
        }
        let caption = if is_alone {
            String::new()
        } else {
            "In each column directions turn away from the best one, at 0 degrees, towards another. Discs mark the lowest \
             costs, and the highest along the line."
                .to_string()
        };
        Figure { title, x_label: "angle of the direction, degrees".to_string(), columns, caption }
    }
}

impl Report for LandscapeReport {
    fn summary(&self) -> Summary {
        let (n, m, d) = (grouped(self.n), grouped(self.m), self.d);
        let title = format!("Landscape of SWGG between {n} and {m} points in dimension {d}");
        let mut summary = Summary::titled(title);
        summary.line("lowest", format!("{:<12} squared, by {}", number(self.cost), self.search));
        summary.line("direction", vector(&self.theta));
        let Some(file) = &self.file else {
            summary.text("\nStopped early: nothing was drawn, and there may be lower directions\n");
            return summary;
        };
        let (directions, circles) = (self.angles * self.circles, self.circles);
        summary
            .line("drawn", format!("{} on {}", counted(directions, "direction"), counted(circles, "circle")));
        summary.line("time", format!("{} to evaluate", duration(self.seconds["solve"])));
        summary.text(format!("\nWritten to {file}\n"));
        summary
    }

    /// One row per direction, each line once.
    fn table(&self) -> Table {
        let mut table = Table::default();
        let Some(Curves { circles, blurs, .. }) = &self.curves else { return table };
        table.columns = ["circle", "angle_deg", "swgg", "line"].map(String::from).to_vec();
        let name = |blur: &Blur| format!("smoothed_s{}_w{}", blur.copies.unwrap_or_default(), width(blur));
        table.columns.extend(blurs.iter().map(name));
        for (number, circle) in circles.iter().enumerate() {
            // The last angle is the first line again.
            for (k, &angle) in circle.angles_deg.iter().enumerate().take(circle.angles_deg.len() - 1) {
                let mut row = vec![Cell::Count(number as u64 + 1), Cell::Number(angle)];
                let values = [&circle.swgg, &circle.line].into_iter().chain(&circle.smoothed);
                row.extend(values.map(|values| Cell::Number(values[k])));
                table.rows.push(row);
            }
        }
        table
    }
}

/// Whether a curve would fill less than a third of the axis it shares with others.
fn flattens(main: &[f64], others: &[Vec<f64>]) -> bool {
    let range = |values: &mut dyn Iterator<Item = &f64>| {
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
        high - low
    };
    let shared = range(&mut main.iter().chain(others.iter().flatten()));
    3.0 * range(&mut main.iter()) < shared
}

fn width(blur: &Blur) -> f64 {
    let (BlurWidth::Relative(width) | BlurWidth::Epsilon(width)) = blur.width;
    width
}

/// Name of the curve of a blur.
fn name(blur: &Blur) -> String {
    format!("smoothed, s = {}, noise {} of spread", blur.copies.unwrap_or_default(), width(blur))
}
