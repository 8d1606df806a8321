//! Where to cut a cell: a pair of directions, one for either side.
//!
//! If the map of a cell were `x -> A x` and a constant, as between Gaussians, the sources below a hyperplane across `A q` would go
//! exactly to the targets below one across `q`, whatever `q`. So with the `A` of the cell's covariances any `q` makes a good cut;
//! eigenvectors of `A`, for which both directions agree, are a special case. Best are those along which the cell is long.

use super::clouds::{Rows, UniformClouds};
use super::cut::index;
use super::symmetric::SymmetricMatrix;
use crate::line::direction::dot;
use crate::line::sampler::Gaussians;
use crate::number::scalar::Scalar;

/// Covariances are taken of one point in four, but of at least this many,
const MIN_SAMPLE_POINTS: usize = 512;
/// and of at most this many.
const MAX_SAMPLE_POINTS: usize = 4096;
/// The largest matrices taken apart; in higher dimensions cells are seen in a random subspace of this many dimensions.
const MAX_MATRIX_DIM: usize = 12;
/// What the map of the parent cell weighs against that of a cell, in points of the cell.
const PRIOR_POINTS: f64 = 50.0;
/// What is added to the variances, against their mean: flat cells have no direction to divide by.
const VARIANCE_FLOOR: f64 = 1e-3;

/// The linear part of the map of a cell, and its shape.
#[derive(Clone, Debug)]
pub(super) struct CellMap {
    map: SymmetricMatrix,
    /// The root of the covariance of the sources: a Gaussian vector becomes one as long as the cell is, that way.
    shape: SymmetricMatrix,
}

/// Directions for the sources and the targets of a cell.
pub(super) type Directions = (Vec<f64>, Vec<f64>);

impl CellMap {
    /// Whether a cell of this size shows a map of its own.
    pub fn is_worth_fitting(len: usize, dim: usize) -> bool {
        dim > 1 && len >= 64.max(16 * dim.min(MAX_MATRIX_DIM))
    }

    /// The map of a cell, blended with that of the cell it was cut from (`prior`). Only up to `MAX_MATRIX_DIM` dimensions.
    pub fn of<T: Scalar>(
        clouds: &UniformClouds<'_, T>,
        s: &[u64],
        t: &[u64],
        prior: Option<&CellMap>,
    ) -> Option<CellMap> {
        if clouds.dim() > MAX_MATRIX_DIM {
            return None;
        }
        let fitted = CellMap::between(covariance(&clouds.x, s, None), covariance(&clouds.y, t, None))?;
        let count = (s.len() / stride(s.len())) as f64;
        Some(match prior {
            Some(prior) => {
                CellMap { map: fitted.map.blended(count / (count + PRIOR_POINTS), &prior.map), ..fitted }
            }
            None => fitted,
        })
    }

    /// `A = S_1^(-1/2) (S_1^(1/2) S_2 S_1^(1/2))^(1/2) S_1^(-1/2)`, scaled to clouds of one size; none for clouds in one point.
    fn between(source: SymmetricMatrix, target: SymmetricMatrix) -> Option<CellMap> {
        let (size_s, size_t) = (source.mean(), target.mean());
        if !(size_s > 0.0 && size_t > 0.0 && size_s.is_finite() && size_t.is_finite()) {
            return None;
        }
        let (source, target) =
            (source.scaled(1.0 / size_s, VARIANCE_FLOOR), target.scaled(1.0 / size_t, VARIANCE_FLOOR));
        let (root, back) = source.roots(VARIANCE_FLOOR);
        let map = back.around(&root.around(&target).roots(VARIANCE_FLOOR * VARIANCE_FLOOR).0);
        Some(CellMap { map, shape: root })
    }

    /// A pair of directions that agree with the map, from a Gaussian vector.
    pub fn directions(&self, eta: &[f64]) -> Directions {
        let q = self.shape.apply(eta);
        (self.map.apply(&q), q)
    }
}

/// One random direction that serves both sides.
pub(super) fn common_direction(dim: usize, rng: &mut Gaussians) -> Directions {
    let mut eta = vec![0.0; dim];
    rng.fill(&mut eta);
    (eta.clone(), eta)
}

/// In many dimensions: a pair of directions in the span of a few differences of points of the cell, where its clouds extend.
pub(super) fn directions_in_span<T: Scalar>(
    clouds: &UniformClouds<'_, T>,
    s: &[u64],
    t: &[u64],
    rng: &mut Gaussians,
) -> Directions {
    let basis = basis(clouds, s, t, rng);
    let mut eta = vec![0.0; MAX_MATRIX_DIM];
    rng.fill(&mut eta);
    let cell_map =
        CellMap::between(covariance(&clouds.x, s, Some(&basis)), covariance(&clouds.y, t, Some(&basis)));
    let (p, q) = cell_map.map_or_else(|| (eta.clone(), eta.clone()), |cell_map| cell_map.directions(&eta));
    let lift = |p: &[f64]| {
        let mut vector = vec![0.0; clouds.dim()];
        for (e, p) in basis.chunks_exact(clouds.dim()).zip(p) {
            vector.iter_mut().zip(e).for_each(|(v, e)| *v += p * e);
        }
        vector
    };
    (lift(&p), lift(&q))
}

/// Orthonormal vectors in the span of differences of points, from either side in turn; zero where there are too few.
fn basis<T: Scalar>(clouds: &UniformClouds<'_, T>, s: &[u64], t: &[u64], rng: &mut Gaussians) -> Vec<f64> {
    let d = clouds.dim();
    let mut basis: Vec<f64> = Vec::with_capacity(MAX_MATRIX_DIM * d);
    for k in 0..MAX_MATRIX_DIM {
        let (rows, cell) = if k % 2 == 0 { (&clouds.x, s) } else { (&clouds.y, t) };
        let mut pick = || index(cell[((rng.uniform() * cell.len() as f64) as usize).min(cell.len() - 1)]);
        let (a, b) = (rows.row(pick()), rows.row(pick()));
        let mut v: Vec<f64> = a.iter().zip(b).map(|(a, b)| a.to_f64() - b.to_f64()).collect();
        let before = dot(&v, &v);
        for e in basis.chunks_exact(d) {
            let along = dot(&v, e);
            v.iter_mut().zip(e).for_each(|(v, e)| *v -= along * e);
        }
        let norm = dot(&v, &v);
        let scale = if norm > 1e-12 * before { 1.0 / norm.sqrt() } else { 0.0 };
        basis.extend(v.iter().map(|v| if scale > 0.0 { v * scale } else { 0.0 }));
    }
    basis
}

fn stride(len: usize) -> usize {
    len.div_ceil((len / 4).clamp(MIN_SAMPLE_POINTS, MAX_SAMPLE_POINTS))
}

/// The covariance of a sample of a cell, in coordinates or along the vectors of a basis.
fn covariance<T: Scalar>(rows: &Rows<'_, T>, cell: &[u64], basis: Option<&[f64]>) -> SymmetricMatrix {
    let sample = cell.iter().step_by(stride(cell.len())).map(|&word| rows.row(index(word)));
    let dim = rows.dim();
    match (dim, basis) {
        (2, _) => moments::<2, T>(sample),
        (3, _) => moments::<3, T>(sample),
        (_, None) => any_moments(dim, sample, |row, point| {
            point.iter_mut().zip(row).for_each(|(p, x)| *p = x.to_f64());
        }),
        (_, Some(basis)) => any_moments(MAX_MATRIX_DIM, sample, |row, point| {
            point.iter_mut().zip(basis.chunks_exact(dim)).for_each(|(p, e)| *p = dot(row, e));
        }),
    }
}

/// Covariance in a dimension known to the compiler, which then unrolls the loops.
fn moments<'a, const D: usize, T: Scalar>(
    mut sample: impl ExactSizeIterator<Item = &'a [T]>,
) -> SymmetricMatrix {
    let count = sample.len() as f64;
    let point = |row: &[T]| -> [f64; D] { std::array::from_fn(|c| row[c].to_f64()) };
    // Seen from the first point, so that squares lose nothing to where the cell is.
    let Some(origin) = sample.next().map(point) else { return SymmetricMatrix::new(D, vec![0.0; D * D]) };
    let (mut mean, mut a) = ([0.0; D], [[0.0; D]; D]);
    for row in sample {
        let row = point(row);
        let x: [f64; D] = std::array::from_fn(|c| row[c] - origin[c]);
        for i in 0..D {
            mean[i] += x[i];
            (0..D).for_each(|j| a[i][j] += x[i] * x[j]);
        }
    }
    let moment = |k: usize| a[k / D][k % D] / count - mean[k / D] * mean[k % D] / (count * count);
    SymmetricMatrix::new(D, (0..D * D).map(moment).collect())
}

fn any_moments<'a, T: Scalar>(
    d: usize,
    sample: impl ExactSizeIterator<Item = &'a [T]>,
    coordinates: impl Fn(&[T], &mut [f64]),
) -> SymmetricMatrix {
    let count = sample.len() as f64;
    let (mut mean, mut a) = (vec![0.0; d], vec![0.0; d * d]);
    let (mut point, mut origin) = (vec![0.0; d], Vec::new());
    for row in sample {
        coordinates(row, &mut point);
        if origin.is_empty() {
            origin.clone_from(&point);
        }
        point.iter_mut().zip(&origin).for_each(|(x, o)| *x -= o);
        for (i, x) in point.iter().enumerate() {
            mean[i] += x;
            a[i * d..(i + 1) * d].iter_mut().zip(&point).for_each(|(sum, y)| *sum += x * y);
        }
    }
    let moment = |k: usize| a[k] / count - mean[k / d] * mean[k % d] / (count * count);
    SymmetricMatrix::new(d, (0..d * d).map(moment).collect())
}
