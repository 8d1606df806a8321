//! Squared distances of all pairs at once, by products of matrices.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use super::sq_distance;

/// Squared distances below this share of the squared norms are computed from coordinates: differences of products have lost their digits.
const MIN_SHARE_OF_NORMS: f64 = 1e-6;

/// `|x - y|^2` of all pairs of two clouds given as rows of `dim` coordinates: a row for each point of the first.
///
/// By `|x|^2 + |y|^2 - 2 <x, y>` around the mean of the first cloud, which is many times quicker than pair by pair where there are many coordinates;
/// points that are very near to each other are compared coordinate by coordinate, so that equal points are at distance zero.
///
/// ```
/// use swgg::cost::squared_distances;
/// let (x, y) = ([0.0, 0.0, 3.0, 4.0], [0.0, 0.0]);
/// assert_eq!(squared_distances(&x, &y, 2), [0.0, 25.0]);
/// ```
pub fn squared_distances(x: &[f64], y: &[f64], dim: usize) -> Vec<f64> {
    let (n, m) = (x.len() / dim, y.len() / dim);
    let mut centre = vec![0.0; dim];
    for row in x.chunks_exact(dim) {
        centre.iter_mut().zip(row).for_each(|(centre, x)| *centre += x / n as f64);
    }
    let centred = |rows: &[f64]| -> Vec<f64> {
        rows.chunks_exact(dim).flat_map(|row| row.iter().zip(&centre).map(|(x, c)| x - c)).collect()
    };
    let (x, y) = (centred(x), centred(y));
    let norms = |rows: &[f64]| -> Vec<f64> {
        rows.chunks_exact(dim).map(|row| row.iter().map(|x| x * x).sum()).collect()
    };
    let (of_x, of_y) = (norms(&x), norms(&y));
    let mut table = vec![0.0; n * m];
    let (left, right) = (MatRef::from_row_major_slice(&x, n, dim), MatRef::from_row_major_slice(&y, m, dim));
    let products = MatMut::from_row_major_slice_mut(&mut table, n, m);
    matmul(products, Accum::Replace, left, right.transpose(), -2.0, Par::Seq);
    for ((x, x_norm), line) in x.chunks_exact(dim).zip(&of_x).zip(table.chunks_exact_mut(m)) {
        for ((y, y_norm), entry) in y.chunks_exact(dim).zip(&of_y).zip(line) {
            let size = x_norm + y_norm;
            *entry += size;
            if *entry < MIN_SHARE_OF_NORMS * size {
                *entry = sq_distance(x, y);
            }
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pairs_as_one_by_one() {
        for (n, m, dim) in [(1, 1, 1), (5, 7, 3), (40, 30, 100)] {
            // Far from the origin, where products alone would lose digits.
            let cloud = |count: usize, seed: f64| -> Vec<f64> {
                (0..count * dim).map(|k| 1e4 + (k as f64 * seed).sin()).collect()
            };
            let (x, mut y) = (cloud(n, 0.37), cloud(m, 0.73));
            y[..dim].copy_from_slice(&x[(n - 1) * dim..]);
            let table = squared_distances(&x, &y, dim);
            for (k, found) in table.iter().enumerate() {
                let (i, j) = (k / m, k % m);
                let expected = sq_distance(&x[i * dim..(i + 1) * dim], &y[j * dim..(j + 1) * dim]);
                assert!(
                    (found - expected).abs() <= 1e-9 * (1.0 + expected),
                    "{n} {m} {dim}: {found} {expected}"
                );
            }
            assert_eq!(table[(n - 1) * m], 0.0);
        }
    }
}
