//! Colour: that of one picture for another, by transport between their colours.
//!
//! [`transfer`] gives a picture the colours of another one, [`colorize`] a gray one, at full resolution.

mod assign;
mod colorize;
mod context;
mod counting;
mod error;
mod image;
mod palette;
mod pieces;
mod roughness;
mod sample;
mod sampled;
mod seen;
mod solve;
mod space;
mod starts;
mod transfer;
mod within;

pub use colorize::{Colorized, colorize};
pub use error::{Error, Result};
pub use image::Image;
pub use sample::Sample;
pub use sampled::Samples;
pub use solve::Method;
pub use space::Space;
pub use transfer::{SMOOTHING, Settings, Transferred, transfer};
pub use within::colorize_within;
