//! Clouds far from the origin: the question is asked near it, where coordinates have all their digits.
//!
//! Costs are about differences, and means, projections and squares of coordinates are not: at 1e9 from the origin a mean is rounded to
//! 1e-7, which a bound may then be too high by. Where all coordinates along an axis are far away and near each other, differences to
//! one of them are exact (Sterbenz), so that nothing is lost by moving the clouds, and every difference stays what it is.

use crate::answer::Transport;
use crate::error::Result;
use crate::measure::Measure;
use crate::number::scalar::Scalar;
use crate::question::{Ground, Question};

/// Coordinates this many times as far from zero as from each other are moved.
const FAR: f64 = 1024.0;

/// Points that usually show that no axis is far away.
const FIRST_POINTS: usize = 16;

/// Both measures near the origin, and where they were.
pub(super) struct Nearer<T: Scalar> {
    measures: [Measure<'static, T>; 2],
    offsets: Vec<f64>,
    exponent: f64,
}

impl<T: Scalar> Nearer<T> {
    /// `None` where clouds are near enough as they are, and where costs are not about distances.
    pub fn of(question: &Question<'_, T>) -> Result<Option<Self>> {
        let Ground::Distance(power) = question.ground() else { return Ok(None) };
        let (measures, dim) = ([question.source(), question.target()], question.sizes().d);
        let offset = |(low, high): (&f64, &f64)| {
            let is_far = low.abs().min(high.abs()) >= FAR * (high - low) && low * high > 0.0;
            // The one nearest to zero, so that the others are at most twice as large.
            if is_far { if *low > 0.0 { *low } else { *high } } else { 0.0 }
        };
        let mut points = measures.iter().flat_map(|measure| measure.points().chunks_exact(dim));
        let (mut low, mut high) = (vec![f64::INFINITY; dim], vec![f64::NEG_INFINITY; dim]);
        widened((&mut low, &mut high), points.by_ref().take(FIRST_POINTS));
        // More points bring an axis nearer to zero or spread it: what is not far now never will be.
        if low.iter().zip(&high).all(|ends| offset(ends) == 0.0) {
            return Ok(None);
        }
        widened((&mut low, &mut high), points);
        let offsets: Vec<f64> = low.iter().zip(&high).map(offset).collect();
        // A coordinate that never changes does no harm where it is.
        let matters =
            offsets.iter().zip(low.iter().zip(&high)).any(|(o, (low, high))| *o != 0.0 && low < high);
        if !matters {
            return Ok(None);
        }
        let moved = |measure: &Measure<'_, T>| {
            let rows = measure.points().chunks_exact(dim);
            let points = rows.flat_map(|row| row.iter().zip(&offsets).map(|(x, offset)| x.to_f64() - offset));
            measure.at(points.collect(), dim)
        };
        let measures = [moved(measures[0])?, moved(measures[1])?];
        Ok(Some(Nearer { measures, offsets, exponent: power.exponent() }))
    }

    /// The same question near the origin.
    pub fn question(&self) -> Result<Question<'_, T>> {
        Question::new(&self.measures[0], &self.measures[1])?.with_power(self.exponent)
    }

    /// An answer to it as one to the question that was asked: only places of points have moved.
    pub fn back(&self, mut found: Transport) -> Transport {
        for mut row in found.image.iter_mut().flat_map(|image| image.rows_mut()) {
            row.iter_mut().zip(&self.offsets).for_each(|(x, offset)| *x += offset);
        }
        found
    }
}

/// Makes room between the ends of all axes for some points.
fn widened<'p, T: Scalar>((low, high): (&mut [f64], &mut [f64]), points: impl Iterator<Item = &'p [T]>) {
    for point in points {
        for ((low, high), x) in low.iter_mut().zip(high.iter_mut()).zip(point) {
            let x = x.to_f64();
            (*low, *high) = (low.min(x), high.max(x));
        }
    }
}
