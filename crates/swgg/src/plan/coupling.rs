//! Couplings: how much mass goes from each source to each target.

use ndarray::Array2;

use crate::cost::Cost;
use crate::error::{ErrorKind, Result};
use crate::measure::Measure;
use crate::number::scalar::Scalar;
use crate::plan::permutation::Permutation;

/// Dense exports above this many bytes are refused by [`Coupling::to_dense`].
pub const DENSE_LIMIT: u128 = 1 << 30;

/// A transport plan between `n` source points and `m` target points, in the order the points were given.
///
/// Either a *matching* (a bijection, each pair carrying `1/n`) or a *sparse plan* (pieces of mass). It takes `O(n + m)`
/// memory; the dense matrix is an export that must be asked for.
///
/// ```
/// use swgg::Measure;
/// let mu = Measure::from_slice(&[0.0, 1.0, 2.0], 1)?;
/// let nu = Measure::from_slice(&[5.0, 7.0], 1)?;
/// let plan = swgg::min_swgg(&mu, &nu)?.into_plan()?;
/// // Three points against two: the middle one is split.
/// assert_eq!(plan.target_of(1), None);
/// assert_eq!(plan.entries().count(), 4);
/// let image = plan.barycentric_map(&mu, &nu)?;
/// assert!((image[[1, 0]] - 6.0).abs() < 1e-12);
/// # Ok::<(), swgg::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Coupling {
    n: usize,
    m: usize,
    plan: Plan,
}

#[derive(Clone, Debug, PartialEq)]
enum Plan {
    Matching { target_of: Vec<u32> },
    Sparse { sources: Vec<u32>, targets: Vec<u32>, masses: Vec<f64> },
}

/// The entries of a coupling as three parallel arrays, as sparse-matrix libraries take them.
#[derive(Clone, Debug, PartialEq)]
pub struct Coo {
    /// Row of each entry: the source point.
    pub sources: Vec<u32>,
    /// Column of each entry: the target point.
    pub targets: Vec<u32>,
    /// Mass of each entry.
    pub masses: Vec<f64>,
}

impl Coupling {
    /// The matching that pairs points of equal rank, `T(x_sigma(k)) = y_tau(k)`.
    ///
    /// Paper: Supp. "From permutations to transport map", in the convention of [`Permutation`].
    pub fn matching(sigma: &Permutation, tau: &Permutation) -> Result<Self> {
        let (n, m) = (sigma.len(), tau.len());
        if n != m {
            return Err(ErrorKind::NotPairable { n, m, weighted: false }.into());
        }
        let mut target_of = vec![0; n];
        for (&i, &j) in sigma.as_slice().iter().zip(tau.as_slice()) {
            target_of[i as usize] = j;
        }
        Ok(Self::from_targets(target_of))
    }

    /// The matching that sends source `i` to `target_of[i]`, which must be a permutation.
    pub fn from_map(target_of: Vec<u32>) -> Result<Self> {
        Ok(Self::from_targets(Permutation::new(target_of)?.as_slice().to_vec()))
    }

    pub(crate) fn from_targets(target_of: Vec<u32>) -> Self {
        Coupling { n: target_of.len(), m: target_of.len(), plan: Plan::Matching { target_of } }
    }

    /// A plan from its entries; indices and masses are checked, marginals are the caller's business.
    pub fn sparse(n: usize, m: usize, entries: Coo) -> Result<Self> {
        let Coo { sources, targets, masses } = entries;
        if sources.len() != targets.len() || sources.len() != masses.len() {
            let (sources, targets, masses) = (sources.len(), targets.len(), masses.len());
            return Err(ErrorKind::PlanLengths { sources, targets, masses }.into());
        }
        for (what, indices, count) in [("source", &sources, n), ("target", &targets, m)] {
            if let Some(position) = indices.iter().position(|&i| i as usize >= count) {
                let index = indices[position] as usize;
                return Err(ErrorKind::IndexOutOfRange { position, what, index, count }.into());
            }
        }
        if let Some(row) = masses.iter().position(|w| !w.is_finite() || *w < 0.0) {
            return Err(ErrorKind::BadWeight { row, value: masses[row] }.into());
        }
        Ok(Self::from_merge(n, m, sources, targets, masses))
    }

    pub(crate) fn from_merge(
        n: usize,
        m: usize,
        sources: Vec<u32>,
        targets: Vec<u32>,
        masses: Vec<f64>,
    ) -> Self {
        Coupling { n, m, plan: Plan::Sparse { sources, targets, masses } }
    }

    /// Number of source points.
    pub fn source_len(&self) -> usize {
        self.n
    }

    /// Number of target points.
    pub fn target_len(&self) -> usize {
        self.m
    }

    /// Number of entries.
    #[allow(clippy::len_without_is_empty)] // a plan moves something
    pub fn len(&self) -> usize {
        match &self.plan {
            Plan::Matching { target_of } => target_of.len(),
            Plan::Sparse { masses, .. } => masses.len(),
        }
    }

    /// Whether this is stored as a matching: every point paired with exactly one other.
    pub fn is_matching(&self) -> bool {
        matches!(self.plan, Plan::Matching { .. })
    }

    /// The target of each source point, when this is a matching.
    pub fn targets(&self) -> Option<&[u32]> {
        match &self.plan {
            Plan::Matching { target_of } => Some(target_of),
            Plan::Sparse { .. } => None,
        }
    }

    /// The target of source `i`, when this is a matching.
    pub fn target_of(&self, i: usize) -> Option<usize> {
        self.targets()?.get(i).map(|&j| j as usize)
    }

    /// The entries `(source, target, mass)`: by source index for a matching, by rank for a quantile plan.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (usize, usize, f64)> + Clone + '_ {
        (0..self.len()).map(|k| self.entry(k))
    }

    #[inline(always)]
    fn entry(&self, k: usize) -> (usize, usize, f64) {
        match &self.plan {
            Plan::Matching { target_of } => (k, target_of[k] as usize, 1.0 / self.n as f64),
            Plan::Sparse { sources, targets, masses } => {
                (sources[k] as usize, targets[k] as usize, masses[k])
            }
        }
    }

    /// Mass that leaves each source point.
    pub fn source_marginal(&self) -> Vec<f64> {
        let mut marginal = vec![0.0; self.n];
        self.entries().for_each(|(i, _, mass)| marginal[i] += mass);
        marginal
    }

    /// Mass that reaches each target point.
    pub fn target_marginal(&self) -> Vec<f64> {
        let mut marginal = vec![0.0; self.m];
        self.entries().for_each(|(_, j, mass)| marginal[j] += mass);
        marginal
    }

    /// Total cost of the plan, `sum_k mass_k c(x_k, y_k)`. Never below the optimal cost, for a plan that has the marginals of
    /// the measures (see [`marginal_gap`](Coupling::marginal_gap)).
    pub fn cost<T: Scalar, U: Scalar>(
        &self,
        source: &Measure<T>,
        target: &Measure<U>,
        cost: &impl Cost,
    ) -> Result<f64> {
        self.check(source, target)?;
        let mut total = 0.0;
        // Sums in blocks lose less than one long sum.
        for start in (0..self.len()).step_by(1024) {
            let block: f64 = (start..self.len().min(start + 1024))
                .map(|k| self.entry(k))
                .map(|(i, j, mass)| mass * cost.between(source.point(i), target.point(j)))
                .sum();
            total += block;
        }
        Ok(total)
    }

    /// How far the marginals are from the weights of the measures, at worst: zero to rounding for every plan made here.
    pub fn marginal_gap<T: Scalar, U: Scalar>(
        &self,
        source: &Measure<T>,
        target: &Measure<U>,
    ) -> Result<f64> {
        self.check(source, target)?;
        let at_source =
            self.source_marginal().into_iter().enumerate().map(|(i, mass)| mass - source.weight(i));
        let at_target =
            self.target_marginal().into_iter().enumerate().map(|(j, mass)| mass - target.weight(j));
        Ok(at_source.chain(at_target).map(f64::abs).fold(0.0, f64::max))
    }

    /// Where each source point goes on average: `sum_j pi_ij y_j / a_i`, one row per point.
    ///
    /// For a matching this is the map itself. A point that carries no mass stays where it is.
    pub fn barycentric_map<T: Scalar, U: Scalar>(
        &self,
        source: &Measure<T>,
        target: &Measure<U>,
    ) -> Result<Array2<f64>> {
        self.check(source, target)?;
        let mut image = Array2::zeros((self.n, source.dim()));
        if let Plan::Matching { target_of } = &self.plan {
            // Copied rather than averaged, so that images are target points to the last bit.
            for (mut row, &j) in image.rows_mut().into_iter().zip(target_of) {
                row.iter_mut().zip(target.point(j as usize)).for_each(|(x, y)| *x = y.to_f64());
            }
            return Ok(image);
        }
        for (i, j, mass) in self.entries() {
            for (sum, y) in image.row_mut(i).iter_mut().zip(target.point(j)) {
                *sum += mass * y.to_f64();
            }
        }
        for (i, mass) in self.source_marginal().into_iter().enumerate() {
            for (sum, x) in image.row_mut(i).iter_mut().zip(source.point(i)) {
                *sum = if mass > 0.0 { *sum / mass } else { x.to_f64() };
            }
        }
        Ok(image)
    }

    /// The source measure carried by [`barycentric_map`](Coupling::barycentric_map): moved points, same weights.
    pub fn push_forward<T: Scalar, U: Scalar>(
        &self,
        source: &Measure<T>,
        target: &Measure<U>,
    ) -> Result<Measure<'static, f64>> {
        let image = self.barycentric_map(source, target)?;
        Ok(source.with_points(image.into_raw_vec_and_offset().0, source.dim()))
    }

    /// The same entries with so many times the mass.
    pub(crate) fn scaled(&self, factor: f64) -> Coupling {
        let Coo { sources, targets, masses } = self.to_coo();
        Self::from_merge(self.n, self.m, sources, targets, masses.into_iter().map(|w| w * factor).collect())
    }

    /// The same plan read from target to source.
    pub fn inverse(&self) -> Coupling {
        match &self.plan {
            Plan::Matching { target_of } => {
                let mut source_of = vec![0; self.n];
                target_of.iter().enumerate().for_each(|(i, &j)| source_of[j as usize] = i as u32);
                Self::from_targets(source_of)
            }
            Plan::Sparse { sources, targets, masses } => {
                Self::from_merge(self.m, self.n, targets.clone(), sources.clone(), masses.clone())
            }
        }
    }

    /// The entries as three arrays.
    pub fn to_coo(&self) -> Coo {
        match &self.plan {
            Plan::Matching { target_of } => Coo {
                sources: (0..self.n as u32).collect(),
                targets: target_of.clone(),
                masses: vec![1.0 / self.n as f64; self.n],
            },
            Plan::Sparse { sources, targets, masses } => {
                Coo { sources: sources.clone(), targets: targets.clone(), masses: masses.clone() }
            }
        }
    }

    /// The `n x m` matrix, refused above [`DENSE_LIMIT`] bytes.
    pub fn to_dense(&self) -> Result<Array2<f64>> {
        self.to_dense_within(DENSE_LIMIT)
    }

    /// The `n x m` matrix, refused above `limit` bytes.
    pub fn to_dense_within(&self, limit: u128) -> Result<Array2<f64>> {
        let needed = self.n as u128 * self.m as u128 * size_of::<f64>() as u128;
        if needed > limit || needed > isize::MAX as u128 {
            return Err(ErrorKind::DenseTooLarge { n: self.n, m: self.m, needed, limit }.into());
        }
        let mut dense = Array2::zeros((self.n, self.m));
        self.entries().for_each(|(i, j, mass)| dense[(i, j)] += mass);
        Ok(dense)
    }

    fn check<T: Scalar, U: Scalar>(&self, source: &Measure<T>, target: &Measure<U>) -> Result<()> {
        crate::measure::same_space(source, target)?;
        let (n, m) = (source.len(), target.len());
        if (self.n, self.m) == (n, m) {
            return Ok(());
        }
        Err(ErrorKind::CouplingSize { coupling_source: self.n, coupling_target: self.m, n, m }.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::{Power, SqEuclidean};

    fn swap() -> Coupling {
        Coupling::from_map(vec![1, 0]).unwrap()
    }

    fn split() -> Coupling {
        let entries = Coo { sources: vec![0, 0, 2], targets: vec![0, 1, 1], masses: vec![0.25, 0.25, 0.5] };
        Coupling::sparse(3, 2, entries).unwrap()
    }

    #[test]
    fn a_matching_maps_points() {
        let mu = Measure::from_vec(vec![0.0, 0.0, 3.0, 4.0], 2).unwrap();
        let plan = swap();
        assert_eq!((plan.target_of(0), plan.target_of(9)), (Some(1), None));
        assert_eq!(plan.cost(&mu, &mu, &SqEuclidean).unwrap(), 25.0);
        assert_eq!(plan.cost(&mu, &mu, &Power::new(1.0).unwrap()).unwrap(), 5.0);
        assert_eq!(plan.push_forward(&mu, &mu).unwrap().points(), [3.0, 4.0, 0.0, 0.0]);
        assert_eq!(plan.inverse(), plan);
    }

    #[test]
    fn a_sparse_plan_splits_mass() {
        let mu = Measure::from_vec(vec![0.0, 7.0, 1.0], 1).unwrap();
        let nu = Measure::from_vec(vec![2.0, 4.0], 1).unwrap();
        let plan = split();
        assert_eq!(plan.source_marginal(), [0.5, 0.0, 0.5]);
        assert_eq!(plan.target_marginal(), [0.25, 0.75]);
        let image = plan.barycentric_map(&mu, &nu).unwrap();
        assert_eq!(image.as_slice().unwrap(), [3.0, 7.0, 4.0]);
        assert_eq!(plan.inverse().inverse(), plan);
        assert_eq!(plan.to_dense().unwrap(), ndarray::array![[0.25, 0.25], [0.0, 0.0], [0.0, 0.5]]);
        assert_eq!(plan.target_of(0), None);
    }

    #[test]
    fn absurd_exports_are_refused() {
        let big = Coupling::from_targets((0..100_000).collect());
        assert_eq!(
            big.to_dense().unwrap_err().to_string(),
            "a dense 100000 x 100000 plan takes 80000000000 bytes, the limit is 1073741824; \
             use the sparse entries (COO) instead"
        );
        assert!(swap().to_dense_within(31).is_err());
    }

    #[test]
    fn bad_entries_are_refused() {
        let coo = |sources: &[u32], targets: &[u32], masses: &[f64]| Coo {
            sources: sources.into(),
            targets: targets.into(),
            masses: masses.into(),
        };
        assert!(Coupling::sparse(1, 1, coo(&[0], &[0, 0], &[1.0])).is_err());
        let outside = Coupling::sparse(1, 1, coo(&[0], &[4], &[1.0])).unwrap_err();
        assert_eq!(outside.to_string(), "entry 0 names target 4, of which there are 1");
        assert!(Coupling::sparse(1, 1, coo(&[0], &[0], &[-1.0])).is_err());
        let mu = Measure::from_vec(vec![0.0; 3], 1).unwrap();
        assert!(swap().cost(&mu, &mu, &SqEuclidean).is_err());
    }
}
