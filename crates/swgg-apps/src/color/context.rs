//! What surrounds a pixel.
//!
//! A map of colours knows nothing of places: it takes the noise of a sky for colours and may pull them apart. Seen through a
//! guided filter (He, Sun and Tang, "Guided image filtering", 2010), in `O(1)` a pixel, noise is evened out, in a picture as in the
//! displacement of its colours, and edges stay: nothing shines across them.

use rayon::prelude::*;

/// Pixels to each side.
const RADIUS: usize = 6;
/// Variance of a channel that counts as noise when a picture is its own guide.
const GRAIN: f32 = (3.0 / 255.0) * (3.0 / 255.0);
/// Variance of the brightness that counts as noise when it guides a displacement.
const SHADE: f32 = (6.0 / 255.0) * (6.0 / 255.0);

/// One channel of a picture without its noise.
pub(super) fn denoised(channel: &[f32], width: usize) -> Vec<f32> {
    let mean = blurred(channel.to_vec(), width, RADIUS);
    let square = blurred(channel.par_iter().map(|x| x * x).collect(), width, RADIUS);
    // In every window a line through the guide: y = a x + b.
    let slope = |mean: f32, square: f32| {
        let variance = (square - mean * mean).max(0.0);
        variance / (variance + GRAIN)
    };
    let a: Vec<f32> = mean.par_iter().zip(&square).map(|(&mean, &square)| slope(mean, square)).collect();
    let b = mean.par_iter().zip(&a).map(|(mean, a)| mean - a * mean).collect();
    line(blurred(a, width, RADIUS), blurred(b, width, RADIUS), channel)
}

/// Smooths displacements along a picture: they may change where its brightness does.
pub(super) struct Guide<'a> {
    brightness: &'a [f32],
    width: usize,
    mean: Vec<f32>,
    variance: Vec<f32>,
}

impl<'a> Guide<'a> {
    pub fn new(brightness: &'a [f32], width: usize) -> Self {
        let mean = blurred(brightness.to_vec(), width, RADIUS);
        let mut variance = blurred(brightness.par_iter().map(|x| x * x).collect(), width, RADIUS);
        variance.par_iter_mut().zip(&mean).for_each(|(v, mean)| *v = (*v - mean * mean).max(0.0));
        Guide { brightness, width, mean, variance }
    }

    pub fn smooth(&self, values: Vec<f32>) -> Vec<f32> {
        let both = values.par_iter().zip(self.brightness).map(|(x, y)| x * y).collect();
        let (mut b, mut a) = (blurred(values, self.width, RADIUS), blurred(both, self.width, RADIUS));
        let window = a.par_iter_mut().zip(&mut b).zip(self.mean.par_iter().zip(&self.variance));
        window.for_each(|((a, b), (mean, variance))| {
            *a = (*a - mean * *b) / (variance + SHADE);
            *b -= *a * mean;
        });
        line(blurred(a, self.width, RADIUS), blurred(b, self.width, RADIUS), self.brightness)
    }
}

fn line(a: Vec<f32>, mut b: Vec<f32>, x: &[f32]) -> Vec<f32> {
    b.par_iter_mut().zip(a.par_iter().zip(x)).for_each(|(b, (a, x))| *b += a * x);
    b
}

/// Means over squares, cut off at the border.
pub(super) fn blurred(mut values: Vec<f32>, width: usize, radius: usize) -> Vec<f32> {
    let height = values.len() / width;
    values.par_chunks_mut(width).for_each_init(Vec::new, |old: &mut Vec<f32>, row| {
        old.clear();
        old.extend_from_slice(row);
        let mut sum: f64 = old[..radius.min(width)].iter().map(|&x| f64::from(x)).sum();
        for x in 0..width {
            sum += old.get(x + radius).map_or(0.0, |&x| f64::from(x));
            if x > radius {
                sum -= f64::from(old[x - radius - 1]);
            }
            let count = (x + radius + 1).min(width) - x.saturating_sub(radius);
            row[x] = (sum / count as f64) as f32;
        }
    });
    // Columns in bands of rows, each beginning with its own sum: bands, not threads, decide the rounding.
    const BAND: usize = 64;
    let mut means = vec![0.0; values.len()];
    means.par_chunks_mut(BAND * width).enumerate().for_each(|(band, rows)| {
        let first = band * BAND;
        let mut sums = vec![0.0_f64; width];
        let add = |sums: &mut [f64], y: usize, sign: f64| {
            let row = &values[y * width..][..width];
            sums.iter_mut().zip(row).for_each(|(sum, &x)| *sum += sign * f64::from(x));
        };
        (first.saturating_sub(radius)..(first + radius).min(height)).for_each(|y| add(&mut sums, y, 1.0));
        for (k, row) in rows.chunks_mut(width).enumerate() {
            let y = first + k;
            if y + radius < height {
                add(&mut sums, y + radius, 1.0);
            }
            if k > 0 && y > radius {
                add(&mut sums, y - radius - 1, -1.0);
            }
            let count = ((y + radius + 1).min(height) - y.saturating_sub(radius)) as f64;
            row.iter_mut().zip(&sums).for_each(|(x, sum)| *x = (sum / count) as f32);
        }
    });
    means
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_those_of_the_window() {
        let (width, height) = (17, 150);
        let values: Vec<f32> = (0..width * height).map(|k| (k * k % 101) as f32).collect();
        let means = blurred(values.clone(), width, RADIUS);
        for (x, y) in [(0, 0), (16, 149), (8, 63), (3, 64), (9, 70), (16, 128)] {
            let mut window = Vec::new();
            for v in y.max(RADIUS) - RADIUS..(y + RADIUS + 1).min(height) {
                let row = &values[v * width..][..width];
                window.extend(&row[x.max(RADIUS) - RADIUS..(x + RADIUS + 1).min(width)]);
            }
            let mean = window.iter().sum::<f32>() / window.len() as f32;
            assert!((means[y * width + x] - mean).abs() < 1e-3, "{x} {y}");
        }
    }

    #[test]
    fn edges_stay_and_noise_goes() {
        let width = 64;
        let step = |x: usize| if x < 32 { 0.2 } else { 0.8 };
        let noise = |x: usize, y: usize| if (x * 7 + y * 3).is_multiple_of(2) { 0.002 } else { -0.002 };
        let picture: Vec<f32> =
            (0..width * 64).map(|k| step(k % width) + noise(k % width, k / width)).collect();
        let clean = denoised(&picture, width);
        let at = |x: usize| clean[32 * width + x];
        assert!((at(8) - 0.2).abs() < 5e-4 && (at(56) - 0.8).abs() < 5e-4, "{} {}", at(8), at(56));
        assert!((at(31) - 0.2).abs() < 0.01 && (at(32) - 0.8).abs() < 0.01, "{} {}", at(31), at(32));
        // A displacement that follows the brightness passes; its own noise does not.
        let displacement =
            picture.iter().enumerate().map(|(k, x)| 2.0 * x + 20.0 * noise(k / 3, k % 5)).collect();
        let smooth = Guide::new(&picture, width).smooth(displacement);
        assert!((smooth[32 * width + 8] - 0.4).abs() < 0.02 && (smooth[32 * width + 56] - 1.6).abs() < 0.02);
    }
}
