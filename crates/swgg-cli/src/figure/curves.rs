//! Curves over an angle, in panels.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::axis::{Ticked, round_numbers, tick};
use super::{Canvas, Drawing, Drawn, FOOT, GRID, HEAD, INK, LEGEND, Style, WIDTH};

/// A figure of several columns, in pixels of the SVG, and how many stand beside each other.
const WIDE: u32 = 1380;
const COLUMNS: usize = 3;

/// Curves in panels that share their axes and their legend.
pub struct Figure {
    pub title: String,
    pub x_label: String,
    /// Panels one below the other, columns side by side.
    pub columns: Vec<Vec<Panel>>,
    /// What is to be seen, in a line below.
    pub caption: String,
}

/// One pair of axes.
pub struct Panel {
    pub caption: String,
    pub y_label: String,
    /// In pixels of the SVG.
    pub height: u32,
    /// Where the horizontal axis has its ticks.
    pub ticks: Vec<f64>,
    pub curves: Vec<Curve>,
}

/// One line; its lowest point may be marked.
pub struct Curve {
    pub name: String,
    pub points: Vec<(f64, f64)>,
    pub style: Style,
    /// A point to mark, usually the minimum.
    pub mark: Option<(f64, f64)>,
}

impl Drawing for Figure {
    fn height(&self) -> u32 {
        let foot = if self.caption.is_empty() { 0 } else { FOOT };
        self.head() + self.columns.chunks(COLUMNS).map(band_height).sum::<u32>() + foot
    }

    fn width(&self) -> u32 {
        if self.columns.len() > 1 { WIDE } else { WIDTH }
    }

    fn paint<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, canvas: &Canvas) -> Drawn<B> {
        canvas.figure(self, area)
    }
}

impl Figure {
    /// Height of title and legend.
    fn head(&self) -> u32 {
        HEAD + LEGEND * self.legend().len().div_ceil(3) as u32
    }

    /// One curve of each name.
    fn legend(&self) -> Vec<&Curve> {
        let mut all: Vec<&Curve> = Vec::new();
        for curve in self.columns.iter().flatten().flat_map(|panel| &panel.curves) {
            if all.iter().all(|other| other.name != curve.name) {
                all.push(curve);
            }
        }
        all
    }
}

/// Height of columns that stand side by side.
fn band_height(columns: &[Vec<Panel>]) -> u32 {
    let heights = columns.iter().map(|column| column.iter().map(|panel| panel.height).sum());
    heights.max().unwrap_or(0)
}

impl Canvas {
    fn figure<B: DrawingBackend>(&self, figure: &Figure, area: &DrawingArea<B, Shift>) -> Drawn<B> {
        let scale = self.scale;
        area.fill(&WHITE)?;
        area.draw_text(&figure.title, &self.text(20), (20 * scale as i32, 14 * scale as i32))?;
        for (k, curve) in figure.legend().into_iter().enumerate() {
            let (column, row) = ((k % 3) as u32, (k / 3) as u32);
            let place = |x: u32, y: u32| {
                (((24 + 290 * column + x) * scale) as i32, ((HEAD + 6 + LEGEND * row + y) * scale) as i32)
            };
            let stroke = curve.style.color().stroke_width((curve.style.width() + 1) * scale);
            let pieces = if curve.style.dashed() { vec![(0, 6), (11, 17), (22, 28)] } else { vec![(0, 28)] };
            for (from, to) in pieces {
                area.draw(&PathElement::new(vec![place(from, 7), place(to, 7)], stroke))?;
            }
            area.draw_text(&curve.name, &self.text(14), place(36, 0))?;
        }
        let mut top = figure.head();
        let width = figure.width() / figure.columns.len().clamp(1, COLUMNS) as u32;
        for band in figure.columns.chunks(COLUMNS) {
            for (k, column) in band.iter().enumerate() {
                let mut here = top;
                for (row, panel) in column.iter().enumerate() {
                    let corner = ((k as u32 * width * scale) as i32, (here * scale) as i32);
                    let place = area.clone().shrink(corner, (width * scale, panel.height * scale));
                    // All share the horizontal axis: its name under the last one will do.
                    let is_last = row + 1 == column.len();
                    self.panel(panel, if is_last { &figure.x_label } else { "" }, &place)?;
                    here += panel.height;
                }
            }
            top += band_height(band);
        }
        if !figure.caption.is_empty() {
            area.draw_text(
                &figure.caption,
                &self.text(13),
                (20 * scale as i32, (top + 8) as i32 * scale as i32),
            )?;
        }
        area.present()
    }

    pub(super) fn panel<B: DrawingBackend>(
        &self,
        panel: &Panel,
        x_label: &str,
        area: &DrawingArea<B, Shift>,
    ) -> Drawn<B> {
        let scale = self.scale;
        let ((left, right), (low, high)) = panel.ranges();
        let room = match (high - low, high.abs()) {
            (span, _) if span > 0.0 => 0.06 * span,
            (_, level) if level > 0.0 => 0.5 * level,
            _ => 1.0,
        };
        let (low, high) = (low - room, high + room);
        let y_ticks = round_numbers(low, high, (panel.height / 55) as usize);
        let y_step = if let [first, second, ..] = y_ticks[..] { second - first } else { 0.0 };
        let mut chart = ChartBuilder::on(area);
        if !panel.caption.is_empty() {
            chart.caption(&panel.caption, self.text(15));
        }
        let mut chart = chart
            .margin_left(12 * scale)
            .margin_right(28 * scale)
            .margin_top(6 * scale)
            .margin_bottom(6 * scale)
            .x_label_area_size(44 * scale)
            .y_label_area_size(78 * scale)
            .build_cartesian_2d(
                Ticked { range: left..right, ticks: panel.ticks.clone() },
                Ticked { range: low..high, ticks: y_ticks },
            )?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .bold_line_style(GRID.stroke_width(scale))
            .axis_style(INK.stroke_width(scale))
            .set_all_tick_mark_size(4 * scale)
            .x_label_formatter(&|x| format!("{x:.0}"))
            .y_label_formatter(&|y| tick(*y, y_step))
            .label_style(self.text(13))
            .axis_desc_style(self.text(14))
            .x_desc(x_label)
            .y_desc(&panel.y_label)
            .draw()?;
        // The main curve on top of the others.
        let (main, others): (Vec<_>, Vec<_>) =
            panel.curves.iter().partition(|curve| curve.style == Style::Main);
        for curve in others.iter().chain(&main) {
            let stroke = curve.style.color().stroke_width(curve.style.width() * scale);
            let points = curve.points.iter().copied();
            if curve.style.dashed() {
                chart.draw_series(DashedLineSeries::new(points, 6 * scale, 4 * scale, stroke))?;
            } else {
                chart.draw_series(LineSeries::new(points, stroke))?;
            }
        }
        for (mark, curve) in others.iter().chain(&main).filter_map(|curve| Some((curve.mark?, curve))) {
            let (fill, rim) = (curve.style.color().filled(), INK.stroke_width(scale));
            chart.draw_series([Circle::new(mark, 5 * scale, fill), Circle::new(mark, 5 * scale, rim)])?;
        }
        Ok(())
    }
}

impl Panel {
    /// The ranges of the two coordinates.
    fn ranges(&self) -> ((f64, f64), (f64, f64)) {
        let range = |pick: fn(&(f64, f64)) -> f64| {
            let values =
                self.curves.iter().flat_map(|curve| curve.points.iter().chain(&curve.mark)).map(pick);
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
        };
        (range(|p| p.0), range(|p| p.1))
    }
}
