//! Ground costs between points.

mod ground;
mod labelled;
mod linear;
mod norm;
mod table;

pub use ground::{Embedded, Form, GroundCost};
pub use labelled::{Labelled, labelled};
pub use linear::{Cosine, Mahalanobis, Scaled};
pub use norm::Norm;
pub use table::squared_distances;

use crate::error::{ErrorKind, Result};
use crate::number::scalar::Scalar;

/// What it costs to move a unit of mass from `x` to `y`.
pub trait Cost: Sync {
    /// Cost between two points of the same dimension, stored in either precision.
    fn between<T: Scalar, U: Scalar>(&self, x: &[T], y: &[U]) -> f64;
}

/// `|x - y|^2`, the cost of the paper.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SqEuclidean;

/// `|x - y|^p` with the Euclidean norm and any `p >= 1`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Power {
    p: f64,
}

impl Power {
    /// The square, `p = 2`.
    pub const SQUARED: Power = Power { p: 2.0 };
    /// The distance itself, `p = 1`.
    pub const PLAIN: Power = Power { p: 1.0 };

    /// Refuses exponents below one, which do not give convex costs.
    pub fn new(p: f64) -> Result<Self> {
        if p.is_finite() && p >= 1.0 {
            return Ok(Power { p });
        }
        Err(ErrorKind::BadExponent { p }.into())
    }

    /// The exponent `p`.
    pub fn exponent(self) -> f64 {
        self.p
    }

    #[inline(always)]
    pub(crate) fn of_distance(self, distance: f64) -> f64 {
        match self.p {
            1.0 => distance,
            2.0 => distance * distance,
            p => distance.powf(p),
        }
    }
}

impl Power {
    /// The same of a squared distance.
    #[inline(always)]
    pub(crate) fn of_square(self, square: f64) -> f64 {
        if self.p == 2.0 { square } else { self.of_distance(square.sqrt()) }
    }
}

impl Cost for SqEuclidean {
    #[inline(always)]
    fn between<T: Scalar, U: Scalar>(&self, x: &[T], y: &[U]) -> f64 {
        sq_distance(x, y)
    }
}

impl Cost for Power {
    #[inline(always)]
    fn between<T: Scalar, U: Scalar>(&self, x: &[T], y: &[U]) -> f64 {
        self.of_square(sq_distance(x, y))
    }
}

/// Rows with every column scaled; as they are without scales.
fn scaled(rows: &[f64], scales: &[f64]) -> Vec<f64> {
    match scales {
        [] => rows.to_vec(),
        _ => rows
            .chunks_exact(scales.len())
            .flat_map(|row| row.iter().zip(scales).map(|(x, s)| x * s))
            .collect(),
    }
}

/// Refuses scales that are negative or not finite.
fn check_scales(scales: &[f64]) -> Result<()> {
    match scales.iter().position(|s| !(s.is_finite() && *s >= 0.0)) {
        Some(column) => Err(ErrorKind::BadScale { column, scale: scales[column] }.into()),
        None => Ok(()),
    }
}

/// Refuses scales for another number of columns; none are right for any.
fn check_scale_count(scales: &[f64], dim: usize) -> Result<()> {
    if scales.is_empty() || scales.len() == dim {
        return Ok(());
    }
    Err(ErrorKind::ScaleCount { found: scales.len(), expected: dim }.into())
}

/// Partial sums that fill vector registers.
const LANES: usize = 8;

/// The sum of a few numbers, by four partial sums: one after the other they would wait for each other.
#[inline(always)]
pub(crate) fn total(numbers: &[f64]) -> f64 {
    let (blocks, rest) = numbers.as_chunks::<4>();
    let mut lanes = [0.0; 4];
    for block in blocks {
        (0..4).for_each(|lane| lanes[lane] += block[lane]);
    }
    rest.iter().fold((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]), |sum, x| sum + x)
}

/// The sum of a term over the coordinates of a few points, by eight partial sums.
#[inline(always)]
pub(crate) fn sum_of<T: Scalar, const K: usize>(points: [&[T]; K], term: impl Fn([f64; K]) -> f64) -> f64 {
    let points = points.map(|point| point.as_chunks::<LANES>());
    let mut lanes = [0.0; LANES];
    for block in 0..points[0].0.len() {
        let blocks = points.map(|(blocks, _)| &blocks[block]);
        for lane in 0..LANES {
            lanes[lane] += term(blocks.map(|block| block[lane].to_f64()));
        }
    }
    let rest = (0..points[0].1.len()).map(|i| term(points.map(|(_, rest)| rest[i].to_f64())));
    lanes.iter().fold(rest.sum(), |sum, lane| sum + lane)
}

/// `|x - y|^2`, over eight partial sums once there are enough coordinates to fill vector registers.
#[inline(always)]
pub(crate) fn sq_distance<T: Scalar, U: Scalar>(x: &[T], y: &[U]) -> f64 {
    let (x_blocks, x_rest) = x.as_chunks::<LANES>();
    let (y_blocks, y_rest) = y.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for (x, y) in x_blocks.iter().zip(y_blocks) {
        for lane in 0..LANES {
            let gap = x[lane].to_f64() - y[lane].to_f64();
            lanes[lane] += gap * gap;
        }
    }
    let mut sum = 0.0;
    for (x, y) in x_rest.iter().zip(y_rest) {
        let gap = x.to_f64() - y.to_f64();
        sum += gap * gap;
    }
    lanes.iter().fold(sum, |sum, lane| sum + lane)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_distances() {
        let (x, y) = ([1.0, 2.0, 3.0], [1.0, 5.0, 7.0]);
        assert_eq!(SqEuclidean.between(&x, &y), 25.0);
        assert_eq!(Power::new(1.0).unwrap().between(&x, &y), 5.0);
        assert_eq!(Power::new(2.0).unwrap().between(&x, &y), 25.0);
        assert!((Power::new(3.0).unwrap().between(&x, &y) - 125.0).abs() < 1e-12);
        let long = vec![1.0_f32; 19];
        assert_eq!(SqEuclidean.between(&long, &[3.0; 19]), 76.0);
    }
}
