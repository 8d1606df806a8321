//! What the tests share: clouds that are hard on purpose, problems whose answer is known, and an oracle.
//!
//! Knows nothing of the library it tests: clouds are rows in a `Vec<f64>`, answers are numbers.

mod certificate;
mod clouds;
mod dyadic;
mod gaussian;
mod known;
mod oracle;
mod random;
mod truth;

pub use certificate::Posed;
pub use clouds::{Cloud, clouds, directions, smooth_clouds, thrown_weights, weights};
pub use dyadic::Dyadic;
pub use gaussian::{gaussian_pair, low_dimensional_pair, multimodal_pair, plane_pair};
pub use known::{KnownPair, scaled, translated};
pub use oracle::{assignment_cost, exact_cost, exact_cost_weighted};
pub use random::Random;
pub use truth::{SmallProblem, Truth};
