//! The next pose, from points to the planes through their neighbours: a linear system for small angles and shifts.

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};
use swgg::ndarray::{Array1, Array2};
use swgg::run::Workers;

use crate::registration::error::{Error, Result};
use crate::registration::indexed_cloud::IndexedPair;
use crate::registration::motion::{Group, Motion, polar};
use crate::registration::pairs::Pair;

use super::normals::Normals;

/// Pairs of a task.
const PAIRS_PER_TASK: usize = 512;

/// Clouds with normals, to be fitted.
pub(super) struct PlaneFit<'a> {
    pub clouds: &'a IndexedPair,
    pub normals: &'a Normals,
    pub group: Group,
    pub workers: &'a Workers,
}

impl PlaneFit<'_> {
    /// The pose after a step from another one; gaps wider than `width`, and much wider than usual, count for little (Cauchy's weights).
    pub fn next(&self, pairs: &[Pair], pose: &Motion, width: f64) -> Result<Motion> {
        let d = self.normals.mean.len();
        let scaled = self.group == Group::Similarity;
        let size = d * (d - 1) / 2 + d + usize::from(scaled);
        let mean = pose.rotation.dot(&self.normals.mean) * pose.scale + &pose.translation;
        let reach = (pose.scale * self.normals.spread).max(f64::MIN_POSITIVE);
        let chunks: Vec<&[Pair]> = pairs.chunks(PAIRS_PER_TASK).collect();
        let facing = self.workers.map_items(&chunks, |pairs| match d {
            3 => self.facing::<3>(pairs, pose),
            _ => self.facing::<0>(pairs, pose),
        });
        let facing: Vec<Vec<f64>> = facing.into_iter().collect::<Result<_>>()?;
        // For each pair the source's point, the normal and the gap.
        let mut gaps = Vec::with_capacity(pairs.len());
        facing
            .iter()
            .for_each(|part| gaps.extend(part.iter().skip(2 * d).step_by(2 * d + 1).map(|x| x.abs())));
        if gaps.len() < 2 * size {
            return Ok(pose.clone());
        }
        let middle = gaps.len() / 2;
        let usual = *gaps.select_nth_unstable_by(middle, f64::total_cmp).1;
        let width = (3.0 * usual).max(width).max(1e-12 * reach);
        let equations = Equations { mean: mean.to_vec(), reach, width, size, scaled };
        let parts = self.workers.map_items(&facing, |part| match (d, size) {
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
        Ok(pose.then(&Motion { rotation, translation, scale }))
    }

    /// For each pair that has one: the source's point where it is now, a normal between those of both points, the gap along it.
    ///
    /// `D` is the dimension, or 0 if that is not known to the compiler, which unrolls short loops if it is.
    fn facing<const D: usize>(&self, pairs: &[Pair], pose: &Motion) -> Result<Vec<f64>> {
        let (clouds, normals) = (self.clouds, self.normals);
        let arrays = [&clouds.source.points, &clouds.target.points, &normals.source, &normals.target];
        let [Some(x), Some(y), Some(own), Some(other)] = arrays.map(|rows| rows.as_slice()) else {
            return Err(Error::NoFit);
        };
        let d = if D > 0 { D } else { normals.mean.len() };
        let turn: Vec<f64> = pose.rotation.iter().copied().collect();
        let turned = |row: &[f64], a: usize| dot(&turn[a * d..(a + 1) * d], &row[..d]);
        let row = |i: u32| i as usize * d..(i as usize + 1) * d;
        let mut facing = vec![0.0; pairs.len() * (2 * d + 1)];
        let mut count = 0;
        for &Pair { source: i, target: j } in pairs {
            let (x, own, other) = (&x[row(i)], &own[row(i)], &other[row(j)]);
            let (point, rest) = facing[count..count + 2 * d + 1].split_at_mut(d);
            let (normal, gap) = rest.split_at_mut(d);
            for a in 0..d {
                point[a] = pose.scale * turned(x, a) + pose.translation[a];
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
