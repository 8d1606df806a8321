//! Ground costs in pieces of rows, computed when asked for or kept.

use crate::measure::Measure;
use crate::number::scalar::Scalar;
use crate::question::Ground as Law;
use crate::run::workers::Workers;

use super::kernel::{Kernel, POINTS_PER_PANEL, panels};
use super::patience::Patience;

/// One of the two measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Source,
    Target,
}

impl Side {
    pub fn other(self) -> Side {
        match self {
            Side::Source => Side::Target,
            Side::Target => Side::Source,
        }
    }
}

/// What the solver knows of costs: any piece of any row or column.
pub(super) trait Ground: Sync {
    /// Points of a side.
    fn len(&self, side: Side) -> usize;
    /// Costs that are best computed together, at most [`MAX_COSTS_PER_TILE`]; pieces begin at multiples of it.
    fn tile(&self) -> usize;
    /// Operations that a cost takes, roughly.
    fn work(&self) -> usize;
    /// All costs of point `i` of `side`, if they are kept.
    fn kept(&self, side: Side, i: usize) -> Option<&[f64]>;
    /// Costs from point `i` of `side` to the points `start..start + out.len()` of the other side.
    fn costs(&self, side: Side, i: usize, start: usize, out: &mut [f64]);
}

/// Points of one side, twice: row by row to take one out, in panels to run along all of them.
struct Points {
    rows: Vec<f64>,
    panels: Vec<f64>,
}

/// Costs between points: powers of Euclidean distances, functions of two points, or given ones.
pub(super) struct Distances<'c> {
    sides: [Points; 2],
    dim: usize,
    law: Law<'c>,
    /// The numbers that the points were given with.
    numbers: [Vec<u32>; 2],
    kernel: Kernel,
    /// All costs, by source and by target.
    kept: Option<[Vec<Vec<f64>>; 2]>,
}

/// Memory that kept costs may take, both ways round: 5792 points a side.
const MAX_KEPT_COST_BYTES: usize = 1 << 29;
/// From this dimension on a cost is quicker to look up than to compute again.
const MIN_KEPT_DIM: usize = 12;

/// Bytes of the costs that are kept: none where they are not.
pub(super) fn kept_bytes(n: usize, m: usize, dim: usize) -> usize {
    let bytes = n.saturating_mul(m).saturating_mul(2 * size_of::<f64>());
    if dim < MIN_KEPT_DIM || bytes > MAX_KEPT_COST_BYTES { 0 } else { bytes }
}

impl<'c> Distances<'c> {
    /// Between some points of the source and some of the target. Both clouds move together to where coordinates are small, so that
    /// subtracting them loses nothing.
    pub fn new<T: Scalar>(
        source: &Measure<T>,
        sources: &[u32],
        target: &Measure<T>,
        targets: &[u32],
        law: Law<'c>,
    ) -> Self {
        let dim = source.dim();
        let centre: Vec<f64> = match law {
            Law::Distance(_) => {
                source.mean().iter().zip(&target.mean()).map(|(m, n)| 0.5 * m + 0.5 * n).collect()
            }
            Law::Cost(_) | Law::Matrix(_) => vec![0.0; dim],
        };
        let side = |measure: &Measure<T>, points: &[u32]| {
            let mut rows = Vec::with_capacity(points.len() * dim);
            for &i in points {
                rows.extend(measure.point(i as usize).iter().zip(&centre).map(|(x, c)| x.to_f64() - c));
            }
            Points { panels: panels(&rows, dim), rows }
        };
        Distances {
            sides: [side(source, sources), side(target, targets)],
            dim,
            law,
            numbers: [sources.to_vec(), targets.to_vec()],
            kernel: Kernel::detect(),
            kept: None,
        }
    }

    /// Computes all costs once, where that pays and memory allows, for whoever comes back to them in every iteration. They have the bits
    /// they have without.
    pub fn keep(&mut self, workers: &Workers, patience: &mut Patience) {
        let [n, m] = [Side::Source, Side::Target].map(|side| self.len(side));
        let dim = if matches!(self.law, Law::Distance(_)) { self.dim } else { MIN_KEPT_DIM };
        if kept_bytes(n, m, dim) == 0 {
            return;
        }
        let row = |_: usize| Vec::with_capacity(m);
        let visit = |row: &mut Vec<f64>, _: usize, _: usize, costs: &[f64]| row.extend_from_slice(costs);
        let rows = sweep(&*self, workers, Side::Source, patience, row, visit, |_, row| row);
        // Told to leave: there is no use for them any more.
        if rows.len() < n {
            return;
        }
        let columns = workers.map(m.div_ceil(COLUMNS_PER_TASK), |task| {
            let range = task * COLUMNS_PER_TASK..m.min((task + 1) * COLUMNS_PER_TASK);
            let mut columns = vec![vec![0.0; n]; range.len()];
            for (block, rows) in rows.chunks(ROWS_PER_LINE).enumerate() {
                for (column, j) in columns.iter_mut().zip(range.clone()) {
                    let part = &mut column[block * ROWS_PER_LINE..][..rows.len()];
                    part.iter_mut().zip(rows).for_each(|(cost, row)| *cost = row[j]);
                }
            }
            columns
        });
        self.kept = Some([rows, columns.into_iter().flatten().collect()]);
    }

    fn points(&self, side: Side) -> &Points {
        &self.sides[side as usize]
    }
}

/// Coordinates of a tile: with them the innermost cache is about half full.
const COORDINATES_PER_TILE: usize = 3072;

/// Columns that are made of rows together,
const COLUMNS_PER_TASK: usize = 32;
/// and rows that they are made of at a time: costs that fill a line of the cache.
const ROWS_PER_LINE: usize = 8;

impl Ground for Distances<'_> {
    fn work(&self) -> usize {
        if self.kept.is_some() { 1 } else { self.dim }
    }

    fn kept(&self, side: Side, i: usize) -> Option<&[f64]> {
        self.kept.as_ref().map(|kept| kept[side as usize][i].as_slice())
    }

    fn tile(&self) -> usize {
        if self.kept.is_some() {
            return MAX_COSTS_PER_TILE;
        }
        (COORDINATES_PER_TILE / self.dim)
            .next_multiple_of(POINTS_PER_PANEL)
            .clamp(2 * POINTS_PER_PANEL, MAX_COSTS_PER_TILE)
    }

    fn len(&self, side: Side) -> usize {
        self.points(side).rows.len() / self.dim
    }

    #[inline]
    fn costs(&self, side: Side, i: usize, start: usize, out: &mut [f64]) {
        if let Some(kept) = &self.kept {
            return out.copy_from_slice(&kept[side as usize][i][start..start + out.len()]);
        }
        let x = &self.points(side).rows[i * self.dim..(i + 1) * self.dim];
        let power = match self.law {
            Law::Distance(power) => power,
            Law::Cost(cost) => {
                let others = self.points(side.other()).rows[start * self.dim..].chunks_exact(self.dim);
                return out.iter_mut().zip(others).for_each(|(out, y)| {
                    *out = if side == Side::Source { cost.between(x, y) } else { cost.between(y, x) };
                });
            }
            Law::Matrix(costs) => {
                let (i, others) =
                    (self.numbers[side as usize][i], &self.numbers[side.other() as usize][start..]);
                return out.iter_mut().zip(others).for_each(|(out, &j)| {
                    let (i, j) = if side == Side::Source { (i, j) } else { (j, i) };
                    *out = costs[[i as usize, j as usize]];
                });
            }
        };
        self.kernel.sq_distances(x, &self.points(side.other()).panels, start, out);
        match power.exponent() {
            2.0 => {}
            1.0 => out.iter_mut().for_each(|square| *square = square.sqrt()),
            _ => out.iter_mut().for_each(|square| *square = power.of_distance(square.sqrt())),
        }
    }
}

/// Most costs held at once for one point.
pub(super) const MAX_COSTS_PER_TILE: usize = 512;
/// Pairs that one task goes through.
const PAIRS_PER_TASK: usize = 1 << 16;

/// Operations between two questions to the observer, an exponential counted as [`WORK_PER_EXPONENTIAL`]: a tenth of a second or less.
const WORK_PER_WAVE: usize = 1 << 28;
const WORK_PER_EXPONENTIAL: usize = 12;
/// Tasks of a wave, so that threads do not wait for each other.
const MIN_TASKS_PER_WAVE: usize = 32;

/// Visits all costs: for every point of `side` a state is made, shown each tile of its costs in order, and finished. Fewer results than
/// there are points if patience ends before.
///
/// How the work is cut depends on sizes only, and every point is one task's alone, so the number of threads changes nothing.
pub(super) fn sweep<S, R: Send>(
    ground: &impl Ground,
    workers: &Workers,
    side: Side,
    patience: &mut Patience,
    begin: impl Fn(usize) -> S + Sync,
    visit: impl Fn(&mut S, usize, usize, &[f64]) + Sync,
    finish: impl Fn(usize, S) -> R + Sync,
) -> Vec<R> {
    let (n, m) = (ground.len(side), ground.len(side.other()));
    let rows = (PAIRS_PER_TASK / m).clamp(1, 256);
    let task = |block: usize| {
        let range = block * rows..n.min((block + 1) * rows);
        let mut states: Vec<S> = range.clone().map(&begin).collect();
        let mut buffer = [0.0; MAX_COSTS_PER_TILE];
        let tile = ground.tile();
        // Row by row, as they lie in memory; or tile by tile, whose points stay in the cache for all the rows.
        match range.clone().map(|i| ground.kept(side, i)).collect::<Option<Vec<&[f64]>>>() {
            Some(kept) => {
                for ((state, i), row) in states.iter_mut().zip(range.clone()).zip(kept) {
                    let tiles = row.chunks(tile).enumerate();
                    tiles.for_each(|(k, costs)| visit(state, i, k * tile, costs));
                }
            }
            None => {
                for start in (0..m).step_by(tile) {
                    let costs = &mut buffer[..tile.min(m - start)];
                    for (state, i) in states.iter_mut().zip(range.clone()) {
                        ground.costs(side, i, start, costs);
                        visit(state, i, start, costs);
                    }
                }
            }
        }
        states.into_iter().zip(range).map(|(state, i)| finish(i, state)).collect::<Vec<R>>()
    };
    let tasks = n.div_ceil(rows);
    let wave = WORK_PER_WAVE / (WORK_PER_EXPONENTIAL + ground.work()) / (rows * m);
    let wave = wave.max(MIN_TASKS_PER_WAVE);
    let mut results = Vec::with_capacity(n);
    for first in (0..tasks).step_by(wave) {
        if first > 0 && patience.ask().is_break() {
            break;
        }
        let blocks = workers.map(wave.min(tasks - first), |k| task(first + k));
        results.extend(blocks.into_iter().flatten());
    }
    results
}
