//! Registration: the motion that brings one cloud onto another.
//!
//! Points are matched and the best motion for the matches is fitted, in turn, until nothing moves. From a bad pose that ends in a
//! wrong one, so the search begins with many poses.

mod align;
mod climb;
mod cloud;
mod crew;
mod error;
mod follow;
mod motion;
mod outcome;
mod pairs;
mod planes;
mod poses;
mod scores;
mod settings;
mod start;
mod thin;

pub use align::{align, align_watched};
pub use error::{Error, Result};
pub use motion::{Group, Motion, fit};
pub use outcome::{Confidence, Registration, Seconds, Stage, Step, Stop};
pub use scores::{Chamfer, PoseError, diameter, sinkhorn_divergence, square_chamfer, square_frobenius};
pub use settings::{Matching, Overlap, Settings, Start};
