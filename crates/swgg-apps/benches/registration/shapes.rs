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
