//! From a plan that nearly has its marginals to a sparse one that has them.

use crate::error::{ErrorKind, Result};
use crate::plan::coupling::Coo;

use super::entropic::{Entropic, rate};
use super::ground::{Ground, Side, sweep};
use super::patience::Patience;
use super::plan::MOST_ENTRIES;

/// Entries below this part of their row are dropped.
const NEGLIGIBLE_ROW_SHARE: f64 = 1e-10;

/// A rounded plan.
pub(super) struct Rounded {
    pub entries: Coo,
    /// Whether it is made of the smooth plan; otherwise there was no time for that, and it is a staircase.
    pub is_smooth: bool,
}

/// The entries of the rounded plan; what is missing is carried in the given order of all points. That is everything if patience ends before
/// there are others.
pub(super) fn rounded<G: Ground>(
    problem: &Entropic<G>,
    f: &[f64],
    g: &[f64],
    epsilon: f64,
    order: &[Vec<u32>; 2],
    patience: &mut Patience,
) -> Result<Rounded> {
    let [a, b] = &problem.sides;
    let counts = counts(problem, f, g, epsilon, patience);
    let counted: usize = counts.iter().flatten().sum();
    if counted > MOST_ENTRIES {
        return Err(ErrorKind::PlanTooLarge { entries: counted, limit: MOST_ENTRIES }.into());
    }
    let rows = counts.map(|counts| {
        problem.rows(
            f,
            g,
            epsilon,
            patience,
            |i| (NEGLIGIBLE_ROW_SHARE * a.weights[i], Vec::with_capacity(counts[i])),
            |(least, row), start, masses| {
                let kept = masses.iter().enumerate().filter(|(_, mass)| **mass > *least);
                row.extend(kept.map(|(k, mass)| ((start + k) as u32, *mass)));
            },
        )
    });
    let rows = rows.flatten();
    let is_smooth = rows.is_some();
    let mut rows = rows.unwrap_or_default();
    // Rows first, then columns: afterwards none is too heavy.
    for ((_, row), a) in rows.iter_mut().zip(&a.weights) {
        let total: f64 = row.iter().map(|entry| entry.1).sum();
        if total > *a {
            row.iter_mut().for_each(|entry| entry.1 *= a / total);
        }
    }
    let mut totals = vec![0.0; b.weights.len()];
    rows.iter().flat_map(|row| &row.1).for_each(|&(j, mass)| totals[j as usize] += mass);
    let factors: Vec<f64> =
        totals.iter().zip(&b.weights).map(|(total, b)| if total > b { b / total } else { 1.0 }).collect();
    let (sources, targets, masses) =
        (Vec::with_capacity(counted), Vec::with_capacity(counted), Vec::with_capacity(counted));
    let mut coo = Coo { sources, targets, masses };
    let mut missing = [vec![0.0; order[0].len()], vec![0.0; order[1].len()]];
    for (side, missing) in problem.sides.iter().zip(&mut missing) {
        side.points.iter().zip(&side.weights).for_each(|(&i, w)| missing[i as usize] = *w);
    }
    for ((_, row), &i) in rows.iter().zip(&a.points) {
        for &(k, mass) in row {
            let (j, mass) = (b.points[k as usize], mass * factors[k as usize]);
            missing[0][i as usize] -= mass;
            missing[1][j as usize] -= mass;
            coo.sources.push(i);
            coo.targets.push(j);
            coo.masses.push(mass);
        }
    }
    staircase(&mut coo, order, &mut missing);
    Ok(Rounded { entries: coo, is_smooth })
}

/// How many entries of each row are kept, from the exponents alone.
fn counts<G: Ground>(
    problem: &Entropic<G>,
    f: &[f64],
    g: &[f64],
    epsilon: f64,
    patience: &mut Patience,
) -> Option<Vec<usize>> {
    let (rate, base) = (rate(epsilon), problem.exponents(Side::Target, g, epsilon));
    let least = NEGLIGIBLE_ROW_SHARE.log2();
    let counts = sweep(
        &problem.ground,
        problem.workers,
        Side::Source,
        patience,
        |_| 0,
        |count, i, start, costs| {
            let exponents = costs.iter().zip(&base[start..]).map(|(cost, base)| base + rate * (f[i] - cost));
            *count += exponents.filter(|exponent| *exponent > least).count();
        },
        |_, count| count,
    );
    problem.whole(Side::Source, counts)
}

/// Carries what is missing at the sources to where it is missing at the targets, both in order.
fn staircase(coo: &mut Coo, order: &[Vec<u32>; 2], missing: &mut [Vec<f64>; 2]) {
    let (mut k, mut l) = (0, 0);
    while k < order[0].len() && l < order[1].len() {
        let (i, j) = (order[0][k], order[1][l]);
        let [left, wanted] = [missing[0][i as usize], missing[1][j as usize]];
        let mass = left.min(wanted);
        if mass > 0.0 {
            coo.sources.push(i);
            coo.targets.push(j);
            coo.masses.push(mass);
            missing[0][i as usize] -= mass;
            missing[1][j as usize] -= mass;
        }
        if left <= wanted {
            k += 1;
        } else {
            l += 1;
        }
    }
}
