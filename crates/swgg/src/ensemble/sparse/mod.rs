//! Plans between weighted clouds, or clouds of different sizes, that are near the optimum: many trees, one plan, refined.
//!
//! One line gives one plan; a line for every cell of a [tree](WeightedClouds::tree) gives a far better one at the same price.
//! Several of them are [merged](WeightedClouds::merge), and the result is [refined](WeightedClouds::refine) by exact transport
//! inside small blocks, again and again, until the caller has had enough. Masses are whole units throughout, so every plan has the
//! marginals of the measures to the last unit.

mod axis;
mod basis;
mod block;
mod clouds;
mod cut;
mod forest;
mod lines;
mod linked;
mod merge;
mod plan;
mod refine;
#[cfg(test)]
mod tests;
mod tree;
mod union;

use crate::line::sampler::mixed;
use clouds::Side;
pub(crate) use clouds::WeightedClouds;
pub(crate) use plan::Plan;

/// The seed of the random numbers of a cell or a pass: that of its parent and the step from there, mixed into one number.
fn key(from: u64, step: u64) -> u64 {
    mixed(from.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(step ^ 0x632b_e59b_d9b4_e019))
}

#[inline(always)]
fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
