//! Distributions side by side: every run a dot, half of them in the box, the line is the median.

use std::fmt::Write;

use super::axis::{Axis, side};
use super::{Panel, SIZE, escaped, text};
use crate::statistics::{median, quantile};

/// Numbers of one kind.
#[derive(Clone, Debug)]
pub struct Group {
    pub name: String,
    pub color: usize,
    pub numbers: Vec<f64>,
}

impl Group {
    pub fn new(name: impl Into<String>, color: usize, numbers: Vec<f64>) -> Self {
        Group { name: name.into(), color, numbers }
    }
}

pub struct Boxes {
    pub title: String,
    pub y: Axis,
    pub groups: Vec<Group>,
}

impl Boxes {
    pub fn new(title: impl Into<String>, y: Axis, groups: Vec<Group>) -> Self {
        Boxes { title: title.into(), y, groups }
    }
}

impl Panel for Boxes {
    fn title(&self) -> &str {
        &self.title
    }

    fn draw(&self, svg: &mut String) {
        let y = self.y.fit(self.groups.iter().flat_map(|group| group.numbers.iter().copied()));
        side(svg, &self.y, &y);
        let (width, height) = SIZE;
        let step = width / self.groups.len().max(1) as f64;
        let place = |number: f64| y.share(number).map(|share| height * (1.0 - share));
        for (k, Group { name, color, numbers }) in self.groups.iter().enumerate() {
            let middle = (k as f64 + 0.5) * step;
            text(svg, (middle, height + 15.0), "middle", &escaped(name));
            let numbers: Vec<f64> = numbers.iter().copied().filter(|x| place(*x).is_some()).collect();
            let wide = (0.5 * step).min(40.0);
            let parts = [quantile(&numbers, 0.75), median(&numbers), quantile(&numbers, 0.25)].map(place);
            if let [Some(top), Some(line), Some(bottom)] = parts {
                let (left, right) = (middle - 0.5 * wide, middle + 0.5 * wide);
                let _ = writeln!(
                    svg,
                    "<rect class=\"b{color}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{wide:.1}\" height=\"{:.1}\"/>\
                     <line class=\"s{color}\" stroke-width=\"2\" x1=\"{left:.1}\" x2=\"{right:.1}\" y1=\"{line:.1}\" y2=\"{line:.1}\"/>",
                    (bottom - top).max(1.0)
                );
            }
            for (i, number) in numbers.iter().enumerate() {
                // Dots of equal height would hide each other.
                let aside = ((i * 7) % 11) as f64 / 11.0 - 0.45;
                if let Some(at) = place(*number) {
                    let x = middle + 0.6 * wide * aside;
                    let _ =
                        writeln!(svg, "<circle class=\"f{color}\" cx=\"{x:.1}\" cy=\"{at:.1}\" r=\"2\"/>");
                }
            }
        }
    }
}
