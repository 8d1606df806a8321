//! Products of all pairs of points in single precision, and how far off they may be.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use crate::run::workers::Workers;

/// Bytes of products that may be kept; more are computed again whenever they are asked for.
const MAX_KEPT_BYTES: usize = 1 << 30;
/// Rows that one task narrows, or multiplies where there are few of them.
const ROWS_PER_TASK: usize = 256;
/// Rows of products that one task makes where there are many: each task reads all the columns.
const MANY_ROWS_PER_TASK: usize = 1024;
/// Rows from which there are many.
const MIN_MANY_ROWS: usize = 8 * MANY_ROWS_PER_TASK;
/// Numbers between two rows of a tile: rows that are a power of two apart share few lines of the cache.
const TILE_PADDING: usize = 16;
/// Half of the distance between one and the next number.
const UNIT: f64 = f32::EPSILON as f64 / 2.0;
/// More than is lost, for each coordinate, where numbers are too small for single precision.
const UNDERFLOW: f64 = 1e-36;

/// Whether the products of so many pairs are kept.
pub(super) fn are_kept(n: usize, m: usize) -> bool {
    n.saturating_mul(m) <= MAX_KEPT_BYTES / size_of::<f32>()
}

/// `-2 <x_i, y_j>` of all pairs, divided by [`scale`](Products::scale).
///
/// Twice as many numbers fit into a register as in double precision, and into memory. What is lost has a bound: products of
/// rounded numbers, added in any order, are off by at most `d + 2` units in the last place of `|x| |y|` (Higham, "Accuracy and
/// stability of numerical algorithms", section 3.1).
pub(super) struct Products {
    dim: usize,
    /// Coordinates between -1 and 1.
    rows: [Vec<f32>; 2],
    /// What the products are divided by, a power of two: coordinates of any size fit into single precision.
    pub scale: f64,
    /// By how much a product of a point may be off, for the points of either side.
    errors: [Vec<f64>; 2],
    kept: Option<Vec<f32>>,
}

/// Products of some points, row by row.
pub(super) struct Tile<'a> {
    products: &'a [f32],
    stride: usize,
    columns: usize,
}

impl Tile<'_> {
    pub fn row(&self, row: usize) -> &[f32] {
        &self.products[row * self.stride..][..self.columns]
    }
}

impl Products {
    /// Of points given as rows, with their squared norms.
    pub fn new(rows: [&[f64]; 2], norms: [&[f64]; 2], dim: usize, workers: &Workers) -> Self {
        let largest = |rows: &[f64]| {
            let parts = rows.chunks(ROWS_PER_TASK * dim).collect::<Vec<_>>();
            let most = |part: &&[f64]| {
                part.iter().fold(0.0_f64, |most, x| if x.abs() > most { x.abs() } else { most })
            };
            workers.map_items(&parts, most).into_iter().fold(0.0, f64::max)
        };
        let width = largest(rows[0]).max(largest(rows[1]));
        // A power of two, so that dividing by it loses nothing.
        let width = if width > 0.0 { width.log2().ceil().exp2() } else { 1.0 };
        let narrowed = rows.map(|rows| {
            let mut narrowed = vec![0.0; rows.len()];
            let len = ROWS_PER_TASK * dim;
            workers.fill(&mut narrowed, len, |k, part| {
                part.iter_mut().zip(&rows[k * len..]).for_each(|(narrow, x)| *narrow = (x / width) as f32);
            });
            narrowed
        });
        let scale = width * width;
        let units = (dim + 2) as f64 * UNIT;
        let share = if units < 0.5 { 2.0 * units / (1.0 - units) } else { 2.0 };
        let longest = norms.map(|norms| norms.iter().fold(0.0_f64, |most, norm| most.max(*norm)).sqrt());
        let errors = [0, 1].map(|side| {
            let error = |norm: &f64| share * norm.sqrt() * longest[1 - side] + scale * dim as f64 * UNDERFLOW;
            norms[side].iter().map(error).collect()
        });
        Products { dim, rows: narrowed, scale, errors, kept: None }
    }

    /// With all products computed at once, where there is room for them.
    pub fn keep(mut self, workers: &Workers) -> Self {
        let [n, m] = [0, 1].map(|side| self.errors[side].len());
        if are_kept(n, m) {
            let mut kept = vec![0.0; n * m];
            let rows = if n < MIN_MANY_ROWS { ROWS_PER_TASK } else { MANY_ROWS_PER_TASK };
            workers.fill(&mut kept, rows * m, |k, part| {
                if !workers.is_halted() {
                    self.multiply(0, [k * rows..n.min((k + 1) * rows), 0..m], part);
                }
            });
            // Told to stop on the way, some are missing.
            self.kept = (!workers.is_halted()).then_some(kept);
        }
        self
    }

    /// By how much any product of a point may be off, in the units of squared coordinates.
    pub fn error(&self, side: usize, i: usize) -> f64 {
        self.errors[side][i]
    }

    /// Products of some points of the side `asking` with some of the other.
    pub fn tile<'a>(
        &'a self,
        asking: usize,
        [points, others]: [Range<usize>; 2],
        buffer: &'a mut Vec<f32>,
    ) -> Tile<'a> {
        let (columns, m) = (others.len(), self.errors[1].len());
        if let (Some(kept), 0) = (&self.kept, asking) {
            return Tile { products: &kept[points.start * m + others.start..], stride: m, columns };
        }
        match &self.kept {
            Some(kept) => {
                let stride = columns + TILE_PADDING;
                buffer.resize(points.len() * stride, 0.0);
                for (column, i) in others.enumerate() {
                    let products = &kept[i * m + points.start..][..points.len()];
                    for (row, product) in products.iter().enumerate() {
                        buffer[row * stride + column] = *product;
                    }
                }
                Tile { products: buffer, stride, columns }
            }
            None => {
                buffer.resize(points.len() * columns, 0.0);
                self.multiply(asking, [points, others], buffer);
                Tile { products: buffer, stride: columns, columns }
            }
        }
    }

    fn multiply(&self, asking: usize, [points, others]: [Range<usize>; 2], out: &mut [f32]) {
        let d = self.dim;
        let some = |side: usize, range: &Range<usize>| &self.rows[side][range.start * d..range.end * d];
        let left = MatRef::from_row_major_slice(some(asking, &points), points.len(), d);
        let right = MatRef::from_column_major_slice(some(1 - asking, &others), d, others.len());
        let products = MatMut::from_row_major_slice_mut(out, points.len(), others.len());
        matmul(products, Accum::Replace, left, right, -2.0, Par::Seq);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::sum_of;

    #[test]
    fn products_are_off_by_what_is_said_at_most() {
        let workers = Workers::Caller;
        for (dim, size) in [(9, 1.0), (100, 1e-30), (777, 1e40), (1, 0.0)] {
            let rows = [0, 1].map(|side| {
                (0..(40 + side) * dim)
                    .map(|k| size * (k as f64 * 0.7 + side as f64).sin())
                    .collect::<Vec<f64>>()
            });
            let norms = [0, 1].map(|side| {
                rows[side].chunks_exact(dim).map(|x| sum_of([x], |[x]| x * x)).collect::<Vec<f64>>()
            });
            let new = || Products::new([&rows[0], &rows[1]], [&norms[0], &norms[1]], dim, &workers);
            for products in [new(), new().keep(&workers)] {
                for asking in [0, 1] {
                    let mut buffer = Vec::new();
                    let tile = products.tile(asking, [3..9, 5..40], &mut buffer);
                    for (row, i) in (3..9).enumerate() {
                        for (column, j) in (5..40).enumerate() {
                            let x = &rows[asking][i * dim..(i + 1) * dim];
                            let y = &rows[1 - asking][j * dim..(j + 1) * dim];
                            let exact = -2.0 * sum_of([x, y], |[x, y]| x * y);
                            let found = products.scale * f64::from(tile.row(row)[column]);
                            assert!((found - exact).abs() <= products.error(asking, i), "{found} {exact}");
                        }
                    }
                }
            }
        }
    }
}
