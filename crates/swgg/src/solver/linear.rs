//! Linear optimal transport: measures as vectors, by their plans from one pivot.

use std::cell::RefCell;

use ndarray::{Array1, Array2};

use super::compiled::{Compiled, run_compiled};
use super::ground::squared;
use super::{Builder, Estimate, Method, MinSwgg, PlanKind, Solver};
use crate::answer::{CostIs, Fact, Remark, Transport, counted};
use crate::cost::sq_distance;
use crate::error::{ErrorKind, Result};
use crate::exact::{Start, exact, from_start};
use crate::measure::{Measure, same_space};
use crate::number::scalar::Scalar;
use crate::plan::coupling::Coupling;
use crate::question::{Question, Sizes};
use crate::run::Run;
use crate::run::stop::Stop;
use crate::setting::{Kind, Setting, Settings};

/// A way to find a plan from the pivot to a measure.
type PlanFrom<'a> = Box<dyn Fn(&Measure, &Measure) -> Result<Coupling> + 'a>;

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
/// use swgg::{Measure, solver::LinearOt};
/// let pivot = Measure::from_slice(&[0.0, 1.0], 1)?;
/// let measures = [Measure::from_slice(&[5.0, 4.0], 1)?, Measure::from_slice(&[4.0, 7.0], 1)?];
/// let embedded = LinearOt::exact(pivot).embed_all(&measures)?;
/// assert!((embedded.sq_distances()[(0, 1)] - 2.0).abs() < 1e-12);
/// # Ok::<(), swgg::Error>(())
/// ```
pub struct LinearOt<'a> {
    pivot: Measure<'a>,
    solver: PlanFrom<'a>,
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
        Self::with(pivot, |pivot, measure| exact(pivot, measure)?.into_plan())
    }

    /// With plans by min-SWGG: each measure has a best line of its own, and the vector of its displacements is not shorter than
    /// `W_2` to the pivot where the plan is a matching.
    pub fn min_swgg(pivot: Measure<'a>, settings: MinSwgg) -> Self {
        Self::with(pivot, move |pivot, measure| {
            let mut run = Run::default().without_bounds();
            settings.answer(&Question::new(pivot, measure)?, &mut run)?.into_plan()
        })
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

/// The cloud that both are seen from.
pub const PIVOT: Setting = Setting::of("pivot", Kind::Points).help(
    "FILE",
    "the cloud that both are seen from, with equal weights [default: the source, whose distance to its own image under \
     the average targets is computed]",
);

/// Linear transport between two clouds as a method: both as displacements from a pivot, by exact plans.
#[derive(Clone, Debug, Default)]
pub struct LinearTransport {
    /// The pivot and what to call it; the source if there is none.
    pub pivot: Option<(Measure<'static, f64>, String)>,
}

impl Builder for LinearTransport {
    const METHOD: Method = Method {
        settings: &[&PIVOT],
        plan: PlanKind::Neither,
        is_compared: false,
        ..Method::new(
            "linear-ot",
            "Linear transport",
            "Distance of the clouds as vectors of displacements from a pivot: no plan",
        )
    };

    fn build(settings: &Settings) -> Result<Self> {
        let pivot = settings.points(&PIVOT).map(|(points, name)| (points.clone(), name.to_string()));
        Ok(LinearTransport { pivot })
    }
}

impl<T: Scalar> Solver<T> for LinearTransport {
    fn method(&self) -> &'static Method {
        &Self::METHOD
    }

    fn validate(&self, sizes: Sizes) -> Result<()> {
        match &self.pivot {
            Some((pivot, name)) if pivot.dim() != sizes.d => {
                let (found, d) = (pivot.dim(), sizes.d);
                let problem = format!(
                    "{name}: its points have dimension {found}, those of the clouds {d}; they must agree"
                );
                Err(ErrorKind::Setting { setting: PIVOT.name, problem }.into())
            }
            _ => Ok(()),
        }
    }

    fn estimate(&self, sizes: Sizes, _: &Run<'_>) -> Estimate {
        let [n, m, d] = [sizes.n, sizes.m, sizes.d].map(|size| size as f64);
        let bytes = Estimate::exact_bytes(2.0 * (n + m), d, 3.0);
        Estimate { seconds: Estimate::exact_seconds(n, m, d), bytes }
    }

    fn unit(&self, _: Sizes, _: &Run<'_>) -> &'static str {
        "sources in order"
    }

    run_compiled! {
        /// Seen from the source itself its own vector is zero, and what remains is the mean squared way to the average targets: by
        /// convexity never above what the plan pays.
        LinearTransport
    }
}

impl Compiled for LinearTransport {
    fn found<T: Scalar>(&self, question: &Question<'_, T>, run: &mut Run<'_>) -> Result<Transport> {
        let [source, target] = squared(question, "linear-ot")?;
        let (mu, nu) = (source.in_f64(), target.in_f64());
        let pivot = self.pivot.as_ref().map(|(pivot, _)| pivot);
        let plans = RefCell::new(Plans { run, stop: Stop::Converged, are_matchings: true, bound: 0.0 });
        let solver = |pivot: &Measure, measure: &Measure| plans.borrow_mut().find(pivot, measure);
        let (cost, computed) = match pivot {
            None => {
                let moved = LinearOt::with(mu, solver).embed(&nu)?;
                (moved.dot(&moved), "mean squared way from the source to its average targets")
            }
            Some(pivot) => {
                let space = LinearOt::with(pivot.clone(), solver);
                let apart = space.embed(&mu)? - space.embed(&nu)?;
                (apart.dot(&apart), "squared distance of the displacements from the pivot")
            }
        };
        let Plans { stop, are_matchings, bound, .. } = plans.into_inner();
        let cost_is = match (are_matchings, pivot, stop) {
            (true, _, _) => CostIs::Upper,
            // A plan that is not optimal may pay more than the optimum, its averages too.
            (false, None, Stop::Converged) => CostIs::Lower,
            (false, _, _) => CostIs::Other,
        };
        let pivot_points = pivot.map_or(source.len(), Measure::len);
        let (story, name) = match &self.pivot {
            None => ("exact plan from the source".to_string(), Fact::Nothing),
            Some((_, name)) => (
                format!("exact plans from a cloud of {}", counted(pivot_points, "point")),
                Fact::Text(name.clone()),
            ),
        };
        Ok(Transport {
            // From the source, the only plan is that between the clouds.
            lower_bound: pivot.is_none().then_some(bound),
            facts: vec![
                ("pivot", name),
                ("pivot_points", Fact::Count(pivot_points)),
                ("computed", Fact::Text(computed.into())),
            ],
            remarks: vec![Remark::new("method", story.clone()), Remark::new("computed", computed)],
            story,
            stop,
            ..Transport::new("linear-ot", cost, cost_is)
        })
    }
}

/// Exact plans from a pivot, and what is known about all of them.
struct Plans<'r, 'o> {
    run: &'r mut Run<'o>,
    stop: Stop,
    are_matchings: bool,
    /// Of the last one.
    bound: f64,
}

impl Plans<'_, '_> {
    fn find(&mut self, pivot: &Measure, measure: &Measure) -> Result<Coupling> {
        // Once stopped, the second plan need not be a good one either.
        let found = from_start(&Question::new(pivot, measure)?, Start::default(), self.run)?;
        if found.stop == Stop::Interrupted {
            self.stop = Stop::Interrupted;
        }
        self.bound = found.lower_bound.unwrap_or(0.0);
        self.are_matchings &= found.plan()?.is_matching();
        found.into_plan()
    }
}
