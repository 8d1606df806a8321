//! Registration: the motion that brings one cloud onto another.
//!
//! Points are matched and the best motion for the matches is fitted, in turn, until nothing moves. From a bad pose that ends in a
//! wrong one, so the search begins with many poses.
//!
//! | room | what it holds |
//! |---|---|
//! | `alignment` | the door: inputs, start, refinement, confidence, one after the other |
//! | `inputs`, `cloud`, `indexed_cloud`, `pairs`, `grid` | clouds: checked, with their axes, with search trees, in pairs, with fewer points |
//! | `start` | candidate poses where no start is given |
//! | `matcher` | the seam: a way to match points, and the one loop that iterates any of them |
//! | `refinement` | which matcher follows which |
//! | `confidence` | how sure one may be of the answer |
//! | `story`, `outcome` | what is told along the way, and at the end |

mod agreement;
mod alignment;
mod cloud;
mod confidence;
mod error;
mod grid;
mod indexed_cloud;
mod inputs;
mod matcher;
mod matching;
mod motion;
mod outcome;
mod pairs;
mod refinement;
mod scores;
mod settings;
mod start;
mod story;

pub use alignment::{align, align_watched};
pub use confidence::Confidence;
pub use error::{Error, Result};
pub use matching::Matching;
pub use motion::{Group, Motion, fit};
pub use outcome::{Registration, Seconds, Stage, Step, Stop};
pub use scores::{Chamfer, PoseError, diameter, sinkhorn_divergence, square_chamfer, square_frobenius};
pub use settings::{Overlap, Settings, Start};
