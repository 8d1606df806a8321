//! Symmetric matrices of a few rows, by the thousand.

use crate::number::jacobi::diagonalise;

/// A symmetric matrix, row by row.
#[derive(Clone, Debug)]
pub(super) struct SymmetricMatrix {
    d: usize,
    a: Vec<f64>,
}

/// Eigenvalues, and eigenvectors as rows.
struct Eigen {
    values: Vec<f64>,
    vectors: Vec<f64>,
}

impl SymmetricMatrix {
    pub fn new(d: usize, a: Vec<f64>) -> Self {
        debug_assert_eq!(a.len(), d * d);
        SymmetricMatrix { d, a }
    }

    /// The mean of the eigenvalues.
    pub fn mean(&self) -> f64 {
        self.a.iter().step_by(self.d + 1).sum::<f64>() / self.d as f64
    }

    /// Scaled, with something added to the diagonal.
    pub fn scaled(mut self, factor: f64, more: f64) -> Self {
        self.a.iter_mut().for_each(|x| *x *= factor);
        self.a.iter_mut().step_by(self.d + 1).for_each(|x| *x += more);
        self
    }

    /// A share of this matrix and the rest of another.
    pub fn blended(mut self, share: f64, other: &SymmetricMatrix) -> Self {
        self.a.iter_mut().zip(&other.a).for_each(|(a, b)| *a = share * *a + (1.0 - share) * b);
        self
    }

    /// The root and its inverse, of eigenvalues taken to be `floor` at least.
    pub fn roots(&self, floor: f64) -> (SymmetricMatrix, SymmetricMatrix) {
        let eigen = self.eigen();
        let root = |v: f64| v.max(floor).sqrt();
        (eigen.map(root), eigen.map(|v| 1.0 / root(v)))
    }

    /// `self * other * self`.
    pub fn around(&self, other: &SymmetricMatrix) -> SymmetricMatrix {
        let product = self.product(other).product(self);
        let d = self.d;
        // Rounding leaves the product a little asymmetric.
        SymmetricMatrix::new(
            d,
            (0..d * d).map(|k| 0.5 * (product.a[k] + product.a[k % d * d + k / d])).collect(),
        )
    }

    pub fn apply(&self, v: &[f64]) -> Vec<f64> {
        self.a.chunks_exact(self.d).map(|row| row.iter().zip(v).map(|(a, v)| a * v).sum()).collect()
    }

    fn product(&self, other: &SymmetricMatrix) -> SymmetricMatrix {
        let d = self.d;
        let mut a = vec![0.0; d * d];
        for (row, left) in a.chunks_exact_mut(d).zip(self.a.chunks_exact(d)) {
            for (x, right) in left.iter().zip(other.a.chunks_exact(d)) {
                row.iter_mut().zip(right).for_each(|(sum, y)| *sum += x * y);
            }
        }
        SymmetricMatrix { d, a }
    }

    fn eigen(&self) -> Eigen {
        let (mut a, mut vectors) = (self.a.clone(), vec![0.0; self.a.len()]);
        diagonalise(&mut a, &mut vectors, self.d, 1e-18);
        Eigen { values: a.into_iter().step_by(self.d + 1).collect(), vectors }
    }
}

impl Eigen {
    /// The matrix with the same eigenvectors and the eigenvalues `change(value)`.
    fn map(&self, change: impl Fn(f64) -> f64) -> SymmetricMatrix {
        let d = self.values.len();
        let mut a = vec![0.0; d * d];
        for (value, e) in self.values.iter().zip(self.vectors.chunks_exact(d)) {
            let value = change(*value);
            for (row, along) in a.chunks_exact_mut(d).zip(e) {
                row.iter_mut().zip(e).for_each(|(sum, x)| *sum += value * along * x);
            }
        }
        SymmetricMatrix { d, a }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_square_back() {
        for d in [1, 2, 3, 7, 12] {
            // A Gram matrix of some vectors, and a little more.
            let rows: Vec<f64> = (0..d * d).map(|k| ((k * 37 + 11) % 23) as f64 / 7.0 - 1.5).collect();
            let gram = (0..d * d).map(|k| {
                (0..d).map(|c| rows[k / d * d + c] * rows[k % d * d + c]).sum::<f64>()
                    + if k % (d + 1) == 0 { 0.1 } else { 0.0 }
            });
            let matrix = SymmetricMatrix::new(d, gram.collect());
            let (root, back) = matrix.roots(1e-9);
            let square = root.product(&root);
            let size = matrix.mean();
            assert!(square.a.iter().zip(&matrix.a).all(|(x, y)| (x - y).abs() < 1e-9 * size), "{d}");
            let one = back.around(&matrix);
            assert!((0..d * d).all(|k| {
                let expected = if k % (d + 1) == 0 { 1.0 } else { 0.0 };
                (one.a[k] - expected).abs() < 1e-7
            }));
        }
    }
}
