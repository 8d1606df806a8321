//! What transport plans are good for.

pub mod color;
pub mod pansharpen;
pub mod registration;
pub mod superpixels;
