//! From cells to pixels: which pixel gets which of the images of its cell.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::palette::{Groups, NONE, Palette};
use super::pieces::Piece;
use super::sample::Sample;

/// Cells that one task deals with.
const CELLS_PER_TASK: usize = 256;

/// The pixel of the reference that each pixel of the source gets the colour of.
///
/// `seen` is the colour a pixel of the source is taken for, `pieces` the plan between the cells of both. Where a cell has several
/// images, its pixels are ordered along the line on which these vary most, and so are the images: no mass is lost, none is
/// added, and what is seen alike gets like colours. Then the same inside every cell of the reference.
pub(super) fn assign<S: Sample>(
    pieces: &[Piece],
    source: &Palette,
    seen: &[[f32; 3]],
    reference: &Palette,
    pixels: &[[S; 3]],
) -> Vec<u32> {
    let members = source.members();
    let color = |pixel: u32| seen[pixel as usize].map(f64::from);
    let cells: Vec<&[Piece]> = pieces.chunk_by(|a, b| a.source == b.source).collect();
    let targets = gathered(seen.len(), &cells, |cell: &&[Piece], dealt| {
        let members = &members.order[members.range(cell[0].source as usize)];
        let image = |piece: &Piece| reference.colors[piece.target as usize];
        let moving: usize = cell.iter().map(|piece| piece.pixels as usize).sum();
        let nearest;
        let members = if moving < members.len() {
            // Only some of them move: those that are nearest to where the cell goes.
            let mean = mean(cell.iter().map(|piece| (f64::from(piece.pixels), image(piece))));
            let far = |pixel: u32| {
                let gap: [f64; 3] = std::array::from_fn(|c| color(pixel)[c] - mean[c]);
                dot(gap, gap)
            };
            nearest = sorted(members, far).take(moving).collect::<Vec<u32>>();
            &nearest
        } else {
            members
        };
        if let [piece] = cell {
            return members.iter().for_each(|&pixel| dealt.give(pixel, piece.target));
        }
        let axis = axis(cell.iter().map(|piece| (f64::from(piece.pixels), image(piece))));
        let mut images: Vec<(f64, &Piece)> =
            cell.iter().map(|piece| (dot(axis, image(piece)), piece)).collect();
        images.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.target.cmp(&b.1.target)));
        let mut sorted = sorted(members, |pixel| dot(axis, color(pixel)));
        for (_, piece) in images {
            let part = sorted.by_ref().take(piece.pixels as usize);
            part.for_each(|pixel| dealt.give(pixel, piece.target));
        }
    });

    let (owners, offered) = (Groups::new(&targets, reference.counts.len()), reference.members());
    let cells: Vec<usize> = (0..reference.counts.len()).collect();
    gathered(seen.len(), &cells, |&cell, dealt| {
        let (owners, offered) = (&owners.order[owners.range(cell)], &offered.order[offered.range(cell)]);
        let of = |pixel: u32| pixels[pixel as usize];
        if offered.iter().all(|&pixel| of(pixel) == of(offered[0])) {
            return owners.iter().for_each(|&pixel| dealt.give(pixel, offered[0]));
        }
        let axis = axis(offered.iter().map(|&pixel| (1.0, of(pixel).map(S::to_unit))));
        // Where in its own cell a pixel lies tells where it should lie in this one.
        let offset = |pixel: u32| {
            let mean = source.colors[source.cells[pixel as usize] as usize];
            dot(axis, color(pixel)) - dot(axis, mean)
        };
        let offered: Vec<u32> = sorted(offered, |pixel| dot(axis, of(pixel).map(S::to_unit))).collect();
        let (n, m) = (owners.len(), offered.len());
        for (k, pixel) in sorted(owners, offset).enumerate() {
            dealt.give(pixel, offered[(2 * k + 1) * m / (2 * n)]);
        }
    })
}

/// What pixels are given. No pixel is in two cells, so which thread comes first does not matter.
struct Dealt(Vec<AtomicU32>);

impl Dealt {
    fn give(&self, pixel: u32, what: u32) {
        self.0[pixel as usize].store(what, Relaxed);
    }
}

/// What the cells deal to pixels, in one list.
fn gathered<T: Sync>(pixels: usize, cells: &[T], deal: impl Fn(&T, &Dealt) + Sync) -> Vec<u32> {
    let dealt = Dealt((0..pixels).into_par_iter().map(|_| AtomicU32::new(NONE)).collect());
    cells.par_chunks(CELLS_PER_TASK).for_each(|cells| cells.iter().for_each(|cell| deal(cell, &dealt)));
    dealt.0.into_iter().map(AtomicU32::into_inner).collect()
}

/// Pixels by a key, equal ones in an order without rows and columns to see.
fn sorted(pixels: &[u32], key: impl Fn(u32) -> f64) -> impl Iterator<Item = u32> {
    // Both in one number, which sorts faster; the pixel can be told from its place in the shuffle.
    let keyed = |&pixel: &u32| u64::from((key(pixel) as f32).rank()) << 32 | u64::from(scrambled(pixel));
    let mut keyed: Vec<u64> = pixels.iter().map(keyed).collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|keyed| unscrambled(keyed as u32))
}

const FACTORS: [u32; 2] = [0x7feb_352d, 0x846c_a68b];

/// A hash that is a bijection: an order of pixels like a shuffled one.
pub(super) fn scrambled(pixel: u32) -> u32 {
    let x = (pixel ^ pixel >> 16).wrapping_mul(FACTORS[0]);
    let x = (x ^ x >> 15).wrapping_mul(FACTORS[1]);
    x ^ x >> 16
}

/// The pixel with this hash.
fn unscrambled(hash: u32) -> u32 {
    const INVERSES: [u32; 2] = [inverse(FACTORS[0]), inverse(FACTORS[1])];
    let x = (hash ^ hash >> 16).wrapping_mul(INVERSES[1]);
    let x = (x ^ x >> 15 ^ x >> 30).wrapping_mul(INVERSES[0]);
    x ^ x >> 16
}

/// The inverse of an odd number modulo `2^32`, by Newton's iteration, which doubles the bits that are right.
const fn inverse(factor: u32) -> u32 {
    let mut found = factor;
    let mut bits = 3;
    while bits < 32 {
        found = found.wrapping_mul(2_u32.wrapping_sub(factor.wrapping_mul(found)));
        bits *= 2;
    }
    found
}

/// The axis of largest variance of weighted colours, towards the brighter end.
fn axis(colors: impl Iterator<Item = (f64, [f64; 3])> + Clone) -> [f64; 3] {
    let whole: f64 = colors.clone().map(|(weight, _)| weight).sum();
    let mean = mean(colors.clone());
    let mut matrix = [[0.0; 3]; 3];
    for (weight, color) in colors {
        for (i, row) in matrix.iter_mut().enumerate() {
            (0..3).for_each(|j| row[j] += weight / whole * (color[i] - mean[i]) * (color[j] - mean[j]));
        }
    }
    // A power of the matrix turns everything to its first axis; a few squarings are a high power.
    for _ in 0..6 {
        let trace = matrix[0][0] + matrix[1][1] + matrix[2][2];
        if trace <= 0.0 {
            return [1.0; 3];
        }
        let m = matrix.map(|row| row.map(|x| x / trace));
        matrix = std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| m[i][k] * m[k][j]).sum()));
    }
    let column = (0..3).fold(0, |best, c| if matrix[c][c] > matrix[best][best] { c } else { best });
    let axis = matrix.map(|row| row[column]);
    let sign = if axis.iter().sum::<f64>() < 0.0 { -1.0 } else { 1.0 };
    axis.map(|x| sign * x)
}

/// The mean of weighted colours.
fn mean(colors: impl Iterator<Item = (f64, [f64; 3])> + Clone) -> [f64; 3] {
    let whole: f64 = colors.clone().map(|(weight, _)| weight).sum();
    let mut mean = [0.0; 3];
    colors.for_each(|(weight, color)| (0..3).for_each(|c| mean[c] += weight / whole * color[c]));
    mean
}

fn dot(x: [f64; 3], y: [f64; 3]) -> f64 {
    x[0] * y[0] + x[1] * y[1] + x[2] * y[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_is_that_of_the_longest_side() {
        let colors = [[0.0, 0.0, 0.0], [0.1, 0.8, 0.0], [0.1, 0.0, 0.0], [0.0, 0.8, 0.0]];
        let [x, y, z] = axis(colors.into_iter().map(|color| (1.0, color)));
        assert!(y > 0.0 && x.abs() < 1e-6 * y && z == 0.0, "{x} {y} {z}");
    }

    #[test]
    fn shuffled_pixels_are_found_again() {
        let pixels = (0..1000).chain([1 << 16, 1 << 31, u32::MAX - 1, u32::MAX]);
        pixels.for_each(|pixel| assert_eq!(unscrambled(scrambled(pixel)), pixel));
    }
}
