//! Colorization of pictures of 8 bits: every order is found by counting, in one pass, with no sort.
//!
//! A key of 16 bits, gray or sum before what decides among equals, leaves room for a count of every key. From the counts each
//! pixel knows its place in the order as it comes along.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::assignment::scrambled;
use super::colorization::{Colorized, Level, along, mean_square};
use super::image::Image;
use super::roughness::{Line, ROUGHNESS_BITS, Roughness};
use super::sample::Sample;
use super::starts::Starts;

/// Values of a sample, and of a sum of three.
const GRAYS: usize = 256;
const SUMS: usize = 3 * (GRAYS - 1) + 1;

/// Bits of the chance that decides among equal sums.
pub(super) const CHANCE_BITS: u32 = 6;

/// Whether samples are few enough.
pub(super) fn can_count<S: Sample>() -> bool {
    S::STEPS == Some(GRAYS as u32 - 1)
}

/// What `colorize` does in general, with the same result.
pub(super) fn colorize<S: Sample>(width: usize, grays: &[S], reference: &Image<S>) -> Colorized<S> {
    let ((places, levels), (offered, square)) =
        rayon::join(|| by_gray(width, grays), || (Offered::new(reference), mean_square(reference)));
    let cost = square + along(&levels, &self::levels(&offered.starts));
    let sorted = offered.shared(&levels);
    let pixels = places.par_iter().map(|&place| sorted[place as usize]).collect();
    Colorized { pixels, cost }
}

/// The place of every pixel by gray and then by how rough the picture is around it, and the levels of gray.
fn by_gray<S: Sample>(width: usize, grays: &[S]) -> (Vec<u32>, Vec<Level>) {
    let rough = Roughness::new(width, grays);
    let mut places = vec![0; grays.len()];
    rough.for_each_row(&mut places, |start, rough, keys| {
        for ((key, gray), rough) in keys.iter_mut().zip(&grays[start..]).zip(rough) {
            *key = gray.rank() << ROUGHNESS_BITS | rough;
        }
    });
    let starts = rank(&mut places, GRAYS, ROUGHNESS_BITS);
    (places, levels(&starts))
}

/// The colours of the reference by `r + g + b`, equal ones as if shuffled. Those that take no part come last.
struct Offered {
    /// How rough the reference is there, then red and green, 8 bits each; what is left of the sum is blue.
    items: Vec<AtomicU32>,
    /// Where each sum starts, and the end.
    starts: Vec<u32>,
}

impl Offered {
    fn new<S: Sample>(image: &Image<S>) -> Self {
        let (width, pixels) = (image.width(), image.pixels());
        let key = |j: usize, pixel: &[S; 3]| match image.takes_part(j) {
            true => {
                pixel.iter().map(|x| x.rank()).sum::<u32>() << CHANCE_BITS
                    | scrambled(j as u32) >> (32 - CHANCE_BITS)
            }
            false => (SUMS as u32) << CHANCE_BITS,
        };
        let (Starts { part, next, all }, rough) = rayon::join(
            || Starts::by(pixels, width, (SUMS + 1) << CHANCE_BITS, key),
            || Roughness::new(width, pixels),
        );
        // Every place is written once, by whichever thread.
        let items: Vec<AtomicU32> = pixels.par_iter().map(|_| AtomicU32::new(0)).collect();
        pixels.par_chunks(part).zip(next).enumerate().for_each(|(k, (pixels, mut next))| {
            let mut line = Line::default();
            for (start, row) in (k * part..).step_by(width).zip(pixels.chunks(width)) {
                rough.read(start / width, &mut line);
                for ((j, pixel), rough) in (start..).zip(row).zip(&line.rough) {
                    let [red, green, _] = pixel.map(S::rank);
                    let place = &mut next[key(j, pixel) as usize];
                    items[*place as usize].store(rough << 16 | red << 8 | green, Relaxed);
                    *place += 1;
                }
            }
        });
        let mut starts = levels_of(&all, CHANCE_BITS);
        starts.pop();
        Offered { items, starts }
    }

    /// The colours that the pixels of each gray share, by how rough the reference is around them.
    fn shared<S: Sample>(&self, levels: &[Level]) -> Vec<[S; 3]> {
        let samples: [S; GRAYS] = std::array::from_fn(|x| S::from_unit(x as f64 / (GRAYS - 1) as f64));
        let (n, m) = (levels.iter().map(|level| level.count).sum(), self.starts[SUMS] as usize);
        let mut sorted = vec![[samples[0]; 3]; n];
        let (mut tasks, mut rest) = (Vec::with_capacity(levels.len()), &mut sorted[..]);
        for level in levels {
            let (part, others) = rest.split_at_mut(level.count);
            tasks.push((level, part));
            rest = others;
        }
        tasks.into_par_iter().for_each(|(level, part)| {
            let items = (level.start..level.start + level.count).map(|k| {
                let place =
                    if n == m { k } else { ((2 * k as u64 + 1) * m as u64 / (2 * n as u64)) as usize };
                let item = self.items[place].load(Relaxed);
                (place, (item >> 16) as usize & ((1 << ROUGHNESS_BITS) - 1), item)
            });
            let mut next = [0_u32; 1 << ROUGHNESS_BITS];
            items.clone().for_each(|(_, rough, _)| next[rough] += 1);
            let mut before = 0;
            next.iter_mut().for_each(|count| before += std::mem::replace(count, before));
            let mut sum = 0;
            for (place, rough, item) in items {
                while self.starts[sum + 1] as usize <= place {
                    sum += 1;
                }
                let (red, green) = ((item >> 8) as usize & 255, item as usize & 255);
                part[next[rough] as usize] = [red, green, sum - red - green].map(|x| samples[x]);
                next[rough] += 1;
            }
        });
        sorted
    }
}

fn levels(starts: &[u32]) -> Vec<Level> {
    let level = |(value, ends): (usize, &[u32])| {
        let (start, count) = (ends[0] as usize, (ends[1] - ends[0]) as usize);
        (count > 0).then_some(Level { start, count, value: value as f64 / (GRAYS - 1) as f64 })
    };
    starts.windows(2).enumerate().filter_map(level).collect()
}

/// Puts the places of keys in their order, equal ones as they come, in the place of the keys.
///
/// Keys are a level and so many bits below it; returns where each level starts, and the end.
fn rank(keys: &mut [u32], levels: usize, bits: u32) -> Vec<u32> {
    let Starts { part, next, all } = Starts::new(keys, levels << bits);
    keys.par_chunks_mut(part).zip(next).for_each(|(keys, mut next)| {
        for key in keys {
            let at = &mut next[*key as usize];
            *key = *at;
            *at += 1;
        }
    });
    levels_of(&all, bits)
}

/// Where each level starts, and the end, of where its keys do.
fn levels_of(all: &[u32], bits: u32) -> Vec<u32> {
    all.iter().copied().step_by(1 << bits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counting_and_sorting_agree() {
        let noise = |k: usize| ((k * 2_654_435_761) >> 9) as u8;
        let (width, height) = (61, 47);
        let grays: Vec<u8> =
            (0..width * height).map(|k| if k % width < 30 { 90 } else { noise(k) % 40 }).collect();
        for (columns, rows) in [(61, 47), (40, 33), (90, 70), (1, 1)] {
            let colors: Vec<[u8; 3]> = (0..columns * rows)
                .map(|k| {
                    [noise(k) % 60, (k % columns) as u8, if k % 7 == 0 { 255 } else { noise(k + 9) % 9 }]
                })
                .collect();
            let mask: Vec<bool> = (0..colors.len()).map(|k| k % 5 != 1).collect();
            let image = Image::new(columns, &colors).unwrap();
            for image in [image, image.with_mask(&mask).unwrap()] {
                let (counted, sorted) = (
                    colorize(width, &grays, &image),
                    super::super::colorization::by_sorting(width, &grays, &image),
                );
                assert_eq!(counted.pixels, sorted.pixels, "{columns} x {rows}");
                assert_eq!(counted.cost, sorted.cost);
            }
        }
    }

    #[test]
    fn ranks_are_places_in_a_stable_order() {
        let keys: Vec<u32> = (0..5000).map(|i| i * 7919 % 1013 % 640).collect();
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_by_key(|&i| keys[i]);
        let mut places = keys.clone();
        let starts = rank(&mut places, 11, 6);
        assert!(order.iter().enumerate().all(|(place, &i)| places[i] == place as u32));
        for (level, ends) in starts.windows(2).enumerate() {
            let count = keys.iter().filter(|&&key| key >> 6 == level as u32).count();
            assert_eq!((ends[1] - ends[0]) as usize, count, "{level}");
        }
    }
}
