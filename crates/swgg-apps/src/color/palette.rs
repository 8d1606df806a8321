//! The colours of a picture, each with the pixels that have it.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::sample::Sample;
use super::space::Space;
use super::starts::Starts;

/// A pixel that takes no part.
pub(super) const NONE: u32 = u32::MAX;

/// Bits of the coordinates of the finest cells.
const FINEST_BITS: u32 = 8;

/// Cells of colours: those that agree in the first bits of each channel.
///
/// As fine as the number of cells allows, and 8 bits at most: in a picture of 8 bits with few enough colours a cell is a colour.
/// Cells are ordered along the Z-curve, so that neighbours in the list are neighbours in colour.
pub(super) struct Palette {
    /// The cell of each pixel, or [`NONE`].
    pub cells: Vec<u32>,
    /// Mean colour of each cell, from 0 to 1.
    pub colors: Vec<[f64; 3]>,
    /// Pixels of each cell.
    pub counts: Vec<u32>,
}

impl Palette {
    /// The cells of the pixels that take part, at most so many.
    pub fn new<S: Sample>(pixels: &[[S; 3]], takes_part: impl Fn(usize) -> bool + Sync, most: usize) -> Self {
        let spread = spread();
        let mut cells: Vec<u32> = pixels
            .par_iter()
            .enumerate()
            .map(|(i, pixel)| {
                let [r, g, b] = pixel.map(|x| spread[usize::from(x.cell())]);
                if takes_part(i) { r << 2 | g << 1 | b } else { NONE }
            })
            .collect();
        let finest = Finest::new(&cells);
        // On the Z-curve a coarser cell is a run of finer ones.
        let shift = |bits: u32| 3 * (FINEST_BITS - bits);
        let coarser = |bits: u32| finest.keys.chunk_by(move |a, b| a >> shift(bits) == b >> shift(bits));
        let bits = (1..=FINEST_BITS).rev().find(|&bits| coarser(bits).count() <= most).unwrap_or(0);
        let (mut numbers, mut kept) = (Vec::with_capacity(finest.keys.len()), Vec::new());
        for run in coarser(bits) {
            let first = numbers.len();
            numbers.resize(first + run.len(), kept.len() as u32);
            kept.push(finest.counts[first..numbers.len()].iter().sum());
        }
        finest.rename(&mut cells, &numbers);
        let colors = means(pixels, &cells, &kept);
        Palette { cells, colors, counts: kept }
    }

    /// Pixels that take part.
    pub fn pixels(&self) -> usize {
        self.counts.iter().map(|&count| count as usize).sum()
    }

    /// Coordinates of all colours, one after the other.
    pub fn coordinates(&self, space: Space) -> Vec<f64> {
        self.colors.iter().flat_map(|&rgb| space.from_rgb(rgb)).collect()
    }

    /// The pixels of every cell, one cell after the other, in the order of their index.
    pub fn members(&self) -> Groups {
        Groups::new(&self.cells, self.counts.len())
    }
}

/// Up to this many pixels are sorted; more are counted in a table of all cells, which takes 64 MB.
const MAX_SORTED_PIXELS: usize = 1 << 17;

/// The finest cells that are there, in order, and how many pixels each has.
struct Finest {
    keys: Vec<u32>,
    counts: Vec<u32>,
    /// Room for all cells that could be.
    table: Option<Vec<u32>>,
}

impl Finest {
    fn new(cells: &[u32]) -> Self {
        if cells.len() <= MAX_SORTED_PIXELS {
            let mut sorted: Vec<u32> = cells.iter().copied().filter(|cell| *cell != NONE).collect();
            sorted.sort_unstable();
            let (keys, counts) = sorted.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32)).unzip();
            return Finest { keys, counts, table: None };
        }
        let mut table = vec![0_u32; 1 << (3 * FINEST_BITS)];
        cells.iter().filter(|cell| **cell != NONE).for_each(|&cell| table[cell as usize] += 1);
        let present = table.iter().enumerate().filter(|(_, count)| **count > 0);
        let (keys, counts) = present.map(|(key, &count)| (key as u32, count)).unzip();
        Finest { keys, counts, table: Some(table) }
    }

    /// Puts the numbers of cells in the place of their keys.
    fn rename(self, cells: &mut [u32], numbers: &[u32]) {
        let there = cells.par_iter_mut().filter(|cell| **cell != NONE);
        match self.table {
            Some(mut table) => {
                self.keys.iter().zip(numbers).for_each(|(&key, &number)| table[key as usize] = number);
                there.for_each(|cell| *cell = table[*cell as usize]);
            }
            None => there.for_each(|cell| {
                *cell = numbers[self.keys.partition_point(|key| key < cell)];
            }),
        }
    }
}

fn means<S: Sample>(pixels: &[[S; 3]], cells: &[u32], counts: &[u32]) -> Vec<[f64; 3]> {
    // A channel each: the order of a sum, and so its rounding, is that of the pixels.
    let channel = |c: usize| {
        let mut sums = vec![0.0; counts.len()];
        for (pixel, &cell) in pixels.iter().zip(cells).filter(|(_, cell)| **cell != NONE) {
            sums[cell as usize] += pixel[c].to_unit();
        }
        sums
    };
    let sums: Vec<Vec<f64>> = (0..3).into_par_iter().map(channel).collect();
    let mean = |(cell, &count): (usize, &u32)| std::array::from_fn(|c| sums[c][cell] / f64::from(count));
    counts.iter().enumerate().map(mean).collect()
}

/// The bits of a number with two zeros between each.
fn spread() -> [u32; 256] {
    std::array::from_fn(|x| (0..8).map(|bit| ((x as u32 >> bit) & 1) << (3 * bit)).sum())
}

/// Indices, sorted by what they belong to.
pub(super) struct Groups {
    pub order: Vec<u32>,
    starts: Vec<u32>,
}

impl Groups {
    /// By counting; members stay in order. Those of [`NONE`] are left out.
    pub fn new(groups: &[u32], count: usize) -> Self {
        let Starts { part, next, all: starts } = Starts::new(groups, count);
        // Every place is written once, by whichever thread.
        let order: Vec<AtomicU32> = (0..starts[count]).into_par_iter().map(|_| AtomicU32::new(0)).collect();
        groups.par_chunks(part).zip(next).enumerate().for_each(|(k, (groups, mut next))| {
            for (i, &group) in (k * part..).zip(groups).filter(|(_, group)| **group != NONE) {
                let place = &mut next[group as usize];
                order[*place as usize].store(i as u32, Relaxed);
                *place += 1;
            }
        });
        Groups { order: order.into_iter().map(AtomicU32::into_inner).collect(), starts }
    }

    pub fn range(&self, group: usize) -> std::ops::Range<usize> {
        self.starts[group] as usize..self.starts[group + 1] as usize
    }
}

/// Whole numbers that share `whole` among parts as `counts` are, each right to one, and every run of them too.
pub(super) fn scaled(counts: &[u32], whole: usize) -> Vec<u32> {
    let total: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    let mut before = 0_u64;
    let edge = |sum: u64| {
        ((2 * u128::from(sum) * whole as u128 + u128::from(total)) / (2 * u128::from(total))) as u64
    };
    counts
        .iter()
        .map(|&count| {
            let from = edge(before);
            before += u64::from(count);
            (edge(before) - from) as u32
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_colours_are_one_cell() {
        let pixels = [[9_u8, 9, 9], [1, 2, 3], [9, 9, 9], [7, 7, 7]];
        let palette = Palette::new(&pixels, |i| i != 3, 10);
        assert_eq!(palette.counts, [1, 2]);
        assert_eq!(palette.cells, [1, 0, 1, NONE]);
        assert_eq!(palette.colors[1], [9.0 / 255.0; 3]);
        assert_eq!(palette.members().order, [1, 0, 2]);
        let deep = Palette::new(&[[256_u16, 0, 0], [258, 0, 0]], |_| true, 10);
        assert_eq!((deep.counts, deep.colors), (vec![2], vec![[257.0 / 65535.0, 0.0, 0.0]]));
    }

    #[test]
    fn cells_grow_until_they_are_few() {
        let pixels: Vec<[u8; 3]> = (0..=255).map(|x| [x; 3]).collect();
        let cells = |most| Palette::new(&pixels, |_| true, most);
        assert_eq!(cells(256).counts, [1; 256]);
        assert_eq!(cells(255).counts, [2; 128]);
        assert_eq!(cells(1).counts, [256]);
    }

    #[test]
    fn tables_and_sorting_agree() {
        let pixels: Vec<[u8; 3]> =
            (0..=MAX_SORTED_PIXELS).map(|k| [k % 7, k % 31, k % 251].map(|x| x as u8)).collect();
        let (many, few) = (
            Palette::new(&pixels, |i| i != MAX_SORTED_PIXELS, 9000),
            Palette::new(&pixels[..MAX_SORTED_PIXELS], |_| true, 9000),
        );
        assert_eq!(many.cells[..MAX_SORTED_PIXELS], few.cells);
        assert_eq!((many.counts, many.colors), (few.counts, few.colors));
    }

    #[test]
    fn shares_are_right_to_one() {
        assert_eq!(scaled(&[1, 2, 3], 6), [1, 2, 3]);
        assert_eq!(scaled(&[1, 1, 1, 1], 2).iter().sum::<u32>(), 2);
        assert_eq!(scaled(&[1, 2], 9), [3, 6]);
    }
}
