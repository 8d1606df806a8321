//! Poses to begin with.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use swgg::ndarray::{Array1, Array2, s};
use swgg::{
    line::{Sampler, Sphere},
    run::Workers,
};

use crate::registration::cloud::{Cloud, measure};
use crate::registration::error::Result;
use crate::registration::motion::{Group, Motion, determinant};

use super::Candidate;

/// Variances of two axes that differ by less than this share can change places from sample to sample.
const CLOSE_SHARE: f64 = 0.25;
/// Axes beyond which signs are not tried one by one.
const MOST_AXES: usize = 6;
/// Turned poses where axes alone do not tell.
const TURNS: usize = 192;
/// Lines of a score, for each dimension.
const LINES_PER_DIMENSION: usize = 8;
/// Points of a score.
const SCORE_POINTS: usize = 400;

/// Poses that bring the principal axes of the source onto those of the target, with all signs; where the variances of some axes are
/// close to each other, these axes are turned among themselves too. The first one does not turn at all.
pub(super) fn by_axes(source: &Cloud, target: &Cloud, group: Group, seed: u64) -> Vec<Motion> {
    let d = source.dim();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let blocks = blocks(source, target);
    let is_fixed = blocks.iter().all(|block| block.len() == 1);
    let mut frames = vec![Array2::eye(d)];
    if !is_fixed {
        frames.extend((0..TURNS).map(|_| turn_within(&blocks, d, &mut rng)));
    }
    let rotations = frames.iter().enumerate().flat_map(|(k, frame)| {
        let axes = frame.dot(&source.axes);
        // Random turns come with random signs.
        let signs = if k == 0 { 1_usize << d.min(MOST_AXES) } else { 2 };
        (0..signs).map(move |bits| {
            let mut axes = axes.clone();
            let flipped = |axis: usize| if k == 0 { bits >> axis & 1 == 1 } else { axis == 0 && bits == 1 };
            axes.rows_mut().into_iter().enumerate().filter(|(axis, _)| flipped(*axis)).for_each(
                |(_, mut axis)| {
                    axis.mapv_inplace(|x| -x);
                },
            );
            target.axes.t().dot(&axes)
        })
    });
    let allowed = |rotation: &Array2<f64>| group == Group::Orthogonal || determinant(rotation.view()) > 0.0;
    let rotations = std::iter::once(Array2::eye(d)).chain(rotations).filter(allowed);
    rotations.map(|rotation| centred(rotation, source, target, group)).collect()
}

/// Poses that turn the source in all ways, about evenly.
pub(super) fn by_turns(source: &Cloud, target: &Cloud, group: Group, seed: u64, count: usize) -> Vec<Motion> {
    let d = source.dim();
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x7475_726e);
    let mut rotations: Vec<Array2<f64>> = match d {
        2 => (0..count)
            .map(|k| {
                let (sin, cos) = (std::f64::consts::TAU * k as f64 / count as f64).sin_cos();
                Array2::from_shape_fn((2, 2), |(i, j)| [[cos, -sin], [sin, cos]][i][j])
            })
            .collect(),
        _ => (0..count).map(|_| turn(d, &mut rng, true)).collect(),
    };
    if group == Group::Orthogonal {
        let mut mirrored = rotations.clone();
        mirrored.iter_mut().for_each(|rotation| rotation.row_mut(0).mapv_inplace(|x| -x));
        rotations.extend(mirrored);
    }
    rotations.into_iter().map(|rotation| centred(rotation, source, target, group)).collect()
}

/// The pose with this rotation that brings mean onto mean.
fn centred(rotation: Array2<f64>, source: &Cloud, target: &Cloud, group: Group) -> Motion {
    let scale = if group == Group::Similarity { target.size() / source.size() } else { 1.0 };
    let translation = &target.mean - &(rotation.dot(&source.mean) * scale);
    Motion { rotation, translation, scale }
}

/// Axes whose variances are close to their neighbour's, in either cloud.
fn blocks(source: &Cloud, target: &Cloud) -> Vec<std::ops::Range<usize>> {
    let is_close = |k: usize| {
        [source, target].iter().any(|cloud| {
            // Next to nothing: where it points does not matter.
            let nothing = 1e-9 * cloud.variances[0];
            cloud.variances[k] > nothing && cloud.variances[k + 1] > (1.0 - CLOSE_SHARE) * cloud.variances[k]
        })
    };
    let mut blocks = Vec::new();
    let mut first = 0;
    for k in 0..source.dim() {
        if k + 1 == source.dim() || !is_close(k) {
            blocks.push(first..k + 1);
            first = k + 1;
        }
    }
    blocks
}

/// Random turns within blocks of axes, random signs for the others.
fn turn_within(blocks: &[std::ops::Range<usize>], d: usize, rng: &mut ChaCha8Rng) -> Array2<f64> {
    let mut frame = Array2::zeros((d, d));
    for block in blocks {
        let turned = turn(block.len(), rng, false);
        frame.slice_mut(s![block.clone(), block.clone()]).assign(&turned);
    }
    frame
}

/// A random orthogonal matrix, or a rotation: Gaussian rows made orthogonal to each other.
fn turn(d: usize, rng: &mut ChaCha8Rng, proper: bool) -> Array2<f64> {
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
    if proper && determinant(rotation.view()) < 0.0 {
        rotation.row_mut(0).mapv_inplace(|x| -x);
    }
    rotation
}

/// Poses with their scores, the best first: squared distances on lines between samples of the clouds.
///
/// The line of a pose that turns by `R` sees the source along `R^T theta`, so no cloud is moved: the target is projected and sorted once
/// a line, the source once a line and pose.
pub(super) fn ranked(
    poses: Vec<Motion>,
    source: &Cloud,
    target: &Cloud,
    seed: u64,
    workers: &Workers,
) -> Result<Vec<Candidate>> {
    let most = source.len().min(target.len()).min(SCORE_POINTS);
    let (x, y) = (source.sample(most, seed), target.sample(most, seed ^ 1));
    // Checked as clouds are everywhere.
    measure(&x.view())?;
    let count = LINES_PER_DIMENSION * source.dim();
    let thetas = Sphere::new(source.dim(), seed)?.batch(0..count);
    let lines: Vec<Array1<f64>> =
        (0..count).map(|k| Array1::from_vec(thetas.get(k).as_slice().to_vec())).collect();
    let sorted = |mut values: Array1<f64>| {
        values.as_slice_mut().unwrap_or_default().sort_unstable_by(f64::total_cmp);
        values
    };
    let targets: Vec<Array1<f64>> = lines.iter().map(|theta| sorted(y.dot(theta))).collect();
    let score = |pose: &Motion| -> f64 {
        let seen = lines.iter().zip(&targets).map(|(theta, target)| {
            let along = pose.rotation.t().dot(theta) * pose.scale;
            let source = sorted(x.dot(&along)) + theta.dot(&pose.translation);
            source.iter().zip(target).map(|(x, y)| (x - y) * (x - y)).sum::<f64>()
        });
        seen.sum()
    };
    let scores = workers.map_items(&poses, score).into_iter();
    let mut scored: Vec<Candidate> = scores.zip(poses).map(|(cost, pose)| Candidate { cost, pose }).collect();
    scored.sort_by(|one, other| one.cost.total_cmp(&other.cost));
    Ok(scored)
}
