//! The loops over all points: projecting, sorting, and summing the costs of pairs.

use super::project::project_together;
use super::sweep::MIN_LONG_DIM;
use crate::cost::sq_distance;
use crate::line::direction::Projected;
use crate::line::{Scale, Sorter, VALUES_PER_BLOCK};
use crate::measure::Measure;
use crate::number::scalar::Scalar;

/// Turns pairs of orders into maps from source to target, so that one side can be read in order.
pub(super) fn maps_of_orders<'a>(orders: &'a mut [[Vec<u32>; 2]], sorter: &mut Sorter) -> Vec<&'a [u32]> {
    for [sigma, tau] in orders.iter_mut() {
        // The sorter's records are free by now: they take the map, and the order it came from takes their place.
        let target_of = &mut sorter.records;
        target_of.resize(sigma.len(), 0);
        for (&i, &j) in sigma.iter().zip(&*tau) {
            target_of[i as usize] = j;
        }
        std::mem::swap(sigma, target_of);
    }
    orders.iter().map(|[map, _]| map.as_slice()).collect()
}

/// `<theta, x - y>` of the first `D` coordinates.
#[inline(always)]
pub(super) fn gap_along<T: Scalar, const D: usize>(theta: &[f64], x: &[T], y: &[T]) -> f64 {
    let gaps = x[..D].iter().zip(&y[..D]).map(|(x, y)| x.to_f64() - y.to_f64());
    gaps.zip(&theta[..D]).map(|(gap, t)| gap * t).sum()
}

/// Sums of costs of pairs `x_i`, `y_map(i)` for several maps, block by block of `x`, which stays in the cache for all.
///
/// Sums of blocks join the total one by one: little is lost, and the bits do not depend on how many maps there are.
pub(super) fn sums_of_pairs<T: Scalar>(
    x: &[T],
    y: &[T],
    d: usize,
    maps: &[&[u32]],
    block_sum: impl Fn(usize, &[T], &[T], &[u32]) -> f64,
) -> Vec<f64> {
    let block = (8192 / d).max(16);
    let mut totals = vec![0.0; maps.len()];
    for (b, x) in x.chunks(block * d).enumerate() {
        let start = b * block;
        for (k, (total, map)) in totals.iter_mut().zip(maps).enumerate() {
            *total += block_sum(k, x, y, &map[start..start + x.len() / d]);
        }
    }
    totals
}

/// `|x - y|^2` of the first `D` coordinates.
#[inline(always)]
pub(super) fn fixed_sq_distance<T: Scalar, const D: usize>(x: &[T], y: &[T]) -> f64 {
    x[..D].iter().zip(&y[..D]).map(|(x, y)| (x.to_f64() - y.to_f64()).powi(2)).sum()
}

#[inline(always)]
pub(super) fn block_sum<T: Scalar, const D: usize>(x: &[T], y: &[T], map: &[u32]) -> f64 {
    let mut sums = [0.0; D];
    for (x, &j) in x.chunks_exact(D).zip(map) {
        let y = &y[j as usize * D..(j as usize + 1) * D];
        for c in 0..D {
            let gap = x[c].to_f64() - y[c].to_f64();
            sums[c] += gap * gap;
        }
    }
    sums.iter().sum()
}

#[inline(always)]
pub(super) fn long_block_sum<T: Scalar>(x: &[T], y: &[T], d: usize, map: &[u32]) -> f64 {
    let pairs = x.chunks_exact(d).zip(map);
    pairs.map(|(x, &j)| sq_distance(x, &y[j as usize * d..(j as usize + 1) * d])).sum()
}

/// Sorts the points along several directions, reading them once to compute all the keys.
pub(super) fn sort_short<T: Scalar>(
    measure: &Measure<T>,
    thetas: &[&[f64]],
    sorter: &mut Sorter,
    orders: &mut [[Vec<u32>; 2]],
    side: usize,
) {
    let n = measure.len();
    let along = thetas.iter().map(|theta| Projected { points: measure.points(), theta });
    let lines: Vec<_> = along.map(|values| (Scale::guess(&values), values)).collect();
    orders.iter_mut().for_each(|order| order[side].resize(n, 0));
    let mut columns = [[0.0; VALUES_PER_BLOCK]; MIN_LONG_DIM];
    let mut along = [0.0; VALUES_PER_BLOCK];
    for (b, points) in measure.points().chunks(VALUES_PER_BLOCK * measure.dim()).enumerate() {
        // Turned into columns once, points are projected on every direction in full vector registers.
        transpose(points, measure.dim(), &mut columns);
        let range = b * VALUES_PER_BLOCK..n.min((b + 1) * VALUES_PER_BLOCK);
        for (order, (scale, values)) in orders.iter_mut().zip(&lines) {
            if let Some(scale) = scale {
                project_columns(&columns, values.theta, &mut along);
                scale.keys(&along, &mut order[side][range.clone()]);
            }
        }
    }
    for (order, (scale, values)) in orders.iter_mut().zip(&lines) {
        sorter.sort_keys(values, scale.as_ref(), &mut order[side]);
    }
}

pub(super) fn transpose<T: Scalar>(
    points: &[T],
    d: usize,
    columns: &mut [[f64; VALUES_PER_BLOCK]; MIN_LONG_DIM],
) {
    match d {
        2 => transpose_fixed::<T, 2>(points, columns),
        3 => transpose_fixed::<T, 3>(points, columns),
        _ => {
            for (i, x) in points.chunks_exact(d).enumerate() {
                columns.iter_mut().zip(x).for_each(|(column, x)| column[i] = x.to_f64());
            }
        }
    }
}

#[inline(always)]
pub(super) fn transpose_fixed<T: Scalar, const D: usize>(
    points: &[T],
    columns: &mut [[f64; VALUES_PER_BLOCK]; MIN_LONG_DIM],
) {
    for (i, x) in points.chunks_exact(D).enumerate().take(VALUES_PER_BLOCK) {
        for c in 0..D {
            columns[c][i] = x[c].to_f64();
        }
    }
}

/// Projections of a block of columns, each summed in the order of [`dot`].
pub(super) fn project_columns(
    columns: &[[f64; VALUES_PER_BLOCK]; MIN_LONG_DIM],
    theta: &[f64],
    along: &mut [f64; VALUES_PER_BLOCK],
) {
    match *theta {
        [a, b] => along.iter_mut().enumerate().for_each(|(i, v)| *v = columns[0][i] * a + columns[1][i] * b),
        [a, b, c] => along.iter_mut().enumerate().for_each(|(i, v)| {
            *v = columns[0][i] * a + columns[1][i] * b + columns[2][i] * c;
        }),
        _ => {
            along.iter_mut().zip(&columns[0]).for_each(|(v, x)| *v = x * theta[0]);
            for (column, t) in columns.iter().zip(theta).skip(1) {
                along.iter_mut().zip(column).for_each(|(v, x)| *v += x * t);
            }
        }
    }
}

/// Sorts long points along several directions, by projections that are kept: computing one again takes too long.
pub(super) fn sort_long<T: Scalar>(
    measure: &Measure<T>,
    thetas: &[&[f64]],
    sorter: &mut Sorter,
    projections: &mut Vec<f64>,
    orders: &mut [[Vec<u32>; 2]],
    side: usize,
) {
    let n = measure.len();
    project_together(measure, thetas, projections);
    for (order, values) in orders.iter_mut().zip(projections.chunks_exact(n)) {
        sorter.sort(values, &mut order[side]);
    }
}
