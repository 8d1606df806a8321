//! Eigenvectors of symmetric matrices of a few rows, by the thousand.

/// Most rounds of rotations; matrices this small need half of them.
const MAX_SWEEPS: usize = 12;

/// Turns a symmetric matrix of `d` rows until it is diagonal, by Jacobi's rotations, which matrices this small do not outgrow.
///
/// Afterwards its diagonal holds the eigenvalues, and the rows of `vectors` the eigenvectors. It ends when squares beside the diagonal
/// sum to at most this share of those on it.
pub(crate) fn diagonalise(a: &mut [f64], vectors: &mut [f64], d: usize, tolerance: f64) {
    debug_assert!(a.len() == d * d && vectors.len() == d * d);
    vectors.fill(0.0);
    vectors.iter_mut().step_by(d + 1).for_each(|x| *x = 1.0);
    for _ in 0..MAX_SWEEPS {
        let lower = (0..d).flat_map(|i| (0..i).map(move |j| i * d + j));
        let off: f64 = lower.map(|k| a[k] * a[k]).sum();
        let size: f64 = a.iter().step_by(d + 1).map(|x| x * x).sum();
        if off <= tolerance * size {
            break;
        }
        for p in 0..d {
            for q in p + 1..d {
                let cross = a[p * d + q];
                if cross == 0.0 {
                    continue;
                }
                let ratio = (a[q * d + q] - a[p * d + p]) / (2.0 * cross);
                let tangent = ratio.signum() / (ratio.abs() + (ratio * ratio + 1.0).sqrt());
                let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
                let sine = tangent * cosine;
                for row in a.chunks_exact_mut(d) {
                    let (u, v) = (row[p], row[q]);
                    (row[p], row[q]) = (cosine * u - sine * v, sine * u + cosine * v);
                }
                for matrix in [&mut *a, &mut *vectors] {
                    let (low, high) = matrix.split_at_mut(q * d);
                    for (u, v) in low[p * d..(p + 1) * d].iter_mut().zip(&mut high[..d]) {
                        (*u, *v) = (cosine * *u - sine * *v, sine * *u + cosine * *v);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::sampler::Gaussians;

    #[test]
    fn vectors_and_values_make_the_matrix() {
        for d in 1..=12 {
            let mut matrix = vec![0.0; d * d];
            Gaussians::new(d as u64, 0).fill(&mut matrix);
            for i in 0..d {
                (0..i).for_each(|j| matrix[j * d + i] = matrix[i * d + j]);
            }
            let (mut a, mut vectors) = (matrix.clone(), vec![f64::NAN; d * d]);
            diagonalise(&mut a, &mut vectors, d, 1e-20);
            for (i, j) in (0..d).flat_map(|i| (0..d).map(move |j| (i, j))) {
                let entry = |k: usize| a[k * d + k] * vectors[k * d + i] * vectors[k * d + j];
                let length = |k: usize| vectors[i * d + k] * vectors[j * d + k];
                let (made, product) = ((0..d).map(entry).sum::<f64>(), (0..d).map(length).sum::<f64>());
                assert!((made - matrix[i * d + j]).abs() < 1e-9, "{d}: {i} {j}");
                assert!((product - f64::from(u8::from(i == j))).abs() < 1e-12, "{d}: {i} {j}");
            }
        }
    }
}
