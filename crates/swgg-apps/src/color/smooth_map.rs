//! A map of colours without seams: what a photographer would keep.
//!
//! The plan of least cost tears: two blues of a sky that differ by a step may get colours from the two ends of the reference, and the
//! step becomes a seam. The map of entropic transport does not: its slope is at most the variance of the reference over epsilon
//! (it is the gradient of a convex function that is smoothed by epsilon). It draws colours together a little, as every mean does;
//! the affine map between Gaussians gives them the mean and the covariance of the reference back.

use rayon::prelude::*;
use swgg::gaussian::{Gaussian, GaussianMap};
use swgg::ndarray::Array2;
use swgg::solver::{Epsilon, Sinkhorn};
use swgg::{Measure, Question, Run};

use super::error::Result;
use super::image::Image;
use super::palette::Palette;
use super::sample::Sample;
use super::solver::{Method, measure};
use super::transfer::{Image3, Settings, Transferred, affine, moved};

/// Epsilon at smoothing 1, as a share of the variance of the reference.
const EPSILON_SHARE: f64 = 0.3;
/// The least smoothing there is, as smoothing 0 asks for.
const LEAST_SMOOTHING: f64 = 0.03;
/// Nodes of the table along every axis of the space.
const NODES: usize = 33;
/// Variance of a channel that no eye sees, two steps of 255: it keeps flat clouds of colours from being pulled apart.
const UNSEEN_VARIANCE: f64 = (2.0 / 255.0) * (2.0 / 255.0);

/// Gives the source the colours of the reference by a smooth map.
pub(super) fn smooth<S: Sample>(
    source: &Image<S>,
    reference: &Image<S>,
    settings: &Settings,
) -> Result<Transferred<S>> {
    let most = Method::Smooth.most_cells();
    let from = Palette::new(source.pixels(), |i| source.takes_part(i), most);
    let to = Palette::new(reference.pixels(), |i| reference.takes_part(i), most);
    let space = settings.space;
    let mu = measure(from.coordinates(space), &from.counts)?;
    let nu = measure(to.coordinates(space), &to.counts)?;
    let there = widened(&nu)?;
    let variance: f64 = there.covariance().diag().sum();
    let epsilon = Epsilon::Absolute(EPSILON_SHARE * settings.smoothing.max(LEAST_SMOOTHING) * variance);
    let sinkhorn = Sinkhorn { epsilon, max_iterations: 300, tolerance: 1e-3, ..Default::default() };
    let mut run = Run { seed: settings.seed, bounds: false, ..Run::default() };
    let plan = sinkhorn.entropic(&Question::new(&mu, &nu)?, &mut run)?;
    let logs = (0..nu.len()).map(|j| nu.weight(j).ln() + plan.potentials.target[j] / plan.epsilon).collect();
    let images = Images { colors: &nu, logs, epsilon: plan.epsilon };

    let mapped: Vec<f64> =
        (0..mu.len()).into_par_iter().flat_map_iter(|i| images.of(point(&mu, i))).collect();
    let here = widened(&measure(mapped, &from.counts)?)?;
    let map = GaussianMap::between(&here, &there)?;
    let table = Table::new(&mu, |x| affine(&map, here.mean(), there.mean(), images.of(x)));
    let (pixels, cost) = moved(source, settings, |i| {
        let x = space.from_rgb(source.pixels()[i].map(S::to_unit));
        source.takes_part(i).then(|| Image3::At(table.at(x)))
    });
    let story = format!("a smooth map, {} iterations of Sinkhorn", plan.iterations);
    Ok(Transferred { pixels, cost, cells: [mu.len(), nu.len()], story, is_exact: false })
}

fn point(measure: &Measure<f64>, i: usize) -> [f64; 3] {
    let row = measure.point(i);
    [row[0], row[1], row[2]]
}

/// The Gaussian of some colours, of a width that an eye can see.
fn widened(colors: &Measure<f64>) -> Result<Gaussian> {
    let fitted = Gaussian::fit(colors)?;
    let covariance = fitted.covariance() + &(Array2::<f64>::eye(3) * UNSEEN_VARIANCE);
    Ok(Gaussian::new(fitted.mean().to_vec(), covariance)?)
}

/// Where entropic transport sends any colour: the mean of the reference as that colour sees it.
struct Images<'a> {
    colors: &'a Measure<'a, f64>,
    /// Logarithm of the weight of a colour and of its potential, over epsilon.
    logs: Vec<f64>,
    epsilon: f64,
}

impl Images<'_> {
    fn of(&self, x: [f64; 3]) -> [f64; 3] {
        let exponent = |j: usize| {
            let y = self.colors.point(j);
            self.logs[j] - (0..3).map(|c| (x[c] - y[c]) * (x[c] - y[c])).sum::<f64>() / self.epsilon
        };
        let exponents: Vec<f64> = (0..self.logs.len()).map(exponent).collect();
        let largest = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (mut sum, mut mean) = (0.0, [0.0; 3]);
        for (j, exponent) in exponents.iter().enumerate() {
            let weight = (exponent - largest).exp();
            sum += weight;
            (0..3).for_each(|c| mean[c] += weight * self.colors.point(j)[c]);
        }
        mean.map(|x| x / sum)
    }
}

/// Displacements on a grid, between which they are interpolated: the map of a picture of any size in one moment.
struct Table {
    low: [f64; 3],
    /// Nodes per unit.
    per_unit: [f64; 3],
    moves: Vec<[f64; 3]>,
}

impl Table {
    fn new(colors: &Measure<f64>, map: impl Fn([f64; 3]) -> [f64; 3] + Sync) -> Self {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for i in 0..colors.len() {
            let x = point(colors, i);
            (0..3).for_each(|c| (low[c], high[c]) = (low[c].min(x[c]), high[c].max(x[c])));
        }
        // Cells are means: their pixels lie a little beyond them.
        let margin = 2.0 * UNSEEN_VARIANCE.sqrt();
        (0..3).for_each(|c| (low[c], high[c]) = (low[c] - margin, high[c] + margin));
        let per_unit = std::array::from_fn(|c| (NODES - 1) as f64 / (high[c] - low[c]));
        let node = |k: usize| {
            let at = [k % NODES, k / NODES % NODES, k / NODES / NODES];
            let x = std::array::from_fn(|c| low[c] + at[c] as f64 / per_unit[c]);
            let y = map(x);
            std::array::from_fn(|c| y[c] - x[c])
        };
        Table { low, per_unit, moves: (0..NODES * NODES * NODES).into_par_iter().map(node).collect() }
    }

    /// The image of a colour; beyond the grid it moves as the border does.
    fn at(&self, x: [f64; 3]) -> [f64; 3] {
        let place: [(usize, f64); 3] = std::array::from_fn(|c| {
            let along = ((x[c] - self.low[c]) * self.per_unit[c]).clamp(0.0, (NODES - 1) as f64);
            let first = (along as usize).min(NODES - 2);
            (first, along - first as f64)
        });
        let mut image = x;
        for corner in 0..8_usize {
            let mut weight = 1.0;
            let at: [usize; 3] = std::array::from_fn(|c| {
                let (first, share) = place[c];
                let upper = corner >> c & 1;
                weight *= if upper == 1 { share } else { 1.0 - share };
                first + upper
            });
            let step = self.moves[at[0] + NODES * (at[1] + NODES * at[2])];
            (0..3).for_each(|c| image[c] += weight * step[c]);
        }
        image
    }
}
