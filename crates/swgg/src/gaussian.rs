//! Gaussians fitted to clouds, and the transport between them in closed form.

use faer::Mat;
use ndarray::Array2;

use crate::error::{ErrorKind, Result};
use crate::line::sampler::add_covariance;
use crate::measure::span::Span;
use crate::measure::{Measure, same_space};
use crate::number::range::{matrix_fits, safe};
use crate::number::scalar::Scalar;
use crate::number::spectral::{Eigen, singular, symmetrised, trace};

/// A Gaussian law: a mean and a covariance, which may be flat (of any rank).
///
/// ```
/// use swgg::{Measure, gaussian::Gaussian};
/// let cloud = Measure::from_slice(&[0.0, 1.0, 4.0, 1.0], 2)?;
/// let fitted = Gaussian::fit(&cloud)?;
/// assert_eq!(fitted.mean(), [2.0, 1.0]);
/// assert_eq!(fitted.covariance()[(0, 0)], 4.0);
/// # Ok::<(), swgg::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Gaussian {
    mean: Vec<f64>,
    covariance: Array2<f64>,
}

impl Gaussian {
    /// From a mean and a covariance, which must be symmetric and positive semi-definite to nine digits.
    pub fn new(mean: Vec<f64>, covariance: Array2<f64>) -> Result<Self> {
        let (rows, columns) = covariance.dim();
        if mean.is_empty() {
            return Err(ErrorKind::NoColumns.into());
        }
        if (rows, columns) != (mean.len(), mean.len()) {
            return Err(ErrorKind::CovarianceShape { rows, columns, dim: mean.len() }.into());
        }
        if let Some(column) = mean.iter().position(|m| !m.is_finite()) {
            return Err(ErrorKind::NotFinite { row: 0, column, value: mean[column] }.into());
        }
        if let Some(value) = covariance.iter().find(|c| !c.is_finite()) {
            return Err(ErrorKind::NotACovariance { what: "finite", by: *value }.into());
        }
        let largest = covariance.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
        let crooked = (&covariance - &covariance.t()).iter().fold(0.0_f64, |m, c| m.max(c.abs()));
        if crooked > COVARIANCE_TOLERANCE * largest {
            return Err(ErrorKind::NotACovariance { what: "symmetric", by: crooked }.into());
        }
        let covariance = symmetrised(&covariance);
        let least = Eigen::of(&covariance)?.values[0];
        if least < -COVARIANCE_TOLERANCE * largest {
            return Err(ErrorKind::NotACovariance { what: "positive semi-definite", by: -least }.into());
        }
        Ok(Gaussian { mean, covariance })
    }

    /// The Gaussian with the mean and the covariance of a cloud, `sum a_i (x_i - m)(x_i - m)^T`. `O(d^2 n)`.
    ///
    /// The covariance is that of the measure itself: divided by the whole mass, not by `n - 1`. It is refused beyond
    /// 512 MB; the [method](crate::solver::GaussianFit) needs none where points are fewer than coordinates.
    pub fn fit<T: Scalar>(measure: &Measure<T>) -> Result<Self> {
        let d = measure.dim();
        matrix_fits("covariance", d, d)?;
        let mut lower = Mat::<f64>::zeros(d, d);
        add_covariance(measure, &mut lower);
        let mut reach = vec![0.0_f64; d];
        for i in 0..measure.len() {
            reach.iter_mut().zip(measure.point(i)).for_each(|(r, x)| *r = r.max(x.to_f64().abs()));
        }
        // A coordinate that never changes has a mean that is off by a digit, and a variance of that square: nothing.
        let still = |i: usize| lower[(i, i)].sqrt() <= 8.0 * f64::EPSILON * reach[i];
        let covariance = Array2::from_shape_fn((d, d), |(i, j)| {
            if still(i) || still(j) { 0.0 } else { lower[(i.max(j), i.min(j))] }
        });
        if let Some(value) = covariance.iter().find(|c| !c.is_finite()) {
            return Err(ErrorKind::NotACovariance { what: "finite", by: *value }.into());
        }
        Ok(Gaussian { mean: measure.mean(), covariance })
    }

    /// Dimension of the space.
    pub fn dim(&self) -> usize {
        self.mean.len()
    }

    /// The mean.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The covariance.
    pub fn covariance(&self) -> &Array2<f64> {
        &self.covariance
    }
}

/// How far from symmetric and semi-definite a given covariance may be, against its largest entry.
const COVARIANCE_TOLERANCE: f64 = 1e-9;

/// Squared Bures distance between two covariances of one size.
///
/// ```text
/// tr S_1 + tr S_2 - 2 tr (S_1^(1/2) S_2 S_1^(1/2))^(1/2)
/// ```
///
/// Zero when they are equal, to rounding. Covariances of any rank. `O(d^3)`.
pub fn bures_sq(first: &Array2<f64>, second: &Array2<f64>) -> Result<f64> {
    let roots = Cross::of(first, second)?;
    let cross: f64 = roots.cross.values.iter().sum();
    Ok((trace(first) + trace(second) - 2.0 * cross).max(0.0))
}

/// A squared Bures distance that rounding has not made too large, for bounds: it may be too small by about the root of the
/// machine precision. `terms`: how many products the sums behind a covariance are made of; `rank`: what that of either is at most.
fn bures_sq_from_below(first: &Array2<f64>, second: &Array2<f64>, terms: f64, rank: usize) -> Result<f64> {
    let values = Cross::of(first, second)?.cross.values;
    // The square of a value is off by this much at most, against the size of both covariances. The root of one near zero
    // magnifies that, so it is taken of the highest value that is possible: too low a bound is still a bound.
    let size = trace(first).max(0.0).sqrt() * trace(second).max(0.0).sqrt();
    let slack = (8.0 * terms * f64::EPSILON).sqrt() * size;
    // Beyond the rank all are zero, whatever rounding says.
    let cross: f64 = values.iter().rev().take(rank).map(|v| v.hypot(slack)).sum();
    Ok((trace(first) + trace(second) - 2.0 * cross).max(0.0))
}

/// The part of Gelbrich's bound that the covariances of two clouds owe: the squared Bures distance between them, from below.
pub(crate) fn gelbrich<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> Result<f64> {
    match Span::of(source, target) {
        Some(span) => spanned(&span).map(|spanned| spanned.below),
        None => between(&Gaussian::fit(source)?, &Gaussian::fit(target)?),
    }
}

fn between(source: &Gaussian, target: &Gaussian) -> Result<f64> {
    bures_sq_from_below(&source.covariance, &target.covariance, source.dim() as f64, source.dim())
}

/// Gaussians of two clouds around their means, in the coordinates of their span.
struct Spanned {
    source: Gaussian,
    target: Gaussian,
    /// The squared Bures distance between them, from below.
    below: f64,
}

fn spanned(span: &Span) -> Result<Spanned> {
    let [source, target] = &span.centred;
    let rank = source.len().min(target.len());
    let (source, target) = (Gaussian::fit(source)?, Gaussian::fit(target)?);
    // Reflections add up as many products as there are coordinates; what they round grows as the root of that.
    let terms = span.dim() as f64 + (span.means[0].len() as f64).sqrt();
    let below = bures_sq_from_below(&source.covariance, &target.covariance, terms, rank)?;
    Ok(Spanned { source, target, below })
}

/// `W_2^2` between two Gaussians: the squared distance of the means plus [`bures_sq`] of the covariances.
///
/// Gelbrich: for any two measures with these means and covariances `W_2^2` is at least that.
pub fn gaussian_cost(source: &Gaussian, target: &Gaussian) -> Result<f64> {
    same_dim(source, target)?;
    Ok(sq_shift(source, target) + bures_sq(&source.covariance, &target.covariance)?)
}

pub(crate) fn sq_shift(source: &Gaussian, target: &Gaussian) -> f64 {
    crate::cost::sq_distance(&source.mean, &target.mean)
}

pub(crate) fn same_dim(source: &Gaussian, target: &Gaussian) -> Result<()> {
    let (source_dim, target_dim) = (source.dim(), target.dim());
    if source_dim == target_dim {
        return Ok(());
    }
    Err(ErrorKind::DimensionMismatch { source_dim, target_dim }.into())
}

/// The decompositions that the closed forms of two covariances share.
struct Cross {
    first: Eigen,
    /// The eigenvalues and eigenvectors of `(S_1^(1/2) S_2 S_1^(1/2))^(1/2)`.
    cross: Eigen,
}

impl Cross {
    fn of(first: &Array2<f64>, second: &Array2<f64>) -> Result<Self> {
        let dim = first.nrows();
        for (rows, columns) in [first.dim(), second.dim()] {
            if (rows, columns) != (dim, dim) {
                return Err(ErrorKind::CovarianceShape { rows, columns, dim }.into());
            }
        }
        let first = Eigen::of(first)?;
        let cross = singular(&Eigen::of(second)?.root().dot(&first.root()))?;
        Ok(Cross { first, cross })
    }
}

/// The matrix `A` of the optimal linear map between two covariances.
pub(crate) fn monge(first: &Array2<f64>, second: &Array2<f64>) -> Result<Array2<f64>> {
    let Cross { first, cross } = Cross::of(first, second)?;
    let back = first.inverse_root();
    Ok(symmetrised(&back.dot(&cross.map(|s| s)).dot(&back)))
}

/// An affine map `x -> m_2 + A (x - m_1)` from one Gaussian to another.
///
/// The optimal one, [`between`](GaussianMap::between), is the gradient of a convex function:
///
/// ```text
/// A = S_1^(-1/2) (S_1^(1/2) S_2 S_1^(1/2))^(1/2) S_1^(-1/2)
/// ```
///
/// For the way back, swap the arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct GaussianMap {
    from: Vec<f64>,
    to: Vec<f64>,
    linear: Array2<f64>,
}

impl GaussianMap {
    /// The optimal map.
    ///
    /// Where the source is flat (variances below 1e-12 of the largest) the inverse is a pseudo-inverse: those directions are
    /// mapped to nothing, and with `P` the projector on the others the image has covariance `P S_2 P`. It is all of `S_2` when
    /// the source is not flat, or when the target is flat where the source is.
    pub fn between(source: &Gaussian, target: &Gaussian) -> Result<Self> {
        same_dim(source, target)?;
        Ok(Self::new(source, target, monge(&source.covariance, &target.covariance)?))
    }

    pub(crate) fn new(source: &Gaussian, target: &Gaussian, linear: Array2<f64>) -> Self {
        GaussianMap { from: source.mean.clone(), to: target.mean.clone(), linear }
    }

    /// The matrix `A`.
    pub fn linear(&self) -> &Array2<f64> {
        &self.linear
    }

    /// The prices of the targets that are right where both laws are Gaussian: the quadratic Brenier potential of this map, which leads from the
    /// target `y` back to the source,
    ///
    /// ```text
    /// v(y) = |y'|^2 - <y', A y'> - 2 <y', s>,    y' = y - mean, s the difference of the means
    /// ```
    ///
    /// for squared distances. `None` where they are not finite.
    pub(crate) fn prices<T: Scalar>(&self, targets: &Measure<T>) -> Option<Vec<f64>> {
        let price = |y: &[T]| -> f64 {
            let centred: Vec<f64> = y.iter().zip(&self.from).map(|(y, m)| y.to_f64() - m).collect();
            let along = |row: usize| -> f64 {
                let moved = self.linear.row(row).iter().zip(&centred).map(|(a, y)| a * y).sum::<f64>();
                moved + 2.0 * (self.to[row] - self.from[row])
            };
            centred.iter().enumerate().map(|(row, y)| y * (y - along(row))).sum()
        };
        let prices: Vec<f64> = (0..targets.len()).map(|j| price(targets.point(j))).collect();
        prices.iter().all(|price| price.is_finite()).then_some(prices)
    }

    /// The image of one point.
    pub fn apply<T: Scalar>(&self, point: &[T]) -> Result<Vec<f64>> {
        let (found, expected) = (point.len(), self.from.len());
        if found != expected {
            return Err(ErrorKind::DimensionMismatch { source_dim: expected, target_dim: found }.into());
        }
        Ok(self.image(point))
    }

    fn image<T: Scalar>(&self, point: &[T]) -> Vec<f64> {
        let centred: Vec<f64> = point.iter().zip(&self.from).map(|(x, m)| x.to_f64() - m).collect();
        let moved =
            self.linear.rows().into_iter().map(|row| row.iter().zip(&centred).map(|(a, c)| a * c).sum());
        moved.zip(&self.to).map(|(sum, m): (f64, &f64)| m + sum).collect()
    }

    /// The cloud with every point mapped and the weights it had. `O(d^2 n)`.
    pub fn push_forward<T: Scalar>(&self, measure: &Measure<T>) -> Result<Measure<'static, f64>> {
        let (source_dim, target_dim) = (self.from.len(), measure.dim());
        if source_dim != target_dim {
            return Err(ErrorKind::DimensionMismatch { source_dim, target_dim }.into());
        }
        let points: Vec<f64> = (0..measure.len()).flat_map(|i| self.image(measure.point(i))).collect();
        // A steep map may lead out of range: building checks.
        let image = Measure::from_vec(points, source_dim)?;
        match measure.weights() {
            Some(weights) => image.with_weights(weights),
            None => Ok(image),
        }
    }
}

/// Transport between the Gaussians that two clouds look like.
///
/// It has **no plan between the points**: the map takes the source to a cloud with the mean and the covariance of the target, and
/// not to the target's points. Its pivot, in the sense of generalized geodesics, is either of the two Gaussians.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GaussianTransport {
    /// `W_2^2` between the two Gaussians, to rounding.
    pub cost: f64,
    /// The same a little lower where rounding asks for it: never above `W_2^2` of the clouds (Gelbrich's bound).
    pub lower_bound: f64,
    /// The source as a Gaussian.
    pub source: Gaussian,
    /// The target as a Gaussian.
    pub target: Gaussian,
    /// The optimal map between them.
    pub map: GaussianMap,
}

/// Fits a Gaussian to each cloud and transports one to the other. `O(d^2 (n + m) + d^3)`.
///
/// ```
/// use swgg::{Measure, gaussian::gaussian_transport};
/// let mu = Measure::from_slice(&[-1.0, 1.0], 1)?;
/// let nu = Measure::from_slice(&[4.0, 8.0], 1)?;
/// let found = gaussian_transport(&mu, &nu)?;
/// assert!((found.cost - 37.0).abs() < 1e-12);
/// assert!((found.map.apply(&[1.0])?[0] - 8.0).abs() < 1e-12);
/// # Ok::<(), swgg::Error>(())
/// ```
pub fn gaussian_transport<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> Result<GaussianTransport> {
    same_space(source, target)?;
    let (source, target) = (Gaussian::fit(source)?, Gaussian::fit(target)?);
    let shift = sq_shift(&source, &target);
    let below = shift + between(&source, &target)?;
    Ok(GaussianTransport {
        cost: gaussian_cost(&source, &target)?,
        lower_bound: safe(below),
        map: GaussianMap::between(&source, &target)?,
        source,
        target,
    })
}

impl GaussianTransport {
    /// The source moved by the map: the mean and (see [`GaussianMap::between`]) the covariance of the target, not its points.
    pub fn image<T: Scalar>(&self, source: &Measure<T>) -> Result<Measure<'static, f64>> {
        self.map.push_forward(source)
    }
}

/// What is left of a [`GaussianTransport`] without its matrices: in a space of more coordinates than points they are large, and none is made.
pub(crate) struct GaussianImage {
    /// `W_2^2` between the two Gaussians, to rounding.
    pub cost: f64,
    /// Never above `W_2^2` of the clouds.
    pub lower_bound: f64,
    /// The source moved by the map, point by point.
    pub image: Array2<f64>,
}

impl GaussianImage {
    /// Fits a Gaussian to each cloud and moves the source from one to the other.
    pub fn of<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> Result<Self> {
        same_space(source, target)?;
        let (n, d) = (source.len(), source.dim());
        let (cost, lower_bound, points) = match Span::of(source, target) {
            None => {
                let found = gaussian_transport(source, target)?;
                (found.cost, found.lower_bound, found.image(source)?.points().to_vec())
            }
            Some(span) => {
                let Spanned { source, target, below } = spanned(&span)?;
                let shift: f64 = span.shift.iter().map(|s| s * s).sum();
                let cost = shift + bures_sq(&source.covariance, &target.covariance)?;
                let moved = GaussianMap::between(&source, &target)?.push_forward(&span.centred[0])?;
                let mut points = span.lift(moved.points());
                points.iter_mut().zip(span.means[1].iter().cycle()).for_each(|(x, mean)| *x += mean);
                (cost, safe(shift + below), points)
            }
        };
        let image =
            Array2::from_shape_vec((n, d), points).map_err(|_| ErrorKind::RaggedBuffer { len: n, dim: d })?;
        Ok(GaussianImage { cost, lower_bound, image })
    }
}

/// The prices of the targets that would be right if both clouds were Gaussian, for squared distances; `None` where they cannot be computed.
pub(crate) fn prices_between<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> Option<Vec<f64>> {
    let (first, second) = (Gaussian::fit(source).ok()?, Gaussian::fit(target).ok()?);
    GaussianMap::between(&second, &first).ok()?.prices(target)
}
