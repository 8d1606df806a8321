//! SWGG at one direction, in its three forms.

use crate::coupling::Coupling;
use crate::direction::Direction;
use crate::error::{ErrorKind, Result};
use crate::line;
use crate::measure::{Measure, pairable, same_space};
use crate::scalar::Scalar;

/// Cost of the plan that a direction induces between two clouds, `SWGG_2^2(mu, nu, theta)`.
///
/// ```text
/// SWGG_2^2(mu, nu, theta) = 1/n sum_k |x_sigma(k) - y_tau(k)|^2
/// ```
///
/// `sigma` and `tau` sort the projections of source and target on `theta`. Never below the squared Wasserstein distance.
/// Uniform clouds of the same size are paired by rank, any others coupled by their quantiles. `O(d n)` for projections and
/// costs, about `O(n)` for the sort. Equal projections are ordered by index.
///
/// Paper: Definition "SWGG and min-SWGG". Same quantity as [`swgg_by_pivot`] and [`swgg_by_quantiles`].
///
/// ```
/// use swgg::{Direction, Measure, swgg_cost};
/// let mu = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0], 2)?;
/// let nu = Measure::from_slice(&[1.0, 2.0, 0.0, 2.0], 2)?;
/// assert_eq!(swgg_cost(&mu, &nu, &Direction::axis(2, 0)?)?, 4.0);
/// # Ok::<(), swgg::Error>(())
/// ```
pub fn swgg_cost<T: Scalar>(source: &Measure<T>, target: &Measure<T>, theta: &Direction) -> Result<f64> {
    crate::problem::InMemory::new(source, target)?.cost(theta)
}

/// `SWGG_2(mu, nu, theta)`, the root of [`swgg_cost`]: a distance for a fixed `theta`.
///
/// Points that project alike are ordered by index, so with such ties it is a distance between lists of points: the same points
/// listed in another order may then be at a positive distance. Paper: Proposition "Distance and upper bound".
pub fn swgg_distance<T: Scalar>(source: &Measure<T>, target: &Measure<T>, theta: &Direction) -> Result<f64> {
    Ok(swgg_cost(source, target, theta)?.sqrt())
}

/// The plan that a direction induces: its cost is [`swgg_cost`].
///
/// Paper: Supp. "From permutations to transport map".
pub fn swgg_coupling<T: Scalar>(
    source: &Measure<T>,
    target: &Measure<T>,
    theta: &Direction,
) -> Result<Coupling> {
    same_space(source, target)?;
    line::couple_sorted(source, &theta.sort(source)?, target, &theta.sort(target)?)
}

/// SWGG by pairs of equal rank, for uniform clouds of the same size only.
///
/// Paper: Definition "SWGG and min-SWGG".
pub fn swgg_by_pairs<T: Scalar>(source: &Measure<T>, target: &Measure<T>, theta: &Direction) -> Result<f64> {
    same_space(source, target)?;
    if !pairable(source, target) {
        let weighted = !(source.is_uniform() && target.is_uniform());
        return Err(ErrorKind::NotPairable { n: source.len(), m: target.len(), weighted }.into());
    }
    Coupling::matching(&theta.sort(source)?, &theta.sort(target)?)?.cost(
        source,
        target,
        &crate::cost::SqEuclidean,
    )
}

/// SWGG by quantile functions, for any two measures.
///
/// ```text
/// SWGG_2^2(mu, nu, theta) = int_0^1 |x(r) - y(r)|^2 dr
/// ```
///
/// where `x(r)` is the source point that holds the quantile `r` of `P^theta_# mu`, and `y(r)` likewise.
/// Paper: Supp. "Quantile version of SWGG".
pub fn swgg_by_quantiles<T: Scalar>(
    source: &Measure<T>,
    target: &Measure<T>,
    theta: &Direction,
) -> Result<f64> {
    same_space(source, target)?;
    let mut sum = 0.0;
    let (sigma, tau) = (theta.sort(source)?, theta.sort(target)?);
    line::merge(source, sigma, target, tau, &mut Default::default(), |i, j, mass| {
        sum += mass.fraction() * crate::cost::sq_distance(source.point(i), target.point(j));
    });
    Ok(sum)
}

/// The terms of SWGG as three transports to a line and one along it.
///
/// ```text
/// SWGG_2^2 = 2 W_2^2(mu, Q_# mu) + 2 W_2^2(nu, Q_# nu) - 4 W_2^2(g, Q_# g) + W_2^2(P_# mu, P_# nu)
/// ```
///
/// with `g` the generalized Wasserstein mean of `mu` and `nu` and `Q`, `P` the projections on the line. The line has direction
/// `theta`; here it passes through the middle of the two means rather than through the origin, which changes the first three
/// terms (they become smaller) but not the sum.
/// Paper: Proposition "SWGG based on generalized geodesics" and Supp. "Details on the efficient computation of SWGG".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PivotForm {
    /// `W_2^2(mu, Q_# mu)`: how far the source is from the line.
    pub source_to_line: f64,
    /// `W_2^2(nu, Q_# nu)`: how far the target is from the line.
    pub target_to_line: f64,
    /// `W_2^2(g, Q_# g)`: how far the generalized mean is from the line.
    pub mean_to_line: f64,
    /// `W_2^2(P_# mu, P_# nu)`: transport along the line.
    pub along_line: f64,
}

impl PivotForm {
    /// `SWGG_2^2`, the sum of the terms with their factors.
    pub fn cost(&self) -> f64 {
        2.0 * self.source_to_line + 2.0 * self.target_to_line - 4.0 * self.mean_to_line + self.along_line
    }
}

/// SWGG by its pivot, a measure on the line of `theta`; see [`PivotForm`].
///
/// Terms are subtracted, so the result agrees with the other forms to about 1e-13 of the largest term: to 1e-10 of the cost as
/// long as the cost is not a thousand times smaller than the spread of the clouds.
pub fn swgg_by_pivot<T: Scalar>(
    source: &Measure<T>,
    target: &Measure<T>,
    theta: &Direction,
) -> Result<PivotForm> {
    same_space(source, target)?;
    theta.check(source.dim())?;
    let origin: Vec<f64> = source.mean().iter().zip(target.mean()).map(|(m, n)| 0.5 * (m + n)).collect();
    let centred = |measure: &Measure<T>| measure.map_coordinates(|column, x| x - origin[column]);
    let (mu, nu) = (centred(source), centred(target));
    // The order is that of the points as given: centring first could round two projections past each other.
    let plan = swgg_coupling(source, target, theta)?;
    let mut form = PivotForm { source_to_line: 0.0, target_to_line: 0.0, mean_to_line: 0.0, along_line: 0.0 };
    let mut mean = vec![0.0; theta.dim()];
    for (i, j, mass) in plan.entries() {
        let (x, y) = (mu.point(i), nu.point(j));
        mean.iter_mut().zip(x.iter().zip(y)).for_each(|(g, (x, y))| *g = 0.5 * (x + y));
        let ((x_along, x_off), (y_along, y_off)) = (split(x, theta), split(y, theta));
        form.source_to_line += mass * x_off;
        form.target_to_line += mass * y_off;
        form.mean_to_line += mass * split(&mean, theta).1;
        form.along_line += mass * (x_along - y_along).powi(2);
    }
    Ok(form)
}

/// Squared Wasserstein distance along one line, `W_2^2(P^theta_# mu, P^theta_# nu)`: a lower bound of `W_2^2`.
pub fn projected_cost<T: Scalar>(source: &Measure<T>, target: &Measure<T>, theta: &Direction) -> Result<f64> {
    same_space(source, target)?;
    line::cost(&theta.push_forward(source)?, &theta.push_forward(target)?, 2.0)
}

/// Coordinate along the line through the origin, and squared distance from it.
fn split(x: &[f64], theta: &Direction) -> (f64, f64) {
    let along = crate::direction::dot(x, theta.as_slice());
    let off = x.iter().zip(theta.as_slice()).map(|(x, t)| (x - along * t).powi(2)).sum();
    (along, off)
}
