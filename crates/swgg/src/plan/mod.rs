//! Plans: matchings and sparse couplings, the permutations and gluings they are made of, and the prices that prove them.

pub(crate) mod coupling;
pub(crate) mod glue;
pub(crate) mod permutation;
pub(crate) mod potentials;

pub use coupling::{Coo, Coupling, DENSE_LIMIT};
pub use glue::Glue;
pub use permutation::Permutation;
pub use potentials::Potentials;
