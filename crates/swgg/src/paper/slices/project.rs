//! Projections of long points on several directions at once, in tiles that stay in registers and caches.

use pulp::{Arch, Simd, WithSimd};

use crate::measure::Measure;
use crate::number::scalar::Scalar;

/// Points of a tile: with two registers of directions for each, twelve sums stay in registers.
const POINTS_PER_TILE: usize = 6;
/// Registers of directions in a tile.
const REGISTERS_PER_TILE: usize = 2;
/// Coordinates that go through a tile at a time: those of its directions stay in the innermost cache.
const COORDINATES_PER_PASS: usize = 256;

/// Projections on several directions in one sweep over the points: those on direction `k` are `out[k * n..(k + 1) * n]`.
///
/// Every product is added in the order of [`dot`](crate::line::direction::dot), and rounded as there (no fused multiply-add), so a sweep
/// has the bits of single projections, whatever the processor and however many directions it has.
pub(crate) fn project_together<T: Scalar>(measure: &Measure<T>, thetas: &[&[f64]], out: &mut Vec<f64>) {
    out.resize(measure.len() * thetas.len(), 0.0);
    Arch::new().dispatch(Together { points: measure.points(), thetas, out });
}

struct Together<'a, T> {
    points: &'a [T],
    thetas: &'a [&'a [f64]],
    out: &'a mut [f64],
}

impl<T: Scalar> WithSimd for Together<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Together { points, thetas, out } = self;
        let (d, width) = (thetas[0].len(), REGISTERS_PER_TILE * S::F64_LANES);
        let n = points.len() / d;
        let mut lanes = vec![0.0; COORDINATES_PER_PASS.min(d) * width * thetas.len().div_ceil(width)];
        let mut tile = [[0.0; COORDINATES_PER_PASS]; POINTS_PER_TILE];
        for first in (0..d).step_by(COORDINATES_PER_PASS) {
            let count = COORDINATES_PER_PASS.min(d - first);
            // Coordinate by coordinate, so that a register holds one coordinate of several directions; zeros where there are none.
            for (group, lanes) in thetas.chunks(width).zip(lanes.chunks_exact_mut(count * width)) {
                for (c, lanes) in lanes.chunks_exact_mut(width).enumerate() {
                    lanes.iter_mut().enumerate().for_each(|(k, lane)| {
                        *lane = group.get(k).map_or(0.0, |theta| theta[first + c]);
                    });
                }
            }
            for start in (0..n).step_by(POINTS_PER_TILE) {
                let rows = POINTS_PER_TILE.min(n - start);
                let points = points[start * d..(start + rows) * d].chunks_exact(d);
                for (row, x) in tile.iter_mut().zip(points) {
                    row.iter_mut().zip(&x[first..first + count]).for_each(|(slot, x)| *slot = x.to_f64());
                }
                for (g, lanes) in
                    lanes.chunks_exact(count * width).take(thetas.len().div_ceil(width)).enumerate()
                {
                    let members = width.min(thetas.len() - g * width);
                    let at = |k: usize, p: usize| (g * width + k) * n + start + p;
                    let mut sums = [simd.splat_f64s(0.0); POINTS_PER_TILE * REGISTERS_PER_TILE];
                    let numbers: &mut [f64] = pulp::bytemuck::cast_slice_mut(&mut sums);
                    if first > 0 {
                        for (p, numbers) in numbers.chunks_exact_mut(width).enumerate().take(rows) {
                            (0..members).for_each(|k| numbers[k] = out[at(k, p)]);
                        }
                    }
                    let sums = products(simd, &tile, S::as_simd_f64s(lanes).0, sums);
                    let numbers: &[f64] = pulp::bytemuck::cast_slice(&sums);
                    for (p, numbers) in numbers.chunks_exact(width).enumerate().take(rows) {
                        (0..members).for_each(|k| out[at(k, p)] = numbers[k]);
                    }
                }
            }
        }
    }
}

/// The sums of a tile after some more coordinates.
#[inline(always)]
fn products<S: Simd>(
    simd: S,
    tile: &[[f64; COORDINATES_PER_PASS]; POINTS_PER_TILE],
    lanes: &[S::f64s],
    sums: [S::f64s; POINTS_PER_TILE * REGISTERS_PER_TILE],
) -> [S::f64s; POINTS_PER_TILE * REGISTERS_PER_TILE] {
    let mut sums = sums;
    let lanes = lanes.as_chunks::<REGISTERS_PER_TILE>().0;
    let rows: [&[f64]; POINTS_PER_TILE] = std::array::from_fn(|p| &tile[p][..lanes.len()]);
    for (c, lanes) in lanes.iter().enumerate() {
        for (p, row) in rows.iter().enumerate() {
            let x = simd.splat_f64s(row[c]);
            for (r, lane) in lanes.iter().enumerate() {
                let sum = &mut sums[p * REGISTERS_PER_TILE + r];
                *sum = simd.add_f64s(*sum, simd.mul_f64s(x, *lane));
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::direction::dot;
    use crate::line::sampler::{Sampler, Sphere};

    #[test]
    fn every_projection_has_the_bits_of_a_single_one() {
        for (n, d, count) in [(1, 12, 1), (5, 13, 2), (6, 255, 8), (7, 256, 9), (20, 257, 17), (13, 784, 33)]
        {
            let points: Vec<f32> = (0..n * d).map(|k| (k as f32 * 0.37).sin()).collect();
            let measure = Measure::from_vec(points, d).unwrap();
            let set = Sphere::new(d, 5).unwrap().batch(0..count);
            let thetas: Vec<&[f64]> = (0..count).map(|k| set.row(k)).collect();
            let mut out = vec![f64::NAN; 3];
            project_together(&measure, &thetas, &mut out);
            for (k, theta) in thetas.iter().enumerate() {
                for i in 0..n {
                    assert_eq!(out[k * n + i], dot(measure.point(i), theta), "{n} {d} {count}");
                }
            }
        }
    }
}
