//! The direction of a cell, one for each side.
//!
//! Between two Gaussians the optimal map is `x -> A x` with a symmetric `A`, and it takes the half-space
//! `<A^(1/2) eta, x> <= c` onto `<A^(-1/2) eta, y> <= c`, whatever `eta`. So in a cell whose sides look like Gaussians any `eta`
//! gives a cut that the optimal plan respects, where one direction for both sides would not.

use super::cut::Atom;
use super::{Clouds, Side};
use crate::sampler::Gaussians;

/// The most dimensions in which covariances are looked at.
const WIDEST: usize = 8;
/// Cells with fewer atoms on a side use one direction for both.
const FEWEST: usize = 48;
/// Atoms of a side that are looked at.
const SAMPLE: usize = 128;
/// What is added to the variances, against the mean of all: flat cells have no inverse.
const RIDGE: f64 = 1e-3;

/// A symmetric matrix, of which the first `d` rows and columns are used.
type Small = [[f64; WIDEST]; WIDEST];

impl Clouds<'_> {
    /// Directions for the sources and the targets of a cell.
    pub(super) fn axes(&self, sources: &[Atom], targets: &[Atom], path: u64) -> [Vec<f64>; 2] {
        let mut stream = Gaussians::new(path, 0);
        let mut eta = vec![0.0; self.dim];
        stream.fill(&mut eta);
        let d = self.dim;
        if d > 1
            && d <= WIDEST
            && sources.len().min(targets.len()) >= FEWEST
            && let Some([root, back]) = self.roots(sources, targets)
        {
            return [apply(&root, &eta), apply(&back, &eta)];
        }
        [eta.clone(), eta]
    }

    /// `A^(1/2)` and its inverse for the Gaussian map of a cell; nothing where all atoms are in one place.
    fn roots(&self, sources: &[Atom], targets: &[Atom]) -> Option<[Small; 2]> {
        let d = self.dim;
        let mut first = covariance(&self.sources, d, sources);
        let mut second = covariance(&self.targets, d, targets);
        let trace = |matrix: &Small| (0..d).map(|k| matrix[k][k]).sum::<f64>();
        let ridge = RIDGE * (trace(&first) + trace(&second)) / (2 * d) as f64;
        if ridge.is_nan() || ridge < f64::MIN_POSITIVE {
            return None;
        }
        for k in 0..d {
            first[k][k] = (first[k][k] + ridge) / ridge;
            second[k][k] = (second[k][k] + ridge) / ridge;
            for l in 0..k {
                for matrix in [&mut first, &mut second] {
                    matrix[k][l] /= ridge;
                    matrix[l][k] = matrix[k][l];
                }
            }
        }
        let (values, vectors) = eigen(first, d);
        let root = rebuilt(&values, &vectors, d, f64::sqrt);
        let inverse = rebuilt(&values, &vectors, d, |v| 1.0 / v.sqrt());
        let (values, vectors) = eigen(sandwich(&root, &second, d), d);
        let map = sandwich(&inverse, &rebuilt(&values, &vectors, d, f64::sqrt), d);
        let (values, vectors) = eigen(map, d);
        let finite = values[..d].iter().all(|v| v.is_finite() && *v > 0.0);
        finite.then(|| {
            let power = |p: f64| rebuilt(&values, &vectors, d, |v| v.powf(p));
            [power(0.5), power(-0.5)]
        })
    }
}

/// Lower half of the weighted covariance of a sample of atoms.
fn covariance(side: &Side, d: usize, atoms: &[Atom]) -> Small {
    let count = atoms.len().min(SAMPLE);
    let mut sum = [0.0; WIDEST];
    let mut squares = [[0.0; WIDEST]; WIDEST];
    let mut mass = 0.0;
    let origin = &side.points[atoms[0].index as usize * d..][..d];
    for k in 0..count {
        let atom = &atoms[k * atoms.len() / count];
        let point = &side.points[atom.index as usize * d..][..d];
        let mut gap = [0.0; WIDEST];
        for ((gap, x), o) in gap.iter_mut().zip(point).zip(origin) {
            *gap = x - o;
        }
        let weight = atom.units as f64;
        mass += weight;
        for i in 0..d {
            let pull = weight * gap[i];
            sum[i] += pull;
            for j in 0..=i {
                squares[i][j] += pull * gap[j];
            }
        }
    }
    for i in 0..d {
        for j in 0..=i {
            squares[i][j] = squares[i][j] / mass - sum[i] * sum[j] / mass / mass;
        }
    }
    squares
}

fn apply(matrix: &Small, vector: &[f64]) -> Vec<f64> {
    (0..vector.len()).map(|i| super::dot(&matrix[i][..vector.len()], vector)).collect()
}

/// `outer inner outer`, symmetric.
fn sandwich(outer: &Small, inner: &Small, d: usize) -> Small {
    let mut half = [[0.0; WIDEST]; WIDEST];
    let mut whole = [[0.0; WIDEST]; WIDEST];
    for i in 0..d {
        for j in 0..d {
            half[i][j] = (0..d).map(|k| inner[i][k] * outer[k][j]).sum();
        }
    }
    for i in 0..d {
        for j in 0..=i {
            whole[i][j] = (0..d).map(|k| outer[i][k] * half[k][j]).sum();
            whole[j][i] = whole[i][j];
        }
    }
    whole
}

/// `V f(values) V^T`.
fn rebuilt(values: &[f64; WIDEST], vectors: &Small, d: usize, change: impl Fn(f64) -> f64) -> Small {
    let mut matrix = [[0.0; WIDEST]; WIDEST];
    let mut changed = [0.0; WIDEST];
    changed[..d].iter_mut().zip(values).for_each(|(c, v)| *c = change(v.max(f64::MIN_POSITIVE)));
    for i in 0..d {
        for j in 0..=i {
            matrix[i][j] = (0..d).map(|k| vectors[i][k] * changed[k] * vectors[j][k]).sum();
            matrix[j][i] = matrix[i][j];
        }
    }
    matrix
}

/// Eigenvalues and eigenvectors (columns), by Jacobi's rotations: for matrices this small nothing is quicker.
fn eigen(mut matrix: Small, d: usize) -> ([f64; WIDEST], Small) {
    let mut vectors = [[0.0; WIDEST]; WIDEST];
    (0..d).for_each(|k| vectors[k][k] = 1.0);
    for _ in 0..12 {
        let (mut off, mut on) = (0.0, 0.0);
        for i in 0..d {
            on += matrix[i][i] * matrix[i][i];
            (0..i).for_each(|j| off += matrix[i][j] * matrix[i][j]);
        }
        if off <= 1e-20 * on {
            break;
        }
        for p in 0..d {
            for q in p + 1..d {
                if matrix[p][q] == 0.0 {
                    continue;
                }
                let theta = (matrix[q][q] - matrix[p][p]) / (2.0 * matrix[p][q]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for row in &mut matrix[..d] {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
                for k in 0..d {
                    let (a, b) = (matrix[p][k], matrix[q][k]);
                    (matrix[p][k], matrix[q][k]) = (c * a - s * b, s * a + c * b);
                }
                for row in &mut vectors[..d] {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
            }
        }
    }
    let mut values = [0.0; WIDEST];
    (0..d).for_each(|k| values[k] = matrix[k][k]);
    (values, vectors)
}
