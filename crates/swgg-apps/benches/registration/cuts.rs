//! Two clouds that are both cut: each lacks what lies beyond a plane of its own.

use rand::seq::index;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use swgg::ndarray::{Array1, Array2, ArrayView1, Axis};
use swgg_apps::registration::{Group, Motion};

use super::Outcome;
use super::clouds::{Clouds, random_motion};
use super::shapes;

/// Points of a whole cloud, before a part of it is cut away.
const POINTS: usize = 5000;
/// Share of the points of each cloud that lie in the other one as well.
const OVERLAP: f64 = 0.54;
/// Deviation of the noise of every coordinate, against the size of the cloud: the root of its mean squared distance to its mean.
const NOISE_SHARE: f64 = 0.005;
/// How far the source is moved, in sizes of the cloud.
const SHIFT_SHARE: f64 = 1.0;

/// Two clouds that overlap in part, and the motion from the source to the target.
pub struct CutPair {
    pub source: Array2<f64>,
    pub target: Array2<f64>,
    pub truth: Motion,
}

/// A shape by its name, sampled twice, each sample cut by a plane of random direction and shaken, one of them moved anywhere.
///
/// Both planes leave the same share of their cloud; it is the one with which [`OVERLAP`] of what is left is in both.
pub fn cut_both(clouds: &Clouds, shape: &str, seed: u64) -> Outcome<CutPair> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let [source, target] = samples(clouds, shape, &mut rng)?;
    let d = source.ncols();
    let mean = target.mean_axis(Axis(0)).ok_or("a cloud without points")?;
    let size = (target.rows().into_iter().map(|row| square(&(&row - &mean))).sum::<f64>()
        / target.nrows() as f64)
        .sqrt();
    let mut normals =
        [(); 2].map(|()| Array1::from_shape_simple_fn(d, || rng.sample::<f64, _>(StandardNormal)));
    // At least a right angle between them: cut from one side, clouds would overlap more.
    if normals[0].dot(&normals[1]) > 0.0 {
        normals[1] *= -1.0;
    }
    let kept = kept_share(&target, &normals);
    let [source, target] = [(source, &normals[0]), (target, &normals[1])].map(|(cloud, normal)| {
        let limit = quantile(cloud.dot(normal).view(), kept);
        let mut cut = cloud.select(Axis(0), &below(&cloud, normal, limit));
        cut.iter_mut().for_each(|x| *x += NOISE_SHARE * size * rng.sample::<f64, _>(StandardNormal));
        cut
    });
    // Turned around the middle of the whole, so that what a wrong turn moves is not counted as a wrong shift too.
    let mut centred = Motion::identity(d);
    centred.translation.assign(&-&mean);
    let away = centred.then(&random_motion(d, Group::Rigid, SHIFT_SHARE * size, &mut rng)?);
    Ok(CutPair { source: away.apply(source.view()), target, truth: away.inverse() })
}

/// Two samples of a shape: of a file without a common point, of a shape of ours drawn twice.
fn samples(clouds: &Clouds, shape: &str, rng: &mut ChaCha8Rng) -> Outcome<[Array2<f64>; 2]> {
    if let "whole" | "dragon" = shape {
        let all = clouds.get(shape, 3)?;
        let chosen = index::sample(rng, all.nrows(), 2 * POINTS).into_vec();
        return Ok([&chosen[..POINTS], &chosen[POINTS..]].map(|rows| all.select(Axis(0), rows)));
    }
    let form = rng.random();
    Ok([shapes::sample(shape, POINTS, form, rng)?, shapes::sample(shape, POINTS, form, rng)?])
}

/// The share of a cloud that each of two planes has to leave, by halving.
fn kept_share(cloud: &Array2<f64>, normals: &[Array1<f64>; 2]) -> f64 {
    let heights = [cloud.dot(&normals[0]), cloud.dot(&normals[1])];
    let (mut low, mut high) = (0.5, 1.0);
    for _ in 0..40 {
        let kept = 0.5 * (low + high);
        let limits = [quantile(heights[0].view(), kept), quantile(heights[1].view(), kept)];
        let both = heights[0].iter().zip(&heights[1]).filter(|(a, b)| **a <= limits[0] && **b <= limits[1]);
        let overlap = both.count() as f64 / (kept * cloud.nrows() as f64);
        *(if overlap < OVERLAP { &mut low } else { &mut high }) = kept;
    }
    high
}

/// The points below a plane.
fn below(cloud: &Array2<f64>, normal: &Array1<f64>, limit: f64) -> Vec<usize> {
    (0..cloud.nrows()).filter(|&i| cloud.row(i).dot(normal) <= limit).collect()
}

fn quantile(values: ArrayView1<f64>, share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[((share * sorted.len() as f64) as usize).min(sorted.len() - 1)]
}

fn square(row: &Array1<f64>) -> f64 {
    row.dot(row)
}
