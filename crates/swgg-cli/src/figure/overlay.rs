//! Several clouds in one place, and the one that matters over them.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::views::{CAPTION, Cloud, MARGIN, axes_of, view};
use super::{Canvas, Drawing, Drawn, HEAD, LEGEND, Style, WIDTH};

/// Clouds with names, pale, and one over them.
pub struct Overlay<'a> {
    dim: usize,
    /// Names and points, row by row.
    clouds: Vec<(String, &'a [f64])>,
    main: (&'a str, &'a [f64]),
}

/// Names that fit into the legend.
const MAX_NAMES: usize = 8;
/// Letters of a name that are shown.
const MAX_LETTERS: usize = 24;
/// Names on a line of the legend.
const NAMES_PER_ROW: usize = 4;

impl<'a> Overlay<'a> {
    /// Clouds of two or more coordinates; of more than three the first three are drawn.
    pub fn new(dim: usize, clouds: Vec<(String, &'a [f64])>, main: (&'a str, &'a [f64])) -> Self {
        Overlay { dim, clouds, main }
    }

    /// What the legend says: the one that matters first.
    fn legend(&self) -> Vec<(String, Style)> {
        let cut = |name: &str| match name.chars().count() {
            0..=MAX_LETTERS => name.to_string(),
            _ => name.chars().take(MAX_LETTERS - 3).chain("...".chars()).collect(),
        };
        let mut legend = vec![(cut(self.main.0), Style::Main)];
        let shown = if self.clouds.len() > MAX_NAMES { MAX_NAMES - 1 } else { self.clouds.len() };
        let named = self.clouds.iter().take(shown).enumerate();
        legend.extend(named.map(|(k, (name, _))| (cut(name), Style::Variant(k))));
        if shown < self.clouds.len() {
            legend.push((format!("and {} others", self.clouds.len() - shown), Style::Reference));
        }
        legend
    }

    fn legend_height(&self) -> u32 {
        LEGEND * self.legend().len().div_ceil(NAMES_PER_ROW) as u32
    }

    /// Width and height of a view.
    fn size(&self) -> (i32, i32) {
        if self.dim == 2 { (WIDTH as i32, 620) } else { (WIDTH as i32 / 3, 320) }
    }
}

impl Drawing for Overlay<'_> {
    fn height(&self) -> u32 {
        HEAD + self.legend_height() + (self.size().1 + CAPTION) as u32
    }

    fn paint<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, canvas: &Canvas) -> Drawn<B> {
        let scale = canvas.scale as i32;
        area.fill(&WHITE)?;
        let of = if self.dim > 3 { format!(", 3 of {} coordinates", self.dim) } else { String::new() };
        let title = format!("{} clouds and their {}{of}", self.clouds.len(), self.main.0);
        area.draw_text(&title, &canvas.text(20), (20 * scale, 14 * scale))?;
        for (k, (name, style)) in self.legend().into_iter().enumerate() {
            let (column, row) = ((k % NAMES_PER_ROW) as i32, (k / NAMES_PER_ROW) as i32);
            let at = ((30 + 215 * column) * scale, (HEAD as i32 + 10 + LEGEND as i32 * row) * scale);
            area.draw(&Circle::new(at, 5 * scale, style.color().filled()))?;
            area.draw_text(&name, &canvas.text(14), (at.0 + 14 * scale, at.1 - 5 * scale))?;
        }
        let pale = self.clouds.iter().enumerate().map(|(k, (_, points))| {
            // There are fewer colours than clouds may be given; those without a name share one.
            let style = if k < MAX_NAMES { Style::Variant(k) } else { Style::Reference };
            Cloud { points, style, opacity: 0.4 }
        });
        let pale: Vec<Cloud<'_>> = pale.collect();
        let main = [Cloud { points: self.main.1, style: Style::Main, opacity: 0.85 }];
        let (width, height) = self.size();
        let top = HEAD as i32 + self.legend_height() as i32 + MARGIN / 2;
        for (i, &axes) in axes_of(self.dim).iter().enumerate() {
            let left = width * i as i32 + MARGIN / 2;
            let frame = (left * scale, top * scale, (width - MARGIN) * scale, height * scale);
            view(area, canvas, (self.dim, axes, None), &[&pale, &main], frame)?;
        }
        area.present()
    }
}
