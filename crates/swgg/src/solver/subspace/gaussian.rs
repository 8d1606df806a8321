//! Subspace detours between Gaussians, in closed form.

use ndarray::{Array2, Axis, concatenate};

use super::Subspace;
use crate::error::Result;
use crate::gaussian::{Gaussian, GaussianMap, monge, same_dim, sq_shift};
use crate::number::spectral::{Eigen, ZERO_EIGENVALUE_SHARE, symmetrised, trace};

/// Subspace detours between two Gaussians (Muzellec & Cuturi, 2019), both lifts in closed form.
///
/// In coordinates `(E, E')` of the subspace and its complement, with `T_E` the optimal map from `A_E` to `B_E` and `A/A_E`
/// the Schur complement `A_E' - A_E'E A_E^-1 A_EE'`, the Monge-Knothe map is
///
/// ```text
/// [ T_E                                                0    ]
/// [ (B_E'E T_E^-1 - T_/E A_E'E) A_E^-1                T_/E ],    T_/E the optimal map from A/A_E to B/B_E
/// ```
///
/// and the Monge-Independent plan is the Gaussian whose parts in `E'` are independent given those in `E`. Costs are in order: optimal,
/// Monge-Knothe, Monge-Independent.
///
/// Flat covariances are taken with pseudo-inverses; the map then reaches what it can (see
/// [`GaussianMap::between`]). `O(d^3)`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GaussianDetour {
    /// The Monge-Knothe map: linear, takes the source's covariance to the target's, and is block triangular.
    pub knothe_map: GaussianMap,
    /// Mean squared displacement of that map, an upper bound of `W_2^2` of the Gaussians where the map reaches the target.
    pub knothe_cost: f64,
    /// Covariance between source and target under the Monge-Independent plan, `E (x - m_1)(y - m_2)^T`.
    pub independent_cross: Array2<f64>,
    /// Cost of that plan, an upper bound of `W_2^2` of the Gaussians where `T_E` reaches the target's part in the subspace.
    pub independent_cost: f64,
}

impl GaussianDetour {
    /// The detour by a subspace.
    pub fn between(source: &Gaussian, target: &Gaussian, subspace: &Subspace) -> Result<Self> {
        same_dim(source, target)?;
        subspace.check(source.dim())?;
        let (e, f) = (subspace.basis(), &subspace.complement()?);
        let a = Blocks::of(source.covariance(), e, f)?;
        let b = Blocks::of(target.covariance(), e, f)?;
        let along = monge(&a.inner, &b.inner)?;
        let across = monge(&a.schur, &b.schur)?;
        // B_E^-1 T_E is T_E^-1 A_E^-1, and lives where T_E has no inverse.
        let lower = b.slope.dot(&along) - across.dot(&a.slope);
        let top = concatenate![Axis(1), along, Array2::zeros((e.nrows(), f.nrows()))];
        let blocks = concatenate![Axis(0), top, concatenate![Axis(1), lower, across]];
        let turn = concatenate![Axis(0), *e, *f];
        let linear = turn.t().dot(&blocks).dot(&turn);

        let shift = sq_shift(source, target);
        let stay = Array2::eye(source.dim()) - &linear;
        let knothe_cost = shift + trace(&stay.dot(source.covariance()).dot(&stay.t())).max(0.0);
        // E[x | x_E] and E[y | y_E] as matrices: what lies along E, and what follows from it across.
        let (from, to) = (e.t().to_owned() + f.t().dot(&a.slope), e.t().to_owned() + f.t().dot(&b.slope));
        let independent_cross = from.dot(&a.inner).dot(&along).dot(&to.t());
        let spread = trace(source.covariance()) + trace(target.covariance());
        let independent_cost = shift + (spread - 2.0 * trace(&independent_cross)).max(0.0);
        let knothe_map = GaussianMap::new(source, target, linear);
        Ok(GaussianDetour { knothe_map, knothe_cost, independent_cross, independent_cost })
    }
}

/// A covariance as a subspace sees it.
struct Blocks {
    /// Covariance within the subspace.
    inner: Array2<f64>,
    /// `A_E'E A_E^-1`: the mean part across, per part along.
    slope: Array2<f64>,
    /// Covariance across that the part along does not explain.
    schur: Array2<f64>,
}

impl Blocks {
    fn of(covariance: &Array2<f64>, e: &Array2<f64>, f: &Array2<f64>) -> Result<Self> {
        let inner = symmetrised(&e.dot(covariance).dot(&e.t()));
        let mixed = f.dot(covariance).dot(&e.t());
        let slope = mixed.dot(&Eigen::of(&inner)?.inverse());
        let schur = symmetrised(&(f.dot(covariance).dot(&f.t()) - slope.dot(&mixed.t())));
        // What rounding leaves where nothing is unexplained must not be taken for a direction.
        let least = ZERO_EIGENVALUE_SHARE * trace(covariance);
        let schur = Eigen::of(&schur)?.map(|v| if v > least { v } else { 0.0 });
        Ok(Blocks { inner, slope, schur })
    }
}
