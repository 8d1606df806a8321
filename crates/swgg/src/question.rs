//! What is asked: two measures, what moving mass between their points costs, and how much of it has to move.

use ndarray::ArrayView2;

use crate::cost::{Cost, GroundCost, Power};
use crate::error::{ErrorKind, Result};
use crate::measure::{Measure, exact_sum, same_space};
use crate::number::scalar::Scalar;
use crate::plan::coupling::Coupling;

/// Two measures and the cost between them. Checked when it is made, so that solvers need not look again.
///
/// ```
/// use swgg::{Measure, Question};
/// let source = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0], 2)?;
/// let target = Measure::from_slice(&[1.0, 1.0, 0.0, 1.0, 5.0, 5.0], 2)?;
/// let question = Question::new(&source, &target)?.with_power(1.0)?;
/// assert_eq!(question.sizes().m, 3);
/// # Ok::<(), swgg::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Question<'a, T: Scalar = f64> {
    source: &'a Measure<'a, T>,
    target: &'a Measure<'a, T>,
    ground: Ground<'a>,
    marginals: Marginals,
}

/// The ground cost: what a unit of mass pays from one point to another.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Ground<'a> {
    /// `|x - y|^p`; the default is the squared Euclidean distance, `p = 2`.
    Distance(Power),
    /// A cost for every pair, one row per source point and one column per target point.
    Matrix(ArrayView2<'a, f64>),
    /// Any other function of two points.
    Cost(&'a dyn GroundCost),
}

/// Which mass has to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Marginals {
    /// All of it: plans have the weights of both measures as their marginals.
    #[default]
    All,
}

/// How large a question is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Source points.
    pub n: usize,
    /// Target points.
    pub m: usize,
    /// Dimension of the space.
    pub d: usize,
}

/// What pairs of points pay, by their numbers.
pub(crate) struct Pays<'a> {
    ground: Ground<'a>,
    /// Points of both sides, where costs are functions of them.
    rows: [Vec<f64>; 2],
    dim: usize,
}

impl Pays<'_> {
    /// A unit of mass from source `i` to target `j`.
    pub fn between(&self, i: usize, j: usize) -> f64 {
        let row = |side: usize, k: usize| &self.rows[side][k * self.dim..(k + 1) * self.dim];
        match self.ground {
            Ground::Distance(power) => power.between(row(0, i), row(1, j)),
            Ground::Cost(cost) => cost.between(row(0, i), row(1, j)),
            Ground::Matrix(costs) => costs[[i, j]],
        }
    }

    /// What a plan costs.
    pub fn total(&self, plan: &Coupling) -> f64 {
        exact_sum(plan.entries().map(|(i, j, mass)| mass * self.between(i, j)))
    }
}

impl<'a> Question<'a, f64> {
    /// With another ground cost; see [`cost`](crate::cost) for those there are, and for one of your own.
    pub fn with_cost(self, cost: &'a dyn GroundCost) -> Result<Self> {
        cost.check([self.source.points(), self.target.points()], self.source.dim())?;
        Ok(Question { ground: Ground::Cost(cost), ..self })
    }
}

impl<'a, T: Scalar> Question<'a, T> {
    /// Squared Euclidean distances, all mass; refused for measures of different dimensions.
    pub fn new(source: &'a Measure<'a, T>, target: &'a Measure<'a, T>) -> Result<Self> {
        same_space(source, target)?;
        let ground = Ground::Distance(Power::SQUARED);
        Ok(Question { source, target, ground, marginals: Marginals::All })
    }

    /// With the cost `|x - y|^p` instead; `p` is 1 or more.
    pub fn with_power(self, p: f64) -> Result<Self> {
        Ok(Question { ground: Ground::Distance(Power::new(p)?), ..self })
    }

    /// With a cost for every pair instead of distances, `costs[[i, j]]` from source `i` to target `j`.
    pub fn with_costs(self, costs: ArrayView2<'a, f64>) -> Result<Self> {
        let (rows, columns) = costs.dim();
        let (n, m) = (self.source.len(), self.target.len());
        if (rows, columns) != (n, m) {
            return Err(ErrorKind::CostMatrixSize { rows, columns, n, m }.into());
        }
        Ok(Question { ground: Ground::Matrix(costs), ..self })
    }

    /// Where mass comes from.
    pub fn source(&self) -> &'a Measure<'a, T> {
        self.source
    }

    /// Where mass goes to.
    pub fn target(&self) -> &'a Measure<'a, T> {
        self.target
    }

    /// What moving mass costs.
    pub fn ground(&self) -> Ground<'a> {
        self.ground
    }

    /// Which mass has to move.
    pub fn marginals(&self) -> Marginals {
        self.marginals
    }

    /// The numbers of points and the dimension.
    pub fn sizes(&self) -> Sizes {
        Sizes { n: self.source.len(), m: self.target.len(), d: self.source.dim() }
    }

    /// What pairs of points pay, by their numbers.
    pub(crate) fn pays(&self) -> Pays<'a> {
        let rows = |measure: &Measure<T>| measure.points().iter().map(|x| x.to_f64()).collect();
        let rows = match self.ground {
            Ground::Matrix(_) => [Vec::new(), Vec::new()],
            _ => [rows(self.source), rows(self.target)],
        };
        Pays { ground: self.ground, rows, dim: self.source.dim() }
    }

    /// The exponent of the distance; `None` for costs that were given.
    pub fn exponent(&self) -> Option<f64> {
        match self.ground {
            Ground::Distance(power) => Some(power.exponent()),
            Ground::Matrix(_) | Ground::Cost(_) => None,
        }
    }

    /// What to call the ground cost, unless it is the squared distance.
    pub fn ground_name(&self) -> Option<String> {
        match self.ground {
            Ground::Distance(power) if power.exponent() == 2.0 => None,
            Ground::Distance(_) => Some("euclidean".into()),
            Ground::Matrix(_) => Some("matrix".into()),
            Ground::Cost(cost) => Some(cost.name()),
        }
    }

    /// Whether costs are squared distances, which most solvers and all bounds by lines and covariances ask for.
    pub fn is_squared(&self) -> bool {
        self.exponent() == Some(2.0)
    }

    /// The power of the distance, for a solver that takes no other costs.
    pub(crate) fn power(&self, method: &'static str) -> Result<Power> {
        match self.ground {
            Ground::Distance(power) => Ok(power),
            Ground::Matrix(_) => {
                Err(ErrorKind::UnsupportedCost { method, cost: "a matrix of costs".into() }.into())
            }
            Ground::Cost(cost) => Err(ErrorKind::UnsupportedCost { method, cost: cost.name() }.into()),
        }
    }

    /// Both measures, for a solver that takes squared distances only.
    pub(crate) fn squared(&self, method: &'static str) -> Result<[&'a Measure<'a, T>; 2]> {
        let power = self.power(method)?;
        if power.exponent() != 2.0 {
            let cost = format!("the power {} of the distance", power.exponent());
            return Err(ErrorKind::UnsupportedCost { method, cost }.into());
        }
        Ok([self.source, self.target])
    }
}
