//! The cheapest plan on the union of several supports.

use super::plan::{Entry, Plan};
use super::{WeightedClouds, basis, dot};

/// Changes of the basis after which potentials are computed afresh.
const PIVOTS_PER_RESET: usize = 2000;
/// Changes after which the plan is left as it is, for each point: far beyond what is needed, but rounding could keep the simplex
/// from ending.
const MAX_PIVOTS_PER_POINT: usize = 1000;

/// The network simplex from a plan without cycles, along the entries of all plans. The arcs that tie the plan together may be
/// used too, so the result can be cheaper than the best plan on the union, never dearer.
pub(super) fn solve(clouds: &WeightedClouds<'_>, plan: &mut Plan, plans: &[Plan]) {
    let (s, t) = (clouds.sources.count(), clouds.targets.count());
    let cost = |i: usize, j: usize| -dot(clouds.source(i as u32), clouds.target(j as u32));
    let mut arcs: Vec<(u32, u32)> =
        plans.iter().flat_map(|plan| &plan.entries).map(|e| (e.source, e.target)).collect();
    arcs.sort_unstable();
    arcs.dedup();
    let arcs: Vec<(usize, usize, f64)> =
        arcs.into_iter().map(|(i, j)| (i as usize, j as usize, cost(i as usize, j as usize))).collect();
    let rows: Vec<_> = arcs.chunk_by(|a, b| a.0 == b.0).collect();
    let mut tree = basis::start(s, t, &plan.entries, cost);
    let reset = |tree: &mut crate::exact::tree::SpanningTree| {
        tree.reset_potentials(|i, j| cost(i as usize, j as usize));
        1e-13 * tree.potential.iter().fold(0.0_f64, |most, v| most.max(v.abs()))
    };
    let mut tolerance = reset(&mut tree);
    let (mut row, mut in_order, mut pivots) = (0, 0, 0);
    // Every source has mass and so an entry in every plan: there are as many rows as sources.
    while in_order < rows.len() && pivots < MAX_PIVOTS_PER_POINT * (s + t) {
        let offers = rows[row].iter().map(|&(i, j, c)| (c - tree.potential[i] - tree.potential[s + j], i, j));
        let best = offers.fold((0.0, 0, 0), |best, offer| if offer.0 < best.0 { offer } else { best });
        in_order += 1;
        if best.0 < -tolerance {
            tree.pivot(best.1 as u32, best.2 as u32, best.0);
            in_order = 0;
            pivots += 1;
            if pivots % PIVOTS_PER_RESET == 0 {
                tolerance = reset(&mut tree);
            }
        }
        row = (row + 1) % rows.len();
    }
    let solved = Plan {
        entries: tree
            .arcs()
            .filter(|arc| arc.2 > 0)
            .map(|(source, target, units)| Entry { units, source, target })
            .collect(),
    };
    if clouds.centred_cost(&solved) < clouds.centred_cost(plan) {
        *plan = solved;
    }
}
