//! Numbers: coordinates in either precision, exact masses, extended sums, small decompositions, and checks of settings.

pub(crate) mod double;
pub(crate) mod jacobi;
pub(crate) mod mass;
pub(crate) mod range;
pub(crate) mod scalar;
pub(crate) mod spectral;
