//! The gradient of the surrogate alone, without its value: no blurred mean is ever made.
//!
//! ```text
//! 8/n sum_i [ z_i (B~_i - B_i) + B_i <theta, B~_i - B_i> ]
//! ```
//!
//! is linear in the points. Which copies fill which piece of the plan is a matter of numbers along the line, and so are the factors of `B~_i` and `B_i`: they are
//! added up for every point, and then each point is looked at once, however many copies it has. `O(s n + n d)` instead of `O(s n d)`.

use super::{Side, SmoothScratch, Surrogate, pieces, variance};
use crate::line::direction::dot;
use crate::measure::pairable;
use crate::number::scalar::Scalar;
use crate::paper::slices::project::project_together;

impl<T: Scalar> Surrogate<'_, T> {
    /// The gradient at `theta`, as [`at`](Surrogate::at) has it but for rounding.
    pub fn slope(&self, theta: &[f64], scratch: &mut SmoothScratch) -> Vec<f64> {
        let Surrogate { source, target, blur, copies, noise, centre } = *self;
        let SmoothScratch { sides: scratches, masses } = scratch;
        let measures = [source, target];
        let sides = [0, 1].map(|side| {
            let values = &mut scratches[side].values;
            project_together(measures[side], &[theta], values);
            let mut order = Vec::new();
            scratches[side].sorter.sort(values.as_slice(), &mut order);
            let along = order.iter().map(|&i| scratches[side].values[i as usize]).collect();
            Side { points: Vec::new(), along, order }
        });
        let [x, y] = &sides;
        let spread = (0.5 * (variance(source, x) + variance(target, y))).sqrt();
        let deviation = blur.deviation(spread);
        // Rank in the source, rank in the target, mass; one per rank for uniform clouds of one size.
        let is_paired = pairable(source, target);
        let plan: Vec<(u32, u32, f64)> = match is_paired {
            true => (0..source.len() as u32).map(|k| (k, k, 1.0 / source.len() as f64)).collect(),
            false => pieces(source, x, target, y, masses),
        };
        let origin = dot(centre, theta);
        let middles: Vec<f64> = plan
            .iter()
            .map(|&(i, j, _)| 0.5 * (x.along[i as usize] + y.along[j as usize]) - origin)
            .collect();
        let mut blurred = vec![0.0; plan.len()];
        let mut factors = [vec![0.0; source.len()], vec![0.0; target.len()]];
        for (k, side) in sides.iter().enumerate() {
            let of_points = &mut factors[k];
            let plan_or_ranks = if is_paired { &[][..] } else { &plan[..] };
            side.shares(
                measures[k],
                plan_or_ranks,
                (copies, deviation, noise),
                &mut scratches[k],
                |piece, rank, share| {
                    blurred[piece] += 0.5 * share * (side.along[rank] - origin);
                    of_points[rank] += 4.0 * plan[piece].2 * middles[piece] * share;
                },
            );
        }
        for (&(i, j, mass), (middle, blurred)) in plan.iter().zip(middles.iter().zip(&blurred)) {
            let factor = 4.0 * mass * (blurred - 2.0 * middle);
            factors[0][i as usize] += factor;
            factors[1][j as usize] += factor;
        }
        let mut gradient = vec![0.0; theta.len()];
        for ((measure, side), factors) in measures.into_iter().zip(&sides).zip(&factors) {
            for (&i, factor) in side.order.iter().zip(factors) {
                let point = measure.point(i as usize).iter().zip(centre);
                gradient.iter_mut().zip(point).for_each(|(g, (x, c))| *g += factor * (x.to_f64() - c));
            }
        }
        gradient
    }
}
