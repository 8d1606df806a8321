//! Transport on the line: sort, then pair by rank or merge by mass.
//!
//! In dimension one the optimal plan for every convex cost is monotone. Two uniform measures of the same size are paired by
//! rank; any other two are coupled by their quantile functions (Supp. "Quantile version of SWGG"), with at most
//! `n + m - 1` entries. Equal values are ordered by index, so a plan depends on the points alone.

pub(crate) mod direction;
mod partial;
pub(crate) mod sampler;
mod scale;
mod sort;

pub use direction::{Direction, DirectionSet};
pub(crate) use partial::path_until;
pub use partial::{PartialPath, partial_path, partial_path_watched};
pub use sampler::{Orthogonal, Sampler, Sphere, principal_axes};

pub(crate) use scale::Scale;
pub(crate) use sort::{Sorter, VALUES_PER_BLOCK, Values};

use crate::error::{ErrorKind, Result};
use crate::measure::{Measure, pairable};
use crate::number::mass::{Masses, common};
use crate::number::scalar::Scalar;
use crate::plan::coupling::Coupling;
use crate::plan::permutation::Permutation;

/// Cost of one-dimensional transport, `W_p^p = int_0^1 |q_mu(r) - q_nu(r)|^p dr`, not rooted.
///
/// Both measures must have dimension 1 ([`Direction::push_forward`](crate::line::Direction::push_forward) makes such ones).
/// `O((n + m) log(n + m))` at most; any finite `p >= 1`. For `p > 2` and coordinates beyond about `1e300^(1/p)` it overflows to
/// infinity.
///
/// ```
/// use swgg::{Measure, line};
/// let mu = Measure::from_slice(&[0.0, 1.0], 1)?;
/// let nu = Measure::from_slice(&[3.0, 5.0, 4.0, 6.0], 1)?;
/// assert_eq!(line::cost(&mu, &nu, 1.0)?, 4.0);
/// assert_eq!(line::cost(&mu, &nu, 2.0)?, 16.5);
/// # Ok::<(), swgg::Error>(())
/// ```
pub fn cost<T: Scalar>(source: &Measure<T>, target: &Measure<T>, p: f64) -> Result<f64> {
    let power = crate::cost::Power::new(p)?;
    let (x, y) = (column(source)?, column(target)?);
    let mut sum = 0.0;
    merge(source, sort(&x), target, sort(&y), &mut MassBuffers::default(), |i, j, mass| {
        sum += mass.fraction() * power.of_distance((x[i] - y[j]).abs());
    });
    Ok(sum)
}

/// The `p`-Wasserstein distance on the line: the `p`-th root of [`cost`].
pub fn distance<T: Scalar>(source: &Measure<T>, target: &Measure<T>, p: f64) -> Result<f64> {
    Ok(cost(source, target, p)?.powf(1.0 / p))
}

/// The optimal plan between two measures of dimension 1, for every convex cost at once.
pub fn couple<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> Result<Coupling> {
    let (sigma, tau) = (sort(&column(source)?), sort(&column(target)?));
    couple_sorted(source, &sigma, target, &tau)
}

/// The monotone plan of two measures of any dimension whose points are sorted by `sigma` and `tau`.
///
/// A matching when both are uniform and of the same size, otherwise the quantile plan.
pub fn couple_sorted<T: Scalar, U: Scalar>(
    source: &Measure<T>,
    sigma: &Permutation,
    target: &Measure<U>,
    tau: &Permutation,
) -> Result<Coupling> {
    let (n, m) = (source.len(), target.len());
    if (sigma.len(), tau.len()) != (n, m) {
        let (coupling_source, coupling_target) = (sigma.len(), tau.len());
        return Err(ErrorKind::CouplingSize { coupling_source, coupling_target, n, m }.into());
    }
    if pairable(source, target) {
        return Coupling::matching(sigma, tau);
    }
    let most = n + m - 1;
    let mut sources = Vec::with_capacity(most);
    let mut targets = Vec::with_capacity(most);
    let mut masses = Vec::with_capacity(most);
    merge(source, sigma, target, tau, &mut MassBuffers::default(), |i, j, mass| {
        if mass.units > 0 {
            sources.push(i as u32);
            targets.push(j as u32);
            masses.push(mass.fraction());
        }
    });
    Ok(Coupling::from_merge(n, m, sources, targets, masses))
}

fn sort<V: std::ops::Deref<Target = [f64]>>(values: &V) -> Permutation {
    let mut order = Vec::new();
    Sorter::default().sort(&**values, &mut order);
    Permutation::from_sorter(order)
}

fn column<T: Scalar>(measure: &Measure<T>) -> Result<Vec<f64>> {
    if measure.dim() != 1 {
        return Err(ErrorKind::NotOneDimensional { found: measure.dim() }.into());
    }
    Ok(measure.points().iter().map(|x| x.to_f64()).collect())
}

/// A piece of mass, exact in units of a common whole.
#[derive(Clone, Copy)]
pub(crate) struct Mass {
    pub units: u64,
    per_unit: f64,
}

impl Mass {
    /// The share of the whole.
    #[inline(always)]
    pub fn fraction(self) -> f64 {
        // Units fit in 63 bits; as signed numbers they convert in one instruction.
        self.units as i64 as f64 * self.per_unit
    }
}

/// Masses in the order of the points, kept from call to call.
pub(crate) type MassBuffers = [Vec<u64>; 2];

/// Walks the quantile functions of two sorted measures together: calls `entry(source, target, mass)` for each piece of mass,
/// in increasing rank. Points without mass may show up with a piece of nothing.
#[inline(always)]
pub(crate) fn merge<T: Scalar, U: Scalar>(
    source: &Measure<T>,
    sigma: impl AsRef<[u32]>,
    target: &Measure<U>,
    tau: impl AsRef<[u32]>,
    [of_source, of_target]: &mut MassBuffers,
    mut entry: impl FnMut(usize, usize, Mass),
) {
    let (sigma, tau) = (sigma.as_ref(), tau.as_ref());
    let (a, b, total) = common(source.units(), target.units());
    let per_unit = 1.0 / total as f64;
    let (a, b) = (Ordered::new(a, sigma, of_source), Ordered::new(b, tau, of_target));
    let (mut rank, mut other) = (0, 0);
    let (mut left, mut right) = (a.at(0), b.at(0));
    // No branch on which side runs out first: that is a coin toss, and a branch would guess wrong every other time.
    while rank < sigma.len() && other < tau.len() {
        let units = left.min(right);
        entry(sigma[rank] as usize, tau[other] as usize, Mass { units, per_unit });
        left -= units;
        right -= units;
        let (next_source, next_target) = (left == 0, right == 0);
        rank += usize::from(next_source);
        other += usize::from(next_target);
        let (fresh, also) = (a.at(rank), b.at(other));
        left = if next_source { fresh } else { left };
        right = if next_target { also } else { right };
    }
}

/// Masses by rank. Looked up beforehand, because the walk cannot take a step before it knows the mass of the next point.
struct Ordered<'a> {
    /// One per rank, or empty when all are `even`.
    each: &'a [u64],
    even: u64,
}

impl<'a> Ordered<'a> {
    fn new(masses: Masses, order: &[u32], buffer: &'a mut Vec<u64>) -> Self {
        buffer.clear();
        match masses {
            Masses::Even { base, extra: 0 } => Ordered { each: buffer, even: base },
            masses => {
                buffer.extend(order.iter().map(|&i| masses.of(i as usize)));
                Ordered { each: buffer, even: 0 }
            }
        }
    }

    /// Mass of the point of this rank; nothing past the end.
    #[inline(always)]
    fn at(&self, rank: usize) -> u64 {
        if self.each.is_empty() { self.even } else { self.each.get(rank).copied().unwrap_or(0) }
    }
}

/// A sorted measure being used up from its left end.
pub(crate) struct Walk<'a> {
    order: std::slice::Iter<'a, u32>,
    masses: Masses<'a>,
    index: usize,
    /// Units of the current point not yet used.
    pub left: u64,
}

impl<'a> Walk<'a> {
    pub fn new(order: &'a [u32], masses: Masses<'a>) -> Self {
        Walk { order: order.iter(), masses, index: 0, left: 0 }
    }

    /// The point that still has mass, or `None` at the right end.
    #[inline(always)]
    pub fn current(&mut self) -> Option<usize> {
        while self.left == 0 {
            self.index = *self.order.next()? as usize;
            self.left = self.masses.of(self.index);
        }
        Some(self.index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_against_three() {
        let mu = Measure::from_vec(vec![4.0, 0.0, 3.0, 1.0, 2.0], 1).unwrap();
        let nu = Measure::from_vec(vec![1.0, 2.0, 0.0], 1).unwrap();
        let plan = couple(&mu, &nu).unwrap();
        assert!(!plan.is_matching());
        let entries: Vec<_> =
            plan.entries().map(|(i, j, mass)| (i, j, (15.0 * mass).round() as u32)).collect();
        assert_eq!(entries, [(1, 2, 3), (3, 2, 2), (3, 0, 1), (4, 0, 3), (2, 0, 1), (2, 1, 2), (0, 1, 3)]);
        assert!((plan.entries().map(|e| e.2).sum::<f64>() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn common_breakpoints_do_not_split() {
        let mu = Measure::from_vec(vec![0.0, 1.0, 2.0, 3.0], 1).unwrap();
        let nu = Measure::from_vec(vec![0.0, 1.0], 1).unwrap();
        assert_eq!(couple(&mu, &nu).unwrap().len(), 4);
    }

    #[test]
    fn zero_weights_carry_nothing() {
        let mu = Measure::from_vec(vec![0.0, 9.0, 1.0], 1).unwrap().with_weights(&[1.0, 0.0, 3.0]).unwrap();
        let nu = Measure::from_vec(vec![5.0], 1).unwrap();
        let plan = couple(&mu, &nu).unwrap();
        assert_eq!(plan.entries().map(|e| e.0).collect::<Vec<_>>(), [0, 2]);
        assert_eq!(cost(&mu, &nu, 1.0).unwrap(), 0.25 * 5.0 + 0.75 * 4.0);
    }

    #[test]
    fn planes_are_refused() {
        let mu = Measure::from_vec(vec![0.0, 1.0], 2).unwrap();
        assert_eq!(
            cost(&mu, &mu, 2.0).unwrap_err().to_string(),
            "transport on the line takes points with 1 column, found 2; project them on a direction first"
        );
        let line = Measure::from_vec(vec![0.0, 1.0], 1).unwrap();
        assert_eq!(
            cost(&line, &line, 0.5).unwrap_err().to_string(),
            "the exponent is 0.5; |x - y|^p needs a finite p of 1 or more"
        );
    }
}
