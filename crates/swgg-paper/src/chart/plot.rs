//! Curves and points over two axes.

use std::fmt::Write;

use super::axis::{Fitted, frame};
use super::{Axis, Panel, SIZE, escaped, places, text};

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// From point to point, with a dot at each if there are few.
    Line,
    /// The same, dashed.
    Dashed,
    /// Each point by itself.
    Points,
    /// Pieces of two points each: constant parts of a function that jumps.
    Pieces,
}

#[derive(Clone, Debug)]
pub struct Series {
    pub name: String,
    pub color: usize,
    pub points: Vec<(f64, f64)>,
    /// Low and high beside each point.
    pub band: Vec<(f64, f64)>,
    pub style: Style,
}

impl Series {
    pub fn new(name: impl Into<String>, color: usize, style: Style, points: Vec<(f64, f64)>) -> Self {
        Series { name: name.into(), color, points, band: Vec::new(), style }
    }

    pub fn line(name: impl Into<String>, color: usize, points: Vec<(f64, f64)>) -> Self {
        Series::new(name, color, Style::Line, points)
    }

    /// Means with so much above and below: points are `(x, (mean, deviation))`.
    pub fn banded(name: impl Into<String>, color: usize, points: &[(f64, (f64, f64))], times: f64) -> Self {
        let band = points.iter().map(|(_, (mean, off))| (mean - times * off, mean + times * off)).collect();
        let points = points.iter().map(|(x, (mean, _))| (*x, *mean)).collect();
        Series { band, ..Series::line(name, color, points) }
    }
}

pub struct Plot {
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    pub series: Vec<Series>,
    /// Heights that are marked, with a word.
    pub rules: Vec<(f64, String)>,
}

impl Plot {
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Plot { title: title.into(), x, y, series: Vec::new(), rules: Vec::new() }
    }
}

/// Points of a line up to which each of them gets a dot.
const MOST_DOTTED_POINTS: usize = 24;

impl Panel for Plot {
    fn title(&self) -> &str {
        &self.title
    }

    fn legend(&self) -> Vec<(usize, String)> {
        let named = self.series.iter().filter(|series| !series.name.is_empty());
        named.map(|series| (series.color, series.name.clone())).collect()
    }

    fn draw(&self, svg: &mut String) {
        let all = || self.series.iter().flat_map(|series| &series.points);
        let bands = self.series.iter().flat_map(|series| &series.band).flat_map(|(low, high)| [*low, *high]);
        let x = self.x.fit(all().map(|(x, _)| *x));
        let y = self.y.fit(all().map(|(_, y)| *y).chain(bands).chain(self.rules.iter().map(|(y, _)| *y)));
        frame(svg, (&self.x, &x), (&self.y, &y));
        for (height, word) in &self.rules {
            let Some(at) = y.share(*height).map(|share| SIZE.1 * (1.0 - share)) else { continue };
            let _ = writeln!(
                svg,
                "<line class=\"rule\" x1=\"0\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>",
                SIZE.0
            );
            text(svg, (SIZE.0 - 4.0, at - 4.0), "end", &escaped(word));
        }
        self.series.iter().for_each(|series| draw(svg, series, &x, &y));
    }
}

fn draw(svg: &mut String, series: &Series, x: &Fitted, y: &Fitted) {
    let place = |px: f64, py: f64| Some((SIZE.0 * x.share(px)?, SIZE.1 * (1.0 - y.share(py)?)));
    let color = series.color;
    if !series.band.is_empty() {
        let sides = || series.points.iter().zip(&series.band);
        let low = sides().filter_map(|((px, _), (low, _))| place(*px, *low));
        let high = sides().rev().filter_map(|((px, _), (_, high))| place(*px, *high));
        let _ = writeln!(svg, "<polygon class=\"b{color}\" points=\"{}\"/>", places(low.chain(high)));
    }
    let at: Vec<(f64, f64)> = series.points.iter().filter_map(|(px, py)| place(*px, *py)).collect();
    let dashes = if series.style == Style::Dashed { " stroke-dasharray=\"5 4\"" } else { "" };
    let mut stroke = |part: &[(f64, f64)]| {
        let list = places(part.iter().copied());
        let _ =
            writeln!(svg, "<polyline class=\"s{color}\" stroke-width=\"1.7\"{dashes} points=\"{list}\"/>");
    };
    match series.style {
        Style::Line | Style::Dashed => stroke(&at),
        Style::Pieces => at.chunks_exact(2).for_each(stroke),
        Style::Points => {}
    }
    if series.style == Style::Points || (series.style == Style::Line && at.len() <= MOST_DOTTED_POINTS) {
        for (px, py) in at {
            let _ = writeln!(svg, "<circle class=\"f{color}\" cx=\"{px:.1}\" cy=\"{py:.1}\" r=\"2.6\"/>");
        }
    }
}
