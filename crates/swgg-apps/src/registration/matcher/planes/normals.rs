//! The normals of two clouds: the directions across the planes through neighbouring points.

use faer::{Mat, Side};
use swgg::ndarray::{Array1, Array2, Axis};
use swgg::run::Workers;

use crate::registration::cloud::measure;
use crate::registration::error::{Error, Result};
use crate::registration::indexed_cloud::{IndexedCloud, IndexedPair};

/// Neighbours that a plane goes through.
const NEIGHBORS: usize = 14;
/// A neighbourhood is flat if it varies by less than this share of its variance across.
const MAX_SHARE_ACROSS: f64 = 0.04;
/// And if it varies this much more along the plane, in every direction.
const MIN_TIMES_ALONG: f64 = 3.0;
/// Points of a task.
const POINTS_PER_TASK: usize = 512;

/// The unit normals of both clouds, zero where the neighbourhood is not flat.
pub(in crate::registration) struct Normals {
    pub(super) source: Array2<f64>,
    pub(super) target: Array2<f64>,
    /// Mean of the source, and how far from it its points are, root mean square.
    pub(super) mean: Array1<f64>,
    pub(super) spread: f64,
}

impl Normals {
    /// `None` unless most neighbourhoods are flat: then there are no planes to speak of.
    pub fn new(clouds: &IndexedPair, workers: &Workers) -> Result<Option<Self>> {
        let points = &clouds.source.points;
        let d = points.ncols();
        if d < 2 {
            return Ok(None);
        }
        // Threads are called once for both.
        let [source, target] =
            workers.run(|_| [&clouds.source, &clouds.target].map(|cloud| normals(cloud, workers)));
        let (source, target) = (source?, target?);
        let is_flat = |normals: &Array2<f64>| {
            let flat = normals.rows().into_iter().filter(|row| row.iter().any(|x| *x != 0.0)).count();
            2 * flat > normals.nrows()
        };
        let mean = points.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(d));
        let squares = points.rows().into_iter().map(|row| {
            let gaps = row.iter().zip(&mean).map(|(x, m)| (x - m).powi(2));
            gaps.sum::<f64>()
        });
        let spread = (squares.sum::<f64>() / points.nrows() as f64).sqrt();
        Ok((is_flat(&source) && is_flat(&target)).then_some(Normals { source, target, mean, spread }))
    }

    /// Those of the source and those of the target.
    pub fn of_both(&self) -> [&Array2<f64>; 2] {
        [&self.source, &self.target]
    }
}

/// The normal at every point of a cloud.
fn normals(cloud: &IndexedCloud, workers: &Workers) -> Result<Array2<f64>> {
    let IndexedCloud { points, tree, .. } = cloud;
    let (n, d) = points.dim();
    let k = NEIGHBORS.min(n);
    let near = workers.run(|parallelism| -> Result<_> {
        Ok(tree.nearest_in_order(&measure(&points.view())?, k, parallelism)?.indices)
    })?;
    let Some(rows) = points.as_slice() else { return Err(Error::NoFit) };
    let row = |i: u32| &rows[i as usize * d..(i as usize + 1) * d];
    let parts = workers.map(n.div_ceil(POINTS_PER_TASK), |chunk| -> Result<Vec<f64>> {
        let mut part = Vec::with_capacity(POINTS_PER_TASK * d);
        let (mut room, mut covariance) = (vec![0.0; 2 * d], vec![0.0; d * d]);
        for i in chunk * POINTS_PER_TASK..n.min((chunk + 1) * POINTS_PER_TASK) {
            let near = near.row(i);
            let near = || near.iter().map(|&j| row(j));
            match d {
                3 => spread::<3>(near(), &mut room, &mut covariance),
                _ => spread::<0>(near(), &mut room, &mut covariance),
            }
            match <&[f64; 9]>::try_from(&covariance[..]) {
                Ok(&[xx, _, _, xy, yy, _, xz, yz, zz]) => {
                    part.extend(normal_in_space([xx, yy, zz, xy, xz, yz]));
                }
                Err(_) => {
                    part.extend(normal(&Mat::from_fn(d, d, |a, b| covariance[a * d + b]))?);
                }
            }
        }
        Ok(part)
    });
    let mut all = Vec::with_capacity(n * d);
    for part in parts {
        all.extend(part?);
    }
    Array2::from_shape_vec((n, d), all).map_err(|_| Error::NoFit)
}

/// The covariance of some points, its lower half, times their number; `D` is the dimension, or 0. The room is for two points.
#[inline(always)]
fn spread<'a, const D: usize>(
    points: impl ExactSizeIterator<Item = &'a [f64]> + Clone,
    room: &mut [f64],
    covariance: &mut [f64],
) {
    let d = if D > 0 { D } else { room.len() / 2 };
    let share = 1.0 / points.len() as f64;
    room.fill(0.0);
    let (mean, arm) = room.split_at_mut(d);
    for point in points.clone() {
        (0..d).for_each(|a| mean[a] += share * point[a]);
    }
    covariance.fill(0.0);
    for point in points {
        (0..d).for_each(|a| arm[a] = point[a] - mean[a]);
        for a in 0..d {
            for b in 0..=a {
                covariance[a * d + b] += arm[a] * arm[b];
            }
        }
    }
}

/// The direction across a neighbourhood, zero if it is not flat.
fn normal(covariance: &Mat<f64>) -> Result<Vec<f64>> {
    let d = covariance.nrows();
    let total: f64 = (0..d).map(|a| covariance[(a, a)]).sum();
    if total <= 0.0 {
        return Ok(vec![0.0; d]);
    }
    let eigen = covariance.self_adjoint_eigen(Side::Lower).map_err(|_| Error::NoFit)?;
    let values = eigen.S();
    let across = (0..d).map(|a| eigen.U()[(a, 0)]).collect();
    Ok(if is_flat(values[0], values[1], total) { across } else { vec![0.0; d] })
}

fn is_flat(least: f64, next: f64, total: f64) -> bool {
    let least = least.max(0.0);
    // Points on a line have no plane; that of roots of a cubic is known to 1e-8 or so.
    least < MAX_SHARE_ACROSS * total && next > MIN_TIMES_ALONG * least && next > 1e-6 * total
}

/// [`normal`] of a covariance in space (`xx, yy, zz, xy, xz, yz`), a hundred times sooner than by a general decomposition: the
/// eigenvalues are the roots of a cubic (Smith 1961), and the normal is perpendicular to the rows of what is left without the least.
fn normal_in_space([xx, yy, zz, xy, xz, yz]: [f64; 6]) -> [f64; 3] {
    let total = xx + yy + zz;
    if total <= 0.0 {
        return [0.0; 3];
    }
    let mean = total / 3.0;
    let (dx, dy, dz) = (xx - mean, yy - mean, zz - mean);
    let spread = ((dx * dx + dy * dy + dz * dz + 2.0 * (xy * xy + xz * xz + yz * yz)) / 6.0).sqrt();
    if spread <= 1e-12 * total {
        return [0.0; 3];
    }
    let determinant = dx * (dy * dz - yz * yz) - xy * (xy * dz - yz * xz) + xz * (xy * yz - dy * xz);
    let angle = (0.5 * determinant / spread.powi(3)).clamp(-1.0, 1.0).acos() / 3.0;
    let third = 2.0 * std::f64::consts::PI / 3.0;
    let least = mean + 2.0 * spread * (angle + third).cos();
    let next = mean + 2.0 * spread * (angle - third).cos();
    if !is_flat(least, next, total) {
        return [0.0; 3];
    }
    let rows = [[xx - least, xy, xz], [xy, yy - least, yz], [xz, yz, zz - least]];
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let square = |a: &[f64; 3]| a.iter().map(|x| x * x).sum::<f64>();
    // Of three products the longest is the most exact.
    let products = [cross(rows[0], rows[1]), cross(rows[0], rows[2]), cross(rows[1], rows[2])];
    let across =
        products.into_iter().fold([0.0; 3], |best, x| if square(&x) > square(&best) { x } else { best });
    let length = square(&across).sqrt();
    if length > 0.0 { across.map(|x| x / length) } else { [0.0; 3] }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The short way and the long one.
    #[test]
    fn normals_in_space() {
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as f64 / 2_f64.powi(31) - 0.5
        };
        let mut flat = 0;
        for thickness in [0.0, 1e-6, 0.01, 0.1, 1.0] {
            for _ in 0..200 {
                let tilt = [next(), next(), next()];
                let points: Vec<[f64; 3]> = (0..14)
                    .map(|_| {
                        let [u, v, w] = [next(), next(), thickness * next()];
                        [u + tilt[0] * w, v + tilt[1] * u + w, w + tilt[2] * u - tilt[0] * v]
                    })
                    .collect();
                let mean: [f64; 3] = std::array::from_fn(|c| points.iter().map(|p| p[c]).sum::<f64>() / 14.0);
                let covariance = Mat::from_fn(3, 3, |a, b| {
                    points.iter().map(|p| (p[a] - mean[a]) * (p[b] - mean[b])).sum::<f64>()
                });
                let long = normal(&covariance).expect("a decomposition");
                let at = |a: usize, b: usize| covariance[(a, b)];
                let short = normal_in_space([at(0, 0), at(1, 1), at(2, 2), at(0, 1), at(0, 2), at(1, 2)]);
                let along: f64 = long.iter().zip(short).map(|(a, b)| a * b).sum();
                let is_flat = long.iter().any(|x| *x != 0.0);
                assert_eq!(is_flat, short != [0.0; 3]);
                assert!(!is_flat || along.abs() > 1.0 - 1e-6, "{long:?} {short:?}");
                flat += usize::from(is_flat);
            }
        }
        assert!((400..1000).contains(&flat), "{flat}");
        // A ball, a line and a point have none.
        assert_eq!(normal_in_space([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]), [0.0; 3]);
        assert_eq!(normal_in_space([1.0, 0.0, 0.0, 0.0, 0.0, 0.0]), [0.0; 3]);
        assert_eq!(normal_in_space([0.0; 6]), [0.0; 3]);
    }
}
