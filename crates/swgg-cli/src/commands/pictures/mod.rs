//! What the commands on pictures share.

mod batch;
mod layers;
mod recoloring;
mod sheet;

pub use batch::{Batch, Job};
pub use layers::{Layers, Stored};
pub use recoloring::{Recolor, Recolored, Recoloring};
pub use sheet::{sheet, small, tile};
