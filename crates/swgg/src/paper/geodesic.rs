//! Generalized geodesics: the curve that a plan draws between two measures, and pivots on a line.

use crate::error::{ErrorKind, Result};
use crate::line::Walk;
use crate::line::direction::Direction;
use crate::measure::{Measure, same_space};
use crate::number::mass::common;
use crate::number::scalar::Scalar;
use crate::paper::closed_form::check_on_line;
use crate::paper::swgg::swgg_coupling;
use crate::plan::coupling::Coupling;
use crate::plan::permutation::Permutation;

/// The curve `mu_g(t) = ((1 - t) x + t y)_# pi` along a coupling `pi` of two measures.
///
/// Along the optimal plan it is the Wasserstein geodesic; along the plan of a direction, the generalized geodesic of the paper
/// (Section 4.1), whose pivot lies on the line of that direction. One atom per entry of the plan, in the order of its entries:
/// with a matching, atom `i` starts at source point `i`.
///
/// ```
/// use swgg::{Measure, paper::Geodesic};
/// use swgg::line::Direction;
/// let mu = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0], 2)?;
/// let nu = Measure::from_slice(&[1.0, 2.0, 0.0, 2.0], 2)?;
/// let curve = Geodesic::along(&mu, &nu, &Direction::axis(2, 0)?)?;
/// assert_eq!(curve.midpoint()?.points(), [0.0, 1.0, 1.0, 1.0]);
/// # Ok::<(), swgg::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Geodesic<'a, T: Scalar> {
    source: &'a Measure<'a, T>,
    target: &'a Measure<'a, T>,
    coupling: Coupling,
}

impl<'a, T: Scalar> Geodesic<'a, T> {
    /// The curve along any coupling of the two measures; a plan with other marginals is refused.
    pub fn new(source: &'a Measure<'a, T>, target: &'a Measure<'a, T>, coupling: Coupling) -> Result<Self> {
        let gap = coupling.marginal_gap(source, target)?;
        if gap > 1e-9 {
            return Err(ErrorKind::NotACoupling { gap }.into());
        }
        Ok(Geodesic { source, target, coupling })
    }

    /// The generalized geodesic whose pivot lies on the line of `theta`.
    pub fn along(source: &'a Measure<'a, T>, target: &'a Measure<'a, T>, theta: &Direction) -> Result<Self> {
        let coupling = swgg_coupling(source, target, theta)?;
        Ok(Geodesic { source, target, coupling })
    }

    /// The plan the curve follows.
    pub fn coupling(&self) -> &Coupling {
        &self.coupling
    }

    /// The measure at `t`, from the source at 0 to the target at 1.
    pub fn at(&self, t: f64) -> Result<Measure<'static, f64>> {
        if !(0.0..=1.0).contains(&t) {
            return Err(ErrorKind::OutsideCurve { t }.into());
        }
        let mut points = Vec::with_capacity(self.coupling.len() * self.source.dim());
        for (i, j, _) in self.coupling.entries() {
            let ends = self.source.point(i).iter().zip(self.target.point(j));
            points.extend(ends.map(|(x, y)| (1.0 - t) * x.to_f64() + t * y.to_f64()));
        }
        weighted_like(&self.coupling, points, self.source.dim())
    }

    /// The generalized Wasserstein mean, the middle of the curve.
    pub fn midpoint(&self) -> Result<Measure<'static, f64>> {
        self.at(0.5)
    }
}

/// The pivot of the paper: the Wasserstein mean of the two measures flattened onto the line of `theta`.
///
/// One atom per entry of the plan that `theta` induces. Paper: Definition "Pivot measure".
pub fn pivot_measure<T: Scalar>(
    source: &Measure<T>,
    target: &Measure<T>,
    theta: &Direction,
) -> Result<Measure<'static, f64>> {
    let coupling = swgg_coupling(source, target, theta)?;
    let (x, y) = (theta.project(source)?, theta.project(target)?);
    let points = coupling
        .entries()
        .flat_map(|(i, j, _)| theta.as_slice().iter().map(move |t| t * 0.5).zip(std::iter::repeat((i, j))))
        .map(|(half, (i, j))| half * (x[i] + y[j]))
        .collect();
    weighted_like(&coupling, points, theta.dim())
}

/// A coupling of three measures through a pivot on a line: pieces `(pivot, source, target, mass)`.
///
/// Its projections on (pivot, source) and (pivot, target) are optimal plans; its projection on (source, target) is the plan
/// of the generalized geodesic. At most `k + n + m - 2` pieces. Paper: Supp. "Quantile version" and "Multi-marginal".
#[derive(Clone, Debug)]
pub struct PivotCoupling {
    sizes: [usize; 3],
    /// Whether every piece is a whole point on all three sides.
    paired: bool,
    /// Indices of the pivot, the source and the target, piece by piece.
    indices: [Vec<u32>; 3],
    masses: Vec<f64>,
}

impl PivotCoupling {
    /// Glues the optimal plans from the pivot to both measures.
    ///
    /// The pivot must lie on a line of direction `theta`, or is refused. Where its atoms sit on that line does not matter as long as they
    /// are distinct and as many as the points (Proposition on the inconsequence of the pivot). With fewer atoms, or atoms that
    /// coincide, there are several ways to glue; the monotone one is taken.
    pub fn new<T: Scalar>(
        pivot: &Measure<f64>,
        source: &Measure<T>,
        target: &Measure<T>,
        theta: &Direction,
    ) -> Result<Self> {
        same_space(source, target)?;
        same_space(source, pivot)?;
        check_on_line(pivot, theta)?;
        let orders = [theta.sort(pivot)?, theta.sort(source)?, theta.sort(target)?];
        let sizes = [pivot.len(), source.len(), target.len()];
        // Three uniform measures of one size need no units; any others go through the common whole.
        let even = pivot.is_uniform() && source.is_uniform() && target.is_uniform();
        let paired = even && sizes[0] == sizes[1] && sizes[0] == sizes[2];
        let (pieces, total) = if paired {
            let triples = (0..sizes[0]).map(|k| ([orders[0][k], orders[1][k], orders[2][k]], 1));
            (triples.collect(), sizes[0] as u64)
        } else {
            glue([pivot.units(), source.units(), target.units()], &orders)
        };
        let masses = pieces.iter().map(|(_, units)| *units as f64 / total as f64).collect();
        let indices = std::array::from_fn(|side| pieces.iter().map(|(at, _)| at[side]).collect());
        Ok(PivotCoupling { sizes, paired, indices, masses })
    }

    /// Number of pieces.
    #[allow(clippy::len_without_is_empty)] // it carries the whole mass
    pub fn len(&self) -> usize {
        self.masses.len()
    }

    /// The pieces `(pivot, source, target, mass)`, in increasing rank.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (usize, usize, usize, f64)> + Clone + '_ {
        let [pivot, source, target] = self.indices.each_ref();
        (0..self.len())
            .map(move |k| (pivot[k] as usize, source[k] as usize, target[k] as usize, self.masses[k]))
    }

    /// The optimal plan from the pivot to the source.
    pub fn pivot_to_source(&self) -> Coupling {
        self.project(0, 1)
    }

    /// The optimal plan from the pivot to the target.
    pub fn pivot_to_target(&self) -> Coupling {
        self.project(0, 2)
    }

    /// The plan from source to target that passes through the pivot.
    pub fn source_to_target(&self) -> Coupling {
        self.project(1, 2)
    }

    /// The cost of going through the pivot `nu`, never below `W_2^2`.
    ///
    /// It is `W_nu^2(mu_1, mu_2)`, the squared nu-based Wasserstein distance of Section 4.1, when there is one way to glue (see
    /// [`new`](PivotCoupling::new)), and an upper bound of it otherwise.
    pub fn cost<T: Scalar>(&self, source: &Measure<T>, target: &Measure<T>) -> Result<f64> {
        self.source_to_target().cost(source, target, &crate::cost::SqEuclidean)
    }

    fn project(&self, from: usize, to: usize) -> Coupling {
        let (sources, targets) = (self.indices[from].clone(), self.indices[to].clone());
        if self.paired {
            let mut target_of = vec![0; self.sizes[from]];
            sources.iter().zip(&targets).for_each(|(&i, &j)| target_of[i as usize] = j);
            return Coupling::from_targets(target_of);
        }
        Coupling::from_merge(self.sizes[from], self.sizes[to], sources, targets, self.masses.clone())
    }
}

/// Pieces `(pivot, source, target)` with their units, and the units of the whole.
type Glued = (Vec<([u32; 3], u64)>, u64);

/// Walks three sorted measures together.
fn glue(units: [(usize, Option<&[u64]>); 3], orders: &[Permutation; 3]) -> Glued {
    // A uniform pair would settle on its own common multiple: spelling one side out makes all three share one whole.
    let whole = crate::number::mass::units(&vec![1.0 / units[0].0 as f64; units[0].0]);
    let first = (units[0].0, Some(units[0].1.unwrap_or(&whole)));
    let (pivot, source, total) = common(first, units[1]);
    let (_, target, _) = common(first, units[2]);
    let mut walks = [
        Walk::new(orders[0].as_slice(), pivot),
        Walk::new(orders[1].as_slice(), source),
        Walk::new(orders[2].as_slice(), target),
    ];
    let mut pieces = Vec::new();
    loop {
        let at = walks.each_mut().map(Walk::current);
        let [Some(k), Some(i), Some(j)] = at else { break };
        let mass = walks.iter().map(|walk| walk.left).min().unwrap_or(0);
        pieces.push(([k as u32, i as u32, j as u32], mass));
        walks.iter_mut().for_each(|walk| walk.left -= mass);
    }
    (pieces, total)
}

/// Atoms of a plan's entries with the masses of those entries.
fn weighted_like(coupling: &Coupling, points: Vec<f64>, dim: usize) -> Result<Measure<'static, f64>> {
    let atoms = Measure::from_vec(points, dim)?;
    if coupling.is_matching() {
        return Ok(atoms);
    }
    atoms.with_weights(&coupling.entries().map(|entry| entry.2).collect::<Vec<_>>())
}
