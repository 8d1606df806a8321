//! How close a fused image comes to the true one.

use rayon::prelude::*;
use swgg::ndarray::{Array2, ArrayView2, ArrayView3, s};

/// Relative dimensionless global error in synthesis (L. Wald, *Quality of high resolution synthesised images: is there
/// a simple criterion?*, 2000), 0 for the true image, below 3 for a good one.
///
/// ```text
/// ERGAS = 100 / ratio * sqrt( mean over bands of (RMSE_b / mean_b)^2 )
/// ```
///
/// Over the pixels that `valid` names; the means are those of the reference, and bands whose mean is 0 are left out.
///
/// ```
/// use swgg::ndarray::{Array2, Array3};
/// use swgg_apps::pansharpen::ergas;
/// let truth = Array3::from_elem((4, 8, 8), 50.0);
/// let all = Array2::from_elem((8, 8), true);
/// assert_eq!(ergas(truth.view(), truth.view(), 4, &all), 0.0);
/// // Off by a tenth everywhere: 100 / 4 * 0.1.
/// assert!((ergas((&truth * 1.1).view(), truth.view(), 4, &all) - 2.5).abs() < 1e-5);
/// ```
pub fn ergas(fused: ArrayView3<f32>, reference: ArrayView3<f32>, ratio: usize, valid: &Array2<bool>) -> f64 {
    let count = valid.iter().filter(|&&valid| valid).count() as f64;
    let errors: Vec<f64> = fused
        .outer_iter()
        .zip(reference.outer_iter())
        .filter_map(|(fused, reference)| {
            let (mut square, mut sum) = (0.0, 0.0);
            for ((&x, &y), _) in fused.iter().zip(&reference).zip(valid).filter(|&(_, &valid)| valid) {
                square += (f64::from(x) - f64::from(y)).powi(2);
                sum += f64::from(y);
            }
            let mean = sum / count;
            (mean != 0.0).then_some(square / count / (mean * mean))
        })
        .collect();
    if errors.is_empty() {
        return 0.0;
    }
    100.0 / ratio as f64 * (errors.iter().sum::<f64>() / errors.len() as f64).sqrt()
}

/// Spectral angle mapper: the mean angle in degrees between the colors of two images (R. Yuhas, A. Goetz and
/// J. Boardman, 1992), 0 for the true image and for any that differs in brightness only.
///
/// Pixels that are black in one of the images have no angle and are left out.
pub fn sam(fused: ArrayView3<f32>, reference: ArrayView3<f32>, valid: &Array2<bool>) -> f64 {
    let (mut sum, mut count) = (0.0, 0_usize);
    for ((i, j), _) in valid.indexed_iter().filter(|&(_, &valid)| valid) {
        let (mut product, mut a, mut b) = (0.0, 0.0, 0.0);
        for (&x, &y) in fused.slice(s![.., i, j]).iter().zip(reference.slice(s![.., i, j])) {
            let (x, y) = (f64::from(x), f64::from(y));
            product += x * y;
            a += x * x;
            b += y * y;
        }
        if a > 0.0 && b > 0.0 {
            // Of what is left beside the other color: the cosine of a small angle has no digits for it.
            let beside = (a * b - product * product).max(0.0).sqrt();
            sum += beside.atan2(product);
            count += 1;
        }
    }
    if count == 0 { 0.0 } else { (sum / count as f64).to_degrees() }
}

/// Side of the windows of [`uiqi`].
const WINDOW: usize = 8;

/// Universal image quality index (Z. Wang and A. Bovik, 2002), 1 for the true image: the mean over all windows of
/// 8 x 8 pixels and over all bands of
///
/// ```text
/// Q = 4 cov(x, y) mean(x) mean(y) / ((var(x) + var(y)) (mean(x)^2 + mean(y)^2))
/// ```
///
/// Windows with a pixel that is not valid are left out; where both images are flat, only their means are compared.
pub fn uiqi(fused: ArrayView3<f32>, reference: ArrayView3<f32>, valid: &Array2<bool>) -> f64 {
    let bands = fused.outer_iter().zip(reference.outer_iter());
    let each: Vec<f64> = bands.map(|(fused, reference)| band_uiqi(fused, reference, valid)).collect();
    each.iter().sum::<f64>() / each.len().max(1) as f64
}

fn band_uiqi(fused: ArrayView2<f32>, reference: ArrayView2<f32>, valid: &Array2<bool>) -> f64 {
    let (rows, columns) = fused.dim();
    let (high, wide) = (WINDOW.min(rows), WINDOW.min(columns));
    let row = |i: usize| {
        let (mut sum, mut count) = (0.0, 0_usize);
        for j in 0..=columns - wide {
            let window = s![i..i + high, j..j + wide];
            if valid.slice(window).iter().all(|&valid| valid) {
                sum += window_uiqi(fused.slice(window), reference.slice(window));
                count += 1;
            }
        }
        (sum, count)
    };
    let sums: Vec<(f64, usize)> = (0..=rows - high).into_par_iter().map(row).collect();
    let (sum, count) = sums.iter().fold((0.0, 0), |(sum, count), &(s, c)| (sum + s, count + c));
    if count == 0 { 1.0 } else { sum / count as f64 }
}

fn window_uiqi(x: ArrayView2<f32>, y: ArrayView2<f32>) -> f64 {
    let n = x.len() as f64;
    let mean = |plane: ArrayView2<f32>| plane.iter().map(|&v| f64::from(v)).sum::<f64>() / n;
    let (mean_x, mean_y) = (mean(x), mean(y));
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (&a, &b) in x.iter().zip(&y) {
        let (a, b) = (f64::from(a) - mean_x, f64::from(b) - mean_y);
        xx += a * a;
        yy += b * b;
        xy += a * b;
    }
    let means = mean_x * mean_x + mean_y * mean_y;
    let light = if means > 0.0 { 2.0 * mean_x * mean_y / means } else { 1.0 };
    if xx + yy > 0.0 { light * 2.0 * xy / (xx + yy) } else { light }
}

#[cfg(test)]
mod tests {
    use swgg::ndarray::{Array, Array3, array};

    use super::*;

    fn image() -> Array3<f32> {
        Array::from_shape_fn((3, 20, 17), |(band, i, j)| 40.0 + ((band * 7 + i * 13 + j * 29) % 31) as f32)
    }

    #[test]
    fn the_true_image_is_perfect() {
        let (image, all) = (image(), Array2::from_elem((20, 17), true));
        assert_eq!(ergas(image.view(), image.view(), 4, &all), 0.0);
        assert_eq!(sam(image.view(), image.view(), &all), 0.0);
        assert!((uiqi(image.view(), image.view(), &all) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn by_hand() {
        // Bands with means 2 and 10; errors 1 and 0 in the first, 0 and 2 in the second.
        let truth = array![[[1.0, 3.0]], [[10.0, 10.0]]];
        let fused = array![[[2.0, 3.0]], [[10.0, 12.0]]];
        let all = array![[true, true]];
        let expected = 100.0 / 2.0 * ((0.5 / 4.0 + 2.0 / 100.0_f64) / 2.0).sqrt();
        assert!((ergas(fused.view(), truth.view(), 2, &all) - expected).abs() < 1e-9);
        // Only the pixel on the right.
        let expected = 100.0 / 2.0 * ((0.0 + 4.0 / 100.0_f64) / 2.0).sqrt();
        assert!((ergas(fused.view(), truth.view(), 2, &array![[false, true]]) - expected).abs() < 1e-9);
        // A right angle and none: 45 degrees on average.
        let truth = array![[[1.0, 2.0]], [[0.0, 2.0]]];
        let fused = array![[[0.0, 5.0]], [[3.0, 5.0]]];
        assert!((sam(fused.view(), truth.view(), &all) - 45.0).abs() < 1e-12);
    }

    #[test]
    fn uiqi_by_hand() {
        let all = Array2::from_elem((1, 2), true);
        // Means 2 and 3, variances 1 and 4, covariance 2: 4 * 2 * 6 / (5 * 13).
        let (x, y) = (array![[[1.0, 3.0]]], array![[[1.0, 5.0]]]);
        assert!((uiqi(x.view(), y.view(), &all) - 48.0 / 65.0).abs() < 1e-12);
        // Flat images: only means count, 2 * 2 * 4 / (4 + 16).
        let (x, y) = (array![[[2.0, 2.0]]], array![[[4.0, 4.0]]]);
        assert!((uiqi(x.view(), y.view(), &all) - 0.8).abs() < 1e-12);
        // Turned upside down: as bad as can be.
        let (x, y) = (array![[[1.0, 3.0]]], array![[[3.0, 1.0]]]);
        assert!((uiqi(x.view(), y.view(), &all) + 1.0).abs() < 1e-12);
    }
}
