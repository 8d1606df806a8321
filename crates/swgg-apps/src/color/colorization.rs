//! Colours for a gray picture, in closed form.

use rayon::prelude::*;
use swgg::{Parallelism, run::Workers};

use super::assignment::scrambled;
use super::counting::{self, CHANCE_BITS};
use super::error::{Error, Result};
use super::image::Image;
use super::roughness::{ROUGHNESS_BITS, Roughness};
use super::sample::Sample;

/// A gray picture with colours.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Colorized<S> {
    /// The picture.
    pub pixels: Vec<[S; 3]>,
    /// `W_2^2` between the grays and the colours of the reference, as points of the RGB cube.
    pub cost: f64,
}

/// Gives a gray picture, row by row, the colours of the reference: exact transport.
///
/// The grays lie on a line, and so sorting is optimal: by gray on one side, by `r + g + b` on the other, paired by rank.
/// `O(n + m)`, for samples are sorted by counting. Paper: Lemma "New closed form of the WD" and Section "Gray scale image
/// colorization".
///
/// Among pixels of one gray every pairing costs the same. They are ordered by how rough their surroundings are, and so are the
/// colours they share, in the reference: skies get the colours of skies, trees those of trees, and no row or column shows. The
/// histogram of the result is that of the reference, to one where the sizes differ.
///
/// ```
/// use swgg_apps::color::{Image, colorize};
/// let reference = [[200_u8, 180, 90], [30, 60, 20]];
/// let found = colorize(2, &[10_u8, 200], &Image::new(1, &reference)?, Default::default())?;
/// assert_eq!(found.pixels, [[30, 60, 20], [200, 180, 90]]);
/// # Ok::<(), swgg_apps::color::Error>(())
/// ```
pub fn colorize<S: Sample>(
    width: usize,
    grays: &[S],
    reference: &Image<S>,
    parallelism: Parallelism,
) -> Result<Colorized<S>> {
    let found = grays.len();
    if width == 0 || found == 0 || !found.is_multiple_of(width) {
        return Err(Error::Shape { found, width });
    }
    if found >= u32::MAX as usize {
        return Err(Error::TooManyPixels { found });
    }
    if let Some(pixel) = grays.iter().position(|x| S::STEPS.is_none() && !x.to_unit().is_finite()) {
        return Err(Error::NotFinite { picture: "source", pixel });
    }
    reference.check("reference")?;
    Ok(Workers::pool(parallelism)?.install(|| S::colorized(width, grays, reference)))
}

pub(super) fn run<S: Sample>(width: usize, grays: &[S], reference: &Image<S>) -> Colorized<S> {
    match counting::can_count::<S>() {
        true => counting::colorize(width, grays, reference),
        false => by_sorting(width, grays, reference),
    }
}

/// In any depth.
pub(super) fn by_sorting<S: Sample>(width: usize, grays: &[S], reference: &Image<S>) -> Colorized<S> {
    let colors = reference.pixels();
    let ((levels, pixels), ((sums, offered), square, rough)) = rayon::join(
        || by_gray(width, grays),
        || {
            let rough = Roughness::new(reference.width(), colors).pixels(colors.len());
            (by_brightness(reference), mean_square(reference), rough)
        },
    );
    let cost = square + along(&levels, &sums);
    // Grays are shared out among threads; the colours of each are put in order by themselves.
    let (n, m) = (grays.len() as u64, offered.len() as u64);
    let given: Vec<Vec<[S; 3]>> = blocks(&levels, grays.len() / 16)
        .into_par_iter()
        .map(|block| {
            // Floats may have more levels than there is room for beside the roughness.
            let bits = ROUGHNESS_BITS.min((block.len() as u32).leading_zeros());
            let mut keyed = Vec::with_capacity(levels[block.clone()].iter().map(|level| level.count).sum());
            for (place, level) in levels[block].iter().enumerate() {
                for k in level.start as u64..(level.start + level.count) as u64 {
                    let j = offered[if n == m { k } else { (2 * k + 1) * m / (2 * n) } as usize];
                    let key =
                        (place as u64) << bits | u64::from(rough[j as usize] >> (ROUGHNESS_BITS - bits));
                    keyed.push(key << 32 | u64::from(j));
                }
            }
            radix(keyed).into_iter().map(|j| colors[j as usize]).collect()
        })
        .collect();
    let mut result = vec![colors[0]; grays.len()];
    for (&pixel, color) in pixels.iter().zip(given.into_iter().flatten()) {
        result[pixel as usize] = color;
    }
    Colorized { pixels: result, cost }
}

/// Items of one value, in a row.
pub(super) struct Level {
    pub start: usize,
    pub count: usize,
    pub value: f64,
}

/// The levels of gray, and all pixels by gray and then by how rough the picture is around them.
fn by_gray<S: Sample>(width: usize, grays: &[S]) -> (Vec<Level>, Vec<u32>) {
    let values = Values::new(grays, |&x| [x]);
    let rough = Roughness::new(width, grays).pixels(grays.len());
    let bits = ROUGHNESS_BITS.min(32 - values.bits());
    let keyed = values.ranks.par_iter().zip(&rough).enumerate().map(|(i, (&rank, rough))| {
        (u64::from(rank) << bits | u64::from(rough >> (ROUGHNESS_BITS - bits))) << 32 | i as u64
    });
    (values.levels(|_| true), radix(keyed.collect()))
}

/// The levels of `r + g + b`, and all pixels by it, equal ones as if shuffled.
fn by_brightness<S: Sample>(image: &Image<S>) -> (Vec<Level>, Vec<u32>) {
    let values = Values::new(image.pixels(), |&color| color);
    let bits = CHANCE_BITS.min(32 - values.bits());
    let key = |(j, &rank): (usize, &u32)| {
        let chance = u64::from(scrambled(j as u32)) >> (32 - bits);
        (u64::from(rank) << bits | chance) << 32 | j as u64
    };
    let ranks = values.ranks.par_iter().enumerate();
    let keyed = match image.count() == image.pixels().len() {
        true => ranks.map(key).collect(),
        false => ranks.filter(|(j, _)| image.takes_part(*j)).map(key).collect(),
    };
    (values.levels(|j| image.takes_part(j)), radix(keyed))
}

/// Mean of `r^2 + g^2 + b^2`.
pub(super) fn mean_square<S: Sample>(image: &Image<S>) -> f64 {
    const BLOCK_PIXELS: usize = 1 << 14;
    let parts: Vec<f64> = image
        .pixels()
        .par_chunks(BLOCK_PIXELS)
        .enumerate()
        .map(|(block, pixels)| {
            let part = pixels.iter().enumerate().filter(|(k, _)| image.takes_part(block * BLOCK_PIXELS + k));
            // Whole numbers are exact, and faster.
            let square = |x: &S| u64::from(x.rank() * x.rank());
            match S::STEPS {
                Some(steps) => {
                    let sum: u64 = match image.is_whole() {
                        true => pixels.as_flattened().iter().map(square).sum(),
                        false => part.flat_map(|(_, p)| p).map(square).sum(),
                    };
                    sum as f64 / f64::from(steps).powi(2)
                }
                None => part.map(|(_, p)| p.iter().map(|x| x.to_unit().powi(2)).sum::<f64>()).sum(),
            }
        })
        .collect();
    parts.iter().sum::<f64>() / image.count() as f64
}

/// Sums of samples as whole numbers of the same order, and what they stand for.
struct Values {
    ranks: Vec<u32>,
    most: u32,
    /// Values of the ranks, where these are not steps of a scale.
    listed: Vec<f64>,
    step: f64,
}

impl Values {
    fn new<T: Sync, S: Sample, const K: usize>(items: &[T], samples: impl Fn(&T) -> [S; K] + Sync) -> Self {
        if let Some(steps) = S::STEPS {
            let rank = |item: &T| samples(item).iter().map(|x| x.rank()).sum();
            let ranks: Vec<u32> = items.par_iter().map(rank).collect();
            return Values { ranks, most: K as u32 * steps, listed: Vec::new(), step: f64::from(steps) };
        }
        let value = |item: &T| samples(item).iter().map(|x| x.to_unit()).sum::<f64>();
        let mut listed: Vec<f64> = items.par_iter().map(value).collect();
        listed.par_sort_unstable_by(f64::total_cmp);
        listed.dedup();
        let rank = |item: &T| listed.partition_point(|x| x.total_cmp(&value(item)).is_lt()) as u32;
        let ranks = items.par_iter().map(rank).collect();
        Values { ranks, most: listed.len() as u32 - 1, listed, step: 1.0 }
    }

    fn bits(&self) -> u32 {
        32 - self.most.leading_zeros()
    }

    /// Values that are there, from low to high, and how often.
    fn levels(&self, takes_part: impl Fn(usize) -> bool) -> Vec<Level> {
        let mut counts = vec![0_usize; self.most as usize + 1];
        for (i, &rank) in self.ranks.iter().enumerate() {
            counts[rank as usize] += usize::from(takes_part(i));
        }
        let mut start = 0;
        let present = counts.into_iter().enumerate().filter(|(_, count)| *count > 0);
        present
            .map(|(rank, count)| {
                let value = self.listed.get(rank).copied().unwrap_or(rank as f64 / self.step);
                start += count;
                Level { start: start - count, count, value }
            })
            .collect()
    }
}

/// `3 E g^2 - 2 E g s` over the pairing by rank: what the cost has beside `E |y|^2`.
pub(super) fn along(grays: &[Level], sums: &[Level]) -> f64 {
    let count = |levels: &[Level]| levels.iter().map(|level| level.count as u64).sum::<u64>();
    let (n, m) = (count(grays), count(sums));
    let (mut total, mut j, mut open) = (0.0, 0, sums[0].count as u64 * n);
    for gray in grays {
        let mut left = gray.count as u64 * m;
        while left > 0 {
            let taken = left.min(open);
            total += taken as f64 * (3.0 * gray.value - 2.0 * sums[j].value) * gray.value;
            left -= taken;
            open -= taken;
            if open == 0 && j + 1 < sums.len() {
                j += 1;
                open = sums[j].count as u64 * n;
            }
        }
    }
    total / (n as f64 * m as f64)
}

/// Levels in blocks of about so many pixels.
fn blocks(levels: &[Level], size: usize) -> Vec<std::ops::Range<usize>> {
    let mut blocks = Vec::new();
    let (mut first, mut pixels) = (0, 0);
    for (k, level) in levels.iter().enumerate() {
        pixels += level.count;
        if pixels >= size || k + 1 == levels.len() {
            blocks.push(first..k + 1);
            (first, pixels) = (k + 1, 0);
        }
    }
    blocks
}

/// The lower halves of the numbers, by the upper halves, equal ones in the order they came.
fn radix(mut keyed: Vec<u64>) -> Vec<u32> {
    const MAX_DIGIT_BITS: u32 = 11;
    let largest = keyed.iter().fold(0, |all, key| all | key >> 32);
    let bits = 64 - largest.leading_zeros();
    let passes = bits.div_ceil(MAX_DIGIT_BITS);
    let digit = if passes == 0 { 0 } else { bits.div_ceil(passes) };
    let mut other = vec![0; keyed.len()];
    for pass in 0..passes {
        let place = |key: u64| (key >> (32 + pass * digit)) as usize & ((1 << digit) - 1);
        let mut next = vec![0_u32; 1 << digit];
        keyed.iter().for_each(|&key| next[place(key)] += 1);
        let mut before = 0;
        for count in &mut next {
            before += std::mem::replace(count, before);
        }
        for &key in &keyed {
            let at = &mut next[place(key)];
            other[*at as usize] = key;
            *at += 1;
        }
        std::mem::swap(&mut keyed, &mut other);
    }
    keyed.into_iter().map(|key| key as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn radix_sorts_and_keeps_the_order_of_equals() {
        let keys: Vec<u64> = (0..5000_u64).map(|i| (i * 7919 % 1013) << 10 | (i * 31 % 7)).collect();
        let mut expected: Vec<u32> = (0..5000).collect();
        expected.sort_by_key(|&i| keys[i as usize]);
        let keyed = keys.iter().enumerate().map(|(i, key)| key << 32 | i as u64).collect();
        assert_eq!(radix(keyed), expected);
        assert_eq!(radix(vec![5, 3]), [5, 3]);
        assert_eq!(radix(Vec::new()), [] as [u32; 0]);
    }
}
