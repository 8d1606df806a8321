//! A plan between colours, in whole pixels.

use swgg::Coupling;

/// So many pixels of a cell of the source go to a cell of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub source: u32,
    pub target: u32,
    pub pixels: u32,
}

/// The pieces of a coupling between cells of `sources` and `targets` pixels, which are as many in all.
///
/// A plan without cycles between whole numbers is made of whole numbers, so rounding is all that is left to do. Where it is not
/// (cycles, or a plan that is rounded itself) what is missing on both sides is joined in the order of the cells, along the
/// Z-curve: both counts are always met exactly.
pub(super) fn pieces(coupling: &Coupling, sources: &[u32], targets: &[u32]) -> Vec<Piece> {
    let whole: f64 = sources.iter().map(|&count| f64::from(count)).sum();
    let (mut left, mut open) = (sources.to_vec(), targets.to_vec());
    let mut pieces = Vec::with_capacity(coupling.len());
    for (i, j, mass) in coupling.entries() {
        let pixels = ((mass * whole).round() as u32).min(left[i]).min(open[j]);
        if pixels > 0 {
            left[i] -= pixels;
            open[j] -= pixels;
            pieces.push(Piece { source: i as u32, target: j as u32, pixels });
        }
    }
    let mut j = 0;
    for (i, left) in left.iter_mut().enumerate() {
        while *left > 0 && j < open.len() {
            let pixels = (*left).min(open[j]);
            if pixels > 0 {
                *left -= pixels;
                open[j] -= pixels;
                pieces.push(Piece { source: i as u32, target: j as u32, pixels });
            }
            j += usize::from(open[j] == 0);
        }
    }
    pieces.sort_unstable_by_key(|piece| (piece.source, piece.target));
    pieces
}

/// The pieces of a plan that moves a part of the pixels, whose masses are pixels: what it leaves stays.
pub(super) fn partial_pieces(coupling: &Coupling, sources: &[u32], targets: &[u32]) -> Vec<Piece> {
    let (mut left, mut open) = (sources.to_vec(), targets.to_vec());
    let mut pieces = Vec::with_capacity(coupling.len());
    for (i, j, mass) in coupling.entries() {
        let pixels = (mass.round() as u32).min(left[i]).min(open[j]);
        if pixels > 0 {
            left[i] -= pixels;
            open[j] -= pixels;
            pieces.push(Piece { source: i as u32, target: j as u32, pixels });
        }
    }
    pieces.sort_unstable_by_key(|piece| (piece.source, piece.target));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use swgg::{Measure, plan::Coo};

    #[test]
    fn whole_plans_stay_whole() {
        let (a, b) = ([3_u32, 5, 1], [4_u32, 4, 1]);
        let measure = |counts: &[u32]| {
            let points: Vec<f64> = (0..counts.len()).map(|k| k as f64).collect();
            let weights: Vec<f64> = counts.iter().map(|&c| f64::from(c)).collect();
            Measure::from_vec(points, 1).unwrap().with_weights(&weights).unwrap()
        };
        let plan = swgg::solve(&measure(&a), &measure(&b)).unwrap().into_plan().unwrap();
        let found: Vec<_> = pieces(&plan, &a, &b).iter().map(|p| (p.source, p.target, p.pixels)).collect();
        assert_eq!(found, [(0, 0, 3), (1, 0, 1), (1, 1, 4), (2, 2, 1)]);
    }

    #[test]
    fn counts_are_met_whatever_the_plan() {
        let entries = Coo { sources: vec![0, 0, 1, 1], targets: vec![0, 1, 0, 1], masses: vec![0.25; 4] };
        let plan = Coupling::sparse(2, 2, entries).unwrap();
        let found = pieces(&plan, &[3, 3], &[3, 3]);
        for side in 0..2_u32 {
            let sum =
                |of: fn(&Piece) -> u32| found.iter().filter(|p| of(p) == side).map(|p| p.pixels).sum::<u32>();
            assert_eq!((sum(|p| p.source), sum(|p| p.target)), (3, 3));
        }
    }
}
