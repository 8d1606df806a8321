//! The colours of one picture for another.

use rayon::prelude::*;
use swgg::{
    Parallelism,
    gaussian::{GaussianMap, gaussian_transport},
    run::Workers,
};

use super::assignment::assign;
use super::error::{Error, Result};
use super::image::Image;
use super::palette::{NONE, Palette};
use super::sample::Sample;
use super::samples::{Samples, extended};
use super::smooth_map::smooth;
use super::smoothing;
use super::solver::{Method, Solver, measure};
use super::space::Space;

/// How to transfer colours.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How colours are transported.
    pub method: Method,
    /// How far to go, from 0, the source, to 1: along the generalized geodesic `(1 - t) x + t T(x)`.
    pub strength: f64,
    /// Where distances between colours are measured, and the geodesic runs.
    pub space: Space,
    /// How much the plan is to spare smooth parts of the picture such as skies, from 0, the cheapest plan, to 1. Of [`Method::Smooth`]
    /// it is how much the map is smoothed.
    pub smoothing: f64,
    /// The share of the pixels that get new colours: the cheapest ones, so that colours without a counterpart stay what they are.
    pub mass: f64,
    /// All pixels, or some of them as in the paper.
    pub samples: Samples,
    /// Seed of everything random.
    pub seed: u64,
    /// How many threads to use; the answer does not depend on it.
    pub parallelism: Parallelism,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            method: Method::Auto,
            strength: 1.0,
            space: Space::Rgb,
            smoothing: SMOOTHING,
            mass: 1.0,
            samples: Samples::All,
            seed: 0,
            parallelism: Parallelism::Auto,
        }
    }
}

/// The default of [`Settings::smoothing`].
pub const SMOOTHING: f64 = 0.7;

/// A picture with other colours.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Transferred<S> {
    /// The picture; pixels that took no part are as they were.
    pub pixels: Vec<[S; 3]>,
    /// Mean squared distance from each pixel to its image at strength 1, over the pixels that got one, in the space of the
    /// settings.
    pub cost: f64,
    /// Cells of colours that the plan is between, of source and reference.
    pub cells: [usize; 2],
    /// One sentence about how the plan was found.
    pub story: String,
    /// Whether the images are exactly the colours of the reference (as many of each, to one where sizes differ) at strength 1.
    pub is_exact: bool,
}

/// Gives the source the colours of the reference.
///
/// The plan is between cells of colours with as many pixels as they have, of the finest size that leaves few enough of them
/// (8-bit photos have 50 000 to 500 000 colours), and every pixel gets the colour of one pixel of the reference, so that **the
/// histogram of the result is that of the reference**, in any depth. If the pictures differ in size, counts are scaled and are
/// right to one, and so are those of all runs of cells along the Z-curve.
///
/// Which pixel of a cell gets which of its images is decided by its surroundings, not by chance or scan order, and the plan is
/// made so that noise is not magnified; see [`Settings::smoothing`]. With the methods [`Method::Gaussian`], [`Method::Smooth`] and
/// with [`Samples`] images are computed, not taken from the reference.
///
/// Pictures that already have the colours of the reference come back unchanged.
///
/// ```
/// use swgg_apps::color::{Image, Settings, transfer};
/// let (dusk, noon) = ([[10_u8, 10, 40], [60, 20, 20]], [[200_u8, 220, 255], [255, 240, 210]]);
/// let found = transfer(&Image::new(2, &dusk)?, &Image::new(1, &noon)?, &Settings::default())?;
/// assert_eq!(found.pixels, noon);
/// # Ok::<(), swgg_apps::color::Error>(())
/// ```
pub fn transfer<S: Sample>(
    source: &Image<S>,
    reference: &Image<S>,
    settings: &Settings,
) -> Result<Transferred<S>> {
    for (name, found) in [("the strength", settings.strength), ("the smoothing", settings.smoothing)] {
        if !(0.0..=1.0).contains(&found) {
            return Err(Error::NotAShare { name, found });
        }
    }
    if !(settings.mass > 0.0 && settings.mass <= 1.0) {
        return Err(Error::NoMass { found: settings.mass });
    }
    let is_in_part =
        matches!(settings.method, Method::Auto | Method::Exact) && settings.samples == Samples::All;
    if settings.mass < 1.0 && !is_in_part {
        let method =
            if settings.samples == Samples::All { settings.method.name() } else { "a plan between samples" };
        return Err(Error::NotInPart { method });
    }
    source.check("source")?;
    reference.check("reference")?;
    Workers::pool(settings.parallelism)?.install(|| S::transferred(source, reference, settings))
}

pub(super) fn run<S: Sample>(
    source: &Image<S>,
    reference: &Image<S>,
    settings: &Settings,
) -> Result<Transferred<S>> {
    let Settings { method, space, seed, .. } = *settings;
    if have_same_colors(source, reference) {
        return Ok(Transferred {
            pixels: source.pixels().to_vec(),
            cost: 0.0,
            cells: [0, 0],
            story: "the pictures have the same colours".to_string(),
            is_exact: true,
        });
    }
    // The pool is installed: whoever asks gets its threads.
    let mass = settings.mass;
    let solver = Solver { method, space, seed, parallelism: Parallelism::Auto, effort: 2, mass };
    if method == Method::Gaussian {
        return gaussian(source, reference, settings);
    }
    if settings.samples != Samples::All {
        return extended(source, reference, settings, &solver);
    }
    if method == Method::Smooth {
        return smooth(source, reference, settings);
    }
    let seen = match settings.smoothing {
        0.0 => smoothing::plain(source),
        share => smoothing::smoothed(source, reference, share, &solver)?,
    };
    let most = solver.most_cells();
    let takes_part = |i: usize| source.takes_part(i);
    let from = match settings.smoothing {
        0.0 => Palette::new(source.pixels(), takes_part, most),
        _ => Palette::new(&seen, takes_part, most),
    };
    let to = Palette::new(reference.pixels(), |i| reference.takes_part(i), most);
    let (pieces, story) = solver.pieces(&from, &to)?;
    let chosen = assign(&pieces, &from, &seen, &to, reference.pixels());
    let cells = [from.counts.len(), to.counts.len()];
    drop((seen, from, to, pieces));
    let image = |i: usize| reference.pixels()[chosen[i] as usize];
    let (pixels, cost) = moved(source, settings, |i| (chosen[i] != NONE).then(|| Image3::Sample(image(i))));
    Ok(Transferred { pixels, cost, cells, story, is_exact: mass == 1.0 })
}

/// The image of a pixel: a sample of the reference, or coordinates.
pub(super) enum Image3<S> {
    Sample([S; 3]),
    At([f64; 3]),
}

/// Moves every pixel towards its image; returns the picture and the mean squared distance of the whole way.
pub(super) fn moved<S: Sample>(
    source: &Image<S>,
    settings: &Settings,
    image: impl Fn(usize) -> Option<Image3<S>> + Sync,
) -> (Vec<[S; 3]>, f64) {
    const BLOCK_PIXELS: usize = 1 << 14;
    let Settings { space, strength: t, .. } = *settings;
    let mut pixels = source.pixels().to_vec();
    let sums: Vec<(f64, usize)> = pixels
        .par_chunks_mut(BLOCK_PIXELS)
        .enumerate()
        .map(|(block, pixels)| {
            let (mut sum, mut count) = (0.0, 0);
            for (k, pixel) in pixels.iter_mut().enumerate() {
                let Some(image) = image(block * BLOCK_PIXELS + k) else { continue };
                let x = space.from_rgb(pixel.map(S::to_unit));
                let y = match image {
                    Image3::Sample(sample) => space.from_rgb(sample.map(S::to_unit)),
                    Image3::At(y) => y,
                };
                sum += (0..3).map(|c| (x[c] - y[c]) * (x[c] - y[c])).sum::<f64>();
                count += 1;
                *pixel = match image {
                    // Both ends to the last bit.
                    _ if t == 0.0 => *pixel,
                    Image3::Sample(sample) if t == 1.0 => sample,
                    _ => space.to_rgb(std::array::from_fn(|c| (1.0 - t) * x[c] + t * y[c])).map(S::from_unit),
                };
            }
            (sum, count)
        })
        .collect();
    let (sum, count) = sums.iter().fold((0.0, 0), |all, part| (all.0 + part.0, all.1 + part.1));
    (pixels, sum / count.max(1) as f64)
}

fn gaussian<S: Sample>(
    source: &Image<S>,
    reference: &Image<S>,
    settings: &Settings,
) -> Result<Transferred<S>> {
    let most = Method::Gaussian.most_cells();
    let from = Palette::new(source.pixels(), |i| source.takes_part(i), most);
    let to = Palette::new(reference.pixels(), |i| reference.takes_part(i), most);
    let mu = measure(from.coordinates(settings.space), &from.counts)?;
    let nu = measure(to.coordinates(settings.space), &to.counts)?;
    let found = gaussian_transport(&mu, &nu)?;
    let map = |x: [f64; 3]| affine(&found.map, found.source.mean(), found.target.mean(), x);
    let (pixels, cost) = moved(source, settings, |i| {
        let x = source.pixels()[i].map(S::to_unit);
        source.takes_part(i).then(|| Image3::At(map(settings.space.from_rgb(x))))
    });
    let story = "the affine map between two Gaussians".to_string();
    Ok(Transferred { pixels, cost, cells: [from.counts.len(), to.counts.len()], story, is_exact: false })
}

/// The affine map between two Gaussians of these means.
pub(super) fn affine(map: &GaussianMap, from: &[f64], to: &[f64], x: [f64; 3]) -> [f64; 3] {
    let linear = map.linear();
    std::array::from_fn(|i| to[i] + (0..3).map(|j| linear[[i, j]] * (x[j] - from[j])).sum::<f64>())
}

/// Whether the pixels that take part have the same colours, as often.
fn have_same_colors<S: Sample>(source: &Image<S>, reference: &Image<S>) -> bool {
    if source.count() != reference.count() {
        return false;
    }
    let sorted = |image: &Image<S>| {
        let mut colors: Vec<[u32; 3]> = (0..image.pixels().len())
            .filter(|&i| image.takes_part(i))
            .map(|i| image.pixels()[i].map(S::rank))
            .collect();
        colors.par_sort_unstable();
        colors
    };
    // Most pictures differ in their brightness already, which takes one look.
    let brightness = |image: &Image<S>| -> u64 {
        let of = |i: usize| image.pixels()[i].map(|x| u64::from(x.rank())).iter().sum::<u64>();
        (0..image.pixels().len()).filter(|&i| image.takes_part(i)).map(of).fold(0, u64::wrapping_add)
    };
    brightness(source) == brightness(reference) && sorted(source) == sorted(reference)
}
