//! The axes along which two clouds are stretched.

use super::ground::MAX_TREE_DIM;
use crate::gaussian::{Gaussian, GaussianMap};
use crate::measure::Measure;
use crate::number::spectral::Eigen;

/// Points that are looked at for the axes.
const MAX_SAMPLE_POINTS: usize = 4096;

/// Turns both clouds to the eigenvectors of the Gaussian map between them: the boxes of a tree, and what is known of the prices in
/// them, are along the axes, and then so is the map. Distances do not change.
pub(crate) fn turned(rows: &mut [Vec<f64>; 2], dim: usize) {
    if !(2..=MAX_TREE_DIM).contains(&dim) {
        return;
    }
    let Some(axes) = axes(rows, dim) else { return };
    for row in rows.iter_mut().flat_map(|rows| rows.chunks_exact_mut(dim)) {
        let mut turned = [0.0; MAX_TREE_DIM];
        for (x, axis) in row.iter().zip(axes.chunks_exact(dim)) {
            turned.iter_mut().zip(axis).for_each(|(sum, e)| *sum += e * x);
        }
        row.copy_from_slice(&turned[..dim]);
    }
}

/// Eigenvectors as columns, row by row.
fn axes(rows: &[Vec<f64>; 2], dim: usize) -> Option<Vec<f64>> {
    let fit = |rows: &[f64]| {
        let step = (rows.len() / dim).div_ceil(MAX_SAMPLE_POINTS);
        let some = rows.chunks_exact(dim).step_by(step).flatten().copied().collect();
        Gaussian::fit(&Measure::from_vec(some, dim).ok()?).ok()
    };
    let map = GaussianMap::between(&fit(&rows[1])?, &fit(&rows[0])?).ok()?;
    let axes: Vec<f64> = Eigen::of(map.linear()).ok()?.vectors.iter().copied().collect();
    axes.iter().all(|e| e.is_finite()).then_some(axes)
}
