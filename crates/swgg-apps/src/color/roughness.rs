//! How rough a picture is around each pixel.
//!
//! The deviation of the brightness in a window: small in skies, large in leaves. It is computed on a grid of small blocks and read
//! off between their centres, so that it costs less than a look at every pixel and changes slowly.

use rayon::prelude::*;

use super::guided_filter::blur;
use super::sample::Sample;

/// Pixels along a side of a block, and blocks to each side of a window.
const BLOCK_PIXELS: usize = 4;
const RADIUS_BLOCKS: usize = 2;

/// Bits of a roughness.
pub(super) const ROUGHNESS_BITS: u32 = 8;
const SCALE: f32 = ((1 << ROUGHNESS_BITS) - 1) as f32;

/// A pixel that has a brightness.
pub(super) trait Bright: Sync {
    /// The brightness of white.
    const WHITE: f64;

    /// In steps where there are steps: whole numbers, whose sums are exact in any order.
    fn brightness(&self) -> f64;
}

impl<S: Sample> Bright for S {
    const WHITE: f64 = match S::STEPS {
        Some(steps) => steps as f64,
        None => 1.0,
    };

    fn brightness(&self) -> f64 {
        match S::STEPS {
            // There are fewer steps than half of what `u32` holds, and `i32` is quicker to convert.
            Some(_) => f64::from(self.rank() as i32),
            None => self.to_unit(),
        }
    }
}

impl<S: Sample> Bright for [S; 3] {
    const WHITE: f64 = 3.0 * <S as Bright>::WHITE;

    fn brightness(&self) -> f64 {
        match S::STEPS {
            Some(_) => f64::from((self[0].rank() + self[1].rank() + self[2].rank()) as i32),
            None => self.iter().map(|x| x.to_unit()).sum(),
        }
    }
}

/// Mean and mean square of the brightness in the blocks of a band, from left to right.
fn moments<P: Bright>(band: &[P], width: usize) -> Vec<(f32, f32)> {
    let height = band.len() / width;
    // Columns first: they are added side by side.
    let mut columns = vec![(0.0, 0.0); width];
    for row in band.chunks(width) {
        for ((sum, square), pixel) in columns.iter_mut().zip(row) {
            let x = pixel.brightness();
            *sum += x;
            *square += x * x;
        }
    }
    let mean = |block: &[(f64, f64)]| {
        let scale = 1.0 / (P::WHITE * (height * block.len()) as f64);
        let (sum, square) = block.iter().fold((0.0, 0.0), |all, column| (all.0 + column.0, all.1 + column.1));
        ((sum * scale) as f32, (square * scale / P::WHITE) as f32)
    };
    columns.chunks(BLOCK_PIXELS).map(mean).collect()
}

/// How rough a picture is along a row, and room to find out.
#[derive(Default)]
pub(super) struct Line {
    mixed: Vec<f32>,
    /// For every pixel, as a whole number of [`ROUGHNESS_BITS`].
    pub rough: Vec<u32>,
}

/// From 0, flat, to 1, at the centres of blocks.
pub(super) struct Roughness {
    width: usize,
    columns: usize,
    rows: usize,
    values: Vec<f32>,
}

impl Roughness {
    pub fn new<P: Bright>(width: usize, pixels: &[P]) -> Self {
        let height = pixels.len() / width;
        let (columns, rows) = (width.div_ceil(BLOCK_PIXELS), height.div_ceil(BLOCK_PIXELS));
        let moments: Vec<(f32, f32)> =
            pixels.par_chunks(BLOCK_PIXELS * width).flat_map_iter(|band| moments(band, width)).collect();
        let (mut values, mut squares): (Vec<f32>, Vec<f32>) = moments.into_iter().unzip();
        let mut spare = Vec::new();
        blur(&mut values, columns, RADIUS_BLOCKS, &mut spare);
        blur(&mut squares, columns, RADIUS_BLOCKS, &mut spare);
        values
            .iter_mut()
            .zip(&squares)
            .for_each(|(mean, square)| *mean = (square - *mean * *mean).max(0.0).sqrt());
        blur(&mut values, columns, RADIUS_BLOCKS, &mut spare);
        // The root makes room for the differences between smooth places.
        values.iter_mut().for_each(|x| *x = (2.0 * *x).sqrt().min(1.0));
        Roughness { width, columns, rows, values }
    }

    /// For every pixel, as a whole number of [`ROUGHNESS_BITS`].
    pub fn pixels(&self, count: usize) -> Vec<u16> {
        let mut all = vec![0; count];
        self.for_each_row(&mut all, |_, rough, values| {
            values.iter_mut().zip(rough).for_each(|(value, &rough)| *value = rough as u16);
        });
        all
    }

    /// Tells every row how rough it is there: the index of its first pixel, whole numbers of [`ROUGHNESS_BITS`], and what there is of it.
    pub fn for_each_row<T: Send>(&self, pixels: &mut [T], tell: impl Fn(usize, &[u32], &mut [T]) + Sync) {
        pixels.par_chunks_mut(self.width).enumerate().for_each_init(Line::default, |line, (y, row)| {
            self.read(y, line);
            tell(y * self.width, &line.rough, row);
        });
    }

    /// Reads off a row.
    pub fn read(&self, y: usize, Line { mixed, rough }: &mut Line) {
        let place = |k: usize, count: usize| {
            let at = ((k as f32 + 0.5) / BLOCK_PIXELS as f32 - 0.5).clamp(0.0, (count - 1) as f32);
            let low = (at as usize).min(count.saturating_sub(2));
            (low, (low + 1).min(count - 1), at - low as f32)
        };
        let (top, bottom, v) = place(y, self.rows);
        let line = |y: usize| &self.values[y * self.columns..][..self.columns];
        mixed.clear();
        mixed.extend(line(top).iter().zip(line(bottom)).map(|(a, b)| SCALE * (a + v * (b - a))));
        rough.resize(self.width, 0);
        // Between two centres lie as many pixels as a block has; before the first and after the last they are told apart.
        let first = (BLOCK_PIXELS / 2).min(self.width);
        let between = ((self.width - first) / BLOCK_PIXELS).min(self.columns - 1);
        for x in (0..first).chain(first + between * BLOCK_PIXELS..self.width) {
            let (left, right, u) = place(x, self.columns);
            rough[x] = (mixed[left] + u * (mixed[right] - mixed[left])) as i32 as u32;
        }
        let parts: [f32; BLOCK_PIXELS] = std::array::from_fn(|k| (k as f32 + 0.5) / BLOCK_PIXELS as f32);
        let (blocks, _) = rough[first..first + between * BLOCK_PIXELS].as_chunks_mut::<BLOCK_PIXELS>();
        for (block, ends) in blocks.iter_mut().zip(mixed.windows(2)) {
            *block = parts.map(|u| (ends[0] + u * (ends[1] - ends[0])) as i32 as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_are_rougher_than_skies() {
        let (width, height) = (61, 47);
        let picture: Vec<u8> = (0..width * height)
            .map(|k| if k % width < 30 { 120 + (k % 2) as u8 } else { (k * 7919 % 256) as u8 })
            .collect();
        let rough = Roughness::new(width, &picture).pixels(width * height);
        let at = |x: usize, y: usize| rough[y * width + x];
        assert!((0..height).all(|y| at(2, y) < 50 && at(58, y) > 125), "{} {}", at(2, 9), at(58, 9));
        assert!(Roughness::new(3, &[[7_u8; 3]; 9]).pixels(9).iter().all(|&x| x < 5));
    }
}
