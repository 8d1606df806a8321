//! Matchings by many lines: trees with a line per cell, merged, then refined block by block.

mod axis;
mod batch;
mod block;
mod clouds;
mod cut;
mod cycles;
mod engine;
mod exchange;
mod lines;
mod merge;
mod packed;
mod pairs;
mod refine;
mod several;
mod symmetric;
mod tree;

pub(crate) use engine::Engine;
pub(crate) use lines::Lines;
pub(crate) use several::merged;
