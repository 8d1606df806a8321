//! Linear optimal transport: measures as vectors, by their plans from one pivot.

use ndarray::{Array1, Array2};

use crate::cost::sq_distance;
use crate::coupling::Coupling;
use crate::error::{ErrorKind, Result};
use crate::exact::exact;
use crate::measure::{Measure, same_space};
use crate::solve::MinSwgg;

/// A way to find a plan from the pivot to a measure.
type Solver<'a> = Box<dyn Fn(&Measure, &Measure) -> Result<Coupling> + 'a>;

/// Linear optimal transport (Wang et al., 2013): each measure becomes the vector of displacements from a common pivot.
///
/// ```text
/// v_k(mu) = sqrt(w_k) (T_mu(z_k) - z_k),    |v(mu) - v(nu)|^2 = sum_k w_k |T_mu(z_k) - T_nu(z_k)|^2
/// ```
///
/// `T_mu` is the barycentric map of a plan from the pivot `sum_k w_k delta_{z_k}` to `mu`. Comparing `m` measures takes `m`
/// plans and not `m (m - 1) / 2`. Any solver may be inside.
///
/// What is true:
/// - when the plans are matchings (uniform clouds, all of the pivot's size), squared distances are the cost of a coupling,
///   `W_pivot^2` of Section 4.1, and so never below `W_2^2`; with exact plans the length of a vector is `W_2` to the pivot.
/// - when plans split points, barycentres lie inside: the length may be below `W_2` to the pivot, and distances are
///   bounds of `W_2` neither way.
///
/// Paper: Supp. "Related works", linear optimal transport.
///
/// ```
/// use swgg::{LinearOt, Measure};
/// let pivot = Measure::from_slice(&[0.0, 1.0], 1)?;
/// let measures = [Measure::from_slice(&[5.0, 4.0], 1)?, Measure::from_slice(&[4.0, 7.0], 1)?];
/// let embedded = LinearOt::exact(pivot).embed_all(&measures)?;
/// assert!((embedded.sq_distances()[(0, 1)] - 2.0).abs() < 1e-12);
/// # Ok::<(), swgg::Error>(())
/// ```
pub struct LinearOt<'a> {
    pivot: Measure<'a>,
    solver: Solver<'a>,
}

/// Measures as vectors.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LinearEmbedding {
    /// One row per measure: `k d` numbers, point by point of the pivot. Euclidean geometry of the rows is that of linear
    /// transport.
    pub vectors: Array2<f64>,
}

impl<'a> LinearOt<'a> {
    /// With exact plans.
    pub fn exact(pivot: Measure<'a>) -> Self {
        Self::with(pivot, |pivot, measure| Ok(exact(pivot, measure)?.coupling))
    }

    /// With plans by min-SWGG: each measure has a best line of its own, and the vector of its displacements is not shorter than
    /// `W_2` to the pivot where the plan is a matching.
    pub fn min_swgg(pivot: Measure<'a>, settings: MinSwgg) -> Self {
        Self::with(pivot, move |pivot, measure| Ok(settings.solve(pivot, measure)?.coupling))
    }

    /// With plans from the pivot by any solver; plans that miss the marginals are refused when they are used.
    pub fn with(pivot: Measure<'a>, solver: impl Fn(&Measure, &Measure) -> Result<Coupling> + 'a) -> Self {
        LinearOt { pivot, solver: Box::new(solver) }
    }

    /// The pivot.
    pub fn pivot(&self) -> &Measure<'a> {
        &self.pivot
    }

    /// The vector of one measure.
    pub fn embed(&self, measure: &Measure) -> Result<Array1<f64>> {
        same_space(&self.pivot, measure)?;
        let coupling = (self.solver)(&self.pivot, measure)?;
        let gap = coupling.marginal_gap(&self.pivot, measure)?;
        if gap > 1e-9 {
            return Err(ErrorKind::NotACoupling { gap }.into());
        }
        let image = coupling.barycentric_map(&self.pivot, measure)?;
        let moved = image.rows().into_iter().enumerate().flat_map(|(k, row)| {
            let root = self.pivot.weight(k).sqrt();
            row.iter().zip(self.pivot.point(k)).map(|(t, z)| root * (t - z)).collect::<Vec<f64>>()
        });
        Ok(moved.collect())
    }

    /// The vectors of many measures, one plan each.
    pub fn embed_all(&self, measures: &[Measure]) -> Result<LinearEmbedding> {
        let mut vectors = Array2::zeros((measures.len(), self.pivot.points().len()));
        for (mut row, measure) in vectors.rows_mut().into_iter().zip(measures) {
            row.assign(&self.embed(measure)?);
        }
        Ok(LinearEmbedding { vectors })
    }
}

impl LinearEmbedding {
    /// Squared distances between all pairs: symmetric, zero on the diagonal. `O(m^2 k d)`.
    pub fn sq_distances(&self) -> Array2<f64> {
        let m = self.vectors.nrows();
        let rows: Vec<Vec<f64>> = self.vectors.rows().into_iter().map(|row| row.to_vec()).collect();
        let mut distances = Array2::zeros((m, m));
        for i in 0..m {
            for j in 0..i {
                // From differences: through inner products, near measures would lose their digits.
                let between = sq_distance(&rows[i], &rows[j]);
                distances[(i, j)] = between;
                distances[(j, i)] = between;
            }
        }
        distances
    }

    /// Squared lengths: how far each measure is from the pivot.
    pub fn sq_lengths(&self) -> Vec<f64> {
        self.vectors.rows().into_iter().map(|row| row.dot(&row)).collect()
    }
}
