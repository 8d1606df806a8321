//! Clouds from files, and what the paper does to them.

use std::path::Path;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use swgg::ndarray::{Array1, Array2, ArrayView2, Axis};
use swgg_apps::registration::{Group, Motion, fit};

use super::{Outcome, shapes};

/// How far the paper moves the source, and how much noise it adds to every coordinate.
const SHIFT: f64 = 5.0;
const NOISE: f64 = 0.1;

/// Where clouds come from.
pub struct Clouds<'a>(pub Option<&'a Path>);

impl Clouds<'_> {
    /// A cloud by name, from its file or of the shape that stands in for it.
    pub fn get(&self, name: &str, dim: usize) -> Outcome<Array2<f64>> {
        match self.0 {
            Some(directory) => read(&directory.join(format!("{name}.f64")), dim),
            None => shapes::draw(name),
        }
    }

    /// A homogeneous matrix that is the truth.
    pub fn truth(&self, name: &str) -> Outcome<Motion> {
        let directory = self.0.ok_or("this case needs data files")?;
        Ok(Motion::from_matrix(read(&directory.join(format!("{name}.f64")), 4)?.view())?)
    }
}

fn read(path: &Path, dim: usize) -> Outcome<Array2<f64>> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (words, rest) = bytes.as_chunks::<8>();
    if !rest.is_empty() || words.len() % dim != 0 {
        return Err(format!("{}: not rows of {dim} floats", path.display()).into());
    }
    let values = words.iter().map(|word| f64::from_le_bytes(*word)).collect();
    Ok(Array2::from_shape_vec((words.len() / dim, dim), values)?)
}

/// A pair as in the paper: the cloud, moved and with noise, is the source; the cloud is the target.
pub struct Pair {
    pub source: Array2<f64>,
    /// From the source to the target.
    pub truth: Motion,
}

/// A random element of `O(d)` (or of the rotations alone), a shift of length 5, noise of deviation 0.1, and another order.
///
/// Noise and order of a seed do not depend on the case.
pub fn move_away(cloud: ArrayView2<f64>, group: Group, seed: u64) -> Outcome<Pair> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let there = random_motion(cloud.ncols(), group, SHIFT, &mut rng)?;
    let mut order: Vec<usize> = (0..cloud.nrows()).collect();
    order.shuffle(&mut rng);
    let mut source = there.apply(cloud.select(Axis(0), &order).view());
    source.iter_mut().for_each(|x| *x += NOISE * rng.sample::<f64, _>(StandardNormal));
    Ok(Pair { source, truth: there.inverse() })
}

/// Of even distribution: the polar factor of a Gaussian matrix, a reflection every other time if that is allowed.
pub fn random_motion(dim: usize, group: Group, length: f64, rng: &mut ChaCha8Rng) -> Outcome<Motion> {
    let gauss = Array2::from_shape_simple_fn((dim, dim), || rng.sample::<f64, _>(StandardNormal));
    // The fit of the axes to the columns of a matrix is its polar factor, with the means taken off: both signs of each axis.
    let axes = Array2::from_shape_fn((2 * dim, dim), |(i, j)| {
        if i % dim == j { if i < dim { 1.0 } else { -1.0 } } else { 0.0 }
    });
    let images = axes.dot(&gauss);
    let mut motion = fit(axes.view(), images.view(), None, group)?;
    let direction = Array1::from_shape_simple_fn(dim, || rng.sample::<f64, _>(StandardNormal));
    motion.translation = &direction * (length / direction.dot(&direction).sqrt());
    Ok(motion)
}

/// The points on one side of a plane through the median in a random direction, so half of them.
pub fn halve(cloud: ArrayView2<f64>, seed: u64) -> Array2<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let normal = Array1::from_shape_simple_fn(cloud.ncols(), || rng.sample::<f64, _>(StandardNormal));
    let heights = cloud.dot(&normal);
    let mut sorted = heights.to_vec();
    sorted.sort_by(f64::total_cmp);
    let median = sorted[sorted.len() / 2];
    let kept: Vec<usize> = (0..cloud.nrows()).filter(|&i| heights[i] >= median).collect();
    cloud.select(Axis(0), &kept)
}
