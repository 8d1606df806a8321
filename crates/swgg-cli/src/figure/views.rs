//! Two clouds before and after, seen along the axes, at one scale.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::{Canvas, Drawing, Drawn, FOOT, HEAD, LEGEND, Style, WIDTH};
use crate::page::nearly_all;
use crate::printer::{counted, percent};

/// The source, as it came and where it belongs, over the target.
pub struct Views<'a> {
    dim: usize,
    /// Row by row.
    sources: [&'a [f64]; 2],
    target: &'a [f64],
    /// What every view shows of each of the axes.
    crop: Vec<(f64, f64)>,
    /// Points that no view shows, and all.
    beyond: [usize; 2],
}

/// Points that are drawn of each cloud, over all its views: more would hide each other, and make files nobody can open.
const DRAWN: usize = 6000;
/// Points further away than so many widths of the middle nine tenths are not drawn.
const REACH: f64 = 1.5;
/// Share of the points that may lie beyond each edge of a view.
const BEYOND: f64 = 0.001;
pub(super) const MARGIN: i32 = 16;
pub(super) const CAPTION: i32 = 26;
const NAMES: [&str; 3] = ["x", "y", "z"];

/// Left, top, width and height in pixels.
type Frame = (i32, i32, i32, i32);

impl<'a> Views<'a> {
    /// Clouds of two or more coordinates; of more than three the first three are drawn.
    pub fn new(dim: usize, sources: [&'a [f64]; 2], target: &'a [f64]) -> Self {
        let clouds = [sources[0], sources[1], target];
        let along = |axis: usize| {
            let values = clouds.iter().flat_map(|points| points.iter().skip(axis).step_by(dim)).copied();
            let (low, high) = nearly_all(&mut values.collect::<Vec<f64>>(), REACH).unwrap_or((-1.0, 1.0));
            let room = if high > low { 0.02 * (high - low) } else { low.abs().max(1.0) };
            (low - room, high + room)
        };
        let crop: Vec<(f64, f64)> = (0..dim.min(3)).map(along).collect();
        let outside =
            |point: &&[f64]| crop.iter().zip(*point).any(|((low, high), x)| !(low..=high).contains(&x));
        let all = || clouds.iter().flat_map(|points| points.chunks_exact(dim));
        let beyond = [all().filter(outside).count(), all().count()];
        Views { dim, sources, target, crop, beyond }
    }

    /// What was left out, and that sizes can be compared.
    fn caption(&self) -> String {
        let [beyond, all] = self.beyond;
        match beyond {
            0 => "Before and after at one scale.".to_string(),
            _ => format!(
                "Before and after at one scale. {} far from the others ({}) lie outside and are not drawn.",
                counted(beyond, "point"),
                percent(beyond as f64 / all as f64)
            ),
        }
    }

    /// Width and height of a view.
    fn size(&self) -> (i32, i32) {
        if self.dim == 2 { (WIDTH as i32 / 2, 420) } else { (WIDTH as i32 / 3, 300) }
    }

    fn legend<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, canvas: &Canvas) -> Drawn<B> {
        let scale = canvas.scale as i32;
        for (k, (name, style)) in
            [("source", Style::Main), ("target", Style::Variant(1))].into_iter().enumerate()
        {
            let at = ((30 + 130 * k as i32) * scale, (HEAD as i32 + 10) * scale);
            area.draw(&Circle::new(at, 5 * scale, style.color().filled()))?;
            area.draw_text(name, &canvas.text(14), (at.0 + 14 * scale, at.1 - 5 * scale))?;
        }
        Ok(())
    }
}

/// Points, row by row, and how they look.
pub(super) struct Cloud<'a> {
    pub points: &'a [f64],
    pub style: Style,
    pub opacity: f64,
}

/// Pairs of axes along which points of so many coordinates are looked at.
pub(super) fn axes_of(dim: usize) -> &'static [(usize, usize)] {
    if dim == 2 { &[(0, 1)] } else { &[(0, 1), (0, 2), (1, 2)] }
}

/// Coordinates of points, the axes along which they are looked at, and what is to be seen of every axis, if that is given.
type Sight<'a> = (usize, (usize, usize), Option<&'a [(f64, f64)]>);
/// Points of a cloud as they are seen, and their colour.
type Dots = (Vec<(f64, f64)>, RGBAColor);

/// Clouds in a frame, one unit as long across as up: those of a layer in turn, layer over layer.
pub(super) fn view<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    canvas: &Canvas,
    (dim, axes, crop): Sight<'_>,
    layers: &[&[Cloud<'_>]],
    (left, top, width, height): Frame,
) -> Drawn<B> {
    let scale = canvas.scale as i32;
    let frame = [(left, top), (left + width, top + height)];
    area.draw(&Rectangle::new(frame, Style::Reference.color().stroke_width(canvas.scale)))?;
    let (names, style) = ((NAMES[axes.0], NAMES[axes.1]), canvas.text(13));
    area.draw_text(names.0, &style, (left + width - 14 * scale, top + height - 18 * scale))?;
    area.draw_text(names.1, &style, (left + 6 * scale, top + 4 * scale))?;
    let seen = |cloud: &Cloud<'_>| -> Vec<(f64, f64)> {
        let points = cloud.points.chunks_exact(dim).map(|p| (p[axes.0], p[axes.1])).collect();
        thinned_to(DRAWN / axes_of(dim).len(), points)
    };
    let layers: Vec<Vec<Dots>> = layers
        .iter()
        .map(|layer| {
            layer.iter().map(|cloud| (seen(cloud), cloud.style.color().mix(cloud.opacity))).collect()
        })
        .collect();
    let all = || layers.iter().flatten().flat_map(|(points, _)| points);
    let inside = (f64::from(width - 20 * scale), f64::from(height - 20 * scale));
    let fit =
        |across: (f64, f64), up: (f64, f64)| (inside.0 / (across.1 - across.0)).min(inside.1 / (up.1 - up.0));
    let (across, up, zoom) = match crop {
        // One scale for all views.
        Some(crop) => {
            let zooms = axes_of(dim).iter().map(|&(a, b)| fit(crop[a], crop[b]));
            (crop[axes.0], crop[axes.1], zooms.fold(f64::INFINITY, f64::min))
        }
        None => {
            let (across, up) = (range(all().map(|p| p.0).collect()), range(all().map(|p| p.1).collect()));
            (across, up, fit(across, up))
        }
    };
    let middle = ((across.0 + across.1) / 2.0, (up.0 + up.1) / 2.0);
    let (x0, y0) = (left + width / 2, top + height / 2);
    let place = |(x, y): (f64, f64)| {
        let at = (((x - middle.0) * zoom).round(), ((y - middle.1) * zoom).round());
        let within =
            at.0.abs() <= f64::from(width / 2 - scale) && at.1.abs() <= f64::from(height / 2 - scale);
        within.then(|| (x0 + at.0 as i32, y0 - at.1 as i32))
    };
    let radius = if all().count() > 1000 { scale } else { 2 * scale };
    for layer in &layers {
        // In turn, so that no cloud hides another.
        let most = layer.iter().map(|(points, _)| points.len()).max().unwrap_or(0);
        for k in 0..most {
            for (points, color) in layer {
                if let Some(at) = points.get(k).copied().and_then(place) {
                    area.draw(&Circle::new(at, radius, color.filled()))?;
                }
            }
        }
    }
    Ok(())
}

impl Drawing for Views<'_> {
    fn height(&self) -> u32 {
        let rows = if self.dim == 2 { 1 } else { 2 };
        HEAD + LEGEND + rows * (self.size().1 + CAPTION) as u32 + FOOT
    }

    fn paint<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, canvas: &Canvas) -> Drawn<B> {
        let scale = canvas.scale as i32;
        area.fill(&WHITE)?;
        let of = if self.dim > 3 { format!(", 3 of {} coordinates", self.dim) } else { String::new() };
        area.draw_text(&format!("Source and target{of}"), &canvas.text(20), (20 * scale, 14 * scale))?;
        self.legend(area, canvas)?;
        let (width, height) = self.size();
        for (k, (caption, source)) in ["before", "after"].into_iter().zip(self.sources).enumerate() {
            let head = (HEAD + LEGEND) as i32;
            let (column, row) = if self.dim == 2 { (k as i32, 0) } else { (0, k as i32) };
            let (left, top) = (width * column, head + row * (height + CAPTION));
            area.draw_text(caption, &canvas.text(15), ((left + MARGIN) * scale, (top + 6) * scale))?;
            for (i, &axes) in axes_of(self.dim).iter().enumerate() {
                let left = left + width * i as i32 + MARGIN / 2;
                let frame = (left, top + CAPTION, width - MARGIN, height - MARGIN / 2);
                let frame = (frame.0 * scale, frame.1 * scale, frame.2 * scale, frame.3 * scale);
                let cloud = |points, style| Cloud { points, style, opacity: 0.55 };
                let clouds = [cloud(source, Style::Main), cloud(self.target, Style::Variant(1))];
                view(area, canvas, (self.dim, axes, Some(&self.crop)), &[&clouds], frame)?;
            }
        }
        let bottom = (self.height() - FOOT + 8) as i32;
        area.draw_text(&self.caption(), &canvas.text(13), (MARGIN * scale, bottom * scale))?;
        area.present()
    }
}

/// Some of the points, evenly by index but in no order: points that are drawn last hide others, here as there.
pub(super) fn thinned(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    thinned_to(DRAWN, points)
}

fn thinned_to(most: usize, points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    /// A prime larger than what is drawn.
    const STRIDE: usize = 1_000_003;
    let (n, drawn) = (points.len(), points.len().min(most));
    (0..drawn).map(|k| points[(k * STRIDE % drawn) * n / drawn]).collect()
}

/// Where nearly all values lie; a stray point must not make the rest a dot.
pub(super) fn range(mut values: Vec<f64>) -> (f64, f64) {
    values.sort_by(f64::total_cmp);
    let Some(last) = values.len().checked_sub(1) else { return (-1.0, 1.0) };
    let beyond = (BEYOND * last as f64) as usize;
    let (low, high) = (values[beyond], values[last - beyond]);
    let room = if high > low { 0.02 * (high - low) } else { low.abs().max(1.0) };
    (low - room, high + room)
}
