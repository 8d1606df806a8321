//! Colours for a gray picture from a picture of the same scene.

use rayon::prelude::*;
use swgg::{Parallelism, run::Workers};

use super::colorization::Colorized;
use super::error::{Error, Result};
use super::image::Image;
use super::palette::Groups;
use super::sample::Sample;

/// [`colorize`](super::colorize()) inside every region: pixels of a label get the colours of that label in the reference, which
/// has the same size.
///
/// Labels may come from [superpixels](crate::superpixels) of the reference. Paper: Supp. "Gray scale image colorization", the
/// proximity prior. The mask of the reference is not looked at. `O(n log n)`.
pub fn colorize_within<S: Sample>(
    width: usize,
    grays: &[S],
    reference: &Image<S>,
    labels: &[u32],
    parallelism: Parallelism,
) -> Result<Colorized<S>> {
    let colors = reference.pixels();
    if grays.len() != colors.len() || labels.len() != grays.len() {
        return Err(Error::Regions { grays: grays.len(), colors: colors.len(), labels: labels.len() });
    }
    if width == 0 || !grays.len().is_multiple_of(width) {
        return Err(Error::Shape { found: grays.len(), width });
    }
    if let Some(pixel) = grays.iter().position(|x| S::STEPS.is_none() && !x.to_unit().is_finite()) {
        return Err(Error::NotFinite { picture: "source", pixel });
    }
    reference.check("reference")?;
    Ok(Workers::pool(parallelism)?.install(|| S::colorized_within(grays, colors, labels)))
}

pub(super) fn run<S: Sample>(grays: &[S], colors: &[[S; 3]], labels: &[u32]) -> Colorized<S> {
    let mut names = labels.to_vec();
    names.par_sort_unstable();
    names.dedup();
    let place = |label: &u32| names.partition_point(|name| name < label) as u32;
    let groups = Groups::new(&labels.par_iter().map(place).collect::<Vec<_>>(), names.len());
    let sum = |j: u32| colors[j as usize].iter().map(|x| x.to_unit()).sum::<f64>();
    let pairs: Vec<(u32, u32)> = (0..names.len())
        .into_par_iter()
        .flat_map_iter(|region| {
            let members = &groups.order[groups.range(region)];
            let (mut pixels, mut offered) = (members.to_vec(), members.to_vec());
            // Equal ones stay in the order of the picture on both sides: neighbours get colours of neighbours.
            pixels.sort_by(|&a, &b| grays[a as usize].rank().cmp(&grays[b as usize].rank()));
            offered.sort_by(|&a, &b| sum(a).total_cmp(&sum(b)));
            pixels.into_iter().zip(offered)
        })
        .collect();
    let mut pixels = vec![colors[0]; grays.len()];
    let mut cost = 0.0;
    for (pixel, color) in pairs {
        let (gray, color) = (grays[pixel as usize].to_unit(), colors[color as usize]);
        cost += color.iter().map(|x| (x.to_unit() - gray).powi(2)).sum::<f64>();
        pixels[pixel as usize] = color;
    }
    Colorized { pixels, cost: cost / grays.len() as f64 }
}
