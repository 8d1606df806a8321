//! Many lines, one plan: trees with a line per cell and whole lines, merged, then refined block by block.
//!
//! [`matching`] is for uniform clouds of one size, [`sparse`] for weights and different sizes; their files have the same names
//! where they do the same.

pub(crate) mod improve;
pub(crate) mod matching;
pub(crate) mod merge;
pub(crate) mod sparse;
