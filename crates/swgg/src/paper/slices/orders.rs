//! One cloud along many lines: the orders of its points, for whoever has several clouds and the same lines for all of them.

use super::project::project_together;
use super::sweep::MIN_LONG_DIM;
use crate::error::Result;
use crate::line::Sorter;
use crate::line::direction::{DirectionSet, Projected};
use crate::measure::Measure;
use crate::number::scalar::Scalar;
use crate::run::workers::Workers;

/// Directions that a thread projects at a time: they stay in its cache, and so do their projections of some thousand points.
const DIRECTIONS_AT_ONCE: usize = 32;

/// The points of a cloud in the order of their projections, along each direction in turn; equal projections by index.
///
/// As [`Direction::sort`](crate::line::Direction::sort) has them, to the bit. With the orders of two clouds at hand, the plan of a line is known without
/// looking at a coordinate: rank by rank for uniform clouds of one size.
///
/// ```
/// use swgg::line::{Sampler, Sphere};
/// use swgg::run::{Parallelism, Workers};
/// use swgg::{Measure, paper::orders};
/// let cloud = Measure::from_slice(&[0.0, 1.0, 3.0, 0.0, -2.0, 5.0], 2)?;
/// let lines = Sphere::new(2, 7)?.batch(0..3);
/// let found = orders(&cloud, &lines, &Workers::new(Parallelism::Serial)?)?;
/// assert_eq!(found[1], lines.get(1).sort(&cloud)?.as_slice());
/// # Ok::<(), swgg::Error>(())
/// ```
///
/// # Errors
///
/// Directions of another dimension.
pub fn orders<T: Scalar>(
    cloud: &Measure<T>,
    directions: &DirectionSet,
    workers: &Workers,
) -> Result<Vec<Vec<u32>>> {
    if directions.is_empty() {
        return Ok(Vec::new());
    }
    directions.get(0).check(cloud.dim())?;
    let (n, count) = (cloud.len(), directions.len());
    let parts = workers.map(count.div_ceil(DIRECTIONS_AT_ONCE), |part| {
        let first = part * DIRECTIONS_AT_ONCE;
        let rows: Vec<&[f64]> =
            (first..count.min(first + DIRECTIONS_AT_ONCE)).map(|k| directions.row(k)).collect();
        let (mut sorter, mut found) = (Sorter::default(), vec![Vec::new(); rows.len()]);
        if cloud.dim() >= MIN_LONG_DIM {
            let mut projections = Vec::new();
            project_together(cloud, &rows, &mut projections);
            for (order, values) in found.iter_mut().zip(projections.chunks_exact(n)) {
                sorter.sort(values, order);
            }
        } else {
            for (order, theta) in found.iter_mut().zip(rows) {
                sorter.sort(&Projected { points: cloud.points(), theta }, order);
            }
        }
        found
    });
    Ok(parts.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::direction::Direction;
    use crate::line::sampler::{Sampler, Sphere};
    use crate::run::workers::Parallelism;

    #[test]
    fn orders_are_those_of_single_directions() {
        for (n, d, count) in [(1, 3, 2), (50, 2, 70), (40, 13, 33), (30, 300, 5)] {
            let points: Vec<f64> = (0..n * d).map(|k| ((k * k) as f64 * 0.37).sin()).collect();
            let cloud = Measure::from_vec(points, d).unwrap();
            let lines = Sphere::new(d, 4).unwrap().batch(0..count);
            for threads in [1, 3] {
                let workers = Workers::new(Parallelism::from_count(threads)).unwrap();
                let found = orders(&cloud, &lines, &workers).unwrap();
                assert_eq!(found.len(), count);
                for (k, order) in found.iter().enumerate() {
                    assert_eq!(order, lines.get(k).sort(&cloud).unwrap().as_slice(), "{n} {d} {k}");
                }
            }
        }
        let cloud = Measure::from_vec(vec![0.0, 1.0], 2).unwrap();
        let workers = Workers::new(Parallelism::Serial).unwrap();
        let mut other = DirectionSet::with_capacity(3, 1);
        other.push(&Direction::axis(3, 0).unwrap());
        assert!(orders(&cloud, &other, &workers).is_err());
    }
}
