//! Figures: curves over an angle, as SVG or PNG.

use std::sync::Once;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::register_font;

use crate::exit::{Failure, Outcome};

/// Curves in panels that share their axes and their legend.
pub struct Figure {
    pub title: String,
    pub x_label: String,
    pub y_label: String,
    pub panels: Vec<Panel>,
}

/// One pair of axes.
pub struct Panel {
    pub caption: String,
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

/// Size of one panel, and of what is above and below all of them, in pixels.
const WIDTH: u32 = 900;
const PANEL: u32 = 380;
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

    fn width(self) -> u32 {
        if self == Style::Main { 2 } else { 1 }
    }
}

impl Figure {
    fn height(&self) -> u32 {
        HEAD + LEGEND * self.legend_rows() as u32 + PANEL * self.panels.len() as u32
    }

    fn legend_rows(&self) -> usize {
        self.panels.first().map_or(0, |panel| panel.curves.len().div_ceil(3))
    }

    /// The figure as SVG.
    pub fn svg(&self) -> Outcome<String> {
        let mut text = String::new();
        let size = (WIDTH, self.height());
        self.draw(&SVGBackend::with_string(&mut text, size).into_drawing_area())?;
        Ok(text)
    }

    /// The figure as PNG.
    pub fn png(&self) -> Outcome<Vec<u8>> {
        let (width, height) = (WIDTH, self.height());
        let mut pixels = vec![0; (width * height * 3) as usize];
        self.draw(&BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area())?;
        let mut bytes = std::io::Cursor::new(Vec::new());
        let image = image::RgbImage::from_raw(width, height, pixels)
            .ok_or_else(|| Failure::new("the picture has the wrong size"))?;
        image
            .write_to(&mut bytes, image::ImageFormat::Png)
            .map_err(|error| Failure::new(format!("could not encode the picture: {error}")))?;
        Ok(bytes.into_inner())
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Outcome<()> {
        bring_a_font();
        self.try_draw(area).map_err(|error| Failure::new(format!("could not draw the figure: {error}")))
    }

    fn try_draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        area.fill(&WHITE)?;
        area.draw_text(&self.title, &text(20), (20, 14))?;
        self.draw_legend(area)?;
        let rows = self.legend_rows() as u32;
        let (_, below) = area.split_vertically(HEAD + LEGEND * rows);
        for (panel, area) in self.panels.iter().zip(below.split_evenly((self.panels.len(), 1))) {
            self.draw_panel(panel, &area)?;
        }
        area.present()
    }

    fn draw_legend<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let Some(panel) = self.panels.first() else { return Ok(()) };
        for (k, curve) in panel.curves.iter().enumerate() {
            let (x, y) = (24 + 290 * (k % 3) as i32, HEAD as i32 + 6 + LEGEND as i32 * (k / 3) as i32);
            let stroke = curve.style.color().stroke_width(curve.style.width() + 1);
            area.draw(&PathElement::new(vec![(x, y + 7), (x + 28, y + 7)], stroke))?;
            area.draw_text(&curve.name, &text(14), (x + 36, y))?;
        }
        Ok(())
    }

    fn draw_panel<B: DrawingBackend>(
        &self,
        panel: &Panel,
        area: &DrawingArea<B, Shift>,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let points = || panel.curves.iter().flat_map(|curve| &curve.points);
        let fold = |f: fn(f64, f64) -> f64, start: f64, pick: fn(&(f64, f64)) -> f64| {
            points().map(pick).fold(start, f)
        };
        let (left, right) =
            (fold(f64::min, f64::INFINITY, |p| p.0), fold(f64::max, f64::NEG_INFINITY, |p| p.0));
        let (low, high) =
            (fold(f64::min, f64::INFINITY, |p| p.1), fold(f64::max, f64::NEG_INFINITY, |p| p.1));
        let room = if high > low { 0.06 * (high - low) } else { 0.5 * high.abs().max(1.0) };
        let mut chart = ChartBuilder::on(area)
            .caption(&panel.caption, text(15))
            .margin_left(12)
            .margin_right(28)
            .margin_bottom(10)
            .x_label_area_size(44)
            .y_label_area_size(78)
            .build_cartesian_2d(left..right, low - room..high + room)?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .bold_line_style(GRID)
            .axis_style(INK)
            .x_labels(9)
            .y_labels(6)
            .x_label_formatter(&|x| format!("{x:.0}"))
            .y_label_formatter(&|y| tick(*y, high - low))
            .label_style(text(13))
            .axis_desc_style(text(14))
            .x_desc(&self.x_label)
            .y_desc(&self.y_label)
            .draw()?;
        // The main curve on top of the others.
        let (main, others): (Vec<_>, Vec<_>) =
            panel.curves.iter().partition(|curve| curve.style == Style::Main);
        for curve in others.into_iter().chain(main) {
            let stroke = curve.style.color().stroke_width(curve.style.width());
            chart.draw_series(LineSeries::new(curve.points.iter().copied(), stroke))?;
            if let Some(mark) = curve.mark {
                let fill = curve.style.color().filled();
                chart.draw_series([Circle::new(mark, 5, fill), Circle::new(mark, 5, INK.stroke_width(1))])?;
            }
        }
        Ok(())
    }
}

/// A tick of the vertical axis, with the digits that tell it from its neighbours.
fn tick(value: f64, span: f64) -> String {
    let digits = if span > 0.0 { (1.0 - span.log10().floor()).clamp(0.0, 12.0) as usize } else { 2 };
    if span > 0.0 && !(1e-6..1e7).contains(&span) {
        format!("{value:.2e}")
    } else {
        format!("{value:.digits$}")
    }
}

fn text(size: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&INK)
}

/// Pictures must not depend on the fonts of the machine: the program brings one.
fn bring_a_font() {
    static ONCE: Once = Once::new();
    // The family is what SVG viewers look up; a font that does not register leaves a figure without words, which tests would see.
    ONCE.call_once(|| {
        drop(register_font("sans-serif", FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT))
    });
}
