//! What transport plans are good for.

pub mod registration;
