//! What a search works on: costs of directions, wherever the points live.

pub(crate) mod along;
mod in_memory;
mod kernel;
mod orders;
pub(crate) mod project;
mod sweep;

pub use in_memory::InMemory;
pub use orders::orders;

use std::ops::ControlFlow;

use crate::error::{ErrorKind, Result};
use crate::line::direction::{Direction, DirectionSet};
use crate::paper::plane::Arc;
use crate::paper::smooth::{Blur, Smoothed};
use crate::plan::coupling::Coupling;

/// Two measures and the cost between them, seen through directions only.
///
/// A search proposes directions and never touches a point, so the points may live in memory or elsewhere.
pub trait Slices: Sync {
    /// Dimension of the space.
    fn dim(&self) -> usize;
    /// `SWGG_2^2` of each direction. A batch is one call, so that it can be shared among threads.
    fn costs(&self, thetas: &DirectionSet) -> Result<Vec<f64>>;
    /// The plan of one direction.
    fn coupling(&self, theta: &Direction) -> Result<Coupling>;
    /// The smoothed surrogate and its gradient at each direction; refused by problems that cannot.
    fn smoothed(&self, thetas: &DirectionSet, blur: &Blur) -> Result<Vec<Smoothed>> {
        let _ = (thetas, blur);
        Err(ErrorKind::Unsupported { what: "be smoothed" }.into())
    }
    /// The gradients of [`smoothed`](Slices::smoothed), for whoever does not need its values.
    fn slopes(&self, thetas: &DirectionSet, blur: &Blur) -> Result<Vec<Vec<f64>>> {
        Ok(self.smoothed(thetas, blur)?.into_iter().map(|smoothed| smoothed.gradient).collect())
    }
    /// Directions worth trying first: the principal axes, as far as they are known.
    fn axes(&self) -> Result<DirectionSet> {
        Ok(DirectionSet::with_capacity(self.dim(), 0))
    }
    /// Changes of order that [`turn`](Slices::turn) meets; refused by problems that cannot turn.
    fn turns(&self) -> Result<usize> {
        Err(ErrorKind::Unsupported { what: "be swept" }.into())
    }
    /// Visits every arc of directions of the plane that share a plan, until told to break.
    fn turn(&self, visit: &mut dyn FnMut(Arc) -> ControlFlow<()>) -> Result<()> {
        let _ = visit;
        Err(ErrorKind::Unsupported { what: "be swept" }.into())
    }
    /// How many directions make a call worth its overhead and short enough to watch.
    fn batch_len(&self) -> usize {
        64
    }
}
