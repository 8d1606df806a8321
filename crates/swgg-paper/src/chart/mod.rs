//! Pictures as SVG: panels side by side, one legend, colours for light and dark ground.

mod axis;
mod boxes;
mod heat;
mod plane;
mod plot;

pub use axis::Axis;
pub use boxes::{Boxes, Group};
pub use heat::Heat;
pub use plane::{Dots, Ink, Plane, Segments};
pub use plot::{Plot, Series, Style};

use std::fmt::Write;

/// Colours on light and on dark ground.
const COLORS: [[&str; 2]; 8] = [
    ["#1c64b4", "#5aa9ff"],
    ["#d9480f", "#ff8c4d"],
    ["#1a8a6a", "#3cc29a"],
    ["#8250c8", "#b08cf0"],
    ["#b8860b", "#e0b040"],
    ["#c2255c", "#f06595"],
    ["#5c6770", "#a4b0ba"],
    ["#0b7285", "#3bc9db"],
];

/// Size of what is drawn in, and the room around it for labels: left, top, right, bottom.
const SIZE: (f64, f64) = (320.0, 220.0);
const ROOM: [f64; 4] = [62.0, 34.0, 16.0, 46.0];
/// Room of one line of the legend, and of one letter.
const LEGEND_LINE: f64 = 20.0;
const LETTER: f64 = 6.4;

/// A drawing in a rectangle of [`SIZE`].
pub trait Panel {
    /// What stands above it.
    fn title(&self) -> &str;
    /// Its contents, from the upper left corner on.
    fn draw(&self, svg: &mut String);
    /// Colours that need a name.
    fn legend(&self) -> Vec<(usize, String)> {
        Vec::new()
    }
}

/// Panels row by row.
pub struct Sheet {
    pub columns: usize,
    pub panels: Vec<Box<dyn Panel>>,
}

impl Sheet {
    pub fn new(columns: usize) -> Self {
        Sheet { columns, panels: Vec::new() }
    }

    pub fn one(panel: impl Panel + 'static) -> String {
        let mut sheet = Sheet::new(1);
        sheet.push(panel);
        sheet.draw()
    }

    pub fn push(&mut self, panel: impl Panel + 'static) {
        self.panels.push(Box::new(panel));
    }

    /// The whole picture.
    pub fn draw(&self) -> String {
        let columns = self.columns.min(self.panels.len()).max(1);
        let cell = (ROOM[0] + SIZE.0 + ROOM[2], ROOM[1] + SIZE.1 + ROOM[3]);
        let width = columns as f64 * cell.0;
        let (legend, lines) = self.legend(width);
        let below = self.panels.len().div_ceil(columns) as f64 * cell.1;
        let height = below + lines as f64 * LEGEND_LINE + if lines > 0 { 8.0 } else { 0.0 };
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
             font-family=\"system-ui, sans-serif\" font-size=\"11\" role=\"img\">\n<style>\n{}@media (prefers-color-scheme: dark) {{\n{}}}\n</style>\n\
             <rect class=\"ground\" width=\"{width:.0}\" height=\"{height:.0}\"/>\n",
            css(0),
            css(1)
        );
        for (at, panel) in self.panels.iter().enumerate() {
            let x = (at % columns) as f64 * cell.0 + ROOM[0];
            let y = (at / columns) as f64 * cell.1 + ROOM[1];
            let _ = writeln!(svg, "<g transform=\"translate({x:.0} {y:.0})\">");
            text(
                &mut svg,
                (0.0, -12.0),
                "start",
                &format!("<tspan font-weight=\"bold\">{}</tspan>", escaped(panel.title())),
            );
            panel.draw(&mut svg);
            svg.push_str("</g>\n");
        }
        let _ = writeln!(svg, "<g transform=\"translate(0 {below:.0})\">{legend}</g>\n</svg>");
        svg
    }

    /// Each colour once, in lines that fit, and how many lines.
    fn legend(&self, width: f64) -> (String, usize) {
        let mut names: Vec<(usize, String)> = Vec::new();
        for entry in self.panels.iter().flat_map(|panel| panel.legend()) {
            if !names.contains(&entry) {
                names.push(entry);
            }
        }
        let (mut svg, mut x, mut line) = (String::new(), ROOM[0], 0);
        for (color, name) in &names {
            let long = 34.0 + LETTER * name.chars().count() as f64;
            if x + long > width && x > ROOM[0] {
                (x, line) = (ROOM[0], line + 1);
            }
            let y = line as f64 * LEGEND_LINE + 8.0;
            let _ = write!(
                svg,
                "<rect class=\"f{color}\" x=\"{x:.0}\" y=\"{:.0}\" width=\"16\" height=\"4\" rx=\"2\"/>",
                y - 5.0
            );
            text(&mut svg, (x + 21.0, y), "start", &escaped(name));
            x += long;
        }
        (svg, if names.is_empty() { 0 } else { line + 1 })
    }
}

fn css(theme: usize) -> String {
    let [ground, ink, faint] = [["#ffffff", "#222222", "#d8d8d8"], ["#16191d", "#e6e6e6", "#3a3f45"]][theme];
    let mut css = format!(
        ".ground {{ fill: {ground} }}\n.ink {{ fill: {ink} }}\n.grid {{ stroke: {faint}; fill: none }}\n.rule {{ stroke: {ink}; stroke-dasharray: 2 3; fill: none }}\n"
    );
    for (k, colors) in COLORS.iter().enumerate() {
        let color = colors[theme];
        let _ = writeln!(
            css,
            ".s{k} {{ stroke: {color}; fill: none }}\n.f{k} {{ fill: {color}; stroke: none }}\n.b{k} {{ fill: {color}; fill-opacity: 0.17; stroke: none }}"
        );
    }
    css
}

/// Text that is data, not markup.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

/// Words at a place; what they say is markup already.
fn text(svg: &mut String, (x, y): (f64, f64), anchor: &str, words: &str) {
    let _ = writeln!(
        svg,
        "<text class=\"ink\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>"
    );
}

/// Places as SVG lists them.
fn places(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    points.into_iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_whole_and_escape_what_they_are_told() {
        let mut sheet = Sheet::new(2);
        let series = Series::line("a < b", 0, vec![(1.0, 2.0), (10.0, 0.5)]);
        sheet.push(Plot { series: vec![series], ..Plot::new("R&D", Axis::log("n"), Axis::new("cost")) });
        sheet.push(Heat::new("<script>", &["x\"y"], &["1"], vec![vec![Some(0.5)]]));
        sheet.push(Boxes::new("times", Axis::log("s"), vec![Group::new("one", 1, vec![1.0, 2.0, 0.0])]));
        let dots = Dots::new("dots", Ink::Palette(2), vec![[0.0, 0.0], [1.0, 2.0]]);
        sheet.push(Plane { dots: vec![dots], ..Plane::new("plane") });
        let svg = sheet.draw();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        for expected in ["a &lt; b", "R&amp;D", "&lt;script&gt;", "x&quot;y"] {
            assert!(svg.contains(expected), "{expected}");
        }
        assert!(!svg.contains("<script>") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        let (opened, closed) = (svg.matches("<g ").count(), svg.matches("</g>").count());
        assert_eq!(opened, closed);
    }

    #[test]
    fn nothing_to_draw_is_drawn() {
        let empty = Plot::new("empty", Axis::log("x"), Axis::log("y"));
        let svg = Sheet::one(empty);
        assert!(svg.contains("empty") && !svg.contains("NaN"), "{svg}");
    }
}
