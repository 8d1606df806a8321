//! The last bit: points are drawn to the planes through their neighbours, along which they may slide.
//!
//! The objective is the symmetric one of Rusinkiewicz (2019): with the normals `n` of both points, `((x - y) . (n_x + n_y))^2`.

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};
use swgg::ndarray::{Array1, Array2, Axis};
use swgg::{Parallelism, PointTree};

use super::cloud::measure;
use super::crew::Crew;
use super::error::{Error, Result};
use super::motion::{Group, Motion, polar};
use super::pairs::{Pairs, Sides};

/// Neighbours that a plane goes through.
const NEIGHBORS: usize = 14;
/// A neighbourhood is flat if it varies by less than this share of its variance across.
const FLAT: f64 = 0.04;
/// And if it varies this much more along the plane, in every direction.
const WIDE: f64 = 3.0;
/// Points of a task.
const CHUNK: usize = 512;

/// The unit normals of both clouds, zero where the neighbourhood is not flat.
pub(super) struct Normals {
    source: Array2<f64>,
    target: Array2<f64>,
    /// Mean of the source, and how far from it its points are, root mean square.
    mean: Array1<f64>,
    spread: f64,
}

impl Normals {
    /// `None` unless most neighbourhoods are flat: then there are no planes to speak of.
    pub fn of(sides: &Sides, crew: &Crew) -> Result<Option<Self>> {
        let d = sides.source.ncols();
        if d < 2 {
            return Ok(None);
        }
        // Threads are called once for both.
        let [source, target] = crew.run(|_| {
            let clouds = [(&sides.source, &sides.source_tree), (&sides.target, &sides.target_tree)];
            clouds.map(|(points, tree)| normals(points, tree, crew))
        });
        let (source, target) = (source?, target?);
        let is_flat = |normals: &Array2<f64>| {
            let flat = normals.rows().into_iter().filter(|row| row.iter().any(|x| *x != 0.0)).count();
            2 * flat > normals.nrows()
        };
        let mean = sides.source.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(d));
        let squares = sides.source.rows().into_iter().map(|row| {
            let gaps = row.iter().zip(&mean).map(|(x, m)| (x - m).powi(2));
            gaps.sum::<f64>()
        });
        let spread = (squares.sum::<f64>() / sides.source.nrows() as f64).sqrt();
        Ok((is_flat(&source) && is_flat(&target)).then_some(Normals { source, target, mean, spread }))
    }

    /// The motion after a step, from pairs of points to the planes between them; gaps wider than `width`, and much wider than usual,
    /// count for little (Cauchy's weights).
    pub fn step(
        &self,
        sides: &Sides,
        pairs: &Pairs,
        motion: &Motion,
        group: Group,
        width: f64,
        crew: &Crew,
    ) -> Result<Motion> {
        let d = sides.source.ncols();
        let scaled = group == Group::Similarity;
        let size = d * (d - 1) / 2 + d + usize::from(scaled);
        let mean = motion.rotation.dot(&self.mean) * motion.scale + &motion.translation;
        let reach = (motion.scale * self.spread).max(f64::MIN_POSITIVE);
        let chunks: Vec<&[(u32, u32)]> = pairs.pairs.chunks(CHUNK).collect();
        let facing = crew.map(&chunks, |pairs| match d {
            3 => self.facing::<3>(sides, pairs, motion),
            _ => self.facing::<0>(sides, pairs, motion),
        });
        let facing: Vec<Vec<f64>> = facing.into_iter().collect::<Result<_>>()?;
        // For each pair the source's point, the normal and the gap.
        let mut gaps = Vec::with_capacity(pairs.pairs.len());
        facing
            .iter()
            .for_each(|part| gaps.extend(part.iter().skip(2 * d).step_by(2 * d + 1).map(|x| x.abs())));
        if gaps.len() < 2 * size {
            return Ok(motion.clone());
        }
        let middle = gaps.len() / 2;
        let usual = *gaps.select_nth_unstable_by(middle, f64::total_cmp).1;
        let width = (3.0 * usual).max(width).max(1e-12 * reach);
        let equations = Equations { mean: mean.to_vec(), reach, width, size, scaled };
        let parts = crew.map(&facing, |part| match (d, size) {
            (3, 6) => equations.sums::<3, 6>(part),
            _ => equations.sums::<0, 0>(part),
        });
        let mut sums = vec![0.0; size * (size + 1)];
        parts.iter().for_each(|part| sums.iter_mut().zip(part).for_each(|(sum, x)| *sum += x));
        let at = |a: usize, b: usize| sums[a * (size + 1) + b];
        // Where nothing holds the points they stay.
        let ridge = (1e-6 * (0..size).map(|a| at(a, a)).sum::<f64>() / size as f64).max(f64::MIN_POSITIVE);
        let system = Mat::from_fn(size, size, |a, b| at(a, b) + if a == b { ridge } else { 0.0 });
        let right = Mat::from_fn(size, 1, |a, _| at(a, size));
        let solved = system.llt(Side::Lower).map_err(|_| Error::NoFit)?.solve(&right);
        let mut turn = Array2::<f64>::eye(d);
        let turns = (0..d).flat_map(|a| (a + 1..d).map(move |b| (a, b)));
        for (k, (a, b)) in turns.enumerate() {
            let angle = solved[(k, 0)] / reach;
            turn[[a, b]] += angle;
            turn[[b, a]] -= angle;
        }
        let shift = Array1::from_shape_fn(d, |a| solved[(d * (d - 1) / 2 + a, 0)]);
        let scale = if scaled { 1.0 + solved[(size - 1, 0)] / reach } else { 1.0 };
        if !(scale > 0.0 && scale.is_finite()) {
            return Err(Error::NoFit);
        }
        let rotation = polar(turn.view(), true)?;
        let translation = &mean + &shift - rotation.dot(&mean) * scale;
        Ok(motion.then(&Motion { rotation, translation, scale }))
    }

    /// For each pair that has one: the source's point where it is now, a normal between those of both points, the gap along it.
    ///
    /// `D` is the dimension, or 0 if that is not known to the compiler, which unrolls short loops if it is.
    fn facing<const D: usize>(
        &self,
        sides: &Sides,
        pairs: &[(u32, u32)],
        motion: &Motion,
    ) -> Result<Vec<f64>> {
        let slices = [&sides.source, &sides.target, &self.source, &self.target].map(|rows| rows.as_slice());
        let [Some(x), Some(y), Some(own), Some(other)] = slices else { return Err(Error::NoFit) };
        let d = if D > 0 { D } else { self.mean.len() };
        let turn: Vec<f64> = motion.rotation.iter().copied().collect();
        let turned = |row: &[f64], a: usize| dot(&turn[a * d..(a + 1) * d], &row[..d]);
        let row = |i: u32| i as usize * d..(i as usize + 1) * d;
        let mut facing = vec![0.0; pairs.len() * (2 * d + 1)];
        let mut count = 0;
        for &(i, j) in pairs {
            let (x, own, other) = (&x[row(i)], &own[row(i)], &other[row(j)]);
            let (point, rest) = facing[count..count + 2 * d + 1].split_at_mut(d);
            let (normal, gap) = rest.split_at_mut(d);
            for a in 0..d {
                point[a] = motion.scale * turned(x, a) + motion.translation[a];
                normal[a] = turned(own, a);
            }
            let sign = if dot(normal, other) < 0.0 { -1.0 } else { 1.0 };
            normal.iter_mut().zip(other).for_each(|(n, b)| *n = b + sign * *n);
            let length = dot(normal, normal).sqrt();
            if length <= 0.1 {
                continue;
            }
            normal.iter_mut().for_each(|n| *n /= length);
            gap[0] = normal.iter().zip(&y[row(j)]).zip(point).map(|((n, y), x)| n * (y - *x)).sum();
            count += 2 * d + 1;
        }
        facing.truncate(count);
        Ok(facing)
    }
}

#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// What the equations of a step are made with.
struct Equations {
    /// Mean of the source where it is now, and how far from it its points are.
    mean: Vec<f64>,
    reach: f64,
    /// Gaps wider than this count for little.
    width: f64,
    /// Unknowns: angles, shifts and, if there is one, the scale.
    size: usize,
    scaled: bool,
}

impl Equations {
    /// The normal equations of some pairs: rows of the matrix, each followed by its right side. `D` is the dimension and `SIZE` the
    /// number of unknowns, both 0 if the compiler does not know them.
    fn sums<const D: usize, const SIZE: usize>(&self, facing: &[f64]) -> Vec<f64> {
        let d = if D > 0 { D } else { self.mean.len() };
        let size = if SIZE > 0 { SIZE } else { self.size };
        let mut sums = vec![0.0; size * (size + 1)];
        let (mut arm, mut entries) = (vec![0.0; d], vec![0.0; size]);
        for pair in facing.chunks_exact(2 * d + 1) {
            let (point, normal, gap) = (&pair[..d], &pair[d..2 * d], pair[2 * d]);
            let weight = 1.0 / (1.0 + (gap / self.width).powi(2));
            (0..d).for_each(|a| arm[a] = (point[a] - self.mean[a]) / self.reach);
            coefficients(&arm[..d], normal, self.scaled, &mut entries[..size]);
            for (sums, a) in sums.chunks_exact_mut(size + 1).zip(&entries) {
                let a = weight * a;
                sums.iter_mut().zip(&entries[..size]).for_each(|(sum, b)| *sum += a * b);
                sums[size] += a * gap;
            }
        }
        sums
    }
}

/// How the gap along a normal changes with every angle, shift, and the scale.
#[inline(always)]
fn coefficients(arm: &[f64], normal: &[f64], scaled: bool, entries: &mut [f64]) {
    let d = arm.len();
    let mut k = 0;
    for a in 0..d {
        for b in a + 1..d {
            entries[k] = normal[a] * arm[b] - normal[b] * arm[a];
            k += 1;
        }
    }
    entries[k..k + d].copy_from_slice(normal);
    if scaled {
        entries[k + d] = dot(arm, normal);
    }
}

/// The normal at every point of a cloud.
fn normals(points: &Array2<f64>, tree: &PointTree, crew: &Crew) -> Result<Array2<f64>> {
    let (n, d) = points.dim();
    let k = NEIGHBORS.min(n);
    let near = crew.run(|parallelism: Parallelism| -> Result<_> {
        Ok(tree.nearest_in_order(&measure(&points.view())?, k, parallelism)?.indices)
    })?;
    let Some(rows) = points.as_slice() else { return Err(Error::NoFit) };
    let row = |i: u32| &rows[i as usize * d..(i as usize + 1) * d];
    let chunks: Vec<usize> = (0..n.div_ceil(CHUNK)).collect();
    let parts = crew.map(&chunks, |chunk| -> Result<Vec<f64>> {
        let mut part = Vec::with_capacity(CHUNK * d);
        let (mut room, mut covariance) = (vec![0.0; 2 * d], vec![0.0; d * d]);
        for i in chunk * CHUNK..n.min((chunk + 1) * CHUNK) {
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
    least < FLAT * total && next > WIDE * least && next > 1e-6 * total
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
