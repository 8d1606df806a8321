//! How rough a picture is around each pixel.
//!
//! The deviation of the brightness in a window: small in skies, large in leaves. It is computed on a grid of small blocks and read
//! off between their centres, so that it costs less than a look at every pixel and changes slowly.

use rayon::prelude::*;

use super::context::blur;
use super::sample::Sample;

/// Pixels along a side of a block, and blocks to each side of a window.
const BLOCK: usize = 4;
const RADIUS: usize = 2;

/// Bits of a roughness.
pub(super) const BITS: u32 = 10;
const SCALE: f32 = ((1 << BITS) - 1) as f32;

/// A pixel that has a brightness.
pub(super) trait Bright: Sync {
    /// Of white, in steps, if there are steps.
    const WHITE: Option<u32>;

    /// In these steps.
    fn level(&self) -> u32;

    /// From 0 to 1, where there are none.
    fn brightness(&self) -> f32;
}

impl<S: Sample> Bright for S {
    const WHITE: Option<u32> = S::STEPS;

    fn level(&self) -> u32 {
        self.rank()
    }

    fn brightness(&self) -> f32 {
        self.to_unit() as f32
    }
}

impl<S: Sample> Bright for [S; 3] {
    const WHITE: Option<u32> = match S::STEPS {
        Some(steps) => Some(3 * steps),
        None => None,
    };

    fn level(&self) -> u32 {
        self[0].rank() + self[1].rank() + self[2].rank()
    }

    fn brightness(&self) -> f32 {
        (self.iter().map(|x| x.to_unit()).sum::<f64>() / 3.0) as f32
    }
}

/// Mean and mean square of the brightness in the blocks of a band, from left to right.
fn moments<P: Bright>(band: &[P], width: usize) -> Vec<(f32, f32)> {
    let (columns, height) = (width.div_ceil(BLOCK), band.len() / width);
    let pixels = |block: usize| height * (width - block * BLOCK).min(BLOCK);
    let rows = band.chunks(width);
    if let Some(white) = P::WHITE {
        // Whole numbers: exact, in any order, and so faster.
        let mut sums = vec![(0_u32, 0_u64); columns];
        for row in rows {
            for (sum, part) in sums.iter_mut().zip(row.chunks(BLOCK)) {
                for x in part.iter().map(P::level) {
                    *sum = (sum.0 + x, sum.1 + u64::from(x) * u64::from(x));
                }
            }
        }
        let unit = f64::from(white);
        let mean = |(block, (sum, square)): (usize, (u32, u64))| {
            let scale = 1.0 / (unit * pixels(block) as f64);
            ((f64::from(sum) * scale) as f32, (square as f64 * scale / unit) as f32)
        };
        return sums.into_iter().enumerate().map(mean).collect();
    }
    let mut sums = vec![(0.0, 0.0); columns];
    for row in rows {
        for (sum, part) in sums.iter_mut().zip(row.chunks(BLOCK)) {
            for x in part.iter().map(P::brightness) {
                *sum = (sum.0 + x, sum.1 + x * x);
            }
        }
    }
    let mean = |(block, (sum, square)): (usize, (f32, f32))| {
        let count = pixels(block) as f32;
        (sum / count, square / count)
    };
    sums.into_iter().enumerate().map(mean).collect()
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
        let (columns, rows) = (width.div_ceil(BLOCK), height.div_ceil(BLOCK));
        let moments: Vec<(f32, f32)> =
            pixels.par_chunks(BLOCK * width).flat_map_iter(|band| moments(band, width)).collect();
        let (mut values, mut squares): (Vec<f32>, Vec<f32>) = moments.into_iter().unzip();
        let mut spare = Vec::new();
        blur(&mut values, columns, RADIUS, &mut spare);
        blur(&mut squares, columns, RADIUS, &mut spare);
        values
            .iter_mut()
            .zip(&squares)
            .for_each(|(mean, square)| *mean = (square - *mean * *mean).max(0.0).sqrt());
        blur(&mut values, columns, RADIUS, &mut spare);
        // The root makes room for the differences between smooth places.
        values.iter_mut().for_each(|x| *x = (2.0 * *x).sqrt().min(1.0));
        Roughness { width, columns, rows, values }
    }

    /// For every pixel, as a whole number of [`BITS`].
    pub fn pixels(&self, count: usize) -> Vec<u16> {
        let mut all = vec![0; count];
        self.for_each(&mut all, |_, rough, value| *value = rough as u16);
        all
    }

    /// Tells every pixel how rough it is there: its index, a whole number of [`BITS`], and what there is of it.
    pub fn for_each<T: Send>(&self, pixels: &mut [T], tell: impl Fn(usize, u32, &mut T) + Sync) {
        let place = |k: usize, count: usize| {
            let at = ((k as f32 + 0.5) / BLOCK as f32 - 0.5).clamp(0.0, (count - 1) as f32);
            let low = (at as usize).min(count.saturating_sub(2));
            (low, (low + 1).min(count - 1), at - low as f32)
        };
        // Between two centres lie as many pixels as a block has; before the first and after the last they are told apart.
        let first = (BLOCK / 2).min(self.width);
        let between = ((self.width - first) / BLOCK).min(self.columns - 1);
        let parts: [f32; BLOCK] = std::array::from_fn(|k| (k as f32 + 0.5) / BLOCK as f32);
        pixels.par_chunks_mut(self.width).enumerate().for_each_init(
            Vec::new,
            |mixed: &mut Vec<f32>, (y, row)| {
                let (top, bottom, v) = place(y, self.rows);
                let line = |y: usize| &self.values[y * self.columns..][..self.columns];
                mixed.clear();
                mixed.extend(line(top).iter().zip(line(bottom)).map(|(a, b)| SCALE * (a + v * (b - a))));
                let start = y * self.width;
                for x in (0..first).chain(first + between * BLOCK..self.width) {
                    let (left, right, u) = place(x, self.columns);
                    let rough = mixed[left] + u * (mixed[right] - mixed[left]);
                    tell(start + x, rough as i32 as u32, &mut row[x]);
                }
                let blocks = row[first..].chunks_exact_mut(BLOCK).zip(mixed.windows(2)).take(between);
                for (block, (pixels, ends)) in blocks.enumerate() {
                    for (k, (pixel, u)) in pixels.iter_mut().zip(&parts).enumerate() {
                        let rough = ends[0] + u * (ends[1] - ends[0]);
                        tell(start + first + block * BLOCK + k, rough as i32 as u32, pixel);
                    }
                }
            },
        );
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
        assert!((0..height).all(|y| at(2, y) < 200 && at(58, y) > 500), "{} {}", at(2, 9), at(58, 9));
        assert!(Roughness::new(3, &[[7_u8; 3]; 9]).pixels(9).iter().all(|&x| x < 20));
    }
}
