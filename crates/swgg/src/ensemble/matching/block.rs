//! Small assignments, solved exactly from a good start.

use pulp::{Arch, Simd, WithSimd};

/// Numbers compared together.
const LANES: usize = 16;

/// A block of `m` pairs: row `i` is now matched with column `i`, and pairs gain `<x_i, y_j>`. Kept from block to block for its memory.
///
/// The assignment of highest gain and its prices satisfy `values_i + prices_j >= gain_ij`, with equality along the assignment. From
/// prices that are almost right most rows want the column they have, and only the others look for shortest augmenting paths.
#[derive(Default)]
pub(super) struct Block {
    m: usize,
    /// `m` rounded up to whole lanes: columns beyond `m` have infinite prices.
    stride: usize,
    gains: Vec<f32>,
    pub prices: Vec<f32>,
    values: Vec<f32>,
    row_of: Vec<u32>,
    pub column_of: Vec<u32>,
    tolls: Vec<f32>,
    open: Vec<f32>,
    from: Vec<u32>,
    closed: Vec<(u32, f32)>,
    free: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Block {
    /// Sets the gains from rows of `x` and columns of `y` (`dim` columns of [`stride`](Block::stride) numbers).
    pub fn fill(&mut self, m: usize, dim: usize, x: &[f32], y: &[f32], prices: impl Fn(usize) -> f32) {
        let stride = Self::stride(m);
        (self.m, self.stride) = (m, stride);
        self.gains.resize(m * stride, 0.0);
        self.prices.clear();
        self.prices.extend((0..m).map(prices));
        self.prices.resize(stride, f32::INFINITY);
        Arch::new().dispatch(Fill { gains: &mut self.gains, stride, dim, x, y });
    }

    /// Numbers in a column of `m` that is filled up to whole lanes.
    pub fn stride(m: usize) -> usize {
        m.next_multiple_of(LANES)
    }

    /// Solves; whether any row has a new column.
    pub fn solve(&mut self) -> bool {
        Arch::new().dispatch(Solve(self))
    }

    #[inline(always)]
    fn solve_here<S: Simd>(&mut self, simd: S) -> bool {
        let m = self.m;
        self.values.resize(m, 0.0);
        self.free.clear();
        self.row_of.clear();
        self.row_of.extend(0..m as u32);
        self.column_of.clear();
        self.column_of.extend(0..m as u32);
        for i in 0..m {
            let row = &self.gains[i * self.stride..(i + 1) * self.stride];
            let best = highest(simd, row, &self.prices);
            self.values[i] = best;
            if row[i] - self.prices[i] < best {
                self.free.push(i as u32);
                self.row_of[i] = NONE;
            }
        }
        if self.free.is_empty() {
            return false;
        }
        self.tolls.resize(self.stride, 0.0);
        self.open.resize(self.stride, 0.0);
        self.from.resize(self.stride, 0);
        for k in 0..self.free.len() {
            self.augment(simd, self.free[k] as usize);
        }
        (0..m).any(|i| self.column_of[i] as usize != i)
    }

    /// A shortest path from a free row to a free column, and the prices that make it tight.
    #[inline(always)]
    fn augment<S: Simd>(&mut self, simd: S, start: usize) {
        let stride = self.stride;
        self.closed.clear();
        self.open.fill(f32::INFINITY);
        // What a column costs to reach: nothing pays for one that is closed.
        self.tolls.copy_from_slice(&self.prices);
        let (mut row, mut base) = (start, 0.0_f32);
        let (sink, length) = loop {
            let gains = &self.gains[row * stride..(row + 1) * stride];
            let reach = base + self.values[row];
            let least =
                relax(simd, (gains, &self.tolls), (reach, row as u32), &mut self.open, &mut self.from);
            let column = place(simd, &self.open, least);
            // Rounding may take a step a little below the last one.
            base = base.max(least);
            if self.row_of[column] == NONE {
                break (column, base);
            }
            self.closed.push((column as u32, base));
            self.open[column] = f32::INFINITY;
            self.tolls[column] = f32::INFINITY;
            row = self.row_of[column] as usize;
        };
        for &(column, at) in &self.closed {
            let row = self.row_of[column as usize] as usize;
            self.prices[column as usize] += length - at;
            self.values[row] -= length - at;
        }
        self.values[start] -= length;
        let mut column = sink;
        loop {
            let row = self.from[column] as usize;
            let next = self.column_of[row] as usize;
            self.row_of[column] = row as u32;
            self.column_of[row] = column as u32;
            if row == start {
                break;
            }
            column = next;
        }
    }
}

/// Kernels are types of their own: a closure that could be called twice would not be compiled for the wide instructions.
struct Solve<'a>(&'a mut Block);

impl WithSimd for Solve<'_> {
    type Output = bool;
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        self.0.solve_here(simd)
    }
}

struct Fill<'a> {
    gains: &'a mut [f32],
    stride: usize,
    dim: usize,
    x: &'a [f32],
    y: &'a [f32],
}

impl WithSimd for Fill<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Fill { gains, stride, dim, x, y } = self;
        for (row, x) in gains.chunks_exact_mut(stride).zip(x.chunks_exact(dim)) {
            for (chunk, row) in row.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
                let mut sums = [0.0; LANES];
                for (x, column) in x.iter().zip(y.chunks_exact(stride)) {
                    let y = &column.as_chunks::<LANES>().0[chunk];
                    sums = std::array::from_fn(|l| sums[l] + x * y[l]);
                }
                *row = sums;
            }
        }
    }
}

/// The highest of `gain - price`.
#[inline(always)]
fn highest<S: Simd>(simd: S, gains: &[f32], prices: &[f32]) -> f32 {
    let mut best = simd.splat_f32s(f32::NEG_INFINITY);
    for (g, p) in S::as_simd_f32s(gains).0.iter().zip(S::as_simd_f32s(prices).0) {
        best = simd.max_f32s(best, simd.sub_f32s(*g, *p));
    }
    simd.reduce_max_f32s(best)
}

/// Offers from one row to all columns, taken where they are better; and the least of what is then open.
#[inline(always)]
fn relax<S: Simd>(
    simd: S,
    (gains, tolls): (&[f32], &[f32]),
    (reach, row): (f32, u32),
    open: &mut [f32],
    from: &mut [u32],
) -> f32 {
    let (reach, row) = (simd.splat_f32s(reach), simd.splat_u32s(row));
    let mut least = simd.splat_f32s(f32::INFINITY);
    let columns = S::as_simd_f32s(gains).0.iter().zip(S::as_simd_f32s(tolls).0);
    let marks = S::as_mut_simd_f32s(open).0.iter_mut().zip(S::as_mut_simd_u32s(from).0);
    for ((g, t), (o, f)) in columns.zip(marks) {
        let offer = simd.add_f32s(simd.sub_f32s(reach, *g), *t);
        let better = simd.less_than_f32s(offer, *o);
        *f = simd.select_u32s(better, row, *f);
        *o = simd.min_f32s(offer, *o);
        least = simd.min_f32s(least, *o);
    }
    simd.reduce_min_f32s(least)
}

/// The first of the numbers that are no larger than the least.
#[inline(always)]
fn place<S: Simd>(simd: S, numbers: &[f32], least: f32) -> usize {
    let least = simd.splat_f32s(least);
    for (k, chunk) in S::as_simd_f32s(numbers).0.iter().enumerate() {
        let lane = simd.first_true_m32s(simd.less_than_or_equal_f32s(*chunk, least));
        if lane < S::F32_LANES {
            return k * S::F32_LANES + lane;
        }
    }
    0
}
