//! Colour: that of one picture for another, by transport between their colours.
//!
//! [`transfer`] gives a picture the colours of another one, [`colorize`] a gray one, at full resolution.

mod assignment;
mod colorization;
mod counting;
mod error;
mod guided_filter;
mod image;
mod palette;
mod pieces;
mod regions;
mod roughness;
mod sample;
mod samples;
mod smooth_map;
mod smoothing;
mod solver;
mod space;
mod starts;
mod transfer;

pub use colorization::{Colorized, colorize};
pub use error::{Error, Result};
pub use image::Image;
pub use regions::colorize_within;
pub use sample::Sample;
pub use samples::Samples;
pub use solver::Method;
pub use space::Space;
pub use transfer::{SMOOTHING, Settings, Transferred, transfer};
