//! Particles on their way, and how far they are from their target.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::views::{range, thinned};
use super::{Canvas, Drawing, Drawn, HEAD, LEGEND, Panel, Style, WIDTH};

/// Paths of particles beside a curve.
pub struct Paths {
    title: String,
    /// Of every cloud along the way, the first two coordinates.
    clouds: Vec<Vec<(f64, f64)>>,
    target: Vec<(f64, f64)>,
    curve: Panel,
}

const HEIGHT: u32 = 420;
const MARGIN: i32 = 16;
/// Paths that are drawn: more would hide each other.
const DRAWN: usize = 400;

/// Where a point is seen.
type Place = (f64, f64);

impl Paths {
    /// Clouds row by row, the first where particles began; of more than two coordinates the first two are drawn, and on the line nothing but the curve.
    pub fn new(dim: usize, clouds: Vec<Vec<f64>>, target: Vec<f64>, curve: Panel, title: String) -> Self {
        let seen = |points: &Vec<f64>| -> Vec<(f64, f64)> {
            points.chunks_exact(dim).map(|p| (p[0], p.get(1).copied().unwrap_or(0.0))).collect()
        };
        let more = if dim > 2 { ", first two coordinates" } else { "" };
        let clouds = if dim < 2 { Vec::new() } else { clouds.iter().map(seen).collect() };
        Paths { title: format!("{title}{more}"), clouds, target: seen(&target), curve }
    }

    fn legend<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, canvas: &Canvas) -> Drawn<B> {
        let scale = canvas.scale as i32;
        let entries =
            [("source", Style::Reference), ("particles", Style::Main), ("target", Style::Variant(1))];
        for (k, (name, style)) in entries.into_iter().enumerate() {
            let at = ((30 + 130 * k as i32) * scale, (HEAD as i32 + 10) * scale);
            area.draw(&Circle::new(at, 5 * scale, style.color().filled()))?;
            area.draw_text(name, &canvas.text(14), (at.0 + 14 * scale, at.1 - 5 * scale))?;
        }
        Ok(())
    }

    fn paths<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        canvas: &Canvas,
        [first, last]: [&[Place]; 2],
    ) -> Drawn<B> {
        let scale = canvas.scale as i32;
        let (left, top) = (MARGIN * scale, (HEAD + LEGEND) as i32 * scale);
        let (width, height) = ((WIDTH as i32 / 2 - 2 * MARGIN) * scale, (HEIGHT as i32 - MARGIN) * scale);
        let frame = [(left, top), (left + width, top + height)];
        area.draw(&Rectangle::new(frame, Style::Reference.color().stroke_width(canvas.scale)))?;
        let target = thinned(self.target.clone());
        let all = || self.clouds.iter().flatten().chain(&target);
        let across = range(all().map(|p| p.0).collect());
        let up = range(all().map(|p| p.1).collect());
        // One unit is as long across as up.
        let inside = (f64::from(width - 20 * scale), f64::from(height - 20 * scale));
        let zoom = (inside.0 / (across.1 - across.0)).min(inside.1 / (up.1 - up.0));
        let middle = ((across.0 + across.1) / 2.0, (up.0 + up.1) / 2.0);
        let (x0, y0) = (left + width / 2, top + height / 2);
        let place = |&(x, y): &(f64, f64)| {
            let at = (((x - middle.0) * zoom).round(), ((y - middle.1) * zoom).round());
            let within =
                at.0.abs() <= f64::from(width / 2 - scale) && at.1.abs() <= f64::from(height / 2 - scale);
            within.then(|| (x0 + at.0 as i32, y0 - at.1 as i32))
        };
        let stride = first.len().div_ceil(DRAWN).max(1);
        let stroke = Style::Main.color().mix(0.25).stroke_width(canvas.scale);
        for i in (0..first.len()).step_by(stride) {
            let path: Vec<(i32, i32)> = self.clouds.iter().filter_map(|cloud| place(&cloud[i])).collect();
            area.draw(&PathElement::new(path, stroke))?;
        }
        let dots = [
            (first.to_vec(), Style::Reference, 2),
            (target.clone(), Style::Variant(1), 3),
            (last.to_vec(), Style::Main, 2),
        ];
        for (points, style, radius) in dots {
            let radius = if points.len() > 1000 { 1 } else { radius };
            for at in thinned(points).iter().filter_map(place) {
                area.draw(&Circle::new(at, radius * scale, style.color().mix(0.8).filled()))?;
            }
        }
        Ok(())
    }
}

impl Drawing for Paths {
    fn height(&self) -> u32 {
        HEAD + LEGEND + HEIGHT
    }

    fn paint<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, canvas: &Canvas) -> Drawn<B> {
        let scale = canvas.scale;
        area.fill(&WHITE)?;
        area.draw_text(&self.title, &canvas.text(20), (20 * scale as i32, 14 * scale as i32))?;
        let mut rest = area.clone();
        if let (Some(first), Some(last)) = (self.clouds.first(), self.clouds.last()) {
            self.legend(area, canvas)?;
            self.paths(area, canvas, [first, last])?;
            (_, rest) = area.split_horizontally(WIDTH / 2 * scale);
        }
        let (_, below) = rest.split_vertically((HEAD + LEGEND) * scale);
        canvas.panel(&self.curve, "step", &below)?;
        area.present()
    }
}
