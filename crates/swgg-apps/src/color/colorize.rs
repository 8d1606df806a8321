//! Colours for a gray picture, in closed form.

use rayon::prelude::*;
use swgg::Parallelism;

use super::assign::scrambled;
use super::context::blurred;
use super::error::{Error, Result};
use super::image::Image;
use super::sample::Sample;
use super::transfer::installed;

/// A gray picture with colours.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Colorized<S> {
    /// The picture.
    pub pixels: Vec<[S; 3]>,
    /// `W_2^2` between the grays and the colours of the reference, as points of the RGB cube.
    pub cost: f64,
}

/// Pixels to each side that surround one.
const RADIUS: usize = 12;

/// Gives a gray picture, row by row, the colours of the reference: exact transport.
///
/// The grays lie on a line, and so sorting is optimal: by gray on one side, by `r + g + b` on the other, paired by rank.
/// `O(n + m)`, for samples are sorted by counting. Paper: Lemma "New closed form of the WD" and Section "Gray scale image
/// colorization".
///
/// Among pixels of one gray every pairing costs the same. They are ordered by the brightness of their surroundings, and the
/// colours they share by the direction across the grays on which the reference varies most, so that like places get like hues
/// and no row or column shows. The histogram of the result is that of the reference, to one where the sizes differ.
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
    if let Some(pixel) = grays.iter().position(|x| !x.to_unit().is_finite()) {
        return Err(Error::NotFinite { picture: "source", pixel });
    }
    reference.check("reference")?;
    installed(parallelism, || run(width, grays, reference))
}

fn run<S: Sample>(width: usize, grays: &[S], reference: &Image<S>) -> Colorized<S> {
    let colors: Vec<[S; 3]> = match reference.count() == reference.pixels().len() {
        true => reference.pixels().to_vec(),
        false => (0..reference.pixels().len())
            .filter(|&j| reference.takes_part(j))
            .map(|j| reference.pixels()[j])
            .collect(),
    };
    let ((levels, pixels), (sums, offered)) =
        rayon::join(|| by_gray(width, grays), || by_brightness(&colors));
    let cost = {
        let square = |of: &[f64; 3]| of.iter().map(|x| x * x).sum::<f64>();
        let part = |part: &[[S; 3]]| part.iter().map(|color| square(&color.map(S::to_unit))).sum();
        let parts: Vec<f64> = colors.par_chunks(1 << 14).map(part).collect();
        parts.iter().sum::<f64>() / colors.len() as f64 + along(&levels, &sums)
    };
    let axis = hue_axis(&colors);
    let hue = |j: u32, bits: u32| {
        let [r, g, b] = colors[j as usize].map(S::to_unit);
        digits(0.5 + 0.5 * (axis[0] * r + axis[1] * g + axis[2] * b), bits)
    };
    // Grays are shared out among threads; the colours of each are put in order by themselves.
    let (n, m) = (grays.len() as u64, offered.len() as u64);
    let given: Vec<Vec<u32>> = blocks(&levels, grays.len() / 16)
        .into_par_iter()
        .map(|block| {
            // Floats may have more levels than there is room for beside the hue.
            let bits = HUES.min((block.len() as u32).leading_zeros());
            let mut keyed = Vec::with_capacity(levels[block.clone()].iter().map(|level| level.count).sum());
            for (place, level) in levels[block].iter().enumerate() {
                for k in level.start as u64..(level.start + level.count) as u64 {
                    let j = offered[((2 * k + 1) * m / (2 * n)) as usize];
                    keyed.push((place as u64) << (32 + bits) | u64::from(hue(j, bits)) << 32 | u64::from(j));
                }
            }
            radix(keyed)
        })
        .collect();
    let mut result = vec![colors[0]; grays.len()];
    for (&pixel, color) in pixels.iter().zip(given.into_iter().flatten()) {
        result[pixel as usize] = colors[color as usize];
    }
    Colorized { pixels: result, cost }
}

/// Bits of the surroundings, at most, and of the place across the grays.
const AROUND: u32 = 16;
const HUES: u32 = 12;

/// Items of one value, in a row.
struct Level {
    start: usize,
    count: usize,
    value: f64,
}

/// The levels of gray, and all pixels by gray and then by what surrounds them.
fn by_gray<S: Sample>(width: usize, grays: &[S]) -> (Vec<Level>, Vec<u32>) {
    let around = blurred(grays.par_iter().map(|x| x.to_unit() as f32).collect(), width, RADIUS);
    let values = Values::new(grays, |&x| [x]);
    let bits = AROUND.min(32 - values.bits());
    let keyed = (0..grays.len() as u32).into_par_iter().map(|i| {
        let near = digits(f64::from(around[i as usize]), bits);
        (u64::from(values.ranks[i as usize]) << bits | u64::from(near)) << 32 | u64::from(i)
    });
    let order = radix(keyed.collect());
    (values.levels(&order), order)
}

/// The levels of `r + g + b`, and all colours by it, equal ones as if shuffled.
fn by_brightness<S: Sample>(colors: &[[S; 3]]) -> (Vec<Level>, Vec<u32>) {
    let values = Values::new(colors, |&color| color);
    let bits = 8.min(32 - values.bits());
    let keyed = (0..colors.len() as u32).into_par_iter().map(|j| {
        let chance = u64::from(scrambled(j)) >> (32 - bits);
        (u64::from(values.ranks[j as usize]) << bits | chance) << 32 | u64::from(j)
    });
    let order = radix(keyed.collect());
    (values.levels(&order), order)
}

/// A number from 0 to 1 as a whole one of so many bits.
fn digits(x: f64, bits: u32) -> u32 {
    (x.clamp(0.0, 1.0) * ((1_u64 << bits) - 1) as f64) as u32
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

    fn levels(&self, order: &[u32]) -> Vec<Level> {
        let mut levels: Vec<Level> = Vec::new();
        let mut last = None;
        for (k, &i) in order.iter().enumerate() {
            let rank = self.ranks[i as usize];
            if last != Some(rank) {
                let value = self.listed.get(rank as usize).copied().unwrap_or(f64::from(rank) / self.step);
                levels.push(Level { start: k, count: 0, value });
                last = Some(rank);
            }
            if let Some(level) = levels.last_mut() {
                level.count += 1;
            }
        }
        levels
    }
}

/// `3 E g^2 - 2 E g s` over the pairing by rank: what the cost has beside `E |y|^2`.
fn along(grays: &[Level], sums: &[Level]) -> f64 {
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

/// The direction across the grays on which colours vary most, of length one at most.
fn hue_axis<S: Sample>(colors: &[[S; 3]]) -> [f64; 3] {
    // Two axes that are orthogonal to the grays and each other: the angle of the larger variance is known in closed form.
    let (u, v) = ([0.5, 0.0, -0.5], [0.25, -0.5, 0.25]);
    let (lu, lv) = (0.5_f64.sqrt(), 0.375_f64.sqrt());
    let moments = |part: &[[S; 3]]| {
        part.iter().fold([0.0; 5], |sum, color| {
            let color = color.map(S::to_unit);
            let at = |axis: [f64; 3], length: f64| (0..3).map(|c| axis[c] * color[c]).sum::<f64>() / length;
            let (x, y) = (at(u, lu), at(v, lv));
            [sum[0] + x, sum[1] + y, sum[2] + x * x, sum[3] + x * y, sum[4] + y * y]
        })
    };
    let parts: Vec<[f64; 5]> = colors.par_chunks(1 << 14).map(moments).collect();
    let n = colors.len() as f64;
    let [x, y, xx, xy, yy] =
        parts.iter().fold([0.0; 5], |sum, part| std::array::from_fn(|k| sum[k] + part[k] / n));
    let angle = 0.5 * (2.0 * (xy - x * y)).atan2((xx - x * x) - (yy - y * y));
    // Divided by what keeps differences of units within one.
    std::array::from_fn(|c| (angle.cos() * u[c] / lu + angle.sin() * v[c] / lv) / 1.25)
}

/// The lower halves of the numbers, by the upper halves, equal ones in the order they came.
fn radix(mut keyed: Vec<u64>) -> Vec<u32> {
    const MOST: u32 = 11;
    let largest = keyed.iter().fold(0, |all, key| all | key >> 32);
    let bits = 64 - largest.leading_zeros();
    let passes = bits.div_ceil(MOST);
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

    #[test]
    fn the_axis_lies_across_the_grays() {
        let colors: Vec<[u8; 3]> = (0..200).map(|k| [k, k / 2, 200 - k]).collect();
        let axis = hue_axis(&colors);
        assert!(axis.iter().sum::<f64>().abs() < 1e-12);
        // From blue to red, more or less.
        assert!(axis[0] * axis[2] < 0.0 && axis[1].abs() < 0.2, "{axis:?}");
    }
}
