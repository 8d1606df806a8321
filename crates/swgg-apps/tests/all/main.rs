//! The applications from the outside, on arrays.
// The exception for tests covers test functions, not the helpers they share.
#![allow(clippy::unwrap_used)]

mod color;
mod registration;
mod registration_in_part;
