//! From cells to pixels: which pixel gets which of the images of its cell.

use rayon::prelude::*;

use super::palette::{Groups, NONE, Palette};
use super::pieces::Piece;
use super::sample::Sample;

/// Cells that one task deals with.
const TASK: usize = 256;

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
    let targets = gathered(seen.len(), &cells, |cell: &&[Piece], dealt: &mut Vec<(u32, u32)>| {
        let members = &members.order[members.range(cell[0].source as usize)];
        if let [piece] = cell {
            return dealt.extend(members.iter().map(|&pixel| (pixel, piece.target)));
        }
        let image = |piece: &Piece| reference.colors[piece.target as usize];
        let axis = axis(cell.iter().map(|piece| (f64::from(piece.pixels), image(piece))));
        let mut images: Vec<(f64, &Piece)> =
            cell.iter().map(|piece| (dot(axis, image(piece)), piece)).collect();
        images.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.target.cmp(&b.1.target)));
        let mut sorted = sorted(members, |pixel| dot(axis, color(pixel)));
        for (_, piece) in images {
            dealt.extend(sorted.by_ref().take(piece.pixels as usize).map(|pixel| (pixel, piece.target)));
        }
    });

    let (owners, offered) = (Groups::new(&targets, reference.counts.len()), reference.members());
    let cells: Vec<usize> = (0..reference.counts.len()).collect();
    gathered(seen.len(), &cells, |&cell: &usize, dealt: &mut Vec<(u32, u32)>| {
        let (owners, offered) = (&owners.order[owners.range(cell)], &offered.order[offered.range(cell)]);
        let of = |pixel: u32| pixels[pixel as usize];
        if offered.iter().all(|&pixel| of(pixel) == of(offered[0])) {
            return dealt.extend(owners.iter().map(|&pixel| (pixel, offered[0])));
        }
        let axis = axis(offered.iter().map(|&pixel| (1.0, of(pixel).map(S::to_unit))));
        // Where in its own cell a pixel lies tells where it should lie in this one.
        let offset = |pixel: u32| {
            let mean = source.colors[source.cells[pixel as usize] as usize];
            dot(axis, color(pixel)) - dot(axis, mean)
        };
        let offered: Vec<u32> = sorted(offered, |pixel| dot(axis, of(pixel).map(S::to_unit))).collect();
        let (n, m) = (owners.len(), offered.len());
        dealt.extend(
            sorted(owners, offset).enumerate().map(|(k, pixel)| (pixel, offered[(2 * k + 1) * m / (2 * n)])),
        );
    })
}

/// What the tasks deal to pixels, in one list.
fn gathered<T: Sync>(pixels: usize, cells: &[T], deal: impl Fn(&T, &mut Vec<(u32, u32)>) + Sync) -> Vec<u32> {
    let dealt: Vec<Vec<(u32, u32)>> = cells
        .par_chunks(TASK)
        .map(|cells| {
            let mut dealt = Vec::new();
            cells.iter().for_each(|cell| deal(cell, &mut dealt));
            dealt
        })
        .collect();
    let mut all = vec![NONE; pixels];
    dealt.into_iter().flatten().for_each(|(pixel, what)| all[pixel as usize] = what);
    all
}

/// Pixels by a key, equal ones in an order without rows and columns to see.
fn sorted(pixels: &[u32], key: impl Fn(u32) -> f64) -> impl Iterator<Item = u32> {
    let mut keyed: Vec<(f32, u32, u32)> =
        pixels.iter().map(|&pixel| (key(pixel) as f32, scrambled(pixel), pixel)).collect();
    keyed.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    keyed.into_iter().map(|keyed| keyed.2)
}

/// A hash that is a bijection: an order of pixels like a shuffled one.
pub(super) fn scrambled(pixel: u32) -> u32 {
    let x = (pixel ^ pixel >> 16).wrapping_mul(0x7feb_352d);
    let x = (x ^ x >> 15).wrapping_mul(0x846c_a68b);
    x ^ x >> 16
}

/// The axis of largest variance of weighted colours, towards the brighter end.
fn axis(colors: impl Iterator<Item = (f64, [f64; 3])> + Clone) -> [f64; 3] {
    let whole: f64 = colors.clone().map(|(weight, _)| weight).sum();
    let mut mean = [0.0; 3];
    colors.clone().for_each(|(weight, color)| (0..3).for_each(|c| mean[c] += weight / whole * color[c]));
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
    fn shuffled_pixels_are_all_there() {
        let mut all: Vec<u32> = (0..1000).map(scrambled).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 1000);
    }
}
