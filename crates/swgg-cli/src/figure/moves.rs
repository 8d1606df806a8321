//! Two clouds and some of the ways that a plan takes between them.

use std::io::Write;
use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;
use swgg::{Measure, Scalar, Transport};
use swgg_io::Output;

use super::views::{range, thinned};
use super::{Canvas, Drawing, Drawn, FOOT, HEAD, LEGEND, Style, WIDTH};
use crate::exit::Outcome;
use crate::outputs::ending;
use crate::page::{Seen, Track, Way, nearly_all, seen, some};
use crate::printer::{grouped, number, wrapped};

/// Clouds and ways in the plane.
pub struct Moves {
    title: String,
    seen: Seen,
}

const HEIGHT: u32 = 560;
const MARGIN: i32 = 16;
/// Height of a line of the caption.
const LINE: u32 = 18;
/// Ways that are drawn: more would hide each other.
const DRAWN: usize = 300;
/// Points further away than so many widths of the middle nine tenths are not drawn.
const REACH: f64 = 1.5;
/// Colours of ways, from the cheap to the dear ones.
const RAMP: [[f64; 3]; 3] = [[208.0, 212.0, 220.0], [180.0, 138.0, 208.0], [122.0, 31.0, 162.0]];

impl Moves {
    /// What a solver found between two clouds; of more than two coordinates the first principal axes are seen.
    pub fn new<T: Scalar>(clouds: [&Measure<'_, T>; 2], found: &Transport) -> Outcome<Self> {
        let way = match (&found.coupling, &found.image) {
            (Some(plan), _) => Way::Plan(plan),
            (None, Some(image)) => Way::Map(image),
            (None, None) => Way::Nothing,
        };
        let (n, m) = (grouped(clouds[0].len()), grouped(clouds[1].len()));
        let title = format!("{}: {n} to {m} points, cost {}", found.method, number(found.cost));
        let mut seen = seen(clouds, way, found.exponent, 2)?;
        // How many ways a page holds says nothing here.
        seen.notes.retain(|note| !note.contains(" are drawn ("));
        Ok(Moves { title, seen })
    }

    fn ways(&self) -> impl Iterator<Item = &Track> {
        self.seen.tracks.iter().filter(|track| track.moves())
    }

    /// Names and colours of what is drawn.
    fn legend<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, canvas: &Canvas) -> Drawn<B> {
        let scale = canvas.scale as i32;
        let mut x = 30;
        let names = self.seen.tracks.iter().flat_map(|track| {
            let end = track.end.as_deref().map(|end| (end, track.colors[1]));
            [(track.name.as_str(), track.colors[0])].into_iter().chain(end)
        });
        for (name, color) in names {
            let at = (x * scale, (HEAD as i32 + 10) * scale);
            area.draw(&Circle::new(at, 5 * scale, style(color).color().filled()))?;
            area.draw_text(name, &canvas.text(14), (at.0 + 14 * scale, at.1 - 5 * scale))?;
            x += 40 + 8 * name.chars().count() as i32;
        }
        let Some(paid) = &self.seen.paid else { return Ok(()) };
        let top = (HEAD as i32 + 6) * scale;
        let label = format!("{} 0", paid.name);
        let more = if paid.most > paid.top { " or more" } else { "" };
        let right = format!("{}{more}", number(paid.top));
        let (left, width) = (WIDTH as i32 - 300, 110);
        let size = area.estimate_text_size(&label, &canvas.text(14))?;
        area.draw_text(&label, &canvas.text(14), ((left - 6) * scale - size.0 as i32, top - scale))?;
        for k in 0..width {
            let color = ramp(f64::from(k) / f64::from(width - 1));
            let corners = [((left + k) * scale, top), ((left + k + 1) * scale, top + 9 * scale)];
            area.draw(&Rectangle::new(corners, color.filled()))?;
        }
        area.draw_text(&right, &canvas.text(14), ((left + width + 8) * scale, top - scale))
    }

    /// The box that is drawn, and how many points it leaves out.
    fn crop(&self) -> ([(f64, f64); 2], usize) {
        let points = || {
            self.seen.tracks.iter().flat_map(|track| &track.frames).flat_map(|frame| frame.chunks_exact(2))
        };
        let along = |axis: usize| {
            let mut values: Vec<f64> = points().map(|point| point[axis]).collect();
            let (low, high) = nearly_all(&mut values, REACH).unwrap_or((-1.0, 1.0));
            range(vec![low, high])
        };
        let crop = [along(0), along(1)];
        let inside = |point: &&[f64]| (0..2).all(|k| (crop[k].0..=crop[k].1).contains(&point[k]));
        let beyond = points().count() - points().filter(inside).count();
        (crop, beyond)
    }

    fn caption(&self, ways: usize, beyond: usize) -> String {
        let mut words: Vec<String> = Vec::new();
        if let Some(track) = self.ways().next() {
            words.push(match ways < track.of {
                true => format!("{} of {} ways.", grouped(ways), grouped(track.of)),
                false => "All ways.".to_string(),
            });
        }
        words.extend(self.seen.notes.iter().cloned());
        if beyond > 0 {
            words.push(format!("{} far from the others are not drawn.", grouped(beyond)));
        }
        words.join(" ")
    }
}

impl Drawing for Moves {
    fn height(&self) -> u32 {
        // A caption that is too long for a line goes on in the next.
        HEAD + LEGEND + HEIGHT + FOOT + LINE
    }

    fn paint<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, canvas: &Canvas) -> Drawn<B> {
        let scale = canvas.scale as i32;
        area.fill(&WHITE)?;
        area.draw_text(&self.title, &canvas.text(20), (20 * scale, 14 * scale))?;
        self.legend(area, canvas)?;
        let (left, top) = (MARGIN * scale, (HEAD + LEGEND) as i32 * scale);
        let (width, height) = ((WIDTH as i32 - 2 * MARGIN) * scale, (HEIGHT as i32 - MARGIN) * scale);
        let frame = [(left, top), (left + width, top + height)];
        area.draw(&Rectangle::new(frame, Style::Reference.color().stroke_width(canvas.scale)))?;
        let ([across, up], beyond) = self.crop();
        let inside = (f64::from(width - 24 * scale), f64::from(height - 24 * scale));
        // One unit is as long across as up.
        let zoom = (inside.0 / (across.1 - across.0)).min(inside.1 / (up.1 - up.0));
        let middle = ((across.0 + across.1) / 2.0, (up.0 + up.1) / 2.0);
        let (x0, y0) = (left + width / 2, top + height / 2);
        let place = |x: f64, y: f64| {
            let at = (((x - middle.0) * zoom).round(), ((y - middle.1) * zoom).round());
            let within =
                at.0.abs() <= f64::from(width / 2 - scale) && at.1.abs() <= f64::from(height / 2 - scale);
            within.then(|| (x0 + at.0 as i32, y0 - at.1 as i32))
        };
        let mut ways = 0;
        for track in self.ways() {
            let (Some(from), Some(to)) = (track.frames.first(), track.frames.last()) else { continue };
            let cost = |i: usize| track.costs.as_ref().map_or(0.0, |costs| costs[i]);
            let mut drawn = some(track.len(2), DRAWN);
            ways += drawn.len();
            // The dear ones on top of the others.
            drawn.sort_by(|&i, &j| cost(i).total_cmp(&cost(j)));
            let top = self.seen.paid.as_ref().map_or(0.0, |paid| paid.top);
            for i in drawn {
                let ends = (place(from[2 * i], from[2 * i + 1]), place(to[2 * i], to[2 * i + 1]));
                if let (Some(a), Some(b)) = ends {
                    let color = ramp(if top > 0.0 { cost(i) / top } else { 0.0 });
                    area.draw(&PathElement::new(vec![a, b], color.mix(0.65).stroke_width(canvas.scale)))?;
                }
            }
        }
        for track in &self.seen.tracks {
            let last = if track.frames.len() > 1 { track.frames.last() } else { None };
            for (frame, color) in track
                .frames
                .first()
                .into_iter()
                .zip([track.colors[0]])
                .chain(last.into_iter().zip([track.colors[1]]))
            {
                let points = thinned(frame.chunks_exact(2).map(|p| (p[0], p[1])).collect());
                let radius = if points.len() > 800 { 1 } else { 2 };
                for at in points.into_iter().filter_map(|(x, y)| place(x, y)) {
                    area.draw(&Circle::new(at, radius * scale, style(color).color().mix(0.85).filled()))?;
                }
            }
        }
        let bottom = ((HEAD + LEGEND + HEIGHT) as i32 - 2) * scale;
        for (k, line) in wrapped(&self.caption(ways, beyond), 130).lines().take(3).enumerate() {
            let at = (MARGIN * scale, bottom + k as i32 * LINE as i32 * scale);
            area.draw_text(line.trim_start(), &canvas.text(13), at)?;
        }
        area.present()
    }
}

/// Colours of tracks, by their number.
fn style(color: usize) -> Style {
    match color {
        0 => Style::Main,
        1 => Style::Variant(1),
        2 => Style::Reference,
        other => Style::Distinct(other),
    }
}

/// From cheap (0) to dear (1).
fn ramp(share: f64) -> RGBColor {
    let place = 2.0 * share.clamp(0.0, 1.0);
    let (k, rest) = if place < 1.0 { (0, place) } else { (1, place - 1.0) };
    let [r, g, b] = [0, 1, 2].map(|c| (RAMP[k][c] * (1.0 - rest) + RAMP[k + 1][c] * rest).round() as u8);
    RGBColor(r, g, b)
}

/// Draws into a file, as its ending says; ready to take its place.
pub fn drawn(path: &Path, drawing: &impl Drawing) -> Outcome<Output> {
    let bytes = match ending("--picture", path, &["svg", "png"])? {
        "svg" => drawing.svg()?.into_bytes(),
        _ => drawing.png()?,
    };
    Ok(Output::create(path)?.write_with(|output| output.write_all(&bytes))?)
}
