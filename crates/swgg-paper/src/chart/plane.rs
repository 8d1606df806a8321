//! Points of the plane as they lie: the same unit in both directions.

use std::fmt::Write;

use super::{Panel, SIZE};

/// A colour: one of the palette, which suits light and dark ground, or that of a thing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ink {
    Palette(usize),
    Rgb([u8; 3]),
}

impl Ink {
    /// As attributes of what is filled.
    fn fill(self) -> String {
        match self {
            Ink::Palette(color) => format!("class=\"f{color}\""),
            Ink::Rgb([r, g, b]) => format!("fill=\"rgb({r},{g},{b})\""),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Dots {
    pub name: String,
    pub ink: Ink,
    pub points: Vec<[f64; 2]>,
    pub radius: f64,
}

impl Dots {
    pub fn new(name: impl Into<String>, ink: Ink, points: Vec<[f64; 2]>) -> Self {
        Dots { name: name.into(), ink, points, radius: 2.4 }
    }
}

/// Straight lines of one colour.
#[derive(Clone, Debug)]
pub struct Segments {
    pub name: String,
    pub color: usize,
    pub lines: Vec<[[f64; 2]; 2]>,
    pub width: f64,
}

impl Segments {
    pub fn new(name: impl Into<String>, color: usize, width: f64, lines: Vec<[[f64; 2]; 2]>) -> Self {
        Segments { name: name.into(), color, lines, width }
    }
}

/// Points, and lines below them.
pub struct Plane {
    pub title: String,
    pub dots: Vec<Dots>,
    pub segments: Vec<Segments>,
}

impl Plane {
    pub fn new(title: impl Into<String>) -> Self {
        Plane { title: title.into(), dots: Vec::new(), segments: Vec::new() }
    }
}

impl Panel for Plane {
    fn title(&self) -> &str {
        &self.title
    }

    fn legend(&self) -> Vec<(usize, String)> {
        let lines = self.segments.iter().map(|lines| (Ink::Palette(lines.color), &lines.name));
        let all = self.dots.iter().map(|dots| (dots.ink, &dots.name)).chain(lines);
        let named = all.filter_map(|(ink, name)| match ink {
            Ink::Palette(color) if !name.is_empty() => Some((color, name.clone())),
            _ => None,
        });
        named.collect()
    }

    fn draw(&self, svg: &mut String) {
        let ends = self.segments.iter().flat_map(|lines| lines.lines.iter().flatten());
        let all = || self.dots.iter().flat_map(|dots| &dots.points);
        let mut range = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
        for point in all().chain(ends).filter(|point| point.iter().all(|x| x.is_finite())) {
            for (range, x) in range.iter_mut().zip(point) {
                *range = [range[0].min(*x), range[1].max(*x)];
            }
        }
        let _ = writeln!(svg, "<rect class=\"grid\" width=\"{}\" height=\"{}\"/>", SIZE.0, SIZE.1);
        if range[0][0] > range[0][1] {
            return;
        }
        let (width, height) = (SIZE.0 - 16.0, SIZE.1 - 16.0);
        let wide = |axis: usize| (range[axis][1] - range[axis][0]).max(1e-12);
        let unit = (width / wide(0)).min(height / wide(1));
        let middle = |axis: usize| 0.5 * (range[axis][0] + range[axis][1]);
        let place = |point: &[f64; 2]| {
            (0.5 * SIZE.0 + unit * (point[0] - middle(0)), 0.5 * SIZE.1 - unit * (point[1] - middle(1)))
        };
        for Segments { color, lines, width, .. } in &self.segments {
            for [from, to] in lines {
                let ((x1, y1), (x2, y2)) = (place(from), place(to));
                let _ = writeln!(
                    svg,
                    "<line class=\"s{color}\" stroke-width=\"{width}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
                );
            }
        }
        for dots in &self.dots {
            let (fill, radius) = (dots.ink.fill(), dots.radius);
            for (x, y) in dots.points.iter().map(place) {
                let _ = writeln!(svg, "<circle {fill} cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"/>");
            }
        }
    }
}
