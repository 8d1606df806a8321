//! The first pass: a sample, means and covariances.

use swgg::gaussian::{Gaussian, gaussian_cost};
use swgg::ndarray::Array2;

use crate::error::Result;
use crate::masses::Masses;
use crate::meter::Meter;
use crate::scan::{Side, scan};
use crate::table::Table;

/// Points of a sample at most.
pub(crate) const SAMPLE: usize = 1 << 15;
/// Rows whose moments are summed before they are joined with others.
const ROWS_PER_BLOCK: usize = 1024;

/// A point of a sample.
#[derive(Clone, Debug)]
pub(crate) struct Sampled {
    hash: u64,
    pub id: u64,
    pub units: u64,
    pub point: Vec<f64>,
}

/// What a pass over the rows of both tables tells.
pub(crate) struct Survey {
    /// Points of each side that were drawn by the hashes of their ids, in the order of their ids.
    pub samples: [Vec<Sampled>; 2],
    pub moments: [Moments; 2],
}

/// Mass, mean and scatter of some rows, joined without loss of digits.
#[derive(Clone, Debug)]
pub(crate) struct Moments {
    mass: f64,
    mean: Vec<f64>,
    /// Sum of products of deviations, the upper triangle row by row.
    scatter: Vec<f64>,
}

impl Moments {
    pub fn new(dim: usize) -> Self {
        Moments { mass: 0.0, mean: vec![0.0; dim], scatter: vec![0.0; dim * (dim + 1) / 2] }
    }

    /// The moments of a few rows.
    pub fn of(points: &[f64], masses: &[f64], dim: usize) -> Self {
        let mut moments = Moments::new(dim);
        moments.mass = masses.iter().sum();
        if moments.mass == 0.0 {
            return moments;
        }
        for (x, mass) in points.chunks_exact(dim).zip(masses) {
            moments.mean.iter_mut().zip(x).for_each(|(mean, x)| *mean += mass / moments.mass * x);
        }
        let mut deviation = vec![0.0; dim];
        for (x, mass) in points.chunks_exact(dim).zip(masses) {
            for (slot, (x, mean)) in deviation.iter_mut().zip(x.iter().zip(&moments.mean)) {
                *slot = x - mean;
            }
            add_products(&mut moments.scatter, &deviation, *mass);
        }
        moments
    }

    fn join(&mut self, other: &Moments) {
        let mass = self.mass + other.mass;
        if other.mass == 0.0 {
            return;
        }
        let shift: Vec<f64> = other.mean.iter().zip(&self.mean).map(|(there, here)| there - here).collect();
        let share = other.mass / mass;
        self.scatter.iter_mut().zip(&other.scatter).for_each(|(here, there)| *here += there);
        add_products(&mut self.scatter, &shift, self.mass * share);
        self.mean.iter_mut().zip(&shift).for_each(|(mean, shift)| *mean += share * shift);
        self.mass = mass;
    }

    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    pub fn gaussian(&self) -> Result<Gaussian> {
        let dim = self.mean.len();
        let mut covariance = Array2::zeros((dim, dim));
        let mut entries = self.scatter.iter();
        for i in 0..dim {
            for j in i..dim {
                let entry = entries.next().copied().unwrap_or(0.0) / self.mass;
                covariance[(i, j)] = entry;
                covariance[(j, i)] = entry;
            }
        }
        Ok(Gaussian::new(self.mean.clone(), covariance)?)
    }
}

fn add_products(scatter: &mut [f64], x: &[f64], mass: f64) {
    let mut slots = scatter.iter_mut();
    for (i, a) in x.iter().enumerate() {
        for (slot, b) in slots.by_ref().take(x.len() - i).zip(&x[i..]) {
            *slot += mass * a * b;
        }
    }
}

/// What no plan costs less than, from means and covariances alone (the Gelbrich bound).
pub(crate) fn gelbrich([source, target]: &[Moments; 2]) -> Result<f64> {
    let (source, target) = (source.gaussian()?, target.gaussian()?);
    let bound = gaussian_cost(&source, &target)?;
    // Rounding of the moments must not lift the bound above what it bounds.
    let scale: f64 = [&source, &target]
        .iter()
        .map(|side| side.covariance().diag().sum() + side.mean().iter().map(|x| x * x).sum::<f64>())
        .sum();
    Ok((bound - 1e-12 * scale).max(0.0))
}

/// What one thread has seen.
struct Seen {
    samples: [Draw; 2],
    /// By piece, so that sums do not depend on who read what.
    moments: Vec<(Side, usize, Moments)>,
    masses: Vec<f64>,
}

/// Points with the smallest hashes.
#[derive(Default)]
pub(crate) struct Draw {
    /// Hashes are below this; it is halved when there are too many.
    below: Option<u64>,
    points: Vec<Sampled>,
}

impl Draw {
    pub fn offer(&mut self, id: u64, units: u64, point: &[f64]) {
        let hash = hashed(id);
        if hash > self.below.unwrap_or(u64::MAX) {
            return;
        }
        self.points.push(Sampled { hash, id, units, point: point.to_vec() });
        self.thin();
    }

    fn thin(&mut self) {
        while self.points.len() > SAMPLE {
            let below = self.below.unwrap_or(u64::MAX) >> 1;
            self.below = Some(below);
            self.points.retain(|point| point.hash <= below);
        }
    }

    /// The same as if one had been offered everything: which points remain depends on the points alone.
    pub fn join(&mut self, other: Draw) {
        let below = self.below.unwrap_or(u64::MAX).min(other.below.unwrap_or(u64::MAX));
        self.below = Some(below);
        self.points.extend(other.points);
        self.points.retain(|point| point.hash <= below);
        self.thin();
    }

    /// The points in the order of their ids.
    pub fn sample(self) -> Vec<Sampled> {
        let mut points = self.points;
        points.sort_by_key(|point| point.id);
        points
    }
}

/// A number that looks random but is that of the id (the finalizer of SplitMix64).
pub(crate) fn hashed(id: u64) -> u64 {
    let mut x = id.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl Survey {
    pub fn take(
        tables: [&Table; 2],
        masses: &[Masses; 2],
        total: u64,
        threads: usize,
        meter: &Meter,
    ) -> Result<Survey> {
        let dim = tables[0].dim;
        let begin = || Seen { samples: Default::default(), moments: Vec::new(), masses: Vec::new() };
        let per_unit = 1.0 / total as f64;
        let states =
            scan(tables, threads, ("looking at the points", meter), begin, |seen, side, piece, rows| {
                if seen.moments.last().is_none_or(|last| (last.0, last.1) != (side, piece)) {
                    seen.moments.push((side, piece, Moments::new(dim)));
                }
                seen.masses.clear();
                for (row, x) in rows.points.chunks_exact(dim).enumerate() {
                    let units =
                        masses[side as usize].of(rows.first + row as u64, rows.weights.get(row).copied());
                    seen.masses.push(units as f64 * per_unit);
                    if units > 0 {
                        seen.samples[side as usize].offer(rows.ids[row], units, x);
                    }
                }
                if let Some((.., moments)) = seen.moments.last_mut() {
                    let blocks =
                        rows.points.chunks(ROWS_PER_BLOCK * dim).zip(seen.masses.chunks(ROWS_PER_BLOCK));
                    blocks.for_each(|(points, masses)| moments.join(&Moments::of(points, masses, dim)));
                }
                Ok(())
            })?;
        let mut draws: [Draw; 2] = Default::default();
        let mut pieces = Vec::new();
        for seen in states {
            draws.iter_mut().zip(seen.samples).for_each(|(draw, other)| draw.join(other));
            pieces.extend(seen.moments);
        }
        pieces.sort_by_key(|(side, piece, _)| (*side as usize, *piece));
        let mut moments = [Moments::new(dim), Moments::new(dim)];
        pieces.iter().for_each(|(side, _, part)| moments[*side as usize].join(part));
        Ok(Survey { samples: draws.map(Draw::sample), moments })
    }
}
