//! The direction of a cell, one for each side.
//!
//! Between two Gaussians the optimal map is `x -> A x` with a symmetric `A`, and it takes the half-space
//! `<A^(1/2) eta, x> <= c` onto `<A^(-1/2) eta, y> <= c`, whatever `eta`. So in a cell whose sides look like Gaussians any `eta`
//! gives a cut that the optimal plan respects, where one direction for both sides would not.

use super::cut::Atom;
use super::{Side, WeightedClouds};
use crate::line::sampler::Gaussians;
use crate::number::jacobi::diagonalise;

/// The most dimensions in which covariances are looked at.
const MAX_MATRIX_DIM: usize = 8;
/// Cells with fewer atoms on a side keep the map of the cell they were cut from.
const MIN_ATOMS_FOR_MAP: usize = 32;
/// Atoms of each side that a direction is drawn from where there are too many dimensions.
const ATOMS_PER_DRAW: usize = 8;
/// What is added to the variances, against the mean of all: flat cells have no inverse.
const RELATIVE_RIDGE: f64 = 1e-3;

/// A symmetric matrix, of which the first `d` rows and columns are used.
type SmallMatrix = [[f64; MAX_MATRIX_DIM]; MAX_MATRIX_DIM];

/// `A^(1/2)` and its inverse, for the Gaussian map of a cell.
#[derive(Clone, Copy)]
pub(super) struct Roots {
    root: SmallMatrix,
    inverse: SmallMatrix,
}

impl WeightedClouds<'_> {
    /// Directions for the sources and the targets of a cell. `roots` are those of the cell it was cut from, and become its own
    /// where it has atoms enough.
    ///
    /// Wide cells are cut across: where both sides look like `z` after `A^(1/2)` and `A^(-1/2)`, `eta` is Gaussian with the
    /// covariance of `z`.
    pub(super) fn axes(
        &self,
        sources: &[Atom],
        targets: &[Atom],
        path: u64,
        roots: &mut Option<Roots>,
    ) -> [Vec<f64>; 2] {
        let d = self.dim;
        let mut stream = Gaussians::new(path, 0);
        if d == 1 || d > MAX_MATRIX_DIM {
            let eta = self.draw(sources, targets, &mut stream);
            return [eta.clone(), eta];
        }
        let first = covariance(&self.sources, d, sources);
        if sources.len().min(targets.len()) >= MIN_ATOMS_FOR_MAP {
            *roots = between(&first, &covariance(&self.targets, d, targets), d);
        }
        let mut eta = vec![0.0; d];
        stream.fill(&mut eta);
        let wide = apply(&lower_root(&first, d), &eta);
        let wide = if wide.iter().any(|x| *x != 0.0) { wide } else { eta };
        match roots {
            None => [wide.clone(), wide],
            // `A^(1/2)` of it is `eta`, and takes another root on either side.
            Some(Roots { root, inverse }) => {
                let eta = apply(root, &wide);
                [apply(root, &eta), apply(inverse, &eta)]
            }
        }
    }

    /// A Gaussian sum of atoms around their mean: wide where the cell is wide.
    fn draw(&self, sources: &[Atom], targets: &[Atom], stream: &mut Gaussians) -> Vec<f64> {
        let mut eta = vec![0.0; self.dim];
        for (side, atoms) in [(&self.sources, sources), (&self.targets, targets)] {
            let point = |atom: &Atom| &side.points[atom.index as usize * self.dim..][..self.dim];
            let mut factors = [0.0; ATOMS_PER_DRAW];
            let factors = &mut factors[..atoms.len().min(ATOMS_PER_DRAW)];
            stream.fill(factors);
            let mean = factors.iter().sum::<f64>() / factors.len() as f64;
            for factor in factors {
                let at = (stream.uniform() * atoms.len() as f64) as usize;
                let pull = *factor - mean;
                eta.iter_mut().zip(point(&atoms[at.min(atoms.len() - 1)])).for_each(|(e, x)| *e += pull * x);
            }
        }
        if eta.iter().all(|x| *x == 0.0) {
            stream.fill(&mut eta);
        }
        eta
    }
}

/// The roots between two covariances, of which the lower halves are read; nothing where all is in one place.
fn between(first: &SmallMatrix, second: &SmallMatrix, d: usize) -> Option<Roots> {
    let trace = |matrix: &SmallMatrix| (0..d).map(|k| matrix[k][k]).sum::<f64>();
    let ridge = RELATIVE_RIDGE * (trace(first) + trace(second)) / (2 * d) as f64;
    if ridge.is_nan() || ridge < f64::MIN_POSITIVE {
        return None;
    }
    let [first, second] = [first, second].map(|matrix| {
        let mut full = *matrix;
        for k in 0..d {
            for l in 0..=k {
                full[k][l] = matrix[k][l] / ridge;
                full[l][k] = full[k][l];
            }
            full[k][k] += 1.0;
        }
        full
    });
    let (values, vectors) = eigen(&first, d);
    let root = rebuilt(&values, &vectors, d, f64::sqrt);
    let inverse = rebuilt(&values, &vectors, d, |v| 1.0 / v.sqrt());
    let (values, vectors) = eigen(&sandwich(&root, &second, d), d);
    let map = sandwich(&inverse, &rebuilt(&values, &vectors, d, f64::sqrt), d);
    let (values, vectors) = eigen(&map, d);
    let sound = values[..d].iter().all(|v| v.is_finite() && *v > 0.0);
    sound.then(|| Roots {
        root: rebuilt(&values, &vectors, d, f64::sqrt),
        inverse: rebuilt(&values, &vectors, d, |v| 1.0 / v.sqrt()),
    })
}

/// `L` with `L L^T` the matrix, of which the lower half is read; flat directions stay at zero (Cholesky).
fn lower_root(matrix: &SmallMatrix, d: usize) -> SmallMatrix {
    let mut lower = [[0.0; MAX_MATRIX_DIM]; MAX_MATRIX_DIM];
    for j in 0..d {
        let rest = matrix[j][j] - (0..j).map(|k| lower[j][k] * lower[j][k]).sum::<f64>();
        if rest <= 1e-12 * matrix[j][j] || rest.is_nan() {
            continue;
        }
        lower[j][j] = rest.sqrt();
        for i in j + 1..d {
            let shared: f64 = (0..j).map(|k| lower[i][k] * lower[j][k]).sum();
            lower[i][j] = (matrix[i][j] - shared) / lower[j][j];
        }
    }
    lower
}

/// Lower half of the weighted covariance of some atoms.
fn covariance(side: &Side, d: usize, atoms: &[Atom]) -> SmallMatrix {
    let mut sum = [0.0; MAX_MATRIX_DIM];
    let mut squares = [[0.0; MAX_MATRIX_DIM]; MAX_MATRIX_DIM];
    let mut mass = 0.0;
    let origin = &side.points[atoms[0].index as usize * d..][..d];
    for atom in atoms {
        let point = &side.points[atom.index as usize * d..][..d];
        let mut gap = [0.0; MAX_MATRIX_DIM];
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

fn apply(matrix: &SmallMatrix, vector: &[f64]) -> Vec<f64> {
    (0..vector.len()).map(|i| super::dot(&matrix[i][..vector.len()], vector)).collect()
}

/// `outer inner outer`, symmetric.
fn sandwich(outer: &SmallMatrix, inner: &SmallMatrix, d: usize) -> SmallMatrix {
    let mut half = [[0.0; MAX_MATRIX_DIM]; MAX_MATRIX_DIM];
    let mut whole = [[0.0; MAX_MATRIX_DIM]; MAX_MATRIX_DIM];
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
fn rebuilt(
    values: &[f64; MAX_MATRIX_DIM],
    vectors: &SmallMatrix,
    d: usize,
    change: impl Fn(f64) -> f64,
) -> SmallMatrix {
    let mut matrix = [[0.0; MAX_MATRIX_DIM]; MAX_MATRIX_DIM];
    let mut changed = [0.0; MAX_MATRIX_DIM];
    changed[..d].iter_mut().zip(values).for_each(|(c, v)| *c = change(v.max(f64::MIN_POSITIVE)));
    for i in 0..d {
        for j in 0..=i {
            matrix[i][j] = (0..d).map(|k| vectors[i][k] * changed[k] * vectors[j][k]).sum();
            matrix[j][i] = matrix[i][j];
        }
    }
    matrix
}

/// Eigenvalues and eigenvectors (columns).
fn eigen(matrix: &SmallMatrix, d: usize) -> ([f64; MAX_MATRIX_DIM], SmallMatrix) {
    let (mut a, mut rows) = ([0.0; MAX_MATRIX_DIM * MAX_MATRIX_DIM], [0.0; MAX_MATRIX_DIM * MAX_MATRIX_DIM]);
    let (a, rows) = (&mut a[..d * d], &mut rows[..d * d]);
    a.chunks_exact_mut(d).zip(matrix).for_each(|(to, from)| to.copy_from_slice(&from[..d]));
    diagonalise(a, rows, d, 1e-20);
    let (mut values, mut vectors) = ([0.0; MAX_MATRIX_DIM], [[0.0; MAX_MATRIX_DIM]; MAX_MATRIX_DIM]);
    for k in 0..d {
        values[k] = a[k * d + k];
        (0..d).for_each(|i| vectors[i][k] = rows[k * d + i]);
    }
    (values, vectors)
}
