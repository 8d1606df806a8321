//! What the commands on pictures share.

mod batch;
mod layers;
mod sheet;

pub use batch::{Batch, Job};
pub use layers::{Layers, Stored};
pub use sheet::{sheet, tile};
