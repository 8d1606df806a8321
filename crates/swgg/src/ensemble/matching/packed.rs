//! Points of few coordinates in rows of eight bytes.

use super::clouds::{Rows, UniformClouds};
use crate::number::scalar::Scalar;

/// Both clouds on grids of whole numbers of 16 bits: how points compare does not depend on where the grids are, nor on their scales.
///
/// Merging jumps from point to point and waits for memory. Rows this small settle nearly all questions and stay in the cache; what they
/// leave in doubt is asked again in full.
pub(super) struct PackedClouds {
    x: Vec<Row>,
    y: Vec<Row>,
    /// How far the difference of two agreements may be from that of the points themselves.
    pub doubt: i64,
}

/// A point on the grid.
type Row = [i16; 4];

/// Coordinates that fit; the last place is zero.
const MAX_PACKED_DIM: usize = 3;
/// Steps of the grid on either side of the origin: few enough that differences fit in 16 bits and their products in 32.
const GRID_STEPS: f64 = 13_000.0;
/// Points weighed before any of them moves: loads that wait behind a decision would come one at a time.
pub(super) const POINTS_PER_BLOCK: usize = 256;

/// `<x_a - x_b, y_i - y_j>` on the grid, below zero if `a`, sent to `i`, and `b`, sent to `j`, had better exchange their targets.
#[derive(Clone, Copy, Default)]
pub(super) struct Swap {
    pub product: i32,
    /// How far the product may be from that of the points themselves.
    doubt: i32,
}

impl Swap {
    #[inline(always)]
    fn new([a, b]: [&Row; 2], [i, j]: [&Row; 2]) -> Self {
        let mut swap = Swap { product: 0, doubt: MAX_PACKED_DIM as i32 };
        for c in 0..4 {
            let (apart, leap) = (a[c].wrapping_sub(b[c]), i[c].wrapping_sub(j[c]));
            swap.product += i32::from(apart) * i32::from(leap);
            // Either difference may be off by a step.
            swap.doubt += i32::from(apart).abs() + i32::from(leap).abs();
        }
        swap
    }

    /// Whether the exchange may pay.
    #[inline(always)]
    pub fn may_pay(self) -> bool {
        self.product < self.doubt
    }

    /// Whether the exchange pays; `None` where the grid is too coarse to tell.
    #[inline(always)]
    pub fn pays(self) -> Option<bool> {
        (self.product.abs() > self.doubt).then_some(self.product < 0)
    }
}

/// A block of points, each with the swap that would send it to the target it is offered.
pub(super) struct SwapBlock {
    /// The sources that are sent to the offered targets now.
    pub others: [u32; POINTS_PER_BLOCK],
    products: [i32; POINTS_PER_BLOCK],
    doubts: [i32; POINTS_PER_BLOCK],
}

/// Points of a block by coordinate.
type Columns = [[i16; POINTS_PER_BLOCK]; MAX_PACKED_DIM];

impl Default for SwapBlock {
    fn default() -> Self {
        SwapBlock {
            others: [0; POINTS_PER_BLOCK],
            products: [0; POINTS_PER_BLOCK],
            doubts: [0; POINTS_PER_BLOCK],
        }
    }
}

impl SwapBlock {
    #[inline(always)]
    pub fn swap_at(&self, k: usize) -> Swap {
        Swap { product: self.products[k], doubt: self.doubts[k] }
    }
}

/// Fetches rows in a loop that does nothing else, so that they wait for memory together.
#[inline(always)]
fn fetch<'a>(rows: impl Iterator<Item = &'a Row>) -> Columns {
    let mut columns = [[0; POINTS_PER_BLOCK]; MAX_PACKED_DIM];
    for (k, row) in rows.take(POINTS_PER_BLOCK).enumerate() {
        for c in 0..MAX_PACKED_DIM {
            columns[c][k] = row[c];
        }
    }
    columns
}

impl PackedClouds {
    /// `None` where points have too many coordinates, or coordinates that are not finite on the grid.
    pub fn new<T: Scalar>(clouds: &UniformClouds<'_, T>) -> Option<Self> {
        if clouds.dim() > MAX_PACKED_DIM {
            return None;
        }
        let ([x, y], _) = grids(clouds)?;
        let length =
            |rows: &[Row]| rows.as_flattened().iter().map(|&step| i64::from(step).abs()).sum::<i64>();
        // A coordinate is off by half a step at most, which the row at the other end multiplies; two agreements are off either way.
        let doubt = length(&x) + length(&y) + 2 * x.len() as i64;
        Some(PackedClouds { x, y, doubt })
    }

    /// Weighs the points from `start` on, sent to `mine` and offered `theirs`.
    #[inline(always)]
    pub fn weigh(
        &self,
        start: usize,
        mine: &[u32],
        theirs: &[u32],
        source_of: &[u32],
        block: &mut SwapBlock,
    ) {
        block.others.iter_mut().zip(theirs).for_each(|(other, &j)| *other = source_of[j as usize]);
        let others = &block.others[..theirs.len()];
        let there = fetch(others.iter().map(|&b| &self.x[b as usize]));
        let here = fetch(self.x[start..].iter());
        let offered = fetch(theirs.iter().map(|&j| &self.y[j as usize]));
        let held = fetch(mine.iter().map(|&j| &self.y[j as usize]));
        block.products = [0; POINTS_PER_BLOCK];
        block.doubts = [MAX_PACKED_DIM as i32; POINTS_PER_BLOCK];
        for c in 0..MAX_PACKED_DIM {
            for k in 0..POINTS_PER_BLOCK {
                let (apart, leap) =
                    (here[c][k].wrapping_sub(there[c][k]), held[c][k].wrapping_sub(offered[c][k]));
                block.products[k] += i32::from(apart) * i32::from(leap);
                block.doubts[k] += i32::from(apart.wrapping_abs()) + i32::from(leap.wrapping_abs());
            }
        }
    }

    pub fn swap_between(&self, [a, b]: [u32; 2], [i, j]: [u32; 2]) -> Swap {
        let (x, y) = (|i: u32| &self.x[i as usize], |j: u32| &self.y[j as usize]);
        Swap::new([x(a), x(b)], [y(i), y(j)])
    }

    /// `sum <x_i, y_T(i)>` on the grid.
    pub fn agreement(&self, target_of: &[u32]) -> i64 {
        const ROWS_PER_FETCH: usize = 64;
        let mut rows = [Row::default(); ROWS_PER_FETCH];
        let mut total = 0;
        for (x, targets) in self.x.chunks(ROWS_PER_FETCH).zip(target_of.chunks(ROWS_PER_FETCH)) {
            // Fetched together, rows wait for memory together.
            rows.iter_mut().zip(targets).for_each(|(row, &j)| *row = self.y[j as usize]);
            for (x, y) in x.iter().zip(&rows) {
                let [a, b, c, _] = std::array::from_fn(|i| i32::from(x[i]) * i32::from(y[i]));
                total += i64::from(a) + i64::from(b) + i64::from(c);
            }
        }
        total
    }
}

/// Both clouds on grids of their own, and the steps to a unit of length.
fn grids<T: Scalar>(clouds: &UniformClouds<'_, T>) -> Option<([Vec<Row>; 2], [f64; 2])> {
    let ((x, of_x), (y, of_y)) = (grid(clouds.x)?, grid(clouds.y)?);
    Some(([x, y], [of_x, of_y]))
}

fn grid<T: Scalar>(rows: Rows<'_, T>) -> Option<(Vec<Row>, f64)> {
    let all = || (0..rows.len()).map(|i| rows.row(i));
    let mut middle = [0.0; MAX_PACKED_DIM];
    for row in all() {
        middle.iter_mut().zip(row).for_each(|(sum, x)| *sum += x.to_f64() / rows.len() as f64);
    }
    let from_middle = |row: &[T]| -> [f64; MAX_PACKED_DIM] {
        std::array::from_fn(|i| row.get(i).map_or(0.0, |x| x.to_f64() - middle[i]))
    };
    let reach = all().flat_map(from_middle).fold(0.0, |most: f64, x| most.max(x.abs()));
    let scale = if reach > 0.0 { GRID_STEPS / reach } else { 0.0 };
    let row = |row: &[T]| {
        let [a, b, c] = from_middle(row).map(|x| (scale * x).round() as i16);
        [a, b, c, 0]
    };
    (scale.is_finite() && reach.is_finite()).then(|| (all().map(row).collect(), scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What packed rows say is what full ones say; what is too close for them they leave open.
    #[test]
    fn no_wrong_answers() {
        let mut numbers = crate::line::sampler::Gaussians::new(5, 0);
        let mut points = |apart: f64| {
            let mut rows = vec![0.0; 60 * 3];
            numbers.fill(&mut rows);
            // Tight groups far from each other, and far from the origin.
            rows.iter_mut().enumerate().for_each(|(k, x)| *x = 1e3 + apart * *x + ((k / 3) % 4) as f64 * 7.0);
            rows
        };
        for apart in [1.0, 1e-3, 1e-6] {
            let (x, y) = (points(apart), points(apart));
            let clouds = UniformClouds::new(&x, &y, 3);
            let packed = PackedClouds::new(&clouds).expect("three coordinates");
            let mut decided = 0;
            for k in 0..60_u32 * 60 {
                let (a, b) = (k / 60, k % 60);
                let (i, j) = (k * 7 % 60, k * 13 % 60);
                let rise = clouds.swap_rise([a, b].map(|i| i as usize), [i, j].map(|j| j as usize));
                let swap = packed.swap_between([a, b], [i, j]);
                assert!(swap.may_pay() || rise >= 0.0, "{rise}");
                if let Some(pays) = swap.pays() {
                    assert_eq!(pays, rise < 0.0, "{rise}");
                    decided += 1;
                }
            }
            assert!(decided > 1000, "{decided} decided at {apart}");
        }
        assert!(PackedClouds::new(&UniformClouds::new(&[0.0; 8], &[0.0; 8], 4)).is_none());
    }

    /// Agreements differ as costs do, as far as they say.
    #[test]
    fn agreement_is_cost() {
        let mut numbers = crate::line::sampler::Gaussians::new(6, 0);
        let mut points = || {
            let mut rows = vec![0.0; 300 * 3];
            numbers.fill(&mut rows);
            rows
        };
        let (x, y) = (points(), points());
        let clouds = UniformClouds::new(&x, &y, 3);
        let packed = PackedClouds::new(&clouds).expect("three coordinates");
        let (_, scales) = grids(&clouds).expect("numbers");
        let shifted = |by: u32| (0..300).map(|i| (i + by) % 300).collect::<Vec<u32>>();
        for by in 1..300 {
            let (one, other) = (shifted(0), shifted(by));
            let grid = packed.agreement(&other) - packed.agreement(&one);
            let rise = 150.0 * (clouds.cost(&one) - clouds.cost(&other)) * scales[0] * scales[1];
            assert!((grid as f64 - rise).abs() < packed.doubt as f64, "{grid} for {rise}");
        }
    }
}
