//! Pictures side by side, for `--compare`.

use std::path::Path;

use swgg_apps::color::Sample;
use swgg_io::Output;

use crate::exit::Outcome;
use crate::figure::{Drawing, Sheet, Tile};

/// Pixels of a small picture along its longer side, and of a cloud.
const SIDE: usize = 560;
const POINTS: usize = 20_000;

/// A small picture and its colours.
pub fn tile<S: Sample>(label: String, width: usize, pixels: &[[S; 3]]) -> Tile {
    let (columns, small) = small(width, pixels, SIDE);
    // Spread evenly over the picture without its rows and columns: steps of the golden ratio.
    let step = |k: usize| ((k as f64 * 0.618_033_988_749_895).fract() * pixels.len() as f64) as usize;
    let cloud = (0..POINTS.min(pixels.len()))
        .map(|k| pixels[step(k).min(pixels.len() - 1)].map(|x| u8::from_unit(x.to_unit())));
    Tile { label, width: columns, small, cloud: cloud.collect() }
}

/// A picture whose longer side has at most so many pixels: pixels of a row, and all of them.
pub fn small<S: Sample>(width: usize, pixels: &[[S; 3]], longer: usize) -> (usize, Vec<[u8; 3]>) {
    let height = pixels.len() / width;
    let scale = (longer as f64 / width.max(height) as f64).min(1.0);
    let side = |n: usize| ((n as f64 * scale).round() as usize).max(1);
    let (columns, rows) = (side(width), side(height));
    let mut small = Vec::with_capacity(columns * rows);
    for y in 0..rows {
        for x in 0..columns {
            // The mean of the pixels that fall on this one.
            let range =
                |k: usize, of: usize, all: usize| k * all / of..((k + 1) * all / of).max(k * all / of + 1);
            let (mut sum, mut count) = ([0.0; 3], 0.0);
            for v in range(y, rows, height) {
                for u in range(x, columns, width) {
                    let color = pixels[v * width + u].map(S::to_unit);
                    (0..3).for_each(|c| sum[c] += color[c]);
                    count += 1.0;
                }
            }
            small.push(sum.map(|x| u8::from_unit(x / count)));
        }
    }
    (columns, small)
}

/// Draws a sheet, one row of tiles after the other.
pub fn sheet(path: &Path, title: String, tiles: Vec<Tile>, columns: usize) -> Outcome<()> {
    let output = Output::create(path)?;
    let png = Sheet { title, tiles, columns }.png()?;
    Ok(output.write_with(|output| std::io::Write::write_all(output, &png))?.commit()?)
}
