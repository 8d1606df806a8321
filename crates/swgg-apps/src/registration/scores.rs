//! How good a registration is: the scores of the paper's tables, and whether a pose that is known was found.

use swgg::nearest::PointTree;
use swgg::solver::{Epsilon, Sinkhorn};
use swgg::{Measure, Parallelism, Question, Run, Scalar};

use super::cloud::Cloud;
use super::error::Result;
use super::motion::Motion;

/// Seed of the samples that [`sinkhorn_divergence`] takes.
const SAMPLE_SEED: u64 = 0;
/// The blur of [`sinkhorn_divergence`], as a share of the size of the target.
const BLUR_SHARE: f64 = 0.05;
/// Degrees within which a rotation is found.
const MAX_DEGREES: f64 = 2.0;
/// Share of the diameter within which a translation is found.
const MAX_SHIFT_SHARE: f64 = 0.02;

/// Squared distances to the nearest point of the other cloud, from both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Chamfer {
    /// Of all source points and all target points: the formula of the paper's supplement.
    pub sum: f64,
    /// The mean over the source and the mean over the target, added: it does not grow with the number of points, and the table of
    /// the supplement can only be this (0.13 for 3000 points is less than their noise alone adds up to).
    pub mean: f64,
}

/// The square Chamfer distance of two clouds.
///
/// ```text
/// sum_x min_y |x - y|^2 + sum_y min_x |x - y|^2
/// ```
///
/// Weights do not matter. `O((n + m) log(n + m))` time or so in low dimension.
///
/// ```
/// use swgg::{Measure, Parallelism};
/// use swgg_apps::registration::square_chamfer;
/// let source = Measure::from_slice(&[0.0, 0.0, 3.0, 0.0], 2)?;
/// let target = Measure::from_slice(&[0.0, 1.0], 2)?;
/// let found = square_chamfer(&source, &target, Parallelism::Serial)?;
/// // 1 and 10 to the target, 1 back.
/// assert_eq!((found.sum, found.mean), (12.0, 6.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Clouds of different dimension.
pub fn square_chamfer<T: Scalar>(
    source: &Measure<T>,
    target: &Measure<T>,
    parallelism: Parallelism,
) -> Result<Chamfer> {
    let one_way = |points: &Measure<T>, queries: &Measure<T>| -> Result<f64> {
        let found = PointTree::new(points, parallelism)?.nearest(queries, 1, parallelism)?;
        Ok(found.squares.iter().sum())
    };
    let (there, back) = (one_way(target, source)?, one_way(source, target)?);
    Ok(Chamfer { sum: there + back, mean: there / source.len() as f64 + back / target.len() as f64 })
}

/// The square Frobenius distance of two motions `x -> A x + t`, with `A` the rotation times the scale.
///
/// ```text
/// |A - A'|_F^2 + |t - t'|^2
/// ```
///
/// Both have to be motions of the same space and in the same direction: the way back has another translation. Infinite for motions
/// of different dimension.
///
/// ```
/// use swgg_apps::registration::{Motion, square_frobenius};
/// let here = Motion::identity(2);
/// let mut there = Motion::identity(2);
/// there.translation[0] = 3.0;
/// assert_eq!(square_frobenius(&here, &there), 9.0);
/// ```
pub fn square_frobenius(one: &Motion, other: &Motion) -> f64 {
    if one.dim() != other.dim() {
        return f64::INFINITY;
    }
    let apart = one.matrix() - other.matrix();
    apart.iter().map(|x| x * x).sum()
}

/// The Sinkhorn divergence of a cloud that was moved and its target: squared distances, without what the smoothing itself costs.
///
/// ```text
/// OT(mu, nu) - OT(mu, mu) / 2 - OT(nu, nu) / 2
/// ```
///
/// See [`Sinkhorn::divergence`]. The blur is 0.05 times the size of the target (the root of its mean squared distance to its mean),
/// so the value has the units of squared coordinates and turns with them. Of a cloud of more than `most` points so many are drawn,
/// always the same, heavy ones more often; `O(most^2 d)` time per iteration.
///
/// ```
/// use swgg::{Measure, Parallelism};
/// use swgg_apps::registration::sinkhorn_divergence;
/// let source = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0], 2)?;
/// let target = Measure::from_slice(&[3.0, 4.0, 4.0, 4.0, 3.0, 5.0], 2)?;
/// let found = sinkhorn_divergence(&source, &target, 2000, Parallelism::Auto)?;
/// assert!((found - 25.0).abs() < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Clouds of different dimension, of fewer than `d + 1` points or all in one place.
pub fn sinkhorn_divergence<T: Scalar>(
    moved: &Measure<T>,
    target: &Measure<T>,
    most: usize,
    parallelism: Parallelism,
) -> Result<f64> {
    let (source, target) = (Cloud::new("source", moved)?, Cloud::new("target", target)?);
    let epsilon = Epsilon::from_blur(BLUR_SHARE * target.size());
    // A thousandth of the mass in the wrong place is nothing a table shows.
    let settings = Sinkhorn { epsilon, tolerance: 1e-3, ..Default::default() };
    let measure = |cloud: &Cloud| -> Result<Measure<f64>> {
        if cloud.len() > most {
            return Ok(Measure::from_array(cloud.sample(most, SAMPLE_SEED))?);
        }
        let measure = Measure::from_array(cloud.points.clone())?;
        Ok(match &cloud.weights {
            Some(weights) => measure.with_weights(weights)?,
            None => measure,
        })
    };
    let (source, target) = (measure(&source)?, measure(&target)?);
    let mut run = Run { parallelism, ..Run::default() };
    Ok(settings.divergence(&Question::new(&source, &target)?, &mut run)?.value)
}

/// How far a pose is from the one that is right.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PoseError {
    /// Angle between the rotations, as [`Motion::degrees_to`] has it.
    pub degrees: f64,
    /// `|t - t'|`, in the units of coordinates.
    pub shift: f64,
}

impl PoseError {
    /// Of a motion, against the one that is right.
    pub fn between(found: &Motion, truth: &Motion) -> Self {
        let apart = &found.translation - &truth.translation;
        PoseError { degrees: found.degrees_to(truth), shift: apart.dot(&apart).sqrt() }
    }

    /// Whether the pose is recovered: the rotation within 2 degrees and the translation within 2 % of the diameter of the cloud.
    ///
    /// ```
    /// use swgg_apps::registration::{Motion, PoseError};
    /// let truth = Motion::identity(3);
    /// let mut found = Motion::identity(3);
    /// found.translation[2] = 0.3;
    /// let error = PoseError::between(&found, &truth);
    /// assert!(error.is_recovered(20.0) && !error.is_recovered(10.0));
    /// ```
    pub fn is_recovered(&self, diameter: f64) -> bool {
        self.degrees <= MAX_DEGREES && self.shift <= MAX_SHIFT_SHARE * diameter
    }
}

/// The diameter of a cloud, seldom more than it is: from the point farthest from the mean to the one farthest from that.
///
/// Never above the diameter and never below half of it. `O(n d)` time.
///
/// ```
/// use swgg::Measure;
/// use swgg_apps::registration::diameter;
/// let cloud = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0, 4.0, 3.0], 2)?;
/// assert_eq!(diameter(&cloud), 5.0);
/// # Ok::<(), swgg::Error>(())
/// ```
pub fn diameter<T: Scalar>(cloud: &Measure<T>) -> f64 {
    let n = cloud.len();
    let point = |i: usize| cloud.point(i).iter().map(|x| x.to_f64()).collect::<Vec<f64>>();
    let mut mean = vec![0.0; cloud.dim()];
    (0..n).for_each(|i| mean.iter_mut().zip(point(i)).for_each(|(sum, x)| *sum += x / n as f64));
    let farthest = |from: &[f64]| {
        let square = |i: usize| point(i).iter().zip(from).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
        (0..n).map(|i| (square(i), i)).fold((0.0, 0), |most, next| if next.0 > most.0 { next } else { most })
    };
    let (_, end) = farthest(&mean);
    farthest(&point(end)).0.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use swgg::ndarray::array;

    type Tested = std::result::Result<(), Box<dyn std::error::Error>>;

    fn turn(degrees: f64) -> Motion {
        let (s, c) = degrees.to_radians().sin_cos();
        Motion { rotation: array![[c, -s], [s, c]], translation: array![0.0, 0.0], scale: 1.0 }
    }

    #[test]
    fn chamfer_is_that_of_a_look_at_all_pairs() -> Tested {
        let x = [[0.0, 0.0], [2.0, 0.0], [5.0, 5.0], [1.0, 7.0]];
        let y = [[0.5, 0.0], [5.0, 4.0], [9.0, 9.0]];
        // From x: 0.25, 2.25, 1, 25; from y: 0.25, 1, 32.
        let source = Measure::from_slice(x.as_flattened(), 2)?;
        let target = Measure::from_slice(y.as_flattened(), 2)?;
        let found = square_chamfer(&source, &target, Parallelism::Auto)?;
        assert_eq!(found.sum, 28.5 + 33.25);
        assert!((found.mean - (28.5 / 4.0 + 33.25 / 3.0)).abs() < 1e-12);
        let other = square_chamfer(&target, &source, Parallelism::Serial)?;
        assert_eq!((found.sum, found.mean), (other.sum, other.mean));
        Ok(())
    }

    #[test]
    fn frobenius_of_a_quarter_and_of_a_scale() {
        // |R - I|_F^2 = 2 tr(I - R) = 4 for a quarter; the scale of two adds one for each axis.
        let mut quarter = turn(90.0);
        assert!((square_frobenius(&quarter, &turn(0.0)) - 4.0).abs() < 1e-12);
        quarter.translation = array![1.0, -2.0];
        assert!((square_frobenius(&quarter, &turn(0.0)) - 9.0).abs() < 1e-12);
        let doubled = Motion { scale: 2.0, ..turn(0.0) };
        assert!((square_frobenius(&doubled, &turn(0.0)) - 2.0).abs() < 1e-12);
        assert_eq!(square_frobenius(&doubled, &Motion::identity(3)), f64::INFINITY);
    }

    #[test]
    fn a_pose_is_recovered_within_two_degrees_and_two_percent() {
        let error = |degrees: f64, shift: f64| {
            let mut found = turn(degrees);
            found.translation[1] = shift;
            PoseError::between(&found, &turn(0.0))
        };
        assert!((error(1.5, 0.0).degrees - 1.5).abs() < 1e-9);
        assert!(error(1.9, 0.19).is_recovered(10.0));
        assert!(!error(2.1, 0.0).is_recovered(10.0));
        assert!(!error(0.0, 0.21).is_recovered(10.0));
        // A mirror image is not.
        let mirror = Motion { rotation: array![[1.0, 0.0], [0.0, -1.0]], ..turn(0.0) };
        assert!(!PoseError::between(&mirror, &turn(0.0)).is_recovered(10.0));
    }

    #[test]
    fn divergence_of_a_shift_is_its_square_and_samples_do_not_change_much() -> Tested {
        let points: Vec<f64> = (0..600).map(|i| ((i * 7919) % 1009) as f64 / 100.0).collect();
        let moved: Vec<f64> = points.iter().map(|x| x + 10.0).collect();
        let (source, target) = (Measure::from_slice(&points, 3)?, Measure::from_slice(&moved, 3)?);
        let of = |most| sinkhorn_divergence(&source, &target, most, Parallelism::Auto);
        assert!((of(200)? - 300.0).abs() < 0.1, "{}", of(200)?);
        // The same points are drawn of both, so the shift is all that is left.
        assert!((of(100)? - 300.0).abs() < 0.1, "{}", of(100)?);
        assert!(sinkhorn_divergence(&source, &source, 200, Parallelism::Serial)? < 1e-3);
        Ok(())
    }

    #[test]
    fn dimensions_have_to_agree() -> Tested {
        let flat = Measure::from_slice(&[0.0, 1.0, 2.0, 5.0, 3.0, 3.0, 1.0, 1.5], 2)?;
        let solid = Measure::from_slice(&[0.0, 1.0, 2.0, 5.0, 3.0, 3.0, 1.0, 1.5, 7.0, 1.0, 2.0, 2.0], 3)?;
        assert!(square_chamfer(&flat, &solid, Parallelism::Serial).is_err());
        assert!(sinkhorn_divergence(&flat, &solid, 10, Parallelism::Serial).is_err());
        Ok(())
    }
}
