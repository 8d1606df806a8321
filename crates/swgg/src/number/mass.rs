//! Masses as whole numbers, so that splitting them never drifts.
//!
//! A quantile coupling walks along two lists of masses and cuts them against each other. With floating-point masses the
//! remainders drift; with integers every cut is exact and both marginals come out to the last unit.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub, SubAssign};

/// Units in a whole measure when at least one side is weighted: one unit is about 2e-19 of the mass.
const TOTAL_UNITS: u64 = 1 << 62;
/// Units where masses are far apart: one is about 2e-37 of the mass.
const TOTAL_WIDE_UNITS: u128 = 1 << 122;
/// The share of the mass below which a point loses more than 1e-12 of its mass to [`TOTAL_UNITS`].
const LEAST_PRECISE_SHARE: f64 = 1.0 / (1_u64 << 22) as f64;

/// A whole number of units of mass.
pub(crate) trait Unit:
    Copy
    + Ord
    + Default
    + Add<Output = Self>
    + Sub<Output = Self>
    + AddAssign
    + SubAssign
    + Sum
    + Send
    + Sync
    + std::fmt::Debug
{
    /// More than any point has.
    const MAX: Self;

    fn to_f64(self) -> f64;

    fn is_none(self) -> bool {
        self == Self::default()
    }
}

impl Unit for u64 {
    const MAX: u64 = u64::MAX;

    fn to_f64(self) -> f64 {
        self as f64
    }
}

impl Unit for u128 {
    const MAX: u128 = u128::MAX;

    fn to_f64(self) -> f64 {
        self as f64
    }
}

/// The masses of the points of one measure, in units.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Masses<'a> {
    /// Every point carries `base` units; the first `extra` points one more.
    Even { base: u64, extra: u64 },
    /// One entry per point.
    Each(&'a [u64]),
}

impl Masses<'_> {
    #[inline(always)]
    pub fn of(&self, i: usize) -> u64 {
        match self {
            Masses::Even { base, extra } => base + u64::from((i as u64) < *extra),
            Masses::Each(units) => units[i],
        }
    }
}

/// Units of two measures over a common total: `(source, target, total)`.
pub(crate) fn common<'a>(
    (n, a): (usize, Option<&'a [u64]>),
    (m, b): (usize, Option<&'a [u64]>),
) -> (Masses<'a>, Masses<'a>, u64) {
    if a.is_none() && b.is_none() {
        // The least common multiple makes 1/n and 1/m both whole; of two numbers below 2^32 it fits.
        let total = (n / gcd(n, m)) as u64 * m as u64;
        let even = |count: usize| Masses::Even { base: total / count as u64, extra: 0 };
        return (even(n), even(m), total);
    }
    let spread = |count: usize, units: Option<&'a [u64]>| match units {
        Some(units) => Masses::Each(units),
        None => Masses::Even { base: TOTAL_UNITS / count as u64, extra: TOTAL_UNITS % count as u64 },
    };
    (spread(n, a), spread(m, b), TOTAL_UNITS)
}

/// Whole units nearest below the weights, topped up so that they sum to [`TOTAL_UNITS`] exactly.
///
/// `weights` are normalised, at least one is positive. A weight below one unit carries no mass.
pub(crate) fn units(weights: &[f64]) -> Vec<u64> {
    let mut units: Vec<u64> = weights.iter().map(|w| (w * TOTAL_UNITS as f64) as u64).collect();
    let sum: i128 = units.iter().map(|&u| i128::from(u)).sum();
    let missing = i128::from(TOTAL_UNITS) - sum;
    let carriers = units.iter().filter(|&&u| u > 0).count() as i128;
    if missing >= 0 {
        let (share, mut rest) = (missing / carriers, missing % carriers);
        for unit in units.iter_mut().filter(|u| **u > 0) {
            *unit += share as u64 + u64::from(rest > 0);
            rest -= i128::from(rest > 0);
        }
    } else if let Some(heaviest) = units.iter_mut().max() {
        // Weights that were normalised to the last digit overshoot by a few hundred units at most, 1e-16 of the whole.
        *heaviest -= (-missing) as u64;
    }
    units
}

/// Whether some of the masses are so small beside the whole that they need [`wide_units`].
pub(crate) fn are_far_apart(weights: &[f64]) -> bool {
    weights.iter().any(|&w| 0.0 < w && w < LEAST_PRECISE_SHARE)
}

/// The weights in units of 2e-37 of the whole, each to 1e-12 of itself if it is above 1e-24; whatever is positive has a unit at
/// least. `None` means that all weigh the same.
pub(crate) fn wide_units(count: usize, weights: Option<&[f64]>) -> Vec<u128> {
    let weight = |i: usize| weights.map_or(1.0 / count as f64, |weights| weights[i]);
    let whole = TOTAL_WIDE_UNITS as f64;
    let least = |i: usize| u128::from(weight(i) > 0.0);
    let mut units: Vec<u128> = (0..count).map(|i| ((weight(i) * whole) as u128).max(least(i))).collect();
    // Shares add up to one but for rounding; what is missing or too much is shared out as the mass is, which changes no mass by more
    // than rounding does.
    let missing = TOTAL_WIDE_UNITS as i128 - units.iter().map(|&unit| unit as i128).sum::<i128>();
    for (i, unit) in units.iter_mut().enumerate() {
        let share = (missing as f64 * weight(i)) as i128;
        *unit = (*unit as i128 + share).max(least(i) as i128) as u128;
    }
    let rest = TOTAL_WIDE_UNITS as i128 - units.iter().map(|&unit| unit as i128).sum::<i128>();
    if let Some(heaviest) = units.iter_mut().max() {
        *heaviest = (*heaviest as i128 + rest) as u128;
    }
    units
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_fill_the_whole() {
        for weights in [vec![1.0], vec![0.1; 10], vec![1e-300, 1.0], vec![0.5, 0.0, 0.5], vec![1.0 / 3.0; 3]]
        {
            let units = units(&weights);
            assert_eq!(units.iter().sum::<u64>(), TOTAL_UNITS);
            for (unit, weight) in units.iter().zip(&weights) {
                assert!((*unit as f64 / TOTAL_UNITS as f64 - weight).abs() < 1e-15);
                assert!(*weight > 0.0 || *unit == 0, "a zero weight carries no mass");
            }
        }
    }

    #[test]
    fn small_masses_keep_their_digits() {
        let tails: Vec<f64> = (0..100).map(|i| (-0.5 * (f64::from(i) / 4.0).powi(2)).exp()).collect();
        let total: f64 = tails.iter().sum();
        let weights: Vec<f64> = tails.iter().map(|w| w / total).collect();
        assert!(are_far_apart(&weights) && !are_far_apart(&[0.5, 0.0, 0.5]));
        let units = wide_units(weights.len(), Some(&weights));
        assert_eq!(units.iter().sum::<u128>(), TOTAL_WIDE_UNITS);
        for (unit, weight) in units.iter().zip(&weights) {
            assert!(*unit > 0);
            let found = *unit as f64 / TOTAL_WIDE_UNITS as f64;
            assert!(*weight < 1e-24 || (found / weight - 1.0).abs() < 1e-12, "{found} instead of {weight}");
        }
        assert_eq!(wide_units(3, None).iter().sum::<u128>(), TOTAL_WIDE_UNITS);
    }

    #[test]
    fn uniform_pairs_share_a_common_multiple() {
        let (a, b, total) = common((6, None), (4, None));
        assert_eq!((a.of(5), b.of(3), total), (2, 3, 12));
    }

    #[test]
    fn a_uniform_side_meets_a_weighted_one() {
        let weights = units(&[0.25, 0.75]);
        let (a, b, total) = common((3, None), (2, Some(&weights)));
        assert_eq!((0..3).map(|i| a.of(i)).sum::<u64>(), total);
        assert_eq!((0..2).map(|j| b.of(j)).sum::<u64>(), total);
    }
}
