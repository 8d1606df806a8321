//! Figures, as SVG or PNG: curves over an angle, [points with names](Scatter), [clouds](Views), [their paths](Paths), [matrices](Heat) and [sheets](Sheet) of pictures.

mod heat;
mod overlay;
mod paths;
mod scatter;
mod sheet;
mod views;

pub use heat::Heat;
pub use overlay::Overlay;
pub use paths::Paths;
pub use scatter::{Mark, Scatter};
pub use sheet::{Sheet, Tile};
pub use views::Views;

use std::ops::Range;
use std::sync::Once;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::prelude::*;
use plotters::style::register_font;

use crate::exit::{Failure, Outcome};

/// Curves in panels that share their axes and their legend.
pub struct Figure {
    pub title: String,
    pub x_label: String,
    pub panels: Vec<Panel>,
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

/// How a curve is drawn.
#[derive(Clone, Copy, PartialEq)]
pub enum Style {
    /// The subject of the figure.
    Main,
    /// One of several variants, by number.
    Variant(usize),
    /// Something to compare with.
    Reference,
}

/// Sizes in pixels of the SVG. A PNG has more of them, so that thin lines and small letters are sharp.
const WIDTH: u32 = 900;
const PNG_SCALE: u32 = 2;
const HEAD: u32 = 46;
const LEGEND: u32 = 30;

const INK: RGBColor = RGBColor(40, 40, 40);
const GRID: RGBColor = RGBColor(225, 225, 225);
/// Colours that people with colour-blind eyes tell apart (Okabe and Ito).
const VARIANTS: [RGBColor; 5] = [
    RGBColor(230, 159, 0),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
];

impl Style {
    fn color(self) -> RGBColor {
        match self {
            Style::Main => RGBColor(0, 90, 160),
            Style::Variant(k) => VARIANTS[k % VARIANTS.len()],
            Style::Reference => RGBColor(130, 130, 130),
        }
    }

    /// There are fewer colours than variants may be asked for.
    fn dashed(self) -> bool {
        matches!(self, Style::Variant(k) if k >= VARIANTS.len())
    }

    fn width(self) -> u32 {
        if self == Style::Main { 2 } else { 1 }
    }
}

/// Something that can be drawn.
pub trait Drawing {
    /// In pixels of the SVG.
    fn height(&self) -> u32;

    /// Draws it all.
    fn paint<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, canvas: &Canvas) -> Drawn<B>;

    /// The figure as SVG.
    fn svg(&self) -> Outcome<String> {
        let mut text = String::new();
        let size = (WIDTH, self.height());
        self.draw(&SVGBackend::with_string(&mut text, size).into_drawing_area(), 1)?;
        Ok(text)
    }

    /// The figure as PNG.
    fn png(&self) -> Outcome<Vec<u8>> {
        let (width, height) = (PNG_SCALE * WIDTH, PNG_SCALE * self.height());
        let mut pixels = vec![0; width as usize * height as usize * 3];
        self.draw(&BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area(), PNG_SCALE)?;
        let mut bytes = std::io::Cursor::new(Vec::new());
        let image = image::RgbImage::from_raw(width, height, pixels)
            .ok_or_else(|| Failure::new("the picture has the wrong size"))?;
        image
            .write_to(&mut bytes, image::ImageFormat::Png)
            .map_err(|error| Failure::new(format!("could not encode the picture: {error}")))?;
        Ok(bytes.into_inner())
    }

    #[doc(hidden)]
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, scale: u32) -> Outcome<()> {
        bring_a_font();
        self.paint(area, &Canvas { scale })
            .map_err(|error| Failure::new(format!("could not draw the figure: {error}")))
    }
}

impl Drawing for Figure {
    fn height(&self) -> u32 {
        self.head() + self.panels.iter().map(|panel| panel.height).sum::<u32>()
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
        for curve in self.panels.iter().flat_map(|panel| &panel.curves) {
            if all.iter().all(|other| other.name != curve.name) {
                all.push(curve);
            }
        }
        all
    }
}

/// Draws everything at some scale.
pub struct Canvas {
    scale: u32,
}

/// What drawing on a surface may say.
pub type Drawn<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

impl Canvas {
    fn text(&self, size: u32) -> TextStyle<'static> {
        ("sans-serif", size * self.scale).into_font().color(&INK)
    }

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
        let (_, mut rest) = area.split_vertically(figure.head() * scale);
        for panel in &figure.panels {
            let (here, below) = rest.split_vertically(panel.height * scale);
            // All share the horizontal axis: its name under the last one will do.
            let is_last = std::ptr::eq(panel, &figure.panels[figure.panels.len() - 1]);
            self.panel(panel, if is_last { &figure.x_label } else { "" }, &here)?;
            rest = below;
        }
        area.present()
    }

    fn panel<B: DrawingBackend>(
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

/// An axis with ticks where we want them.
struct Ticked {
    range: Range<f64>,
    ticks: Vec<f64>,
}

impl Ranged for Ticked {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (low, high): (i32, i32)) -> i32 {
        let share = (value - self.range.start) / (self.range.end - self.range.start);
        low + (share * f64::from(high - low)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

/// Multiples of 1, 2 or 5 times a power of ten from `low` to `high`: at least two, about `count`.
pub fn round_numbers(low: f64, high: f64, count: usize) -> Vec<f64> {
    let rough = (high - low) / count.max(2) as f64;
    let power = 10f64.powf(rough.log10().floor());
    // From coarse to fine until two fit; the finest is below a third of the range.
    let steps = [10.0, 5.0, 2.0, 1.0].map(|factor| factor * power);
    let fitting = steps.into_iter().filter(|step| *step < 2.0 * rough);
    let multiples = |step: f64| -> Vec<f64> {
        let (first, last) = ((low / step).ceil(), (high / step).floor());
        // Adding zero makes the negative zero of `-0.3.ceil()` a plain one.
        (0..=(last - first).max(0.0) as usize).map(|k| (first + k as f64) * step + 0.0).collect()
    };
    fitting.map(multiples).find(|ticks| ticks.len() >= 2).unwrap_or_else(|| vec![low, high])
}

/// A tick of an axis whose ticks are `step` apart, with the digits that tell it from its neighbours.
fn tick(value: f64, step: f64) -> String {
    if value == 0.0 {
        return "0".to_string();
    }
    let digits = (-step.log10().floor()).max(0.0) as usize;
    if value.abs() >= 1e7 || digits > 6 {
        let significant = (value.abs().log10().floor() - step.log10().floor()).clamp(0.0, 12.0) as usize;
        format!("{value:.significant$e}")
    } else {
        format!("{value:.digits$}")
    }
}

/// Pictures must not depend on the fonts of the machine: the program brings one.
fn bring_a_font() {
    static ONCE: Once = Once::new();
    // The family is what SVG viewers look up; a font that does not register leaves a figure without words, which tests would see.
    ONCE.call_once(|| {
        let _ = register_font("sans-serif", FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_at_every_scale() {
        let labels = |low: f64, high: f64| {
            let ticks = round_numbers(low, high, 5);
            let step = ticks[1] - ticks[0];
            ticks.into_iter().map(|value| tick(value, step)).collect::<Vec<_>>()
        };
        assert_eq!(labels(0.1, 1.0), ["0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(-1.0, 1.0), ["-1.0", "-0.5", "0", "0.5", "1.0"]);
        assert_eq!(labels(650.0, 700.0), ["650", "660", "670", "680", "690", "700"]);
        assert_eq!(labels(1.1e-12, 4.2e-12), ["2e-12", "3e-12", "4e-12"]);
        assert_eq!(labels(3.0e9, 3.01e9), ["3.000e9", "3.002e9", "3.004e9", "3.006e9", "3.008e9", "3.010e9"]);
    }

    #[test]
    fn every_range_has_ticks() {
        for exponent in -300..300 {
            let scale = 10f64.powi(exponent);
            for (low, high) in [(0.0, 1.0), (0.3, 0.97), (-0.2, 0.1), (5.0, 5.5)] {
                let ticks = round_numbers(low * scale, high * scale, 3);
                assert!((2..=9).contains(&ticks.len()), "{low} to {high} e{exponent}: {ticks:?}");
            }
        }
    }
}
