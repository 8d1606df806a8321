//! The applications from the outside, on arrays.
// The exception for tests covers test functions, not the helpers they share.
#![allow(clippy::unwrap_used)]

mod barycenter;
mod color;
mod flow;
mod otdd;
mod registration;
mod registration_in_part;
