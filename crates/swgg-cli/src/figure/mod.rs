//! Figures, as SVG or PNG: [curves](Figure) over an angle, [points with names](Scatter), [clouds](Views), [their paths](Paths), [plans](Moves),
//! [matrices](Heat) and [sheets](Sheet) of pictures.

mod axis;
mod curves;
mod heat;
mod moves;
mod overlay;
mod paths;
mod scatter;
mod sheet;
mod views;

pub use axis::round_numbers;
pub use curves::{Curve, Figure, Panel};
pub use heat::Heat;
pub use moves::{Moves, drawn};
pub use overlay::Overlay;
pub use paths::Paths;
pub use scatter::{Mark, Scatter};
pub use sheet::{Sheet, Tile};
pub use views::Views;

use std::sync::Once;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::register_font;

use crate::exit::{Failure, Outcome};

/// How a curve is drawn.
#[derive(Clone, Copy, PartialEq)]
pub enum Style {
    /// The subject of the figure.
    Main,
    /// One of several variants, by number.
    Variant(usize),
    /// One of many things that have nothing else to tell them apart, by number.
    Distinct(usize),
    /// Something to compare with.
    Reference,
}

/// Sizes in pixels of the SVG. A PNG has more of them, so that thin lines and small letters are sharp.
const WIDTH: u32 = 900;
const PNG_SCALE: u32 = 2;
const HEAD: u32 = 46;
const LEGEND: u32 = 30;
const FOOT: u32 = 34;

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

/// As many colours as there are methods, none like another: hues in turn, dark and light.
const DISTINCT: [RGBColor; 16] = [
    RGBColor(0, 90, 160),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(213, 94, 0),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(120, 94, 240),
    RGBColor(160, 140, 0),
    RGBColor(110, 110, 110),
    RGBColor(150, 30, 60),
    RGBColor(0, 60, 60),
    RGBColor(255, 130, 130),
    RGBColor(120, 200, 80),
    RGBColor(100, 60, 20),
    RGBColor(60, 0, 110),
    RGBColor(200, 0, 200),
];

impl Style {
    fn color(self) -> RGBColor {
        match self {
            Style::Distinct(k) => DISTINCT[k % DISTINCT.len()],
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

    /// In pixels of the SVG.
    fn width(&self) -> u32 {
        WIDTH
    }

    /// Draws it all.
    fn paint<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, canvas: &Canvas) -> Drawn<B>;

    /// The figure as SVG.
    fn svg(&self) -> Outcome<String> {
        let mut text = String::new();
        let size = (self.width(), self.height());
        self.draw(&SVGBackend::with_string(&mut text, size).into_drawing_area(), 1)?;
        Ok(text)
    }

    /// The figure as PNG.
    fn png(&self) -> Outcome<Vec<u8>> {
        let (width, height) = (PNG_SCALE * self.width(), PNG_SCALE * self.height());
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
    fn every_method_has_a_colour_of_its_own() {
        let colors: std::collections::BTreeSet<_> = DISTINCT.iter().map(|c| (c.0, c.1, c.2)).collect();
        assert_eq!(colors.len(), DISTINCT.len());
        assert!(swgg::solver::METHODS.len() <= DISTINCT.len(), "{} methods", swgg::solver::METHODS.len());
    }
}
