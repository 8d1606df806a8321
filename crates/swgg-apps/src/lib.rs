//! What transport plans are good for.

pub mod registration;
pub mod superpixels;
