//! A matrix of distances in colours, and a tree of what is close to what.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use swgg::ndarray::Array2;
use swgg_apps::otdd::Join;

use super::{Canvas, Drawing, Drawn, HEAD, INK, WIDTH};
use crate::printer::number;

/// Distances between things with names.
pub struct Heat {
    pub title: String,
    pub names: Vec<String>,
    /// Square; what is not a number is left white.
    pub matrix: Array2<f64>,
    /// Groups that become one, the lowest first; none where distances are missing.
    pub joins: Vec<Join>,
}

/// Room for names, at the left and above.
const NAMES: i32 = 130;
const ABOVE: i32 = 30;
/// Room for the tree at the right.
const TREE: i32 = 230;
const FOOT: i32 = 40;
/// A cell is at most this large.
const MAX_CELL: i32 = 90;
/// Letters of a name that there is room for.
const MAX_LETTERS: usize = 18;

impl Heat {
    fn cell(&self) -> i32 {
        let room = WIDTH as i32 - NAMES - TREE - 30;
        (room / self.names.len().max(1) as i32).clamp(4, MAX_CELL)
    }

    /// The order in which no lines of the tree cross; that of the names without a tree.
    fn order(&self) -> Vec<usize> {
        let count = self.names.len();
        let mut groups: Vec<Vec<usize>> = (0..count).map(|k| vec![k]).collect();
        for join in &self.joins {
            let [a, b] = join.groups.map(|group| groups[group].clone());
            groups.push([a, b].concat());
        }
        match groups.last() {
            Some(all) if all.len() == count => all.clone(),
            _ => (0..count).collect(),
        }
    }

    /// From violet, close, to yellow, far: dark to bright for every kind of eye.
    fn color(&self, distance: f64) -> RGBColor {
        let off_diagonal = self.matrix.indexed_iter().filter(|((i, j), d)| i != j && d.is_finite());
        let (low, high) =
            off_diagonal.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), (_, d)| (l.min(*d), h.max(*d)));
        let share = if high > low { ((distance - low) / (high - low)).clamp(0.0, 1.0) } else { 0.5 };
        let (from, to) = ([84.0, 39.0, 136.0], [253.0, 203.0, 38.0]);
        let mixed: [u8; 3] = std::array::from_fn(|c| (from[c] + share * (to[c] - from[c])) as u8);
        RGBColor(mixed[0], mixed[1], mixed[2])
    }
}

fn shortened(name: &str) -> String {
    match name.char_indices().nth(MAX_LETTERS) {
        Some((end, _)) => format!("{}...", &name[..end]),
        None => name.to_string(),
    }
}

impl Drawing for Heat {
    fn height(&self) -> u32 {
        (HEAD as i32 + ABOVE + self.names.len() as i32 * self.cell() + FOOT) as u32
    }

    fn paint<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, canvas: &Canvas) -> Drawn<B> {
        let scale = canvas.scale as i32;
        let at = |x: i32, y: i32| (x * scale, y * scale);
        area.fill(&WHITE)?;
        area.draw_text(&self.title, &canvas.text(20), at(20, 14))?;
        let (order, cell, top) = (self.order(), self.cell(), HEAD as i32 + ABOVE);
        let (small, middle) = (canvas.text(12), Pos::new(HPos::Center, VPos::Center));
        for (row, &i) in order.iter().enumerate() {
            let y = top + row as i32 * cell;
            let name = shortened(&self.names[i]);
            let beside = small.clone().pos(Pos::new(HPos::Right, VPos::Center));
            area.draw_text(&name, &beside, at(NAMES - 8, y + cell / 2))?;
            // Names above the columns have the width of a cell.
            let letters: String = name.chars().take((cell / 7).max(1) as usize).collect();
            area.draw_text(
                &letters,
                &small.clone().pos(middle),
                at(NAMES + row as i32 * cell + cell / 2, top - 12),
            )?;
            for (column, &j) in order.iter().enumerate() {
                let x = NAMES + column as i32 * cell;
                let (distance, corners) = (self.matrix[(i, j)], [at(x, y), at(x + cell - 2, y + cell - 2)]);
                if i == j || !distance.is_finite() {
                    area.draw(&Rectangle::new(corners, RGBColor(240, 240, 240).filled()))?;
                    continue;
                }
                let color = self.color(distance);
                area.draw(&Rectangle::new(corners, color.filled()))?;
                let is_dark = i32::from(color.0) + i32::from(color.1) < 330;
                let ink = if is_dark { WHITE } else { INK };
                if cell >= 36 {
                    let words = small.clone().color(&ink).pos(middle);
                    area.draw_text(&short(distance), &words, at(x + cell / 2, y + cell / 2))?;
                }
            }
        }
        self.tree(area, canvas, &order)?;
        area.present()
    }
}

/// Three digits are enough to look at.
fn short(distance: f64) -> String {
    match distance.abs() {
        d if (100.0..1e5).contains(&d) => format!("{distance:.0}"),
        d if (10.0..100.0).contains(&d) => format!("{distance:.1}"),
        d if (0.1..10.0).contains(&d) => format!("{distance:.2}"),
        _ => number(distance),
    }
}

impl Heat {
    /// Lines from the rows to the right, joined at the height of their mean distance.
    fn tree<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        canvas: &Canvas,
        order: &[usize],
    ) -> Drawn<B> {
        let Some(highest) = self.joins.last().map(|join| join.height).filter(|height| *height > 0.0) else {
            return Ok(());
        };
        let scale = canvas.scale as i32;
        let (cell, top) = (self.cell(), HEAD as i32 + ABOVE);
        let left = NAMES + order.len() as i32 * cell + 14;
        let room = f64::from(TREE - 60);
        let across = |height: f64| left + (height / highest * room) as i32;
        let stroke = INK.stroke_width(canvas.scale);
        let mut ends: Vec<(i32, i32)> = vec![(left, 0); self.names.len()];
        for (row, &i) in order.iter().enumerate() {
            ends[i] = (left, top + row as i32 * cell + cell / 2);
        }
        for join in &self.joins {
            let [a, b] = join.groups.map(|group| ends[group]);
            let x = across(join.height);
            let places = [(a.0, a.1), (x, a.1), (x, b.1), (b.0, b.1)].map(|(x, y)| (x * scale, y * scale));
            area.draw(&PathElement::new(places.to_vec(), stroke))?;
            ends.push((x, (a.1 + b.1) / 2));
        }
        let bottom = top + order.len() as i32 * cell + 10;
        let words = canvas.text(12);
        let line = vec![(left * scale, bottom * scale), (across(highest) * scale, bottom * scale)];
        area.draw(&PathElement::new(line, stroke))?;
        area.draw_text("0", &words, (left * scale, (bottom + 4) * scale))?;
        let end = (across(highest) - 20) * scale;
        area.draw_text(&short(highest), &words, (end, (bottom + 4) * scale))
    }
}
