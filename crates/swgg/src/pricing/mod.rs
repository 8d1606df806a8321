//! Cheapest targets at given prices, without looking at all of them where that can be avoided.
//!
//! Solvers and bounds ask the same of the points: `min_j c(x_i, y_j) - v_j`, or the few cheapest targets of a source. A k-d tree that
//! knows the prices answers in low dimension, blocked matrix products beyond: in single
//! precision, and what that leaves in doubt is decided by the points.

mod axes;
mod few;
mod ground;
mod node;
mod pairs;
mod priced;
mod products;
mod tree;

pub(crate) use axes::turned;
pub(crate) use few::Few;
pub(crate) use ground::{CheapestTargets, Ground, MAX_TREE_DIM, Outlook, finds_candidates, ground};
