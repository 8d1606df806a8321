//! SWGG at one direction, in its three forms.

use crate::error::{ErrorKind, Result};
use crate::line;
use crate::line::direction::Direction;
use crate::measure::{Measure, pairable, same_space};
use crate::number::double::Double;
use crate::number::scalar::Scalar;
use crate::plan::coupling::Coupling;

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
/// use swgg::{Measure, paper::swgg_cost};
/// use swgg::line::Direction;
/// let mu = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0], 2)?;
/// let nu = Measure::from_slice(&[1.0, 2.0, 0.0, 2.0], 2)?;
/// assert_eq!(swgg_cost(&mu, &nu, &Direction::axis(2, 0)?)?, 4.0);
/// # Ok::<(), swgg::Error>(())
/// ```
pub fn swgg_cost<T: Scalar>(source: &Measure<T>, target: &Measure<T>, theta: &Direction) -> Result<f64> {
    crate::paper::slices::InMemory::new(source, target)?.cost(theta)
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
#[non_exhaustive]
pub struct PivotForm {
    /// `W_2^2(mu, Q_# mu)`: how far the source is from the line.
    pub source_to_line: f64,
    /// `W_2^2(nu, Q_# nu)`: how far the target is from the line.
    pub target_to_line: f64,
    /// `W_2^2(g, Q_# g)`: how far the generalized mean is from the line.
    pub mean_to_line: f64,
    /// `W_2^2(P_# mu, P_# nu)`: transport along the line.
    pub along_line: f64,
    cost: f64,
}

impl PivotForm {
    /// `SWGG_2^2`, the sum of the terms with their factors, taken before the terms were rounded.
    pub fn cost(&self) -> f64 {
        self.cost
    }
}

/// SWGG by its pivot, a measure on the line of `theta`; see [`PivotForm`].
///
/// The terms are subtracted, so they are summed in twice the precision of `f64`: the result agrees with the other forms to
/// 1e-10 relative even when the cost is 1e-20 of the spread of the clouds. The other forms are much faster.
pub fn swgg_by_pivot<T: Scalar>(
    source: &Measure<T>,
    target: &Measure<T>,
    theta: &Direction,
) -> Result<PivotForm> {
    same_space(source, target)?;
    theta.check(source.dim())?;
    let origin: Vec<f64> = source.mean().iter().zip(target.mean()).map(|(m, n)| 0.5 * (m + n)).collect();
    let centred = |x: &[T]| -> Vec<Double> {
        x.iter().zip(&origin).map(|(x, o)| Double::from(x.to_f64()) - Double::from(*o)).collect()
    };
    let [mut to_source, mut to_target, mut to_mean, mut along] = [Double::default(); 4];
    for (i, j, mass) in swgg_coupling(source, target, theta)?.entries() {
        let (x, y) = (centred(source.point(i)), centred(target.point(j)));
        let mean: Vec<Double> = x.iter().zip(&y).map(|(x, y)| Double::from(0.5) * (*x + *y)).collect();
        let mass = Double::from(mass);
        let ((x_along, x_off), (y_along, y_off)) = (split(&x, theta), split(&y, theta));
        let gap = x_along - y_along;
        to_source = to_source + mass * x_off;
        to_target = to_target + mass * y_off;
        to_mean = to_mean + mass * split(&mean, theta).1;
        along = along + mass * gap * gap;
    }
    let (two, four) = (Double::from(2.0), Double::from(4.0));
    Ok(PivotForm {
        source_to_line: to_source.rounded(),
        target_to_line: to_target.rounded(),
        mean_to_line: to_mean.rounded(),
        along_line: along.rounded(),
        cost: (two * to_source + two * to_target - four * to_mean + along).rounded(),
    })
}

/// Squared Wasserstein distance along one line, `W_2^2(P^theta_# mu, P^theta_# nu)`: a lower bound of `W_2^2`.
pub fn projected_cost<T: Scalar>(source: &Measure<T>, target: &Measure<T>, theta: &Direction) -> Result<f64> {
    same_space(source, target)?;
    line::cost(&theta.push_forward(source)?, &theta.push_forward(target)?, 2.0)
}

/// Coordinate along the line through the origin, and squared distance from it.
fn split(x: &[Double], theta: &Direction) -> (Double, Double) {
    let pairs = || x.iter().zip(theta.as_slice()).map(|(x, t)| (*x, Double::from(*t)));
    let along: Double = pairs().map(|(x, t)| x * t).sum();
    let off = pairs().map(|(x, t)| x - along * t);
    (along, off.map(|gap| gap * gap).sum())
}
