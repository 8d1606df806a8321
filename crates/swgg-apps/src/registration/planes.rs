//! The last bit: points are drawn to the planes through their neighbours, along which they may slide.
//!
//! The objective is the symmetric one of Rusinkiewicz (2019): with the normals `n` of both points, `((x - y) . (n_x + n_y))^2`.

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};
use swgg::ndarray::{Array1, Array2, ArrayView1};
use swgg::{Parallelism, PointTree};

use super::cloud::measure;
use super::crew::Crew;
use super::error::{Error, Result};
use super::motion::{Group, Motion, polar};
use super::pairs::{Pairs, Sides};

/// Neighbours that a plane goes through.
const NEIGHBORS: usize = 12;
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
}

impl Normals {
    /// `None` unless most neighbourhoods are flat: then there are no planes to speak of.
    pub fn of(sides: &Sides, crew: &Crew) -> Result<Option<Self>> {
        let d = sides.source.ncols();
        if d < 2 {
            return Ok(None);
        }
        let target = normals(&sides.target, &sides.target_tree, crew)?;
        let source = normals(&sides.source, &sides.source_tree, crew)?;
        let is_flat = |normals: &Array2<f64>| {
            let flat = normals.rows().into_iter().filter(|row| row.iter().any(|x| *x != 0.0)).count();
            2 * flat > normals.nrows()
        };
        Ok((is_flat(&source) && is_flat(&target)).then_some(Normals { source, target }))
    }

    /// The motion after a step, from pairs of points to the planes between them.
    pub fn step(&self, sides: &Sides, pairs: &Pairs, motion: &Motion, group: Group) -> Result<Motion> {
        let d = sides.source.ncols();
        let moved = motion.apply(sides.source.view());
        let mut rows = Vec::with_capacity(pairs.pairs.len());
        for &(i, j) in &pairs.pairs {
            let (i, j) = (i as usize, j as usize);
            let (own, other) = (motion.rotation.dot(&self.source.row(i)), self.target.row(j));
            let sign = if own.dot(&other) < 0.0 { -1.0 } else { 1.0 };
            let normal = &other + &(own * sign);
            let length = normal.dot(&normal).sqrt();
            if length > 0.1 {
                rows.push((i, j, normal / length));
            }
        }
        let size = d * (d - 1) / 2 + d + usize::from(group == Group::Similarity);
        if rows.len() < 2 * size {
            return Ok(motion.clone());
        }
        let count = rows.len() as f64;
        let mean: Array1<f64> = rows.iter().fold(Array1::zeros(d), |sum, row| sum + moved.row(row.0)) / count;
        let gap =
            |row: &(usize, usize, Array1<f64>)| (&sides.target.row(row.1) - &moved.row(row.0)).dot(&row.2);
        // Gaps much larger than usual count for little (Cauchy's weights).
        let mut sizes: Vec<f64> = rows.iter().map(|row| gap(row).abs()).collect();
        let middle = sizes.len() / 2;
        let usual = *sizes.select_nth_unstable_by(middle, f64::total_cmp).1;
        let spread = rows.iter().map(|row| squared(&(&moved.row(row.0) - &mean))).sum::<f64>() / count;
        let reach = spread.sqrt().max(f64::MIN_POSITIVE);
        let mut system = Mat::<f64>::zeros(size, size);
        let mut right = Mat::<f64>::zeros(size, 1);
        for row in &rows {
            let residual = gap(row);
            let weight = 1.0 / (1.0 + (residual / (2.0 * usual).max(1e-12 * reach)).powi(2));
            let arm = (&moved.row(row.0) - &mean) / reach;
            let entries = coefficients(arm.view(), &row.2, group == Group::Similarity);
            for (a, x) in entries.iter().enumerate() {
                right[(a, 0)] += weight * x * residual;
                for (b, y) in entries.iter().enumerate() {
                    system[(a, b)] += weight * x * y;
                }
            }
        }
        // Where nothing holds the points they stay.
        let ridge = 1e-6 * (0..size).map(|a| system[(a, a)]).sum::<f64>() / size as f64;
        (0..size).for_each(|a| system[(a, a)] += ridge.max(f64::MIN_POSITIVE));
        let solved = system.llt(Side::Lower).map_err(|_| Error::NoFit)?.solve(&right);
        let mut turn = Array2::<f64>::eye(d);
        let mut next = 0;
        for a in 0..d {
            for b in a + 1..d {
                let angle = solved[(next, 0)] / reach;
                turn[[a, b]] += angle;
                turn[[b, a]] -= angle;
                next += 1;
            }
        }
        let shift = Array1::from_shape_fn(d, |a| solved[(next + a, 0)]);
        let scale = if group == Group::Similarity { 1.0 + solved[(size - 1, 0)] / reach } else { 1.0 };
        if !(scale > 0.0 && scale.is_finite()) {
            return Err(Error::NoFit);
        }
        let rotation = polar(turn.view(), true)?;
        let translation = &mean + &shift - rotation.dot(&mean) * scale;
        Ok(motion.then(&Motion { rotation, translation, scale }))
    }
}

/// How the gap along a normal changes with every angle, shift, and the scale.
fn coefficients(arm: ArrayView1<f64>, normal: &Array1<f64>, scaled: bool) -> Vec<f64> {
    let d = arm.len();
    let turns = (0..d).flat_map(|a| (a + 1..d).map(move |b| (a, b)));
    let mut entries: Vec<f64> = turns.map(|(a, b)| normal[a] * arm[b] - normal[b] * arm[a]).collect();
    entries.extend(normal);
    if scaled {
        entries.push(arm.dot(normal));
    }
    entries
}

fn squared(x: &Array1<f64>) -> f64 {
    x.dot(x)
}

/// The normal at every point of a cloud.
fn normals(points: &Array2<f64>, tree: &PointTree, crew: &Crew) -> Result<Array2<f64>> {
    let (n, d) = points.dim();
    let k = NEIGHBORS.min(n);
    let near = crew.run(|parallelism: Parallelism| -> Result<_> {
        Ok(tree.nearest(&measure(&points.view())?, k, parallelism)?.indices)
    })?;
    let chunks: Vec<usize> = (0..n.div_ceil(CHUNK)).collect();
    let parts = crew.map(&chunks, |chunk| -> Result<Vec<f64>> {
        let mut part = Vec::with_capacity(CHUNK * d);
        for i in chunk * CHUNK..n.min((chunk + 1) * CHUNK) {
            let rows = near.row(i);
            let mut mean = Array1::<f64>::zeros(d);
            rows.iter().for_each(|&j| mean += &points.row(j as usize));
            mean /= k as f64;
            let mut covariance = Mat::<f64>::zeros(d, d);
            for &j in rows {
                let arm = &points.row(j as usize) - &mean;
                for a in 0..d {
                    for b in 0..=a {
                        covariance[(a, b)] += arm[a] * arm[b];
                    }
                }
            }
            part.extend(normal(&covariance)?);
        }
        Ok(part)
    });
    let mut all = Vec::with_capacity(n * d);
    for part in parts {
        all.extend(part?);
    }
    Array2::from_shape_vec((n, d), all).map_err(|_| Error::NoFit)
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
    let (least, next) = (values[0].max(0.0), values[1]);
    let is_flat = least < FLAT * total && next > WIDE * least && next > 1e-9 * total;
    Ok(if is_flat { (0..d).map(|a| eigen.U()[(a, 0)]).collect() } else { vec![0.0; d] })
}
