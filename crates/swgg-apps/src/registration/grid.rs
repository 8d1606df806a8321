//! Fewer points that say the same: the means of the points in cells of a grid.

use swgg::ndarray::{Array2, ArrayView2};

/// Shares of the points asked for: so many are aimed at, so many are enough.
const AIMED_SHARE: f64 = 0.95;
const ENOUGH_SHARE: f64 = 0.9;

/// At most so many points, or all if there are no more.
///
/// The cells are as small as the count allows, found in a few rounds.
pub(super) fn thin(points: ArrayView2<f64>, most: usize) -> Array2<f64> {
    let (n, d) = points.dim();
    if n <= most {
        return points.to_owned();
    }
    let rows = points.as_standard_layout();
    let rows = rows.as_slice().unwrap_or_default();
    let (mut low, mut high) = (rows[..d].to_vec(), rows[..d].to_vec());
    for row in rows.chunks_exact(d) {
        for ((low, high), &x) in low.iter_mut().zip(&mut high).zip(row) {
            (*low, *high) = (low.min(x), high.max(x));
        }
    }
    let reach = low.iter().zip(&high).fold(0.0_f64, |most, (low, high)| most.max(high - low));
    // Points of a surface: four times as many cells when they are half as wide. The rounds tell how many they really are.
    let (mut width, mut power) = (reach / (most as f64).sqrt(), 2.0);
    let mut last: Option<(f64, f64)> = None;
    let mut best: Option<Cells> = None;
    for _ in 0..8 {
        let cells = match d {
            3 => Cells::new::<3>(rows, &low, width, 2 * most),
            _ => Cells::new::<0>(rows, &low, width, 2 * most),
        };
        let count = cells.count();
        let is_fit = count <= most as f64;
        let is_enough = is_fit && count >= ENOUGH_SHARE * most as f64;
        if is_fit && best.as_ref().is_none_or(|best| count > best.count()) {
            best = Some(cells);
        }
        if is_enough {
            break;
        }
        if let Some((wide, few)) = last.replace((width, count)) {
            let found = (count / few).ln() / (wide / width).ln();
            power = if found.is_finite() { found.clamp(0.5, 4.0) } else { 2.0 };
        }
        let factor = (count / (AIMED_SHARE * most as f64)).powf(1.0 / power);
        width *= factor.clamp(0.125, 8.0);
    }
    // Everything in very few cells, or in ever more: rows at even steps say it too.
    best.map_or_else(|| Array2::from_shape_fn((most, d), |(i, c)| points[[i * n / most, c]]), Cells::means)
}

/// Cells of a grid with points in them, in the order in which they are met.
struct Cells {
    /// Sums of the points in each.
    sums: Vec<f64>,
    counts: Vec<f64>,
    dim: usize,
    /// Share of the points that have been put into cells.
    done: f64,
}

/// A place of the table that holds no cell.
const FREE: u32 = u32::MAX;

impl Cells {
    /// Stops where there are more than `most`. `D` is the dimension, or 0 if that is not known to the compiler, which unrolls short
    /// loops if it is.
    fn new<const D: usize>(rows: &[f64], low: &[f64], width: f64, most: usize) -> Self {
        let dim = if D > 0 { D } else { low.len() };
        let (n, low) = (rows.len() / dim, &low[..dim]);
        // At most half full, so that a free place is never far.
        let bits = (2 * most.min(n) + 2).next_power_of_two().trailing_zeros();
        let mut table = vec![(0_u64, FREE); 1 << bits];
        let mut cells = Cells { sums: Vec::new(), counts: Vec::new(), dim, done: 1.0 };
        let per_unit = 1.0 / width;
        for (i, row) in rows.chunks_exact(dim).enumerate() {
            // Numbers of cells mixed into one; two cells that meet by chance become one, which does no harm. (They are not below
            // zero, and conversions with a sign are quicker.)
            let key = row.iter().zip(low).fold(0_u64, |key, (x, low)| {
                (key.rotate_left(21) ^ ((x - low) * per_unit) as i64 as u64)
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            });
            // Products have mixed the high bits.
            let mut place = (key >> (64 - bits)) as usize;
            while table[place].1 != FREE && table[place].0 != key {
                place = (place + 1) & ((1 << bits) - 1);
            }
            if table[place].1 == FREE {
                if cells.counts.len() == most {
                    cells.done = i as f64 / n as f64;
                    break;
                }
                table[place] = (key, cells.counts.len() as u32);
                cells.sums.resize(cells.sums.len() + dim, 0.0);
                cells.counts.push(0.0);
            }
            let cell = table[place].1 as usize;
            cells.counts[cell] += 1.0;
            cells.sums[cell * dim..(cell + 1) * dim].iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        }
        cells
    }

    /// How many there are, or would be if all points had been put into them.
    fn count(&self) -> f64 {
        self.counts.len() as f64 / self.done
    }

    fn means(self) -> Array2<f64> {
        Array2::from_shape_fn((self.counts.len(), self.dim), |(i, c)| {
            self.sums[i * self.dim + c] / self.counts[i]
        })
    }
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
