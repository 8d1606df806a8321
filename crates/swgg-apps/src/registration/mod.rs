//! Registration: the motion that brings one cloud onto another.
//!
//! Points are matched and the best motion for the matches is fitted, in turn, until nothing moves. From a bad pose that ends in a
//! wrong one, so the search begins with many poses.

mod align;
mod cloud;
mod error;
mod motion;
mod start;

pub use align::{Matching, Registration, Settings, Start, Step, align};
pub use error::{Error, Result};
pub use motion::{Group, Motion, fit};
