//! The figure and the table of a landscape.

use swgg::paper::{Blur, BlurWidth};

use super::circles::Circle;
use crate::figure::{Curve, Figure, Panel, Style};

/// A figure with two panels per circle, or three where smoothed curves would flatten the main one. `best` is a point of
/// the first circle that lies between the angles drawn.
pub fn figure(title: String, circles: &[Circle], blurs: &[Blur], best: Option<(f64, f64)>) -> Figure {
    let mut panels = Vec::new();
    for circle in circles {
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
        if flattens(&circle.swgg, &circle.smoothed) {
            panels.push(panel(&circle.caption, "squared cost", 300, main));
            panels.push(panel("", "squared cost", 240, smoothed));
        } else {
            main.extend(smoothed);
            panels.push(panel(&circle.caption, "squared cost", 360, main));
        }
        let mut line = curve("W2 along the line, squared", &circle.line, Style::Reference);
        line.mark = line.points.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1));
        panels.push(panel("", "W2, squared", 190, vec![line]));
    }
    Figure { title, x_label: "angle of the direction, degrees".to_string(), panels }
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

/// One row per direction, each line once.
pub fn table(circles: &[Circle], blurs: &[Blur]) -> String {
    let mut text = String::from("circle,angle_deg,swgg,line");
    for blur in blurs {
        text += &format!(",smoothed_s{}_w{}", blur.copies.unwrap_or_default(), width(blur));
    }
    text.push('\n');
    for (number, circle) in circles.iter().enumerate() {
        // The last angle is the first line again.
        for (k, angle) in circle.angles_deg.iter().enumerate().take(circle.angles_deg.len() - 1) {
            text += &format!("{},{angle},{},{}", number + 1, circle.swgg[k], circle.line[k]);
            circle.smoothed.iter().for_each(|values| text += &format!(",{}", values[k]));
            text.push('\n');
        }
    }
    text
}
