//! Pictures in rows, each with the cloud of its colours below.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::{Canvas, Drawing, Drawn, HEAD, INK, PNG_SCALE, WIDTH};

/// A contact sheet.
pub struct Sheet {
    pub title: String,
    pub tiles: Vec<Tile>,
    /// Tiles in a row.
    pub columns: usize,
}

/// A picture in small, and some of its colours.
pub struct Tile {
    pub label: String,
    /// Pixels of a row, which are those of the PNG.
    pub width: usize,
    pub small: Vec<[u8; 3]>,
    pub cloud: Vec<[u8; 3]>,
}

const GAP: u32 = 14;
const LABEL: u32 = 24;
const CLOUD: u32 = 190;
const FOOT: u32 = 26;

impl Tile {
    /// The size it is drawn in, in pixels of the PNG, in a column of this width.
    fn size(&self, room: u32) -> (u32, u32) {
        let (width, height) = (self.width as u32, (self.small.len() / self.width.max(1)) as u32);
        // As wide as the column, unless that makes it higher than wide.
        let scale = (f64::from(room) / f64::from(width)).min(f64::from(room) / f64::from(height));
        let side = |n: u32| ((f64::from(n) * scale) as u32).max(1);
        (side(width), side(height))
    }
}

impl Sheet {
    fn room(&self) -> u32 {
        (WIDTH - GAP) / self.columns.max(1) as u32 - GAP
    }

    /// Height of the pictures of each row, in pixels of the SVG.
    fn rows(&self) -> Vec<u32> {
        let height = |tile: &Tile| tile.size(PNG_SCALE * self.room()).1.div_ceil(PNG_SCALE);
        self.tiles.chunks(self.columns.max(1)).map(|row| row.iter().map(height).max().unwrap_or(0)).collect()
    }
}

impl Drawing for Sheet {
    fn height(&self) -> u32 {
        HEAD + FOOT + self.rows().iter().map(|row| LABEL + row + 8 + CLOUD + GAP).sum::<u32>()
    }

    fn paint<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, canvas: &Canvas) -> Drawn<B> {
        let scale = canvas.scale;
        let at = |x: u32, y: u32| ((x * scale) as i32, (y * scale) as i32);
        area.fill(&WHITE)?;
        area.draw_text(&self.title, &canvas.text(20), at(20, 14))?;
        let (room, mut top) = (self.room(), HEAD);
        for (row, height) in self.tiles.chunks(self.columns.max(1)).zip(self.rows()) {
            for (k, tile) in row.iter().enumerate() {
                let left = GAP + k as u32 * (room + GAP);
                area.draw_text(&tile.label, &canvas.text(14), at(left, top + 2))?;
                let (width, tall) = tile.size(scale * room);
                let of = (tile.width, tile.small.len() / tile.width.max(1));
                for y in 0..tall {
                    for x in 0..width {
                        let (u, v) = (x as usize * of.0 / width as usize, y as usize * of.1 / tall as usize);
                        let [r, g, b] = tile.small[v * tile.width + u];
                        let place = at(left, top + LABEL);
                        area.draw_pixel((place.0 + x as i32, place.1 + y as i32), &RGBColor(r, g, b))?;
                    }
                }
                self.cloud(tile, area, canvas, (left, top + LABEL + height + 8))?;
            }
            top += LABEL + height + 8 + CLOUD + GAP;
        }
        let words = "Colours: bright ones at the top, red to the right, blue to the left.";
        area.draw_text(words, &canvas.text(13), at(GAP, top))?;
        area.present()
    }
}

impl Sheet {
    /// Colours by brightness, and by red against blue.
    fn cloud<B: DrawingBackend>(
        &self,
        tile: &Tile,
        area: &DrawingArea<B, Shift>,
        canvas: &Canvas,
        (left, top): (u32, u32),
    ) -> Drawn<B> {
        let scale = canvas.scale as i32;
        let (left, top) = (left as i32 * scale, top as i32 * scale);
        let (width, height) = (self.room() as i32 * scale, CLOUD as i32 * scale);
        let corners = [(left, top), (left + width, top + height)];
        area.draw(&Rectangle::new(corners, RGBColor(236, 236, 236).filled()))?;
        area.draw(&Rectangle::new(corners, INK.stroke_width(1)))?;
        for &[r, g, b] in &tile.cloud {
            let bright = f64::from(u32::from(r) + u32::from(g) + u32::from(b)) / 765.0;
            let red = 0.5 + (f64::from(r) - f64::from(b)) / 510.0;
            let x = left + (red * f64::from(width - 4 * scale)) as i32 + scale;
            let y = top + ((1.0 - bright) * f64::from(height - 4 * scale)) as i32 + scale;
            let dot = [(x, y), (x + scale, y + scale)];
            area.draw(&Rectangle::new(dot, RGBColor(r, g, b).filled()))?;
        }
        Ok(())
    }
}
