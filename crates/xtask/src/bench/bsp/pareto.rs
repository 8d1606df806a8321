//! The picture: how far above the reference each method is, against its time.

use std::fmt::Write;

use super::record::{Measured, Row};
use super::tables::count;
use crate::bench::svg::head;

/// The most telling pairs, row by row.
const PANELS: [&str; 6] =
    ["gauss-100000-3", "cube-100000-3", "sphere-100000-3", "cube-3000-3", "moons-20000-2", "mix-50000-10"];
const COLUMNS: usize = 3;

/// A method, its name in the legend, its marker, and its colours on light and dark ground.
struct Style {
    method: &'static str,
    name: &'static str,
    marker: Marker,
    colors: [&'static str; 2],
}

#[derive(Clone, Copy)]
enum Marker {
    Disc,
    Triangle,
    Square,
    Cross,
    Diamond,
    Plus,
}

/// What is drawn last lies on top.
const STYLES: [Style; 6] = [
    Style { method: "line", name: "min-SWGG", marker: Marker::Cross, colors: ["#8a8a8a", "#9a9a9a"] },
    Style { method: "merged", name: "swgg merged", marker: Marker::Square, colors: ["#8250c8", "#b08cf0"] },
    Style { method: "trees", name: "swgg trees", marker: Marker::Triangle, colors: ["#1a8a6a", "#3cc29a"] },
    Style { method: "emd", name: "POT emd2", marker: Marker::Plus, colors: ["#111111", "#f0f0f0"] },
    Style { method: "bsp", name: "POT BSP-OT", marker: Marker::Diamond, colors: ["#d9480f", "#ff8c4d"] },
    Style { method: "auto", name: "swgg auto", marker: Marker::Disc, colors: ["#1c64b4", "#5aa9ff"] },
];

/// Size of a panel without its labels, and of the room around it.
const SIZE: (f64, f64) = (236.0, 190.0);
const ROOM: (f64, f64) = (72.0, 78.0);
const TOP: f64 = 78.0;
const LEFT: f64 = 58.0;
/// Height of the strips for what a logarithmic scale cannot show.
const STRIP: f64 = 20.0;
/// Per cent: below the first the excess counts as none, above the second it is only said to be there.
const RANGE: (f64, f64) = (1e-3, 1e3);

pub fn draw(measured: &[Measured]) -> String {
    let panels: Vec<&Measured> =
        PANELS.iter().filter_map(|name| measured.iter().find(|case| case.name == *name)).collect();
    let rows = panels.len().div_ceil(COLUMNS);
    let width = LEFT + COLUMNS as f64 * (SIZE.0 + ROOM.0) - ROOM.0 + 16.0;
    let height = TOP + rows as f64 * (SIZE.1 + ROOM.1);
    let mut svg = head((width, height), "Excess cost against time, by method", css);
    let _ = writeln!(
        svg,
        "<text class=\"ink\" x=\"{LEFT}\" y=\"24\">Cost of the plan between the centred clouds, above the best one, against time on two threads. \
         Small numbers: effort, plans, trees, directions.</text>"
    );
    for (at, case) in panels.iter().enumerate() {
        let x = LEFT + (at % COLUMNS) as f64 * (SIZE.0 + ROOM.0);
        let y = TOP + (at / COLUMNS) as f64 * (SIZE.1 + ROOM.1);
        let _ = writeln!(svg, "<g transform=\"translate({x:.0} {y:.0})\">");
        panel(&mut svg, case);
        svg.push_str("</g>\n");
    }
    legend(&mut svg, width, height - 14.0);
    svg.push_str("</svg>\n");
    svg
}

fn css(theme: usize) -> String {
    let [ground, ink, faint] = [["#ffffff", "#222222", "#dddddd"], ["#16191d", "#e6e6e6", "#3a3f45"]][theme];
    let mut css = format!(
        ".ground {{ fill: {ground} }}\n.ink {{ fill: {ink} }}\n.grid {{ stroke: {faint}; fill: none }}\n\
         .strip {{ fill: {faint}; fill-opacity: 0.4 }}\n"
    );
    for Style { method, colors, .. } in &STYLES {
        let color = colors[theme];
        let _ = writeln!(css, ".{method} {{ fill: {color}; stroke: {color} }}");
    }
    css
}

/// A logarithmic scale over whole decades.
struct Scale {
    first: i32,
    last: i32,
    from: f64,
    to: f64,
}

impl Scale {
    fn new(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            (low, high) = (low.min(value.log10()), high.max(value.log10()));
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        // A tenth of a decade keeps markers and their numbers off the frame.
        let (first, last) = ((low - 0.1).floor() as i32, (high + 0.1).ceil() as i32);
        Scale { first, last: last.max(first + 1), from, to }
    }

    fn at(&self, value: f64) -> f64 {
        let share = (value.log10() - f64::from(self.first)) / f64::from(self.last - self.first);
        self.from + share * (self.to - self.from)
    }

    fn ticks(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        (self.first..=self.last).map(|power| 10f64.powi(power)).map(|value| (value, self.at(value)))
    }
}

/// Numbers without trailing zeros.
fn plain(value: f64) -> String {
    if value >= 1.0 {
        format!("{value:.0}")
    } else {
        format!("{:.*}", (-value.log10()).round() as usize, value)
    }
}

fn panel(svg: &mut String, case: &Measured) {
    let (width, height) = SIZE;
    let excess = |row: &Row| 100.0 * case.excess(row);
    let lines: Vec<(&Style, Vec<(u32, &Row)>)> =
        STYLES.iter().map(|style| (style, case.method(style.method))).collect();
    let rows = || lines.iter().flat_map(|(_, rows)| rows.iter().map(|(_, row)| *row));
    let (below, above) = (rows().any(|row| excess(row) < RANGE.0), rows().any(|row| excess(row) > RANGE.1));
    let seconds = Scale::new(rows().map(|row| row.seconds), 0.0, width);
    let strips = (if above { STRIP } else { 0.0 }, if below { STRIP } else { 0.0 });
    let shown = rows().map(excess).filter(|share| (RANGE.0..=RANGE.1).contains(share));
    let shares = Scale::new(shown, height - strips.1, strips.0);
    let _ = writeln!(
        svg,
        "<text class=\"ink\" y=\"-24\" font-size=\"12\" font-weight=\"bold\">{}, n = {}, d = {}</text>\
         <text class=\"ink\" y=\"-9\" fill-opacity=\"0.7\">{}</text>",
        case.what,
        count(case.n),
        case.d,
        if case.reference.exact { "above the optimum" } else { "above the best cost known" }
    );
    for (on, y, label) in [
        (above, 0.0, format!("&gt; {}", plain(10f64.powi(shares.last)))),
        (below, height - STRIP, if case.reference.exact { "exact" } else { "0" }.to_string()),
    ] {
        if on {
            let _ =
                writeln!(svg, "<rect class=\"strip\" y=\"{y:.0}\" width=\"{width}\" height=\"{STRIP}\"/>");
            let _ = writeln!(
                svg,
                "<text class=\"ink\" x=\"-6\" y=\"{:.0}\" text-anchor=\"end\">{label}</text>",
                y + 15.0
            );
        }
    }
    for (value, x) in seconds.ticks() {
        let _ = writeln!(svg, "<path class=\"grid\" d=\"M{x:.1} 0V{height}\"/>");
        let label =
            if value < 0.1 { format!("{} ms", plain(1e3 * value)) } else { format!("{} s", plain(value)) };
        let y = height + 15.0;
        let _ =
            writeln!(svg, "<text class=\"ink\" x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{label}</text>");
    }
    for (value, y) in shares.ticks() {
        let _ = writeln!(svg, "<path class=\"grid\" d=\"M0 {y:.1}H{width}\"/>");
        // A strip says its own.
        if !(above && value > 0.9 * 10f64.powi(shares.last)) {
            let at = y + 4.0;
            let _ = writeln!(
                svg,
                "<text class=\"ink\" x=\"-6\" y=\"{at:.1}\" text-anchor=\"end\">{} %</text>",
                plain(value)
            );
        }
    }
    let place = |row: &Row| {
        let y = match excess(row) {
            share if share < RANGE.0 => height - STRIP / 2.0,
            share if share > RANGE.1 => STRIP / 2.0,
            share => shares.at(share),
        };
        (seconds.at(row.seconds), y)
    };
    for (style, rows) in &lines {
        series(svg, style, &rows.iter().map(|(number, row)| (*number, place(row))).collect::<Vec<_>>());
    }
}

/// A line, its markers, and the numbers of its ends.
fn series(svg: &mut String, style: &Style, points: &[(u32, (f64, f64))]) {
    let Style { method, marker, .. } = style;
    let _ = writeln!(svg, "<g class=\"{method}\">");
    let path: Vec<String> = points.iter().map(|(_, (x, y))| format!("{x:.1},{y:.1}")).collect();
    if points.len() > 1 {
        let wide = if ["auto", "bsp"].contains(method) { "2" } else { "1.2" };
        let _ =
            writeln!(svg, "<polyline fill=\"none\" stroke-width=\"{wide}\" points=\"{}\"/>", path.join(" "));
    }
    let mut markers = String::new();
    for (_, at) in points {
        markers.push_str(&shape(*marker, *at));
    }
    let _ = writeln!(svg, "<path d=\"{markers}\"/>");
    let ends = [points.first(), points.last().filter(|_| points.len() > 1)];
    for (number, (x, y)) in ends.into_iter().flatten().filter(|(number, _)| *number > 0) {
        // Ours below their lines, so that they do not meet the peer's above its own.
        let (x, y) =
            if ["auto", "trees"].contains(method) { (x - 9.0, y + 12.0) } else { (x + 4.0, y - 5.0) };
        let _ =
            writeln!(svg, "<text stroke=\"none\" font-size=\"9\" x=\"{x:.1}\" y=\"{y:.1}\">{number}</text>");
    }
    svg.push_str("</g>\n");
}

fn shape(marker: Marker, (x, y): (f64, f64)) -> String {
    match marker {
        Marker::Disc => format!("M{:.1} {y:.1}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z", x - 3.0),
        Marker::Triangle => format!("M{:.1} {:.1}h6l-3 -5.5z", x - 3.0, y + 2.5),
        Marker::Square => format!("M{:.1} {:.1}h4.6v4.6h-4.6z", x - 2.3, y - 2.3),
        Marker::Cross => format!("M{:.1} {:.1}l5 5m0 -5l-5 5", x - 2.5, y - 2.5),
        Marker::Diamond => format!("M{:.1} {y:.1}l3.5 -3.5l3.5 3.5l-3.5 3.5z", x - 3.5),
        Marker::Plus => format!("M{:.1} {y:.1}h8m-4 -4v8", x - 4.0),
    }
}

fn legend(svg: &mut String, width: f64, y: f64) {
    let step = (width - 2.0 * LEFT) / STYLES.len() as f64;
    for (at, Style { method, name, marker, .. }) in STYLES.iter().rev().enumerate() {
        let x = LEFT + at as f64 * step;
        let (middle, text) = (x + 12.0, x + 30.0);
        let _ = writeln!(
            svg,
            "<g class=\"{method}\"><path stroke-width=\"2\" d=\"M{x:.1} {y}h24\"/><path d=\"{}\"/></g>\
             <text class=\"ink\" x=\"{text:.1}\" y=\"{:.1}\">{name}</text>",
            shape(*marker, (middle, y)),
            y + 4.0
        );
    }
}
