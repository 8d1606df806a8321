//! The paper's tables, in hundreds, as its LaTeX source draws them. They are not symmetric, for each of their places has samples of its own.

/// Distances between five data sets.
pub type Matrix = [[f64; 5]; 5];

/// A row per pair of data sets (of the upper triangle, row by row), in it one entry per distance between labels: there and back.
pub type Pairs<const BETWEENS: usize> = [[[f64; 2]; BETWEENS]; 10];

/// Figure 19, 40 000 samples: optimised min-SWGG between labels, then Sinkhorn.
pub const LARGE: Pairs<2> = [
    [[1.0, 1.0], [0.9, 0.8]],
    [[1.3, 1.3], [1.2, 1.2]],
    [[1.2, 1.2], [1.1, 1.1]],
    [[1.0, 1.0], [0.9, 0.9]],
    [[1.2, 1.2], [1.1, 1.3]],
    [[1.2, 1.2], [1.1, 1.0]],
    [[1.0, 1.0], [0.9, 0.9]],
    [[1.3, 1.3], [1.2, 1.2]],
    [[0.8, 0.8], [0.8, 0.7]],
    [[1.0, 1.1], [0.9, 0.9]],
];

/// Figure 20, 2000 samples: W2, Sinkhorn, Bures, min-SWGG random, min-SWGG optimised.
pub const SMALL: Pairs<5> = [
    [[0.4, 0.4], [0.9, 0.9], [0.8, 0.8], [1.0, 1.0], [1.0, 1.0]],
    [[0.6, 0.6], [1.3, 1.3], [1.1, 1.2], [1.3, 1.3], [1.3, 1.3]],
    [[0.5, 0.5], [1.2, 1.2], [1.0, 1.0], [1.3, 1.3], [1.3, 1.3]],
    [[0.4, 0.4], [0.9, 1.0], [0.8, 0.9], [1.1, 1.0], [1.0, 1.0]],
    [[0.5, 0.5], [1.2, 1.2], [1.1, 1.1], [1.3, 1.3], [1.3, 1.2]],
    [[0.5, 0.5], [1.2, 1.2], [1.0, 1.0], [1.3, 1.3], [1.3, 1.3]],
    [[0.4, 0.5], [1.0, 1.0], [0.9, 0.9], [1.1, 1.1], [1.1, 1.1]],
    [[0.6, 0.6], [1.3, 1.3], [1.1, 1.1], [1.4, 1.4], [1.4, 1.3]],
    [[0.3, 0.4], [0.8, 0.8], [0.7, 0.7], [0.8, 0.9], [0.8, 0.8]],
    [[0.4, 0.4], [1.0, 1.0], [0.9, 0.9], [1.1, 1.1], [1.1, 1.1]],
];

/// A matrix per distance between labels.
pub fn matrices<const BETWEENS: usize>(pairs: &Pairs<BETWEENS>) -> [Matrix; BETWEENS] {
    let places = (0..5).flat_map(|i| (i + 1..5).map(move |j| (i, j)));
    let mut matrices = [[[0.0; 5]; 5]; BETWEENS];
    for ((i, j), row) in places.zip(pairs) {
        for (matrix, [there, back]) in matrices.iter_mut().zip(row) {
            (matrix[i][j], matrix[j][i]) = (*there, *back);
        }
    }
    matrices
}
