//! Transport inside superpixels: grays to colors, exactly, because grays lie on a line.

use rayon::prelude::*;
use swgg::line::Direction;
use swgg::ndarray::{Array2, Array3, ArrayView2, Zip};
use swgg::{Measure, paper::swgg_coupling};

use super::error::Result;
use super::resampling::{blur, degrade, each_band, enlarge, soften};
use super::substitution::fitted_brightness;
use super::{Scene, Settings};
use crate::superpixels::{gradient, watershed};

/// What the rates of the whole scene weigh among those of a superpixel, in pixels of MS.
const PRIOR_PIXELS: f64 = 16.0;

/// The measured pixels of every superpixel, darkest color first.
///
/// Equal grays then go to equal ranks of color by the brightness that MS has at their place, instead of from left to right.
fn regions(scene: &Scene, settings: &Settings) -> (Array2<u32>, Vec<Vec<u32>>) {
    let labels = watershed(gradient(scene.ms.view()).view(), settings.markers, settings.compactness);
    let count = labels.iter().max().map_or(0, |&label| label as usize + 1);
    let mut regions = vec![Vec::new(); count];
    for (pixel, (&label, &valid)) in (0_u32..).zip(labels.iter().zip(&scene.valid)) {
        if valid {
            regions[label as usize].push(pixel);
        }
    }
    let mut brightness = vec![0.0_f64; labels.len()];
    for band in scene.ms.outer_iter() {
        brightness.iter_mut().zip(band).for_each(|(sum, &x)| *sum += f64::from(x));
    }
    regions.par_iter_mut().for_each(|region| {
        let bright = |pixel: u32| brightness[pixel as usize];
        region.sort_unstable_by(|&a, &b| bright(a).total_cmp(&bright(b)).then(a.cmp(&b)));
    });
    (labels, regions)
}

/// For each pixel of a region the one whose color it is given: the optimal plan between grays, seen as points
/// `(g, ..., g)` on the line of grays, and colors.
pub(super) fn pair(grays: &[f32], colors: &[f32]) -> Result<Vec<u32>> {
    let bands = colors.len() / grays.len();
    let line: Vec<f32> = grays.iter().flat_map(|&gray| std::iter::repeat_n(gray, bands)).collect();
    let (source, target) = (Measure::from_slice(&line, bands)?, Measure::from_slice(colors, bands)?);
    let coupling = swgg_coupling(&source, &target, &Direction::new(&vec![1.0; bands])?)?;
    Ok(coupling.entries().map(|(_, target, _)| target as u32).collect())
}

/// The values of a region in each band, pixel by pixel.
fn colors(ms: &Array3<f32>, region: &[u32]) -> Vec<f32> {
    let bands = ms.dim().0;
    let mut colors = vec![0.0; bands * region.len()];
    for (band, plane) in ms.outer_iter().enumerate() {
        let values = grays(plane, region);
        colors.iter_mut().skip(band).step_by(bands).zip(values).for_each(|(color, value)| *color = value);
    }
    colors
}

/// The values of a region.
fn grays(plane: ArrayView2<f32>, region: &[u32]) -> Vec<f32> {
    match plane.to_slice() {
        Some(values) => region.iter().map(|&pixel| values[pixel as usize]).collect(),
        None => {
            let place = |pixel: usize| [pixel / plane.ncols(), pixel % plane.ncols()];
            region.iter().map(|&pixel| plane[place(pixel as usize)]).collect()
        }
    }
}

/// The paper's way: every gray becomes the color that the plan of its superpixel gives it.
pub(super) fn recolor(scene: &Scene, settings: &Settings) -> Result<(Array3<f32>, usize)> {
    let (_, regions) = regions(scene, settings);
    let bands = scene.ms.dim().0;
    let painted: Vec<Vec<f32>> = regions
        .par_iter()
        .map(|region| {
            if region.is_empty() {
                return Ok(Vec::new());
            }
            let colors = colors(&scene.ms, region);
            let plan = pair(&grays(scene.pan.view(), region), &colors)?;
            Ok(plan.iter().flat_map(|&k| &colors[k as usize * bands..][..bands]).copied().collect())
        })
        .collect::<Result<_>>()?;
    let mut result = scene.ms.clone();
    let columns = scene.pan.ncols();
    for (region, painted) in regions.iter().zip(&painted) {
        for (&pixel, color) in region.iter().zip(painted.chunks_exact(bands)) {
            for (band, &value) in color.iter().enumerate() {
                result[[band, pixel as usize / columns, pixel as usize % columns]] = value;
            }
        }
    }
    Ok((result, regions.len()))
}

/// How a plan moves colors along the grays: sums of products of centered grays and colors, and of grays with themselves.
struct Slope {
    rise: Vec<f64>,
    run: f64,
}

/// The plan between the grays of blurred PAN, as blurred as MS, and the colors of a superpixel.
fn slope(softened: &Array2<f32>, scene: &Scene, region: &[u32]) -> Result<Slope> {
    let bands = scene.ms.dim().0;
    let mut slope = Slope { rise: vec![0.0; bands], run: 0.0 };
    if region.is_empty() {
        return Ok(slope);
    }
    let (grays, colors) = (grays(softened.view(), region), colors(&scene.ms, region));
    let plan = pair(&grays, &colors)?;
    let mean = grays.iter().map(|&gray| f64::from(gray)).sum::<f64>() / grays.len() as f64;
    for (&gray, &k) in grays.iter().zip(&plan) {
        let gray = f64::from(gray) - mean;
        slope.run += gray * gray;
        for (rise, &color) in slope.rise.iter_mut().zip(&colors[k as usize * bands..]) {
            *rise += gray * f64::from(color);
        }
    }
    Ok(slope)
}

/// Adds to MS the detail that it lacks.
///
/// ```text
/// fused_b = MS_b + rate_b (PAN - brightness)
/// ```
///
/// `rate_b` is the slope of the line fitted to the transport plan of the superpixel, drawn towards that of all
/// superpixels where it holds little, and made smooth across their borders; `brightness` is the sum of bands that fits
/// blurred PAN best. Then the result is blurred again as the sensor of MS would, and corrected by what differs.
pub(super) fn inject(scene: &Scene, settings: &Settings) -> Result<(Array3<f32>, usize)> {
    let (labels, regions) = regions(scene, settings);
    let softened = soften(scene.pan.view(), scene.ratio);
    let slopes: Vec<Slope> =
        regions.par_iter().map(|region| slope(&softened, scene, region)).collect::<Result<_>>()?;
    let bands = scene.ms.dim().0;
    let run: f64 = slopes.iter().map(|slope| slope.run).sum();
    let rises: Vec<f64> = (0..bands).map(|band| slopes.iter().map(|slope| slope.rise[band]).sum()).collect();
    // So much of the variation of the whole scene as the prior has pixels.
    let share = PRIOR_PIXELS * (scene.ratio * scene.ratio) as f64 / scene.measured() as f64;
    let lacking = &scene.pan - &fitted_brightness(scene, &softened);
    let mut result = scene.ms.clone();
    for (band, mut plane) in result.outer_iter_mut().enumerate() {
        let rate = |slope: &Slope| {
            let run = slope.run + share * run;
            if run > 0.0 { (slope.rise[band] + share * rises[band]) / run } else { 0.0 }
        };
        let rates: Vec<f32> = slopes.iter().map(|slope| rate(slope) as f32).collect();
        let rates = labels.mapv(|label| rates[label as usize]);
        let rates = blur(rates.view(), scene.ratio as f64);
        Zip::from(&mut plane).and(&rates).and(&lacking).for_each(|x, rate, lacking| *x += rate * lacking);
    }
    for _ in 0..settings.rounds {
        agree(scene, &mut result);
    }
    Ok((result, regions.len()))
}

/// Moves an image so that it gives MS when it is blurred again; where MS is missing it stays.
fn agree(scene: &Scene, fused: &mut Array3<f32>) {
    let (rows, columns) = scene.pan.dim();
    let mut missing = &scene.native - &each_band(fused, |band| degrade(band, scene.ratio));
    for mut band in missing.outer_iter_mut() {
        band.zip_mut_with(&scene.native_valid, |x, &valid| {
            if !valid {
                *x = 0.0;
            }
        });
    }
    *fused += &each_band(&missing, |band| enlarge(band, scene.ratio, rows, columns));
}
