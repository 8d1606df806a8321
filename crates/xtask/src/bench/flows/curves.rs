//! The picture: distances against steps, mean and deviation over the seeds.

use std::fmt::Write;

use super::tables::{logarithm, spread, title};
use super::{EXACT_EVERY, LOSSES, Run};
use crate::bench::svg::head;

/// Colours on light and dark ground, by loss.
const COLORS: [[&str; 2]; LOSSES.len()] = [
    ["#8a8a8a", "#9a9a9a"],
    ["#b8860b", "#e0b040"],
    ["#8250c8", "#b08cf0"],
    ["#1a8a6a", "#3cc29a"],
    ["#d9480f", "#ff8c4d"],
    ["#1c64b4", "#5aa9ff"],
];
const COLUMNS: usize = 2;
/// Size of a panel without its labels, and of the room around it.
const SIZE: (f64, f64) = (360.0, 220.0);
const ROOM: (f64, f64) = (64.0, 66.0);
const TOP: f64 = 74.0;
const LEFT: f64 = 52.0;

pub fn draw(runs: &[Run], targets: &[&str], steps: usize, about: &str) -> String {
    let rows = targets.len().div_ceil(COLUMNS);
    let width = LEFT + COLUMNS as f64 * (SIZE.0 + ROOM.0) - ROOM.0 + 20.0;
    let height = TOP + rows as f64 * (SIZE.1 + ROOM.1) + 30.0;
    let mut svg = head((width, height), "Distance to the target along gradient flows", css);
    let _ = writeln!(
        svg,
        "<text class=\"ink\" x=\"{LEFT}\" y=\"24\" font-size=\"13\">log10 of the exact W2 against the step, mean and deviation over seeds. {about}</text>"
    );
    for (at, target) in targets.iter().enumerate() {
        let x = LEFT + (at % COLUMNS) as f64 * (SIZE.0 + ROOM.0);
        let y = TOP + (at / COLUMNS) as f64 * (SIZE.1 + ROOM.1);
        let _ = writeln!(svg, "<g transform=\"translate({x:.0} {y:.0})\">");
        panel(&mut svg, runs, target, steps);
        svg.push_str("</g>\n");
    }
    legend(&mut svg, height - 14.0);
    svg.push_str("</svg>\n");
    svg
}

fn css(theme: usize) -> String {
    let [ground, ink, faint] = [["#ffffff", "#222222", "#dddddd"], ["#16191d", "#e6e6e6", "#3a3f45"]][theme];
    let mut css = format!(
        ".ground {{ fill: {ground} }}\n.ink {{ fill: {ink} }}\n.grid {{ stroke: {faint}; fill: none }}\n"
    );
    for (k, colors) in COLORS.iter().enumerate() {
        let color = colors[theme];
        let _ = writeln!(
            css,
            ".line{k} {{ stroke: {color}; fill: none; stroke-width: 1.6 }}\n.band{k} {{ fill: {color}; fill-opacity: 0.18; stroke: none }}"
        );
    }
    css
}

/// Mean and deviation of the logarithms at every measured step.
fn curve(runs: &[Run], target: &str, loss: &str) -> Vec<(f64, f64)> {
    let own: Vec<&Run> = runs.iter().filter(|run| run.loss == loss && run.target == target).collect();
    let len = own.iter().map(|run| run.curve.len()).min().unwrap_or(0);
    let at = |k: usize| spread(&own.iter().map(|run| logarithm(run.curve[k])).collect::<Vec<_>>());
    (0..len).map(at).collect()
}

fn panel(svg: &mut String, runs: &[Run], target: &str, steps: usize) {
    let curves: Vec<Vec<(f64, f64)>> = LOSSES.iter().map(|(loss, _)| curve(runs, target, loss)).collect();
    let all = || curves.iter().flatten();
    let low = all().map(|(mean, deviation)| mean - deviation).fold(0.0, f64::min).floor();
    let high = all().map(|(mean, deviation)| mean + deviation).fold(low + 1.0, f64::max).ceil();
    let (width, height) = SIZE;
    let x = |k: usize| width * (k * EXACT_EVERY) as f64 / steps as f64;
    let y = |value: f64| height * (high - value) / (high - low);
    let _ =
        writeln!(svg, "<text class=\"ink\" x=\"0\" y=\"-10\" font-weight=\"bold\">{}</text>", title(target));
    let _ = writeln!(svg, "<rect class=\"grid\" width=\"{width}\" height=\"{height}\"/>");
    let stride = (((high - low) / 6.0).ceil() as usize).max(1);
    for tick in (low as i32..=high as i32).step_by(stride) {
        let at = y(f64::from(tick));
        let _ = writeln!(svg, "<line class=\"grid\" x1=\"0\" x2=\"{width}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>");
        let _ = writeln!(
            svg,
            "<text class=\"ink\" x=\"-6\" y=\"{:.1}\" text-anchor=\"end\">{tick}</text>",
            at + 4.0
        );
    }
    for quarter in 0..=4 {
        let (at, step) = (width * f64::from(quarter) / 4.0, steps * quarter as usize / 4);
        let _ = writeln!(
            svg,
            "<text class=\"ink\" x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{step}</text>",
            height + 16.0
        );
    }
    for (k, curve) in curves.iter().enumerate() {
        let place = |(at, value): (usize, f64)| format!("{:.1},{:.1}", x(at), y(value));
        let upper = curve.iter().enumerate().map(|(at, (mean, deviation))| (at, mean + deviation));
        let lower = curve.iter().enumerate().rev().map(|(at, (mean, deviation))| (at, mean - deviation));
        let band: Vec<String> = upper.chain(lower).map(place).collect();
        let line: Vec<String> = curve.iter().enumerate().map(|(at, (mean, _))| place((at, *mean))).collect();
        let _ = writeln!(svg, "<polygon class=\"band{k}\" points=\"{}\"/>", band.join(" "));
        let _ = writeln!(svg, "<polyline class=\"line{k}\" points=\"{}\"/>", line.join(" "));
    }
}

fn legend(svg: &mut String, y: f64) {
    let mut x = LEFT;
    for (k, (_, name)) in LOSSES.iter().enumerate() {
        let _ = writeln!(
            svg,
            "<line class=\"line{k}\" x1=\"{x:.0}\" x2=\"{:.0}\" y1=\"{:.0}\" y2=\"{:.0}\"/>\
             <text class=\"ink\" x=\"{:.0}\" y=\"{y:.0}\">{name}</text>",
            x + 20.0,
            y - 4.0,
            y - 4.0,
            x + 26.0
        );
        x += 44.0 + 6.2 * name.len() as f64;
    }
}
