//! What transport plans are good for.

pub mod color;
pub mod registration;
