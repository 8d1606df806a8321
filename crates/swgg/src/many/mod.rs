//! Many lines, one plan: the default solver and its parts as methods of their own.

mod auto;
mod climb;
mod lines;
mod matchings;
#[cfg(test)]
mod tests;
mod transport;
mod trees;

pub use auto::{Auto, solve};
pub use lines::Merged;
pub use matchings::merge_matchings;
pub use transport::Transport;
pub use trees::Trees;
