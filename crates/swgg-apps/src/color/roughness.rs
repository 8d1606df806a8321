//! How rough a picture is around each pixel.
//!
//! The deviation of the brightness in a window: small in skies, large in leaves. It is computed on a grid of small blocks and read
//! off between their centres, so that it costs less than a look at every pixel and changes slowly.

use rayon::prelude::*;

use super::context::blurred;
use super::sample::Sample;

/// Pixels along a side of a block, and blocks to each side of a window.
const BLOCK: usize = 4;
const RADIUS: usize = 2;

/// Bits of a roughness.
pub(super) const BITS: u32 = 10;
const SCALE: f32 = ((1 << BITS) - 1) as f32;

/// A pixel that has a brightness.
pub(super) trait Bright: Sync {
    fn brightness(&self) -> f32;
}

impl<S: Sample> Bright for S {
    fn brightness(&self) -> f32 {
        match S::STEPS {
            Some(steps) => self.rank() as f32 / steps as f32,
            None => self.to_unit() as f32,
        }
    }
}

impl<S: Sample> Bright for [S; 3] {
    fn brightness(&self) -> f32 {
        match S::STEPS {
            Some(steps) => self.iter().map(|x| x.rank()).sum::<u32>() as f32 / (3 * steps) as f32,
            None => (self.iter().map(|x| x.to_unit()).sum::<f64>() / 3.0) as f32,
        }
    }
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
        let moments: Vec<(f32, f32)> = pixels
            .par_chunks(BLOCK * width)
            .flat_map_iter(|band| {
                let mut sums = vec![(0.0, 0.0, 0.0); columns];
                for row in band.chunks(width) {
                    for (sum, part) in sums.iter_mut().zip(row.chunks(BLOCK)) {
                        for x in part.iter().map(P::brightness) {
                            *sum = (sum.0 + x, sum.1 + x * x, sum.2 + 1.0);
                        }
                    }
                }
                sums.into_iter().map(|(sum, square, count)| (sum / count, square / count))
            })
            .collect();
        let (means, squares) = moments.into_iter().unzip();
        let (means, squares) = (blurred(means, columns, RADIUS), blurred(squares, columns, RADIUS));
        let deviation = |(mean, square): (&f32, &f32)| (square - mean * mean).max(0.0).sqrt();
        let values = blurred(means.iter().zip(&squares).map(deviation).collect(), columns, RADIUS);
        // The root makes room for the differences between smooth places.
        let values = values.into_iter().map(|x| (2.0 * x).sqrt().min(1.0)).collect();
        Roughness { width, columns, rows, values }
    }

    /// For every pixel, as a whole number of [`BITS`].
    pub fn pixels(&self, count: usize) -> Vec<u16> {
        let place = |k: usize, count: usize| {
            let at = ((k as f32 + 0.5) / BLOCK as f32 - 0.5).clamp(0.0, (count - 1) as f32);
            let low = (at as usize).min(count.saturating_sub(2));
            (low, (low + 1).min(count - 1), at - low as f32)
        };
        let across: Vec<_> = (0..self.width).map(|x| place(x, self.columns)).collect();
        let mut all = vec![0; count];
        all.par_chunks_mut(self.width).enumerate().for_each_init(
            Vec::new,
            |mixed: &mut Vec<f32>, (y, row)| {
                let (top, bottom, v) = place(y, self.rows);
                let line = |y: usize| &self.values[y * self.columns..][..self.columns];
                mixed.clear();
                mixed.extend(line(top).iter().zip(line(bottom)).map(|(a, b)| SCALE * (a + v * (b - a))));
                for (value, &(left, right, u)) in row.iter_mut().zip(&across) {
                    *value = (mixed[left] + u * (mixed[right] - mixed[left])) as u16;
                }
            },
        );
        all
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
