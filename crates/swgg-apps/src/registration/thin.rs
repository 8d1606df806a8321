//! Fewer points that say the same: the means of the points in cells of a grid.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use swgg::ndarray::{Array2, ArrayView2};

/// At most so many points, or all if there are no more.
///
/// The cells are as small as the count allows, found in a few rounds.
pub(super) fn thin(points: ArrayView2<f64>, most: usize) -> Array2<f64> {
    let n = points.nrows();
    if n <= most {
        return points.to_owned();
    }
    let low = points.rows().into_iter().fold(points.row(0).to_owned(), |mut low, row| {
        low.zip_mut_with(&row, |a, b| *a = a.min(*b));
        low
    });
    let reach = points
        .rows()
        .into_iter()
        .fold(0.0_f64, |most, row| row.iter().zip(&low).fold(most, |most, (x, low)| most.max(x - low)));
    // Points of a surface: four times as many cells when they are half as wide.
    let mut width = reach / (most as f64).sqrt();
    let mut best: Option<Array2<f64>> = None;
    for _ in 0..8 {
        let found = means(points, &low.to_vec(), width);
        let count = found.nrows();
        let is_fit = count <= most;
        if is_fit && best.as_ref().is_none_or(|best| count > best.nrows()) {
            best = Some(found);
        }
        if is_fit && count * 10 >= most * 8 {
            break;
        }
        let factor = (count as f64 / (0.9 * most as f64)).sqrt();
        width *= factor.clamp(0.25, 4.0);
    }
    // Everything in very few cells, or in ever more: rows at even steps say it too.
    best.unwrap_or_else(|| Array2::from_shape_fn((most, points.ncols()), |(i, c)| points[[i * n / most, c]]))
}

/// Keys that are mixed already.
#[derive(Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }

    fn write_u64(&mut self, key: u64) {
        // Tables take their places from the low bits, products have mixed the high ones.
        self.0 = key ^ key.rotate_left(32);
    }
}

/// The mean of the points in every cell, cells in the order in which they are met.
fn means(points: ArrayView2<f64>, low: &[f64], width: f64) -> Array2<f64> {
    let d = points.ncols();
    let mut cells: HashMap<u64, usize, BuildHasherDefault<Mixed>> = HashMap::default();
    let (mut sums, mut counts) = (Vec::<f64>::new(), Vec::<f64>::new());
    for row in points.rows() {
        // Numbers of cells mixed into one; two cells that meet by chance become one, which does no harm.
        let key = row.iter().zip(low).fold(0_u64, |key, (x, low)| {
            (key.rotate_left(21) ^ ((x - low) / width) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        let cell = *cells.entry(key).or_insert_with(|| {
            sums.resize(sums.len() + d, 0.0);
            counts.push(0.0);
            counts.len() - 1
        });
        counts[cell] += 1.0;
        sums[cell * d..].iter_mut().zip(&row).for_each(|(sum, x)| *sum += x);
    }
    Array2::from_shape_fn((counts.len(), d), |(i, c)| sums[i * d + c] / counts[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_points_stay_and_many_become_means() {
        let grid = Array2::from_shape_fn((10_000, 2), |(i, c)| [(i % 100) as f64, (i / 100) as f64][c]);
        assert_eq!(thin(grid.view(), 10_000), grid);
        let few = thin(grid.view(), 1000);
        assert!(few.nrows() <= 1000 && few.nrows() > 300, "{}", few.nrows());
        assert!(few.iter().all(|x| (0.0..=99.0).contains(x)));
        // Points in one place are one cell, however small.
        let heap = Array2::from_elem((500, 3), 2.0);
        assert_eq!(thin(heap.view(), 100).row(0).to_vec(), [2.0; 3]);
    }
}
