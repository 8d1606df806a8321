//! Ground costs in pieces of rows, computed when asked for.

use crate::cost::Power;
use crate::measure::Measure;
use crate::number::scalar::Scalar;
use crate::run::workers::Workers;

use super::kernel::{Kernel, POINTS_PER_PANEL, panels};

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

/// What the solver knows of costs: any piece of any row or column. A stored matrix would be another implementation.
pub(super) trait Ground: Sync {
    /// Points of a side.
    fn len(&self, side: Side) -> usize;
    /// Costs that are best computed together, at most [`MAX_COSTS_PER_TILE`]; pieces begin at multiples of it.
    fn tile(&self) -> usize;
    /// Costs from point `i` of `side` to the points `start..start + out.len()` of the other side.
    fn costs(&self, side: Side, i: usize, start: usize, out: &mut [f64]);
}

/// Points of one side, twice: row by row to take one out, in panels to run along all of them.
struct Points {
    rows: Vec<f64>,
    panels: Vec<f64>,
}

/// Powers of Euclidean distances.
pub(super) struct Distances {
    sides: [Points; 2],
    dim: usize,
    power: Power,
    kernel: Kernel,
}

impl Distances {
    /// Between some points of the source and some of the target. Both clouds move together to where coordinates are small, so that
    /// subtracting them loses nothing.
    pub fn new<T: Scalar>(
        source: &Measure<T>,
        sources: &[u32],
        target: &Measure<T>,
        targets: &[u32],
        power: Power,
    ) -> Self {
        let dim = source.dim();
        let centre: Vec<f64> =
            source.mean().iter().zip(&target.mean()).map(|(m, n)| 0.5 * m + 0.5 * n).collect();
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
            power,
            kernel: Kernel::detect(),
        }
    }

    fn points(&self, side: Side) -> &Points {
        &self.sides[side as usize]
    }
}

/// Coordinates of a tile: with them the innermost cache is about half full.
const COORDINATES_PER_TILE: usize = 3072;

impl Ground for Distances {
    fn tile(&self) -> usize {
        (COORDINATES_PER_TILE / self.dim)
            .next_multiple_of(POINTS_PER_PANEL)
            .clamp(2 * POINTS_PER_PANEL, MAX_COSTS_PER_TILE)
    }

    fn len(&self, side: Side) -> usize {
        self.points(side).rows.len() / self.dim
    }

    #[inline]
    fn costs(&self, side: Side, i: usize, start: usize, out: &mut [f64]) {
        let x = &self.points(side).rows[i * self.dim..(i + 1) * self.dim];
        self.kernel.sq_distances(x, &self.points(side.other()).panels, start, out);
        match self.power.exponent() {
            2.0 => {}
            1.0 => out.iter_mut().for_each(|square| *square = square.sqrt()),
            _ => out.iter_mut().for_each(|square| *square = self.power.of_distance(square.sqrt())),
        }
    }
}

/// Most costs held at once for one point.
pub(super) const MAX_COSTS_PER_TILE: usize = 512;
/// Pairs that one task goes through.
const PAIRS_PER_TASK: usize = 1 << 16;

/// Visits all costs: for every point of `side` a state is made, shown each tile of its costs in order, and finished.
///
/// How the work is cut depends on sizes only, and every point is one task's alone, so the number of threads changes nothing.
pub(super) fn sweep<S, R: Send>(
    ground: &impl Ground,
    workers: &Workers,
    side: Side,
    begin: impl Fn(usize) -> S + Sync,
    visit: impl Fn(&mut S, usize, usize, &mut [f64]) + Sync,
    finish: impl Fn(usize, S) -> R + Sync,
) -> Vec<R> {
    let (n, m) = (ground.len(side), ground.len(side.other()));
    let rows = (PAIRS_PER_TASK / m).clamp(1, 256);
    let task = |block: usize| {
        let range = block * rows..n.min((block + 1) * rows);
        let mut states: Vec<S> = range.clone().map(&begin).collect();
        let mut buffer = [0.0; MAX_COSTS_PER_TILE];
        let tile = ground.tile();
        for start in (0..m).step_by(tile) {
            let costs = &mut buffer[..tile.min(m - start)];
            for (state, i) in states.iter_mut().zip(range.clone()) {
                ground.costs(side, i, start, costs);
                visit(state, i, start, costs);
            }
        }
        states.into_iter().zip(range).map(|(state, i)| finish(i, state)).collect::<Vec<R>>()
    };
    workers.map(n.div_ceil(rows), task).into_iter().flatten().collect()
}
