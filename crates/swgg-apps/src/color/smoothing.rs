//! The colour a pixel is taken for when the plan is made.
//!
//! A one-to-one map of colours magnifies noise: where the reference has more colours than the source, those of a smooth sky are
//! pulled apart, and neighbours that differ by one step get colours that differ by ten. So the plan is not made from the picture
//! but from one near it: the picture without its noise, moved by the displacement of a coarse plan, smoothed along the picture.
//! That is already close to the reference, and what is left for the plan to do moves colours by little.
//!
//! With a share `s` of it in the mean of both, `z = (1 - s) x + s r`, the plan from `z` is the one that is best for the cost
//! `(1 - s) |x - y|^2 + s |r - y|^2`: it pays a little more than the cheapest for being smooth.

use rayon::prelude::*;

use super::error::Result;
use super::guided_filter::{Guide, Scratch, denoise};
use super::image::Image;
use super::palette::{NONE, Palette};
use super::sample::Sample;
use super::solver::Solver;

/// Cells of the coarse plan on a side, at most.
const MAX_COARSE_CELLS: usize = 8000;
/// What the surroundings count where only ties are to be broken.
const TIE_SHARE: f32 = 0.25;

/// The picture that the plan is made from, with a share of the smooth one in it.
pub(super) fn smoothed<S: Sample>(
    source: &Image<S>,
    reference: &Image<S>,
    share: f64,
    solver: &Solver,
) -> Result<Vec<[f32; 3]>> {
    let coarse = Displacement::new(source, reference, solver)?;
    let brightness: Vec<f32> = source.pixels().par_iter().map(brightness).collect();
    let mut scratch = Scratch::default();
    let guide = Guide::new(&brightness, source.width(), &mut scratch);
    let mut seen: Vec<[f32; 3]> = source.pixels().par_iter().map(|pixel| pixel.map(unit)).collect();
    let share = share as f32;
    let (mut moved, mut plain, mut clean) = (Vec::new(), Vec::new(), Vec::new());
    for c in 0..3 {
        coarse.channel(c, &mut moved);
        guide.smooth(&mut moved, &mut scratch);
        channel(source.pixels(), c, &mut plain);
        denoise(&plain, source.width(), &mut clean, &mut scratch);
        seen.par_iter_mut().zip(moved.par_iter().zip(&clean)).for_each(|(seen, (moved, clean))| {
            seen[c] += share * (clean + moved - seen[c]);
        });
    }
    Ok(seen)
}

/// The picture itself, with a little of its surroundings to tell equal colours apart.
pub(super) fn plain<S: Sample>(source: &Image<S>) -> Vec<[f32; 3]> {
    let mut seen: Vec<[f32; 3]> = source.pixels().par_iter().map(|pixel| pixel.map(unit)).collect();
    let (mut plain, mut clean, mut scratch) = (Vec::new(), Vec::new(), Scratch::default());
    for c in 0..3 {
        channel(source.pixels(), c, &mut plain);
        denoise(&plain, source.width(), &mut clean, &mut scratch);
        seen.par_iter_mut().zip(&clean).for_each(|(seen, clean)| seen[c] += TIE_SHARE * (clean - seen[c]));
    }
    seen
}

fn unit<S: Sample>(x: S) -> f32 {
    x.to_unit() as f32
}

fn channel<S: Sample>(pixels: &[[S; 3]], c: usize, values: &mut Vec<f32>) {
    pixels.par_iter().map(|pixel| unit(pixel[c])).collect_into_vec(values);
}

/// Weights of the luma of Rec. 709.
fn brightness<S: Sample>(pixel: &[S; 3]) -> f32 {
    let [r, g, b] = pixel.map(unit);
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// How far a coarse plan moves colours, on average in every cell.
struct Displacement {
    cells: Vec<u32>,
    moves: Vec<[f32; 3]>,
    /// For pixels that take no part, so that they do not hold back their neighbours.
    mean: [f32; 3],
}

impl Displacement {
    fn new<S: Sample>(source: &Image<S>, reference: &Image<S>, solver: &Solver) -> Result<Self> {
        let most = MAX_COARSE_CELLS.min(solver.most_cells());
        let from = Palette::new(source.pixels(), |i| source.takes_part(i), most);
        let to = Palette::new(reference.pixels(), |i| reference.takes_part(i), most);
        let (pieces, _) = Solver { effort: 3, ..*solver }.pieces(&from, &to)?;
        let mut moves = vec![[0.0; 3]; from.counts.len()];
        let (mut mean, whole) = ([0.0; 3], from.pixels() as f64);
        for piece in pieces {
            let (i, j, pixels) = (piece.source as usize, piece.target as usize, f64::from(piece.pixels));
            for c in 0..3 {
                let far = pixels * (to.colors[j][c] - from.colors[i][c]);
                moves[i][c] += far / f64::from(from.counts[i]);
                mean[c] += far / whole;
            }
        }
        let short = |x: [f64; 3]| x.map(|x| x as f32);
        Ok(Displacement {
            cells: from.cells,
            moves: moves.into_iter().map(short).collect(),
            mean: short(mean),
        })
    }

    fn channel(&self, c: usize, values: &mut Vec<f32>) {
        let of = |&cell: &u32| if cell == NONE { self.mean[c] } else { self.moves[cell as usize][c] };
        self.cells.par_iter().map(of).collect_into_vec(values);
    }
}
