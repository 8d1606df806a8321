//! Matchings by many lines: trees with a line per cell, merged, then refined block by block.

mod aim;
mod block;
mod clouds;
mod cycles;
mod engine;
mod exchange;
mod keys;
mod lines;
mod merge;
mod pairs;
mod refine;
mod several;
mod sheaf;
mod short;
mod small;
mod tree;

pub(crate) use engine::Engine;
pub(crate) use lines::Lines;
pub(crate) use several::merged;
