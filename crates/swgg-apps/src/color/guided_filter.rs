//! What surrounds a pixel, by a guided filter.
//!
//! A map of colours knows nothing of places: it takes the noise of a sky for colours and may pull them apart. Seen through a
//! guided filter (He, Sun and Tang, "Guided image filtering", 2010), in `O(1)` a pixel, noise is evened out, in a picture as in the
//! displacement of its colours, and edges stay: nothing shines across them.

use rayon::prelude::*;

/// Pixels to each side.
const RADIUS_PIXELS: usize = 6;
/// Variance of a channel that counts as noise when a picture is its own guide.
const NOISE_VARIANCE: f32 = (3.0 / 255.0) * (3.0 / 255.0);
/// Variance of the brightness that counts as noise when it guides a displacement.
const BRIGHTNESS_NOISE_VARIANCE: f32 = (6.0 / 255.0) * (6.0 / 255.0);

/// Memory for what filters compute on the way: at full resolution, new memory for every step would take longer than the step.
#[derive(Default)]
pub(super) struct Scratch {
    slopes: Vec<f32>,
    spare: Vec<f32>,
}

/// Writes one channel of a picture without its noise.
pub(super) fn denoise(channel: &[f32], width: usize, clean: &mut Vec<f32>, scratch: &mut Scratch) {
    let Scratch { slopes, spare } = scratch;
    channel.par_iter().copied().collect_into_vec(clean);
    channel.par_iter().map(|x| x * x).collect_into_vec(slopes);
    blur(clean, width, RADIUS_PIXELS, spare);
    blur(slopes, width, RADIUS_PIXELS, spare);
    // In every window a line through the guide: y = a x + b. Means become b, mean squares a.
    clean.par_iter_mut().zip(&mut *slopes).for_each(|(mean, square)| {
        let variance = (*square - *mean * *mean).max(0.0);
        let a = variance / (variance + NOISE_VARIANCE);
        (*mean, *square) = (*mean - a * *mean, a);
    });
    line(slopes, clean, channel, width, spare);
}

/// Smooths displacements along a picture: they may change where its brightness does.
pub(super) struct Guide<'a> {
    brightness: &'a [f32],
    width: usize,
    mean: Vec<f32>,
    variance: Vec<f32>,
}

impl<'a> Guide<'a> {
    pub fn new(brightness: &'a [f32], width: usize, scratch: &mut Scratch) -> Self {
        let (mut mean, mut variance) = (Vec::new(), Vec::new());
        brightness.par_iter().copied().collect_into_vec(&mut mean);
        brightness.par_iter().map(|x| x * x).collect_into_vec(&mut variance);
        blur(&mut mean, width, RADIUS_PIXELS, &mut scratch.spare);
        blur(&mut variance, width, RADIUS_PIXELS, &mut scratch.spare);
        variance.par_iter_mut().zip(&mean).for_each(|(v, mean)| *v = (*v - mean * mean).max(0.0));
        Guide { brightness, width, mean, variance }
    }

    pub fn smooth(&self, values: &mut [f32], scratch: &mut Scratch) {
        let Scratch { slopes, spare } = scratch;
        values.par_iter().zip(self.brightness).map(|(x, y)| x * y).collect_into_vec(slopes);
        blur(values, self.width, RADIUS_PIXELS, spare);
        blur(slopes, self.width, RADIUS_PIXELS, spare);
        let window = slopes.par_iter_mut().zip(&mut *values).zip(self.mean.par_iter().zip(&self.variance));
        window.for_each(|((a, b), (mean, variance))| {
            *a = (*a - mean * *b) / (variance + BRIGHTNESS_NOISE_VARIANCE);
            *b -= *a * mean;
        });
        line(slopes, values, self.brightness, self.width, spare);
    }
}

/// Puts `a x + b` in the place of `b`, with the means of both.
fn line(a: &mut [f32], b: &mut [f32], x: &[f32], width: usize, spare: &mut Vec<f32>) {
    blur(a, width, RADIUS_PIXELS, spare);
    blur(b, width, RADIUS_PIXELS, spare);
    b.par_iter_mut().zip(a.par_iter().zip(x)).for_each(|(b, (a, x))| *b += a * x);
}

/// Rows that are summed side by side: one alone waits for its sum at every pixel.
const ROWS_AT_ONCE: usize = 4;
/// Rows whose columns are summed together.
const BAND_ROWS: usize = 64;

/// Puts means over squares, cut off at the border, in the place of values.
pub(super) fn blur(values: &mut [f32], width: usize, radius: usize, spare: &mut Vec<f32>) {
    let height = values.len() / width;
    spare.resize(values.len(), 0.0);
    spare.par_chunks_mut(ROWS_AT_ONCE * width).zip(values.par_chunks(ROWS_AT_ONCE * width)).for_each(
        |(means, rows)| {
            if rows.len() == ROWS_AT_ONCE * width {
                return slide::<ROWS_AT_ONCE>(rows, means, width, radius);
            }
            for (means, row) in means.chunks_mut(width).zip(rows.chunks(width)) {
                slide::<1>(row, means, width, radius);
            }
        },
    );
    // Columns in bands of rows, each beginning with its own sum: bands, not threads, decide the rounding.
    let row = |y: usize| &spare[y * width..][..width];
    values.par_chunks_mut(BAND_ROWS * width).enumerate().for_each(|(band, rows)| {
        let first = band * BAND_ROWS;
        let mut sums = vec![0.0_f64; width];
        for y in first.saturating_sub(radius)..(first + radius).min(height) {
            sums.iter_mut().zip(row(y)).for_each(|(sum, &x)| *sum += f64::from(x));
        }
        for (k, means) in rows.chunks_mut(width).enumerate() {
            let y = first + k;
            let count = ((y + radius + 1).min(height) - y.saturating_sub(radius)) as f64;
            let all = means.iter_mut().zip(&mut sums);
            match (y + radius < height, k > 0 && y > radius) {
                (true, true) => {
                    let ends = row(y + radius).iter().zip(row(y - radius - 1));
                    all.zip(ends).for_each(|((mean, sum), (&new, &old))| {
                        *sum = *sum + f64::from(new) - f64::from(old);
                        *mean = (*sum / count) as f32;
                    });
                }
                (true, false) => all.zip(row(y + radius)).for_each(|((mean, sum), &new)| {
                    *sum += f64::from(new);
                    *mean = (*sum / count) as f32;
                }),
                (false, true) => all.zip(row(y - radius - 1)).for_each(|((mean, sum), &old)| {
                    *sum -= f64::from(old);
                    *mean = (*sum / count) as f32;
                }),
                (false, false) => all.for_each(|(mean, sum)| *mean = (*sum / count) as f32),
            }
        }
    });
}

/// Means along some rows.
fn slide<const L: usize>(rows: &[f32], means: &mut [f32], width: usize, radius: usize) {
    let lines: [&[f32]; L] = std::array::from_fn(|l| &rows[l * width..][..width]);
    let mut sums = lines.map(|line| line[..radius.min(width)].iter().map(|&x| f64::from(x)).sum::<f64>());
    for x in 0..width {
        if x + radius < width {
            (0..L).for_each(|l| sums[l] += f64::from(lines[l][x + radius]));
        }
        if x > radius {
            (0..L).for_each(|l| sums[l] -= f64::from(lines[l][x - radius - 1]));
        }
        let count = ((x + radius + 1).min(width) - x.saturating_sub(radius)) as f64;
        (0..L).for_each(|l| means[l * width + x] = (sums[l] / count) as f32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_those_of_the_window() {
        let (width, height) = (17, 150);
        let values: Vec<f32> = (0..width * height).map(|k| (k * k % 101) as f32).collect();
        let mut means = values.clone();
        blur(&mut means, width, RADIUS_PIXELS, &mut Vec::new());
        for (x, y) in [(0, 0), (16, 149), (8, 63), (3, 64), (9, 70), (16, 128)] {
            let mut window = Vec::new();
            for v in y.max(RADIUS_PIXELS) - RADIUS_PIXELS..(y + RADIUS_PIXELS + 1).min(height) {
                let row = &values[v * width..][..width];
                window.extend(&row[x.max(RADIUS_PIXELS) - RADIUS_PIXELS..(x + RADIUS_PIXELS + 1).min(width)]);
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
        let (mut clean, mut scratch) = (Vec::new(), Scratch::default());
        denoise(&picture, width, &mut clean, &mut scratch);
        let at = |x: usize| clean[32 * width + x];
        assert!((at(8) - 0.2).abs() < 5e-4 && (at(56) - 0.8).abs() < 5e-4, "{} {}", at(8), at(56));
        assert!((at(31) - 0.2).abs() < 0.01 && (at(32) - 0.8).abs() < 0.01, "{} {}", at(31), at(32));
        // A displacement that follows the brightness passes; its own noise does not.
        let mut smooth: Vec<f32> =
            picture.iter().enumerate().map(|(k, x)| 2.0 * x + 20.0 * noise(k / 3, k % 5)).collect();
        Guide::new(&picture, width, &mut scratch).smooth(&mut smooth, &mut scratch);
        assert!((smooth[32 * width + 8] - 0.4).abs() < 0.02 && (smooth[32 * width + 56] - 1.6).abs() < 0.02);
    }
}
