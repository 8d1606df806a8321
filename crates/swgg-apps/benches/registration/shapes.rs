//! Shapes that stand in for the clouds of the paper where there are no files.

use std::f64::consts::TAU;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use swgg::ndarray::Array2;

use super::Outcome;

/// The stand-in for a cloud: as many points, about as large, and no symmetry.
pub fn draw(name: &str) -> Outcome<Array2<f64>> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    Ok(match name {
        "letter" => glyph(500, &mut rng),
        "mumble" => tube(3000, &mut rng),
        "whole" => tube(80_000, &mut rng),
        // Drawn anew, and without a part of it.
        "cut" => {
            rng = ChaCha8Rng::seed_from_u64(2);
            let points = tube(100_000, &mut rng);
            let kept: Vec<usize> = (0..points.nrows()).filter(|&i| points[[i, 0]] < 14.0).collect();
            points.select(swgg::ndarray::Axis(0), &kept)
        }
        "dragon" => tube(150_000, &mut rng),
        _ => return Err(format!("`{name}` needs data files").into()),
    })
}

/// Strokes of a letter: a stem, a bow and a foot, in a square of side 10.
fn glyph(n: usize, rng: &mut ChaCha8Rng) -> Array2<f64> {
    let strokes = |s: f64| match s {
        s if s < 0.45 => (2.5, 0.5 + 9.0 * s / 0.45),
        s if s < 0.9 => {
            let angle = TAU * ((s - 0.45) / 0.45 * 0.6 - 0.3);
            (3.5 + 3.0 * angle.cos(), 3.0 + 2.4 * angle.sin())
        }
        s => (1.5 + 2.5 * (s - 0.9) / 0.1, 9.5),
    };
    let mut points = Array2::zeros((n, 2));
    for mut row in points.rows_mut() {
        let (x, y) = strokes(rng.random::<f64>());
        row[0] = x + 0.8 * (rng.random::<f64>() - 0.5);
        row[1] = y + 0.8 * (rng.random::<f64>() - 0.5);
    }
    points
}

/// The surface of a bent tube that grows thicker, about 70 across: no two views of it are alike.
fn tube(n: usize, rng: &mut ChaCha8Rng) -> Array2<f64> {
    let mut points = Array2::zeros((n, 3));
    for mut row in points.rows_mut() {
        let (s, around) = (rng.random::<f64>(), TAU * rng.random::<f64>());
        let (sin, cos) = (4.0 * s).sin_cos();
        let radius = 3.0 + 7.0 * s * s + 1.5 * (3.0 * around).sin() * s;
        row[0] = 25.0 * cos + radius * around.cos() * cos - 8.0 * s;
        row[1] = 25.0 * sin + radius * around.cos() * sin;
        row[2] = 35.0 * s * s + radius * around.sin();
    }
    points
}

/// Points of a surface without symmetries that is another one for every `form`, in no order.
pub fn sample(name: &str, n: usize, form: u64, rng: &mut ChaCha8Rng) -> Outcome<Array2<f64>> {
    Ok(match name {
        "tube" => tube(n, rng),
        "helix" => helix(n, form, rng),
        "blob" => blob(n, form, rng),
        "land" => land(n, form, rng),
        _ => return Err(format!("no shape is called `{name}`").into()),
    })
}

/// Bumps at random places: where, how high, how wide.
fn bumps<const D: usize>(count: usize, form: u64) -> Vec<([f64; D], f64, f64)> {
    let mut rng = ChaCha8Rng::seed_from_u64(form);
    let mut bump = || {
        let place = std::array::from_fn(|_| 2.0 * rng.random::<f64>() - 1.0);
        (place, rng.random::<f64>() - 0.4, 0.2 + 0.4 * rng.random::<f64>())
    };
    (0..count).map(|_| bump()).collect()
}

fn height<const D: usize>(bumps: &[([f64; D], f64, f64)], at: [f64; D]) -> f64 {
    let square = |place: &[f64; D]| place.iter().zip(at).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    bumps.iter().map(|(place, high, wide)| high * (-square(place) / (2.0 * wide * wide)).exp()).sum()
}

/// A ball of radius 10 with a dozen bumps and dents.
fn blob(n: usize, form: u64, rng: &mut ChaCha8Rng) -> Array2<f64> {
    let bumps = bumps::<3>(12, form);
    let mut points = Array2::zeros((n, 3));
    for mut row in points.rows_mut() {
        let (z, around) = (2.0 * rng.random::<f64>() - 1.0, TAU * rng.random::<f64>());
        let flat = (1.0 - z * z).sqrt();
        let way = [flat * around.cos(), flat * around.sin(), z];
        let radius = 10.0 * (1.0 + height(&bumps, way));
        row.iter_mut().zip(way).for_each(|(x, way)| *x = radius * way);
    }
    points
}

/// Hills and valleys over a rectangle of 24 by 18.
fn land(n: usize, form: u64, rng: &mut ChaCha8Rng) -> Array2<f64> {
    let bumps = bumps::<2>(15, form);
    let mut points = Array2::zeros((n, 3));
    for mut row in points.rows_mut() {
        let [x, y] = std::array::from_fn(|_| 2.0 * rng.random::<f64>() - 1.0);
        row.iter_mut().zip([12.0 * x, 9.0 * y, 5.0 * height(&bumps, [x, y])]).for_each(|(row, x)| *row = x);
    }
    points
}

/// One and a half windings of a tube that is wider than it is high and grows thinner.
fn helix(n: usize, form: u64, rng: &mut ChaCha8Rng) -> Array2<f64> {
    let mut shape = ChaCha8Rng::seed_from_u64(form);
    let [pitch, growth, width] = std::array::from_fn(|_| shape.random::<f64>());
    let mut points = Array2::zeros((n, 3));
    for mut row in points.rows_mut() {
        let (s, around) = (rng.random::<f64>(), TAU * rng.random::<f64>());
        let (sin, cos) = (1.5 * TAU * s).sin_cos();
        let thick = (2.0 + width) * (1.2 - s);
        let radius = 7.0 + (2.0 + 3.0 * growth) * s + 1.6 * thick * around.cos();
        row[0] = radius * cos;
        row[1] = radius * sin;
        row[2] = (14.0 + 8.0 * pitch) * s + thick * around.sin();
    }
    points
}
