//! Images made coarser, finer and blurred; pixels are areas, so that a coarse one covers whole fine ones.

use rayon::prelude::*;
use swgg::ndarray::{Array2, Array3, ArrayView2};

/// What a sensor keeps of the finest waves that its pixels can show: the usual guess for multispectral sensors.
const GAIN_AT_NYQUIST: f64 = 0.3;

/// Which pixels of a line make one of another, and by how much.
struct Taps {
    start: usize,
    weights: Vec<f32>,
}

/// The taps of `out` pixels out of `length`: `weight` of the distance to `center`, up to `reach`, adding up to 1.
/// Beyond its ends a line is continued by its last pixels.
fn taps(
    out: usize,
    length: usize,
    reach: f64,
    center: impl Fn(usize) -> f64,
    weight: impl Fn(f64) -> f64,
) -> Vec<Taps> {
    let last = length as isize - 1;
    let one = |i: usize| {
        let center = center(i);
        let (low, high) = ((center - reach).ceil() as isize, (center + reach).floor() as isize);
        let start = low.clamp(0, last) as usize;
        let mut weights = vec![0.0; high.clamp(0, last) as usize - start + 1];
        let mut sum = 0.0;
        for k in low..=high {
            let w = weight(k as f64 - center);
            weights[k.clamp(0, last) as usize - start] += w;
            sum += w;
        }
        Taps { start, weights: weights.into_iter().map(|w: f64| (w / sum) as f32).collect() }
    };
    (0..out).map(one).collect()
}

fn apply(plane: ArrayView2<f32>, down: &[Taps], across: &[Taps]) -> Array2<f32> {
    let (width, out) = (plane.ncols(), across.len());
    let mut result = Array2::zeros((down.len(), out));
    let plane = plane.as_standard_layout();
    let (Some(values), Some(plane)) = (result.as_slice_mut().filter(|_| out > 0), plane.as_slice()) else {
        return result;
    };
    values.par_chunks_exact_mut(out).with_min_len(8).zip(down).for_each_init(
        || vec![0.0_f32; width],
        |line, (out, taps)| {
            line.fill(0.0);
            for (row, &w) in plane[taps.start * width..].chunks_exact(width).zip(&taps.weights) {
                for (sum, &x) in line.iter_mut().zip(row) {
                    *sum += w * x;
                }
            }
            for (value, taps) in out.iter_mut().zip(across) {
                *value = dot(&line[taps.start..], &taps.weights);
            }
        },
    );
    result
}

/// Sum of products, in a fixed order that suits wide registers.
fn dot(values: &[f32], weights: &[f32]) -> f32 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    let (values, weights) = (&values[..weights.len()], weights);
    let (heads, tail) = weights.as_chunks::<LANES>();
    let (starts, end) = values.as_chunks::<LANES>();
    for (x, w) in starts.iter().zip(heads) {
        for k in 0..LANES {
            sums[k] += x[k] * w[k];
        }
    }
    sums.iter().sum::<f32>() + end.iter().zip(tail).map(|(x, w)| x * w).sum::<f32>()
}

/// Standard deviation, in fine pixels, of the blur of a sensor whose pixels are `ratio` times as wide: a Gaussian that
/// keeps [`GAIN_AT_NYQUIST`] at the highest frequency of the coarse pixels.
fn deviation(ratio: usize) -> f64 {
    let highest = 0.5 / ratio as f64;
    (-GAIN_AT_NYQUIST.ln() / 2.0).sqrt() / (std::f64::consts::PI * highest)
}

fn gaussian(deviation: f64) -> (f64, impl Fn(f64) -> f64) {
    (4.0 * deviation, move |x: f64| (-0.5 * (x / deviation).powi(2)).exp())
}

/// Middle of a coarse pixel among fine ones.
fn middle(ratio: usize) -> impl Fn(usize) -> f64 {
    move |i| (ratio * i) as f64 + (ratio - 1) as f64 / 2.0
}

/// Blurs by a Gaussian of this standard deviation.
pub(super) fn blur(plane: ArrayView2<f32>, deviation: f64) -> Array2<f32> {
    let (reach, weight) = gaussian(deviation);
    let line = |n: usize| taps(n, n, reach, |i| i as f64, &weight);
    apply(plane, &line(plane.nrows()), &line(plane.ncols()))
}

/// Blurs as the coarse sensor does, without making pixels coarser.
pub(super) fn soften(plane: ArrayView2<f32>, ratio: usize) -> Array2<f32> {
    blur(plane, deviation(ratio))
}

/// What a sensor with pixels `ratio` times as wide would have seen.
pub(super) fn degrade(plane: ArrayView2<f32>, ratio: usize) -> Array2<f32> {
    let (reach, weight) = gaussian(deviation(ratio));
    let line = |n: usize| taps(n / ratio, n, reach, middle(ratio), &weight);
    apply(plane, &line(plane.nrows()), &line(plane.ncols()))
}

/// The coarse pixels of an image that was enlarged: its values in their middles.
pub(super) fn decimate(plane: ArrayView2<f32>, ratio: usize) -> Array2<f32> {
    let line = |n: usize| taps(n / ratio, n, 1.0, middle(ratio), |x| 1.0 - x.abs());
    apply(plane, &line(plane.nrows()), &line(plane.ncols()))
}

/// Enlarges to the given size by cubic convolution (R. Keys, 1981).
pub(super) fn enlarge(plane: ArrayView2<f32>, ratio: usize, rows: usize, columns: usize) -> Array2<f32> {
    let center = |i: usize| (i as f64 + 0.5) / ratio as f64 - 0.5;
    let weight = |x: f64| match x.abs() {
        x if x <= 1.0 => (1.5 * x - 2.5) * x * x + 1.0,
        x => ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0,
    };
    let line = |out: usize, n: usize| taps(out, n, 2.0, center, weight);
    apply(plane, &line(rows, plane.nrows()), &line(columns, plane.ncols()))
}

/// Every band by itself; all of them have the same size afterwards.
pub(super) fn each_band(
    bands: &Array3<f32>,
    change: impl Fn(ArrayView2<f32>) -> Array2<f32> + Sync,
) -> Array3<f32> {
    let planes: Vec<Array2<f32>> = bands.outer_iter().map(&change).collect();
    let (rows, columns) = planes.first().map_or((0, 0), Array2::dim);
    let mut result = Array3::zeros((planes.len(), rows, columns));
    for (mut band, plane) in result.outer_iter_mut().zip(&planes) {
        band.assign(plane);
    }
    result
}

/// Puts something sensible where nothing was measured: the mean of the neighbors, from the rim of the hole inwards, and the
/// mean of all further in than a blur can reach.
pub(super) fn fill(plane: &mut Array2<f32>, valid: &Array2<bool>) {
    const MAX_DEPTH_PIXELS: usize = 24;
    let (sum, count) = plane
        .iter()
        .zip(valid)
        .filter(|&(_, &valid)| valid)
        .fold((0.0, 0_usize), |(sum, n), (&x, _)| (sum + f64::from(x), n + 1));
    if count == valid.len() {
        return;
    }
    let mean = if count == 0 { 0.0 } else { (sum / count as f64) as f32 };
    let (rows, columns) = plane.dim();
    let mut known = valid.clone();
    for _ in 0..MAX_DEPTH_PIXELS {
        let mut rim = Vec::new();
        for ((i, j), _) in known.indexed_iter().filter(|&(_, &known)| !known) {
            let (mut sum, mut count) = (0.0, 0.0);
            for k in i.saturating_sub(1)..(i + 2).min(rows) {
                for l in j.saturating_sub(1)..(j + 2).min(columns) {
                    if known[[k, l]] {
                        (sum, count) = (sum + plane[[k, l]], count + 1.0);
                    }
                }
            }
            if count > 0.0 {
                rim.push(([i, j], sum / count));
            }
        }
        if rim.is_empty() {
            break;
        }
        for (place, value) in rim {
            (plane[place], known[place]) = (value, true);
        }
    }
    for (value, _) in plane.iter_mut().zip(&known).filter(|&(_, &known)| !known) {
        *value = mean;
    }
}

#[cfg(test)]
mod tests {
    use swgg::ndarray::Array;

    use super::*;

    #[test]
    fn planes_and_slopes_are_kept() {
        // A slope is itself whatever the resolution, away from the rim.
        let fine = Array::from_shape_fn((64, 48), |(i, j)| 5.0 + i as f32 - 0.5 * j as f32);
        let coarse = Array::from_shape_fn((16, 12), |(i, j)| {
            5.0 + (4.0 * i as f32 + 1.5) - 0.5 * (4.0 * j as f32 + 1.5)
        });
        let near = |a: &Array2<f32>, b: &Array2<f32>, rim: usize| {
            let (rows, columns) = a.dim();
            assert_eq!(a.dim(), b.dim());
            a.indexed_iter().all(|((i, j), x)| {
                let inside = i >= rim && j >= rim && i + rim < rows && j + rim < columns;
                !inside || (x - b[[i, j]]).abs() < 1e-3
            })
        };
        assert!(near(&degrade(fine.view(), 4), &coarse, 3));
        assert!(near(&decimate(fine.view(), 4), &coarse, 0));
        assert!(near(&enlarge(coarse.view(), 4, 64, 48), &fine, 8));
        assert!(near(&soften(fine.view(), 4), &fine, 9));
        let flat = Array2::from_elem((13, 7), 3.0);
        assert!(near(&degrade(flat.view(), 2), &Array2::from_elem((6, 3), 3.0), 0));
    }

    #[test]
    fn the_sensor_keeps_a_third_of_the_finest_waves() {
        // A wave of 8 pixels is the finest that pixels 4 times as wide can show.
        let wave = Array::from_shape_fn((64, 64), |(_, j)| (j as f32 * std::f32::consts::FRAC_PI_4).cos());
        let soft = soften(wave.view(), 4);
        assert!((soft[[32, 32]] / wave[[32, 32]] - 0.3).abs() < 2e-3, "{}", soft[[32, 32]]);
    }

    #[test]
    fn holes_are_filled_from_their_rim() {
        let mut plane = Array::from_shape_fn((40, 40), |(i, _)| i as f32);
        let valid = Array::from_shape_fn((40, 40), |(i, j)| !(10..20).contains(&i) || !(10..20).contains(&j));
        plane.zip_mut_with(&valid, |x, &valid| {
            if !valid {
                *x = f32::NAN;
            }
        });
        fill(&mut plane, &valid);
        assert!(plane.iter().all(|x| (0.0..40.0).contains(x)));
        assert!((plane[[10, 15]] - 9.0).abs() < 1.0 && (plane[[19, 15]] - 20.0).abs() < 1.0);
        let mut lost = Array2::from_elem((3, 3), f32::NAN);
        fill(&mut lost, &Array2::from_elem((3, 3), false));
        assert!(lost.iter().all(|&x| x == 0.0));
    }
}
