//! Colour transfer the way of the paper: a plan between samples, extended to all pixels.

use rand::SeedableRng;
use rand::seq::index;
use rand_chacha::ChaCha8Rng;
use swgg::{Measure, Parallelism, nearest::nearest};

use super::error::{Error, Result};
use super::image::Image;
use super::palette::{NONE, Palette};
use super::sample::Sample;
use super::solver::{Solver, measure};
use super::transfer::{Image3, Settings, Transferred, moved};

/// Which colours the plan is made from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Samples {
    /// Those of all pixels.
    #[default]
    All,
    /// Those of so many pixels of each picture, drawn at random; a colour goes where the nearest drawn one goes.
    Random(usize),
    /// The centres of so many clusters of each picture (k-means); a colour goes where its centre goes.
    Means(usize),
}

/// Steps of k-means.
const KMEANS_STEPS: usize = 10;

/// A plan between samples, extended by nearest neighbours. Paper: Supp. "Color transfer".
pub(super) fn extended<S: Sample>(
    source: &Image<S>,
    reference: &Image<S>,
    settings: &Settings,
    solver: &Solver,
) -> Result<Transferred<S>> {
    // Cells are colours here, or colours that agree in eight bits.
    let palette = |image: &Image<S>| Palette::new(image.pixels(), |i| image.takes_part(i), usize::MAX);
    let (from, to) = (palette(source), palette(reference));
    let colors = measure(from.coordinates(settings.space), &from.counts)?;
    let (mu, nu) = match settings.samples {
        Samples::Means(count) => {
            let others = measure(to.coordinates(settings.space), &to.counts)?;
            (means(&colors, count, settings.seed)?, means(&others, count, settings.seed ^ 1)?)
        }
        Samples::Random(count) => (
            drawn(source, count, settings, settings.seed)?,
            drawn(reference, count, settings, settings.seed ^ 1)?,
        ),
        Samples::All => (colors.clone(), measure(to.coordinates(settings.space), &to.counts)?),
    };
    let (coupling, story) = solver.coupling(&mu, &nu)?;
    let images = coupling.barycentric_map(&mu, &nu)?;
    let near = nearest(&mu, &colors, 1, Parallelism::Auto)?.indices;
    let image = |cell: u32| {
        let row = images.row(near[[cell as usize, 0]] as usize);
        [row[0], row[1], row[2]]
    };
    let (pixels, cost) = moved(source, settings, |i| {
        let cell = from.cells[i];
        (cell != NONE).then(|| Image3::At(image(cell)))
    });
    let story = format!("{story} between samples, extended by nearest neighbours");
    Ok(Transferred { pixels, cost, cells: [mu.len(), nu.len()], story, is_exact: false })
}

/// The colours of some pixels, each of the same weight.
fn drawn<S: Sample>(
    image: &Image<S>,
    count: usize,
    settings: &Settings,
    seed: u64,
) -> Result<Measure<'static, f64>> {
    let pixels: Vec<usize> = (0..image.pixels().len()).filter(|&i| image.takes_part(i)).collect();
    if count == 0 {
        return Err(Error::NoSamples);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let chosen = index::sample(&mut rng, pixels.len(), count.min(pixels.len()));
    let color = |i: usize| settings.space.from_rgb(image.pixels()[pixels[i]].map(S::to_unit));
    Ok(Measure::from_vec(chosen.iter().flat_map(color).collect(), 3)?)
}

/// The centres of clusters by Lloyd's iteration, as heavy as their clusters.
fn means(colors: &Measure<f64>, count: usize, seed: u64) -> Result<Measure<'static, f64>> {
    if count == 0 {
        return Err(Error::NoSamples);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let start = index::sample(&mut rng, colors.len(), count.min(colors.len()));
    let mut centres: Vec<f64> = start.iter().flat_map(|i| colors.point(i).to_vec()).collect();
    let mut weights = vec![0.0; centres.len() / 3];
    for _ in 0..KMEANS_STEPS {
        let near = nearest(&Measure::from_slice(&centres, 3)?, colors, 1, Parallelism::Auto)?.indices;
        let mut sums = vec![0.0; centres.len()];
        weights.fill(0.0);
        for (i, &k) in near.iter().enumerate() {
            let (k, weight) = (k as usize, colors.weight(i));
            weights[k] += weight;
            (0..3).for_each(|c| sums[3 * k + c] += weight * colors.point(i)[c]);
        }
        for (k, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            (0..3).for_each(|c| centres[3 * k + c] = sums[3 * k + c] / weight);
        }
    }
    Ok(Measure::from_vec(centres, 3)?.with_weights(&weights)?)
}
