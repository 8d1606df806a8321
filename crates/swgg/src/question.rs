//! What is asked: two measures, what moving mass between their points costs, and how much of it has to move.

use std::marker::PhantomData;

use ndarray::ArrayView2;

use crate::cost::{Cost, GroundCost, Power};
use crate::error::{ErrorKind, Result};
use crate::measure::{Measure, exact_sum, same_space};
use crate::number::scalar::{Holder, Scalar};
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

/// A reference to a question, whatever the precision of its points.
pub(crate) struct QuestionHolder<'r, 'a>(PhantomData<(&'r (), &'a ())>);

impl<'r, 'a: 'r> Holder for QuestionHolder<'r, 'a> {
    type Of<T: Scalar> = &'r Question<'a, T>;
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

/// Which mass has to move. All but the first count mass as weights were given ([`Measure::total`]), so totals may differ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Marginals {
    /// All of it: plans have the weights of both measures as their marginals.
    #[default]
    All,
    /// This much, whichever is the cheapest to move.
    Mass(f64),
    /// As much as can be moved for at most this per unit of mass.
    DiscardCost(f64),
}

/// One of the two measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Where mass comes from.
    Source,
    /// Where it goes to.
    Target,
}

/// Masses that differ by this share are equal, to rounding.
const ROUNDING_SHARE: f64 = 1e-12;
/// The largest total of which differences and products with costs are still numbers.
const MAX_TOTAL: f64 = 1e150;

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

    /// With only the cheapest share of the mass to move, as a share of the smaller total: above 0, at most 1.
    ///
    /// ```
    /// use swgg::{Exact, Measure, Question, Run, Solver};
    /// let source = Measure::from_slice(&[0.0, 1.0, 2.0, 50.0], 1)?;
    /// let target = Measure::from_slice(&[0.0, 1.0, 2.0, 3.0], 1)?;
    /// let question = Question::new(&source, &target)?.with_mass(0.75)?;
    /// let found = Exact.answer(&question, &mut Run::default())?;
    /// assert_eq!((found.cost, found.number("moved")), (0.0, Some(0.75)));
    /// # Ok::<(), swgg::Error>(())
    /// ```
    pub fn with_mass(self, share: f64) -> Result<Self> {
        let most = self.source.total().min(self.target.total());
        let expected = "give a share of the smaller total, above 0 and at most 1";
        self.moving("mass", share, most, expected)
    }

    /// The same as a share of the total of one side: with 1, all of that side moves, and any part of the other.
    pub fn with_mass_of(self, side: Side, share: f64) -> Result<Self> {
        let (name, expected, measure, other) = match side {
            Side::Source => {
                ("mass_source", "give a share of the source, above 0 and at most 1", self.source, self.target)
            }
            Side::Target => {
                ("mass_target", "give a share of the target, above 0 and at most 1", self.target, self.source)
            }
        };
        let (total, room) = (measure.total(), other.total());
        if share <= 1.0 && share * total > room * (1.0 + ROUNDING_SHARE) {
            let problem = format!(
                "is {share}, which is a mass of {}, and the other side has {room}; give at most {}",
                share * total,
                room / total
            );
            return Err(ErrorKind::Setting { setting: name, problem }.into());
        }
        self.moving(name, share, total, expected)
    }

    /// The same as a mass, in the unit of the weights: above 0, at most the smaller total.
    pub fn with_moved(self, mass: f64) -> Result<Self> {
        let most = self.source.total().min(self.target.total());
        if mass > most * (1.0 + ROUNDING_SHARE) {
            let problem =
                format!("is {mass}, more than there is to move; give at most {most}, the smaller total");
            return Err(ErrorKind::Setting { setting: "mass", problem }.into());
        }
        self.moving("mass", mass / most, most, "give more than 0")
    }

    /// With a price for leaving mass where it is: a unit of it moves where that costs at most this, `0` or more.
    ///
    /// ```text
    /// min_pi sum pi_ij c_ij + L/2 (sum a - sum pi) + L/2 (sum b - sum pi)
    /// ```
    pub fn with_discard_cost(self, cost: f64) -> Result<Self> {
        if !(cost >= 0.0 && cost.is_finite()) {
            let expected = "give a cost of 0 or more: what moving a unit of mass is worth";
            return Err(ErrorKind::BadSetting { name: "discard_cost", value: cost, expected }.into());
        }
        self.check_totals()?;
        Ok(Question { marginals: Marginals::DiscardCost(cost), ..self })
    }

    fn moving(self, name: &'static str, share: f64, total: f64, expected: &'static str) -> Result<Self> {
        if !(share > 0.0 && share <= 1.0 + ROUNDING_SHARE) {
            return Err(ErrorKind::BadSetting { name, value: share, expected }.into());
        }
        self.check_totals()?;
        Ok(Question { marginals: Marginals::Mass(share.min(1.0) * total), ..self })
    }

    /// Refuses weights that do not add up to a number.
    pub(crate) fn check_totals(&self) -> Result<()> {
        for (cloud, total) in [("source", self.source.total()), ("target", self.target.total())] {
            if !(total > f64::MIN_POSITIVE && total <= MAX_TOTAL) {
                return Err(ErrorKind::BadTotal { cloud, total }.into());
            }
        }
        Ok(())
    }

    /// The same question about all of the mass.
    pub(crate) fn with_all(self) -> Self {
        Question { marginals: Marginals::All, ..self }
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

    /// The power of the distance that is paid; otherwise what to call the costs.
    pub(crate) fn power(&self) -> std::result::Result<Power, String> {
        match self.ground {
            Ground::Distance(power) => Ok(power),
            Ground::Matrix(_) => Err("a matrix of costs".into()),
            Ground::Cost(cost) => Err(cost.name()),
        }
    }
}
