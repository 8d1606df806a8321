//! Where directions come from. Direction `k` depends on the seed and on `k`, never on what was drawn before.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::error::{ErrorKind, Result};
use crate::line::direction::{Direction, DirectionSet};
use crate::measure::span::Span;
use crate::measure::{Measure, same_space};
use crate::number::scalar::Scalar;
use crate::number::spectral::ZERO_EIGENVALUE_SHARE;

/// A sequence of directions that can be entered anywhere.
pub trait Sampler: Sync {
    /// Dimension of the space.
    fn dim(&self) -> usize;
    /// What a search over these directions is called.
    fn name(&self) -> &'static str;
    /// Directions `range.start..range.end` of the sequence; never asked for beyond [`limit`](Sampler::limit).
    fn batch(&self, range: std::ops::Range<usize>) -> DirectionSet;
    /// How many directions there are, if the sequence ends.
    fn limit(&self) -> Option<usize> {
        None
    }
}

/// Directions uniform on the sphere, independent of each other.
#[derive(Clone, Copy, Debug)]
pub struct Sphere {
    dim: usize,
    seed: u64,
}

/// Directions uniform on the sphere that come in orthonormal batches of `dim`.
///
/// Direction `k` belongs to batch `k / dim`; within a batch all angles are right. A batch takes `O(dim^3)`. Paper: the orthogonal variant of PWD
/// (Supp. "Overestimation of WD by PWD").
#[derive(Clone, Copy, Debug)]
pub struct Orthogonal {
    dim: usize,
    seed: u64,
}

impl Sphere {
    /// The sequence of a seed in `R^dim`.
    pub fn new(dim: usize, seed: u64) -> Result<Self> {
        checked(dim)?;
        Ok(Sphere { dim, seed })
    }
}

impl Orthogonal {
    /// The sequence of a seed in `R^dim`.
    pub fn new(dim: usize, seed: u64) -> Result<Self> {
        checked(dim)?;
        Ok(Orthogonal { dim, seed })
    }
}

fn checked(dim: usize) -> Result<()> {
    if dim == 0 { Err(ErrorKind::NoColumns.into()) } else { Ok(()) }
}

impl Sampler for Sphere {
    fn name(&self) -> &'static str {
        "random"
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn batch(&self, range: std::ops::Range<usize>) -> DirectionSet {
        let mut set = DirectionSet::with_capacity(self.dim, range.len());
        for k in range {
            set.push(&Gaussians::new(self.seed, k).direction(self.dim, &[]));
        }
        set
    }
}

impl Sampler for Orthogonal {
    fn name(&self) -> &'static str {
        "orthogonal"
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn batch(&self, range: std::ops::Range<usize>) -> DirectionSet {
        let mut set = DirectionSet::with_capacity(self.dim, range.len());
        let mut k = range.start;
        while k < range.end {
            let (batch, first) = (k / self.dim, k % self.dim);
            let last = (range.end - batch * self.dim).min(self.dim);
            let mut stream = Gaussians::new(self.seed, batch);
            let mut basis: Vec<Direction> = Vec::with_capacity(last);
            for _ in 0..last {
                basis.push(stream.direction(self.dim, &basis));
            }
            basis[first..].iter().for_each(|theta| set.push(theta));
            k += last - first;
        }
        set
    }
}

impl Sampler for DirectionSet {
    fn name(&self) -> &'static str {
        "listed"
    }

    fn limit(&self) -> Option<usize> {
        Some(self.len())
    }

    fn dim(&self) -> usize {
        DirectionSet::dim(self)
    }

    fn batch(&self, range: std::ops::Range<usize>) -> DirectionSet {
        self.slice(range)
    }
}

/// Spreads the bits of a number over all of it (the finaliser of SplitMix64): numbers of streams that differ little give streams that
/// have nothing in common.
pub(crate) fn mixed(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// One stream of Gaussian vectors per (seed, stream number).
pub(crate) struct Gaussians(ChaCha8Rng);

impl Gaussians {
    pub fn new(seed: u64, stream: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream as u64);
        Gaussians(rng)
    }

    /// Standard Gaussian numbers.
    pub fn fill(&mut self, numbers: &mut [f64]) {
        numbers.iter_mut().for_each(|x| *x = StandardNormal.sample(&mut self.0));
    }

    /// A number from 0 to 1.
    pub fn uniform(&mut self) -> f64 {
        self.0.random()
    }

    /// A uniform direction orthogonal to `others` (an orthonormal family of fewer than `dim`).
    pub fn direction(&mut self, dim: usize, others: &[Direction]) -> Direction {
        loop {
            let mut vector: Vec<f64> = (0..dim).map(|_| StandardNormal.sample(&mut self.0)).collect();
            let before = norm(&vector);
            // Twice is enough: the second round removes what rounding left of the first.
            for _ in 0..2 {
                for other in others {
                    let along = crate::line::direction::dot(&vector, other.as_slice());
                    vector.iter_mut().zip(other.as_slice()).for_each(|(x, o)| *x -= along * o);
                }
            }
            // A draw that all but lies in the span of the others has lost its digits: draw again.
            if norm(&vector) > 1e-6 * before
                && let Ok(theta) = Direction::new(&vector)
            {
                return theta;
            }
        }
    }
}

fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The principal axes of two measures taken together, widest first: eigenvectors of the mean of their covariances.
///
/// Each cloud is centred on its own mean, so that the shift between them does not count. Signs are fixed (the largest
/// coordinate is positive). All `d` of them in `O(d^2 n + d^3)`; where the dimension is large and points are fewer than coordinates, those
/// along which the clouds have any width, one at least, in `O(d n^2)`.
pub fn principal_axes<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> Result<DirectionSet> {
    same_space(source, target)?;
    match Span::of(source, target) {
        Some(span) => {
            let [source, target] = &span.centred;
            let (values, axes) = widest_first(source, target);
            let least = ZERO_EIGENVALUE_SHARE * values[0];
            let count = values.iter().take_while(|value| **value > least).count().max(1);
            fixed_signs(&span.lift(&axes[..count * span.dim()]), span.means[0].len())
        }
        None => fixed_signs(&widest_first(source, target).1, source.dim()),
    }
}

/// Eigenvalues of the mean covariance, times two, in decreasing order, and its eigenvectors row by row.
fn widest_first<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> (Vec<f64>, Vec<f64>) {
    let d = source.dim();
    let mut covariance = Mat::<f64>::zeros(d, d);
    for measure in [source, target] {
        add_covariance(measure, &mut covariance);
    }
    match covariance.self_adjoint_eigen(faer::Side::Lower) {
        Ok(eigen) => {
            // Eigenvalues come in increasing order.
            let values = (0..d).rev().map(|k| eigen.S()[k]).collect();
            let vectors = (0..d).rev().flat_map(|k| eigen.U().col(k).iter().copied().collect::<Vec<f64>>());
            (values, vectors.collect())
        }
        // Without a decomposition (it does not fail on finite symmetric matrices), the coordinate axes are as good a start as any.
        Err(_) => (vec![1.0; d], (0..d * d).map(|k| f64::from(u8::from(k / d == k % d))).collect()),
    }
}

/// Directions whose largest coordinate is positive.
fn fixed_signs(rows: &[f64], d: usize) -> Result<DirectionSet> {
    let mut set = DirectionSet::with_capacity(d, rows.len() / d);
    for vector in rows.chunks_exact(d) {
        let largest = vector.iter().fold(0.0_f64, |m, x| if x.abs() > m.abs() { *x } else { m });
        let sign = if largest < 0.0 { -1.0 } else { 1.0 };
        set.push(&Direction::new(&vector.iter().map(|x| sign * x).collect::<Vec<_>>())?);
    }
    Ok(set)
}

/// Dimension from which covariances are products of blocks of points.
const MIN_BLOCKED_DIM: usize = 32;
/// Points of such a block.
const POINTS_PER_BLOCK: usize = 256;

/// Adds the covariance of a measure to the lower half of a matrix; the other half is nobody's.
pub(crate) fn add_covariance<T: Scalar>(measure: &Measure<T>, covariance: &mut Mat<f64>) {
    let mean = measure.mean();
    let d = measure.dim();
    if d >= MIN_BLOCKED_DIM {
        return add_blocks(measure, &mean, covariance);
    }
    let mut centred = vec![0.0; d];
    for i in 0..measure.len() {
        centred.iter_mut().zip(measure.point(i)).zip(&mean).for_each(|((c, x), m)| *c = x.to_f64() - m);
        let weight = measure.weight(i);
        for column in 0..d {
            let scaled = weight * centred[column];
            for row in column..d {
                covariance[(row, column)] += scaled * centred[row];
            }
        }
    }
}

fn add_blocks<T: Scalar>(measure: &Measure<T>, mean: &[f64], covariance: &mut Mat<f64>) {
    let d = measure.dim();
    let (mut centred, mut weighted) = (Vec::new(), Vec::new());
    for start in (0..measure.len()).step_by(POINTS_PER_BLOCK) {
        centred.clear();
        weighted.clear();
        let points = start..measure.len().min(start + POINTS_PER_BLOCK);
        for i in points.clone() {
            centred.extend(measure.point(i).iter().zip(mean).map(|(x, m)| x.to_f64() - m));
            let weight = measure.weight(i);
            weighted.extend(centred[centred.len() - d..].iter().map(|c| weight * c));
        }
        let left = MatRef::from_column_major_slice(&centred, d, points.len());
        let right = MatRef::from_row_major_slice(&weighted, points.len(), d);
        matmul(covariance.as_mut(), Accum::Add, left, right, 1.0, Par::Seq);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_depend_on_seed_and_position_only() {
        let samplers: [&dyn Sampler; 2] = [&Sphere::new(5, 3).unwrap(), &Orthogonal::new(5, 3).unwrap()];
        for sampler in samplers {
            let all = sampler.batch(0..23);
            let pieces = [sampler.batch(0..1), sampler.batch(1..7), sampler.batch(7..23)];
            let joined: Vec<Direction> =
                pieces.iter().flat_map(|set| (0..set.len()).map(|k| set.get(k))).collect();
            assert!(joined.iter().enumerate().all(|(k, theta)| *theta == all.get(k)));
        }
        let other = Sphere::new(5, 4).unwrap().batch(0..1);
        assert_ne!(other, Sphere::new(5, 3).unwrap().batch(0..1));
    }

    #[test]
    fn the_stream_is_fixed_for_good() {
        // A change here changes every seeded result: say so in the changelog.
        let theta = Sphere::new(3, 0).unwrap().batch(7..8).get(0);
        let expected = [0.044092835289785186, -0.9970046373043506, 0.06354191584873828];
        assert!(theta.as_slice().iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{theta:?}");
    }

    #[test]
    fn orthogonal_batches_are_orthonormal() {
        for dim in [1, 2, 3, 17] {
            let set = Orthogonal::new(dim, 9).unwrap().batch(0..2 * dim);
            for (k, l) in (0..dim).flat_map(|k| (0..dim).map(move |l| (k, l))) {
                for offset in [0, dim] {
                    let product = set.get(offset + k).dot(&set.get(offset + l)).unwrap();
                    assert!((product - f64::from(u8::from(k == l))).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn the_sphere_is_covered_evenly() {
        let set = Sphere::new(3, 1).unwrap().batch(0..20_000);
        for axis in 0..3 {
            let moments = (0..set.len())
                .map(|k| set.row(k)[axis])
                .fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
            assert!((moments.0 / 20_000.0).abs() < 0.02);
            assert!((moments.1 / 20_000.0 - 1.0 / 3.0).abs() < 0.02);
        }
    }

    #[test]
    fn covariances_of_blocks_are_sums_over_points() {
        let (n, d) = (600, 40);
        let points: Vec<f64> = (0..n * d).map(|k| (k as f64 * 0.37).sin() * (k % d) as f64).collect();
        let weights: Vec<f64> = (0..n).map(|i| 1.0 + (i % 5) as f64).collect();
        let measure = Measure::from_vec(points, d).unwrap().with_weights(&weights).unwrap();
        let mut covariance = Mat::zeros(d, d);
        add_covariance(&measure, &mut covariance);
        let mean = measure.mean();
        for (row, column) in [(0, 0), (7, 3), (39, 39), (39, 1)] {
            let term = |i: usize| {
                let x = measure.point(i);
                measure.weight(i) * (x[row] - mean[row]) * (x[column] - mean[column])
            };
            let plain: f64 = (0..n).map(term).sum();
            assert!((covariance[(row, column)] - plain).abs() < 1e-9, "{row} {column}");
        }
    }

    #[test]
    fn principal_axes_find_the_long_side() {
        let long: Vec<f64> =
            (0..100).flat_map(|i| [0.1 * f64::from(i % 7), 5.0 * f64::from(i), f64::from(i % 3)]).collect();
        let mu = Measure::from_vec(long, 3).unwrap();
        let axes = principal_axes(&mu, &mu).unwrap();
        assert_eq!(axes.len(), 3);
        assert!(axes.row(0)[1] > 0.999);
        for (k, l) in [(0, 0), (0, 1), (1, 2)] {
            let product = axes.get(k).dot(&axes.get(l)).unwrap();
            assert!((product - f64::from(u8::from(k == l))).abs() < 1e-12);
        }
    }

    #[test]
    fn principal_axes_see_weights_and_not_the_shift() {
        // A cross: its arms weigh differently, and the second cloud is far away along neither of them.
        let cross = [1.0, 0.0, -1.0, 0.0, 0.0, 2.0, 0.0, -2.0];
        let far: Vec<f64> = cross.iter().map(|x| x + 1e6).collect();
        let weigh =
            |points, weights: &[f64]| Measure::from_slice(points, 2).unwrap().with_weights(weights).unwrap();
        let heavy_x = [9.0, 9.0, 1.0, 1.0];
        let axes = principal_axes(&weigh(&cross, &heavy_x), &weigh(&far, &heavy_x)).unwrap();
        assert!(axes.row(0)[0] > 0.999, "{axes:?}");
        let axes = principal_axes(&weigh(&cross, &[1.0; 4]), &weigh(&far, &[1.0; 4])).unwrap();
        assert!(axes.row(0)[1] > 0.999, "{axes:?}");
    }
}
