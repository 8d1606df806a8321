//! Points with names, over a logarithmic axis.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::axis::{Ticked, round_numbers, tick};
use super::{Canvas, Drawing, Drawn, GRID, HEAD, INK, LEGEND, Style};
use crate::printer::duration;

/// Costs against seconds.
pub struct Scatter {
    pub title: String,
    pub x_label: String,
    pub y_label: String,
    pub marks: Vec<Mark>,
    /// A height nobody gets below.
    pub floor: Option<f64>,
}

/// One point.
pub struct Mark {
    pub name: String,
    pub seconds: f64,
    pub cost: f64,
    pub style: Style,
    /// A lower bound: drawn as a triangle, others as discs.
    pub below: bool,
}

const HEIGHT: u32 = 520;
/// Costs further apart than this factor are drawn over a logarithmic axis.
const WIDE: f64 = 8.0;
/// Radius of a mark.
const RADIUS: i32 = 6;

/// Left, top, right and bottom in pixels.
type Frame = (i32, i32, i32, i32);

impl Drawing for Scatter {
    fn height(&self) -> u32 {
        HEIGHT
    }

    fn paint<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, canvas: &Canvas) -> Drawn<B> {
        let scale = canvas.scale;
        area.fill(&WHITE)?;
        area.draw_text(&self.title, &canvas.text(20), (20 * scale as i32, 14 * scale as i32))?;
        self.legend(area, canvas)?;
        let (_, rest) = area.split_vertically((HEAD + LEGEND) * scale);
        let (across, up) = (Axis::seconds(&self.marks), self.costs());
        let mut chart = ChartBuilder::on(&rest);
        let mut chart = chart
            .margin_left(12 * scale)
            .margin_right(28 * scale)
            .margin_top(6 * scale)
            .margin_bottom(6 * scale)
            .x_label_area_size(44 * scale)
            .y_label_area_size(78 * scale)
            .build_cartesian_2d(across.ticked(), up.ticked())?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .bold_line_style(GRID.stroke_width(scale))
            .axis_style(INK.stroke_width(scale))
            .set_all_tick_mark_size(4 * scale)
            .x_label_formatter(&|x| short(&duration(across.value(*x))))
            .y_label_formatter(&|y| up.label(*y))
            .label_style(canvas.text(13))
            .axis_desc_style(canvas.text(14))
            .x_desc(&self.x_label)
            .y_desc(&self.y_label)
            .draw()?;
        if let Some(floor) = self.floor {
            let ends = [(across.low, up.place(floor)), (across.high, up.place(floor))];
            let stroke = Style::Reference.color().stroke_width(scale);
            chart.draw_series(DashedLineSeries::new(ends, 6 * scale, 4 * scale, stroke))?;
        }
        let floor = self.floor.map(|floor| chart.backend_coord(&(across.low, up.place(floor))).1);
        let corner = |x: f64, y: f64| chart.backend_coord(&(x, y));
        let (a, b) = (corner(across.low, up.high), corner(across.high, up.low));
        let places: Vec<(i32, i32)> =
            self.marks.iter().map(|mark| corner(across.place(mark.seconds), up.place(mark.cost))).collect();
        self.names(area, canvas, &places, ((a.0, a.1, b.0, b.1), floor))
    }
}

impl Scatter {
    /// The vertical axis.
    fn costs(&self) -> Axis {
        let values = self.marks.iter().map(|mark| mark.cost).chain(self.floor);
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        if low > 0.0 && high > WIDE * low { Axis::logarithmic(low, high) } else { Axis::plain(low, high) }
    }

    fn legend<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, canvas: &Canvas) -> Drawn<B> {
        let scale = canvas.scale as i32;
        let row = |x: i32| (x * scale, (HEAD as i32 + 13) * scale);
        let mut x = 30;
        let mut entry = |name: &str, width: i32| -> Result<(i32, i32), _> {
            let at = row(x);
            area.draw_text(name, &canvas.text(14), (at.0 + 16 * scale, at.1 - 5 * scale))?;
            x += width;
            Ok(at)
        };
        if self.marks.iter().any(|mark| !mark.below) {
            let at = entry("what a plan costs", 190)?;
            symbol(area, at, INK, false, canvas.scale)?;
        }
        if self.marks.iter().any(|mark| mark.below) {
            let at = entry("not the cost of a plan", 220)?;
            symbol(area, at, INK, true, canvas.scale)?;
        }
        if self.floor.is_some() {
            let at = entry("no plan costs less", 200)?;
            let stroke = Style::Reference.color().stroke_width(canvas.scale);
            for (from, to) in [(-14, -8), (-4, 2), (6, 12)] {
                let ends = vec![(at.0 + from * scale, at.1), (at.0 + to * scale, at.1)];
                area.draw(&PathElement::new(ends, stroke))?;
            }
        }
        Ok(())
    }

    /// Marks and their names, each name where it hides neither marks nor other names nor the floor.
    fn names<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        canvas: &Canvas,
        places: &[(i32, i32)],
        (inside, floor): (Frame, Option<i32>),
    ) -> Drawn<B> {
        let scale = canvas.scale as i32;
        let style = canvas.text(14);
        let reach = (RADIUS + 1) * scale;
        let mut taken: Vec<Frame> =
            places.iter().map(|(x, y)| (x - reach, y - reach, x + reach, y + reach)).collect();
        taken.extend(floor.map(|y| (inside.0, y - 4 * scale, inside.2, y + 3 * scale)));
        for (mark, &(x, y)) in self.marks.iter().zip(places) {
            let (width, height) = area.estimate_text_size(&mark.name, &style)?;
            let (width, height) = (width as i32, height as i32);
            let (right, left, middle) = (x + 11 * scale, x - 11 * scale - width, x - width / 2);
            let beside = [0, 1, -1, 2, -2, 3, -3].map(|k| y - height / 2 + k * (height + 2 * scale) / 2);
            let candidates = beside.iter().flat_map(|&top| [(right, top), (left, top)]);
            let candidates = candidates
                .chain([(middle, y - 10 * scale - height), (middle, y + 10 * scale)])
                .map(|(x, y)| (x, y, x + width, y + height));
            let free = |frame: &Frame| within(frame, &inside) && !taken.iter().any(|t| overlap(t, frame));
            let frame = candidates.clone().find(free).unwrap_or((
                right,
                beside[0],
                right + width,
                beside[0] + height,
            ));
            // Letters sit high in their frames.
            area.draw_text(&mark.name, &style, (frame.0, frame.1 + 2 * scale))?;
            taken.push(frame);
        }
        for (mark, &at) in self.marks.iter().zip(places) {
            symbol(area, at, mark.style.color(), mark.below, canvas.scale)?;
        }
        Ok(())
    }
}

fn within(frame: &Frame, around: &Frame) -> bool {
    frame.0 >= around.0 && frame.1 >= around.1 && frame.2 <= around.2 && frame.3 <= around.3
}

fn overlap(a: &Frame, b: &Frame) -> bool {
    a.0 < b.2 && b.0 < a.2 && a.1 < b.3 && b.1 < a.3
}

/// A disc, or a triangle.
fn symbol<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    at: (i32, i32),
    color: RGBColor,
    below: bool,
    scale: u32,
) -> Drawn<B> {
    let size = RADIUS * scale as i32;
    if below {
        area.draw(&TriangleMarker::new(at, size + scale as i32, color.filled()))
    } else {
        area.draw(&Circle::new(at, size, color.filled()))
    }
}

/// An axis and how values lie on it.
struct Axis {
    logarithmic: bool,
    low: f64,
    high: f64,
    ticks: Vec<f64>,
}

impl Axis {
    fn seconds(marks: &[Mark]) -> Self {
        // Nothing is faster than a microsecond, and zero has no logarithm.
        let seconds = marks.iter().map(|mark| mark.seconds.max(1e-6));
        let (low, high) = seconds.fold((f64::INFINITY, 0.0_f64), |(l, h), s| (l.min(s), h.max(s)));
        Self::logarithmic(low, high)
    }

    fn logarithmic(low: f64, high: f64) -> Self {
        let (low, high) = (low.log10(), high.log10());
        let room = (0.08 * (high - low)).max(0.1);
        let (low, high) = (low - room, high + room);
        let factors: &[f64] = if high - low > 2.5 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let decades = low.floor() as i32..=high.ceil() as i32;
        let ticks = decades.flat_map(|k| factors.iter().map(move |f| f64::from(k) + f.log10()));
        let ticks = ticks.filter(|tick| (low..=high).contains(tick)).collect();
        Axis { logarithmic: true, low, high, ticks }
    }

    fn plain(low: f64, high: f64) -> Self {
        let room = match (high - low, high.abs()) {
            (span, _) if span > 0.0 => 0.08 * span,
            (_, level) if level > 0.0 => 0.5 * level,
            _ => 1.0,
        };
        let (low, high) = (low - room, high + room);
        Axis { logarithmic: false, low, high, ticks: round_numbers(low, high, 7) }
    }

    /// Where a value lies.
    fn place(&self, value: f64) -> f64 {
        if self.logarithmic { value.max(1e-300).log10().max(self.low) } else { value }
    }

    /// The value of a place.
    fn value(&self, place: f64) -> f64 {
        if self.logarithmic { 10f64.powf(place) } else { place }
    }

    fn label(&self, place: f64) -> String {
        match self.ticks[..] {
            [first, second, ..] if !self.logarithmic => tick(place, second - first),
            // A hair above, so that the logarithm of a power of ten is not taken for less.
            _ => tick(self.value(place), self.value(place) * (1.0 + 1e-9)),
        }
    }

    fn ticked(&self) -> Ticked {
        Ticked { range: self.low..self.high, ticks: self.ticks.clone() }
    }
}

/// `10.0 ms` as `10 ms`, for ticks, which are round.
fn short(duration: &str) -> String {
    let (number, unit) = duration.split_once(' ').unwrap_or((duration, ""));
    let number =
        if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number };
    format!("{number} {unit}")
}
