//! Textbook methods: the brightness of MS is exchanged for PAN.

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};
use rayon::prelude::*;
use swgg::ndarray::{Array2, Array3, ArrayView2, Axis, Zip};

use super::Scene;
use super::resampling::soften;

/// Mean of the bands at each pixel.
fn mean_brightness(scene: &Scene) -> Array2<f32> {
    scene.ms.mean_axis(Axis(0)).unwrap_or_else(|| scene.pan.clone())
}

/// Mean and standard deviation over the measured pixels.
fn moments(plane: ArrayView2<f32>, valid: &Array2<bool>) -> (f64, f64) {
    let measured = || plane.into_iter().zip(valid).filter(|&(_, &valid)| valid).map(|(&x, _)| f64::from(x));
    let count = measured().count().max(1) as f64;
    let mean = measured().sum::<f64>() / count;
    (mean, (measured().map(|x| (x - mean).powi(2)).sum::<f64>() / count).sqrt())
}

/// `plane` shifted and stretched by what takes the moments `from` to the moments `to`.
fn matched(plane: &Array2<f32>, from: (f64, f64), to: (f64, f64)) -> Array2<f32> {
    let stretch = if from.1 > 0.0 { to.1 / from.1 } else { 1.0 };
    plane.mapv(|x| ((f64::from(x) - from.0) * stretch + to.0) as f32)
}

/// How much each band changes with the brightness: covariance over variance.
fn rates(scene: &Scene, brightness: &Array2<f32>) -> Vec<f64> {
    let (mean, deviation) = moments(brightness.view(), &scene.valid);
    let count = scene.measured() as f64;
    let rate = |band: ArrayView2<f32>| {
        let mut product = 0.0;
        Zip::from(band).and(brightness).and(&scene.valid).for_each(|&x, &y, &valid| {
            if valid {
                product += f64::from(x) * (f64::from(y) - mean);
            }
        });
        if deviation > 0.0 { product / count / (deviation * deviation) } else { 0.0 }
    };
    scene.ms.outer_iter().map(rate).collect()
}

fn exchange(scene: &Scene, brightness: &Array2<f32>, sharp: &Array2<f32>) -> Array3<f32> {
    let rates = rates(scene, brightness);
    let mut result = scene.ms.clone();
    for (mut band, rate) in result.outer_iter_mut().zip(rates) {
        Zip::from(&mut band)
            .and(brightness)
            .and(sharp)
            .for_each(|x, &old, &new| *x += rate as f32 * (new - old));
    }
    result
}

pub(super) fn gram_schmidt(scene: &Scene) -> Array3<f32> {
    let brightness = mean_brightness(scene);
    let from = moments(scene.pan.view(), &scene.valid);
    let sharp = matched(&scene.pan, from, moments(brightness.view(), &scene.valid));
    exchange(scene, &brightness, &sharp)
}

pub(super) fn gram_schmidt_adaptive(scene: &Scene) -> Array3<f32> {
    let softened = soften(scene.pan.view(), scene.ratio);
    let brightness = fitted_brightness(scene, &softened);
    let (mean, _) = moments(scene.pan.view(), &scene.valid);
    let (_, deviation) = moments(softened.view(), &scene.valid);
    let sharp = matched(&scene.pan, (mean, deviation), moments(brightness.view(), &scene.valid));
    exchange(scene, &brightness, &sharp)
}

pub(super) fn brovey(scene: &Scene) -> Array3<f32> {
    let brightness = mean_brightness(scene);
    let from = moments(scene.pan.view(), &scene.valid);
    let sharp = matched(&scene.pan, from, moments(brightness.view(), &scene.valid));
    let mut result = scene.ms.clone();
    for mut band in result.outer_iter_mut() {
        Zip::from(&mut band).and(&brightness).and(&sharp).for_each(|x, &old, &new| {
            // Black has no color to scale.
            if old != 0.0 {
                *x *= new / old;
            }
        });
    }
    result
}

/// The weighted sum of bands, and a constant, that comes closest to blurred PAN over the measured pixels.
pub(super) fn fitted_brightness(scene: &Scene, softened: &Array2<f32>) -> Array2<f32> {
    let bands = scene.ms.dim().0;
    let means: Vec<f64> = scene.ms.outer_iter().map(|band| moments(band, &scene.valid).0).collect();
    let (mean, _) = moments(softened.view(), &scene.valid);
    // Row by row, added up in their order: the same sums for any number of threads.
    let rows: Vec<Vec<f64>> = (0..softened.nrows())
        .into_par_iter()
        .map(|i| {
            let mut sums = vec![0.0; bands * (bands + 1)];
            let mut centered = vec![0.0; bands + 1];
            for j in (0..softened.ncols()).filter(|&j| scene.valid[[i, j]]) {
                for band in 0..bands {
                    centered[band] = f64::from(scene.ms[[band, i, j]]) - means[band];
                }
                centered[bands] = f64::from(softened[[i, j]]) - mean;
                for (sums, &x) in sums.chunks_exact_mut(bands + 1).zip(&centered) {
                    sums.iter_mut().zip(&centered).for_each(|(sum, &y)| *sum += x * y);
                }
            }
            sums
        })
        .collect();
    let sum = |a: usize, b: usize| rows.iter().map(|sums| sums[a * (bands + 1) + b]).sum::<f64>();
    let trace: f64 = (0..bands).map(|band| sum(band, band)).sum();
    // Bands that repeat each other share their weight instead of making the equations unsolvable.
    let ridge = 1e-9 * trace + f64::MIN_POSITIVE;
    let matrix = Mat::from_fn(bands, bands, |a, b| sum(a, b) + if a == b { ridge } else { 0.0 });
    let wanted = Mat::from_fn(bands, 1, |a, _| sum(a, bands));
    let weights: Vec<f64> = match matrix.llt(Side::Lower) {
        Ok(factor) => {
            let solved = factor.solve(&wanted);
            (0..bands).map(|band| solved[(band, 0)]).collect()
        }
        // An image of one color tells nothing about weights.
        Err(_) => vec![0.0; bands],
    };
    let offset = mean - weights.iter().zip(&means).map(|(w, m)| w * m).sum::<f64>();
    let mut brightness = Array2::from_elem(softened.dim(), offset as f32);
    for (band, &weight) in scene.ms.outer_iter().zip(&weights) {
        brightness.scaled_add(weight as f32, &band);
    }
    brightness
}
