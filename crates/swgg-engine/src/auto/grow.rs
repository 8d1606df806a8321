//! The outer tree: tables cut into cells that the optimal plan hardly leaves.
//!
//! Between Gaussians the optimal map is `x -> A x` and a constant, and sources below a hyperplane across `A q` go to the targets below one
//! across `q`, whatever `q`. Every cell is cut like that, by the Gaussians that fit its sample; where exactly is found on all rows, so that both
//! sides of a cell hold the same mass to the last unit.

use swgg::gaussian::{Gaussian, GaussianMap};
use swgg::line::{Sampler, Sphere};
use swgg::ndarray::{Array1, Array2};

use crate::border::{Search, Stretch};
use crate::cuts::Splitter;
use crate::error::Result;
use crate::scan::Side;
use crate::survey::{Moments, Survey};
use crate::tree::{Bits, Tree};

/// Dimension up to which maps are fitted; beyond, both sides are cut across the same direction.
const MOST_FITTED_DIM: usize = 64;
/// Points of the sample, per coordinate, that a cell needs to show a map.
const LEAST_POINTS_PER_DIM: usize = 8;
/// What is added to the variances, against their mean: flat cells have no direction to divide by.
const VARIANCE_FLOOR: f64 = 1e-3;

/// A cell that will be cut further.
struct Open {
    cell: usize,
    /// How many cells it becomes.
    parts: usize,
    units: u64,
}

/// Cuts two tables into so many cells of equal mass, or fewer if there are not as many units. Two passes for each level of the tree.
pub(crate) fn grow(search: &Search<'_>, total: u64, cells: usize, seed: u64) -> Result<Tree> {
    let mut tree = Tree::default();
    let mut open = vec![Open { cell: 0, parts: cells, units: total }];
    loop {
        open.retain(|open| open.parts > 1 && border(open) > 0);
        if open.is_empty() {
            return Ok(tree);
        }
        let mut slots = vec![None; tree.cells()];
        open.iter().enumerate().for_each(|(slot, open)| slots[open.cell] = Some(slot));
        let samples = Samples::of(search.survey, &tree, &slots, open.len(), search.tables[0].dim);
        let mut stretches = Vec::with_capacity(open.len());
        for (slot, (open, sides)) in open.iter().zip(&samples.sides).enumerate() {
            // Of all cuts ever made, a number of its own.
            let directions = directions(sides, samples.dim, seed, tree.cells() + slot)?;
            stretches.push(Stretch { directions, borders: vec![border(open)] });
        }
        let found = search.holders(&stretches, |side, point, id, units, show| {
            tree.place(side, point, id, units, &mut |cell, units| {
                if let Some(slot) = slots[cell] {
                    show(slot, units);
                }
            });
        })?;
        let mut next = Vec::with_capacity(2 * open.len());
        for ((open, holders), Stretch { directions, .. }) in open.iter().zip(found).zip(stretches) {
            let Some([source, target]) = holders.into_iter().next() else { continue };
            // Where one of the two begins only the other is cut in two; at the very beginning both are.
            let border =
                Some(source.begin.max(target.begin)).filter(|&begin| begin > 0).unwrap_or(border(open));
            let [across_source, across_target] = directions;
            let sides = [(across_source, source), (across_target, target)]
                .map(|(across, holder)| (Bits(across), Splitter::new(holder.key, border - holder.begin)));
            let upper = tree.cut(open.cell, sides);
            let left = open.parts / 2;
            next.push(Open { cell: open.cell, parts: left, units: border });
            next.push(Open { cell: upper, parts: open.parts - left, units: open.units - border });
        }
        open = next;
    }
}

/// Where a cell is to be cut, in units from its beginning.
fn border(open: &Open) -> u64 {
    (u128::from(open.units) * (open.parts / 2) as u128 / open.parts as u128) as u64
}

/// Points and masses of one side of a cell.
pub(super) type Cloud = (Vec<f64>, Vec<f64>);

/// The samples of all cells that are being cut.
struct Samples {
    sides: Vec<[Cloud; 2]>,
    dim: usize,
}

impl Samples {
    fn of(survey: &Survey, tree: &Tree, slots: &[Option<usize>], count: usize, dim: usize) -> Self {
        let mut sides: Vec<[Cloud; 2]> = vec![Default::default(); count];
        for side in Side::BOTH {
            for sampled in &survey.samples[side as usize] {
                tree.place(side, &sampled.point, sampled.id, sampled.units, &mut |cell, units| {
                    if let Some(slot) = slots[cell] {
                        let (points, masses) = &mut sides[slot][side as usize];
                        points.extend_from_slice(&sampled.point);
                        masses.push(units as f64);
                    }
                });
            }
        }
        Samples { sides, dim }
    }
}

/// A pair of directions that agree with the map of a cell, across where it is long.
fn directions(sides: &[Cloud; 2], dim: usize, seed: u64, number: usize) -> Result<[Vec<f64>; 2]> {
    let random = random(dim, seed, number)?;
    let few = LEAST_POINTS_PER_DIM * dim;
    if dim > MOST_FITTED_DIM || sides.iter().any(|(_, masses)| masses.len() < few.max(2)) {
        let both = along(&sides[1], dim, &random);
        return Ok([both.clone(), both]);
    }
    let [source, target] = [fitted(&sides[0], dim)?, fitted(&sides[1], dim)?];
    let (Some(source), Some(target)) = (source, target) else {
        let both = along(&sides[1], dim, &random);
        return Ok([both.clone(), both]);
    };
    let map = GaussianMap::between(&source, &target)?;
    let across = unit(target.covariance().dot(&Array1::from(random.clone())).to_vec()).unwrap_or(random);
    let moved = unit(map.linear().dot(&Array1::from(across.clone())).to_vec());
    Ok([moved.unwrap_or_else(|| across.clone()), across])
}

/// A random unit vector, the same for the same numbers.
pub(super) fn random(dim: usize, seed: u64, number: usize) -> Result<Vec<f64>> {
    Ok(Sphere::new(dim, seed)?.batch(number..number + 1).row(0).to_vec())
}

/// A vector turned towards where a cloud is long: by its covariance.
pub(super) fn along((points, masses): &Cloud, dim: usize, vector: &[f64]) -> Vec<f64> {
    let moments = Moments::of(points, masses, dim);
    // The covariance itself may be too large to hold; what it makes of a vector is not.
    let mut sum = vec![0.0; dim];
    for (x, mass) in points.chunks_exact(dim).zip(masses) {
        let centred = || x.iter().zip(moments.mean());
        let product: f64 = centred().zip(vector).map(|((x, mean), v)| (x - mean) * v).sum();
        sum.iter_mut().zip(centred()).for_each(|(sum, (x, mean))| *sum += mass * product * (x - mean));
    }
    unit(sum).unwrap_or_else(|| vector.to_vec())
}

/// The Gaussian of a cloud, never quite flat; none for a cloud in one point.
fn fitted((points, masses): &Cloud, dim: usize) -> Result<Option<Gaussian>> {
    let fitted = Moments::of(points, masses, dim).gaussian()?;
    let mean = fitted.covariance().diag().sum() / dim as f64;
    if !(mean > 0.0 && mean.is_finite()) {
        return Ok(None);
    }
    let floor: Array2<f64> = Array2::eye(dim) * (VARIANCE_FLOOR * mean);
    Ok(Some(Gaussian::new(fitted.mean().to_vec(), fitted.covariance() + &floor)?))
}

/// The same direction at length 1, if it has one.
fn unit(vector: Vec<f64>) -> Option<Vec<f64>> {
    let largest = vector.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    let scaled: Vec<f64> = vector.iter().map(|x| x / largest).collect();
    let length = scaled.iter().map(|x| x * x).sum::<f64>().sqrt();
    Some(scaled.into_iter().map(|x| x / length).collect())
}
