//! Poses to begin with.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use swgg::ndarray::{Array1, Array2};
use swgg::{Measure, Sampler, Sphere, line};

use super::cloud::{Cloud, measure};
use super::error::Result;
use super::motion::{Group, Motion, determinant};

/// Variances of two axes that differ by less than this share can change places from sample to sample.
const CLOSE: f64 = 0.25;
/// Axes beyond which signs are not tried one by one.
const MOST_AXES: usize = 6;
/// Turned poses where axes alone do not tell.
const TURNS: usize = 192;
/// Lines of a score.
const LINES: usize = 24;
/// Points of a score.
const FEW: usize = 1500;

/// Poses that bring the principal axes of the source onto those of the target, with all signs; and turned ones where the axes are not
/// fixed by the shape.
pub(super) fn poses(source: &Cloud, target: &Cloud, group: Group, seed: u64, turned: bool) -> Vec<Motion> {
    let d = source.mean.len();
    let scale = if group == Group::Similarity { target.size() / source.size() } else { 1.0 };
    let pose = |rotation: Array2<f64>| {
        let translation = &target.mean - &(rotation.dot(&source.mean) * scale);
        Motion { rotation, translation, scale }
    };
    let allowed = |rotation: &Array2<f64>| group == Group::Orthogonal || determinant(rotation.view()) > 0.0;
    let signs = d.min(MOST_AXES);
    let mut rotations: Vec<Array2<f64>> = (0..1_usize << signs)
        .map(|bits| {
            let mut axes = source.axes.clone();
            axes.rows_mut().into_iter().enumerate().filter(|(k, _)| bits >> k & 1 == 1).for_each(
                |(_, mut axis)| {
                    axis.mapv_inplace(|x| -x);
                },
            );
            target.axes.t().dot(&axes)
        })
        .filter(allowed)
        .collect();
    let is_close = |values: &[f64]| values.windows(2).any(|pair| pair[1] > (1.0 - CLOSE) * pair[0]);
    if turned || is_close(&source.variances) || is_close(&target.variances) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rotations.extend((0..TURNS).map(|_| turn(d, group, &mut rng)));
    }
    rotations.into_iter().map(pose).collect()
}

/// A random orthogonal matrix, or rotation: Gaussian rows made orthogonal to each other.
fn turn(d: usize, group: Group, rng: &mut ChaCha8Rng) -> Array2<f64> {
    let mut rows: Vec<Array1<f64>> = Vec::with_capacity(d);
    while rows.len() < d {
        let mut row: Array1<f64> = (0..d).map(|_| -> f64 { StandardNormal.sample(rng) }).collect();
        for _ in 0..2 {
            for other in &rows {
                let along = row.dot(other);
                row.scaled_add(-along, other);
            }
        }
        let length = row.dot(&row).sqrt();
        if length > 1e-6 {
            rows.push(row / length);
        }
    }
    let mut rotation = Array2::from_shape_fn((d, d), |(i, j)| rows[i][j]);
    if group != Group::Orthogonal && determinant(rotation.view()) < 0.0 {
        rotation.row_mut(0).mapv_inplace(|x| -x);
    }
    rotation
}

/// Poses with their scores, the best first: a sliced distance between samples of the clouds.
pub(super) fn ranked(
    poses: Vec<Motion>,
    source: &Cloud,
    target: &Cloud,
    seed: u64,
) -> Result<Vec<(f64, Motion)>> {
    let (x, y) = (source.sample(FEW, seed), target.sample(FEW, seed ^ 1));
    let thetas = Sphere::new(source.mean.len(), seed)?.batch(0..LINES);
    let (y, thetas) = (y.view(), &thetas);
    let target = measure(&y)?;
    let projected: Vec<Measure<'static>> =
        (0..LINES).map(|k| Ok(thetas.get(k).push_forward(&target)?)).collect::<Result<_>>()?;
    let score = |pose: &Motion| -> Result<f64> {
        let moved = pose.apply(x.view());
        let moved = moved.view();
        let moved = measure(&moved)?;
        (0..LINES).map(|k| Ok(line::cost(&thetas.get(k).push_forward(&moved)?, &projected[k], 2.0)?)).sum()
    };
    let mut scored = poses.into_iter().map(|pose| Ok((score(&pose)?, pose))).collect::<Result<Vec<_>>>()?;
    scored.sort_by(|one, other| one.0.total_cmp(&other.0));
    Ok(scored)
}
