//! Cheapest targets at given prices, without looking at all of them where that can be avoided.
//!
//! Solvers and bounds ask the same of the points: `min_j c(x_i, y_j) - v_j`, or the few cheapest targets of a source. A k-d tree that
//! knows the prices answers in low dimension, blocked matrix products beyond: in single
//! precision, and what that leaves in doubt is decided by the points. What a pair costs is a [`Metric`]; trees see it as a
//! kernel of their own, and costs that are no squared distances are compared all with all beyond the dimensions of trees.

mod axes;
mod compared;
mod few;
mod ground;
mod kernel;
mod metric;
mod node;
mod pairs;
mod priced;
mod products;
mod slab;
mod tree;

pub(crate) use axes::turned;
pub(crate) use few::Few;
pub(crate) use ground::{Ground, MAX_TREE_DIM, Outlook, finds_candidates, ground, has_ground};
pub(crate) use metric::Metric;
