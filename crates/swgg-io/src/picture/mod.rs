//! Pictures: samples in rows, with what belongs to them.
//!
//! Gray or colour, with or without alpha, in 8 or 16 bits or as floats, as the file has them. Palettes and CMYK become RGB. The
//! ICC profile goes along; the EXIF orientation is applied to the pixels, so that the picture stands upright without a tag.
//! Other metadata are not kept.
//!
//! ```
//! use swgg_io::{Output, picture::{self, Picture, Samples}};
//!
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("two.png");
//! let two = Picture::new(2, 1, 3, Samples::U16(vec![0, 1, 2, 65535, 7, 9]))?;
//! picture::write(Output::create(&path)?, &two)?.commit()?;
//! assert_eq!(picture::read(&path)?, two);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod cloud;
mod jpeg;
mod profile;
mod read;
pub(crate) mod spec;
mod write;

pub use profile::is_same_profile;
pub use read::read;
pub use write::{JPEG_QUALITY, write};

use std::path::Path;

use crate::error::{ErrorKind, Result};
use crate::format::PictureFormat;

/// Pictures with more pixels are refused before anything is decoded.
pub const MOST_PIXELS: u64 = 1 << 28;

/// The extensions that are known.
pub const EXTENSIONS: &[&str] = PictureFormat::EXTENSIONS;

/// Whether the extension is that of a picture.
pub fn is_picture(path: &Path) -> bool {
    PictureFormat::from_path(path).is_ok()
}

/// The numbers of a picture, row by row, all channels of a pixel together.
#[derive(Clone, Debug, PartialEq)]
pub enum Samples {
    /// 0 to 255.
    U8(Vec<u8>),
    /// 0 to 65535.
    U16(Vec<u16>),
    /// 0 to 1, and beyond it in pictures of high dynamic range.
    F32(Vec<f32>),
}

impl Samples {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Samples::U8(samples) => samples.len(),
            Samples::U16(samples) => samples.len(),
            Samples::F32(samples) => samples.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bits of each.
    pub fn bits(&self) -> usize {
        match self {
            Samples::U8(_) => 8,
            Samples::U16(_) => 16,
            Samples::F32(_) => 32,
        }
    }
}

/// A picture in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Samples of each pixel: 1 gray, 2 gray and alpha, 3 RGB, 4 RGB and alpha.
    pub channels: usize,
    /// The numbers.
    pub samples: Samples,
    /// What the numbers mean, as an ICC profile; sRGB if there is none.
    pub icc: Option<Vec<u8>>,
}

impl Picture {
    /// A picture without a profile.
    ///
    /// # Errors
    ///
    /// If the samples do not fill it.
    pub fn new(width: usize, height: usize, channels: usize, samples: Samples) -> Result<Self> {
        let fits = width.checked_mul(height).and_then(|pixels| pixels.checked_mul(channels));
        if fits != Some(samples.len()) || samples.is_empty() || !(1..=4).contains(&channels) {
            let columns = width.saturating_mul(channels);
            return Err(ErrorKind::Shape { found: samples.len(), rows: Some(height), columns }.into());
        }
        Ok(Picture { width, height, channels, samples, icc: None })
    }

    /// Pixels.
    pub fn pixels(&self) -> usize {
        self.width * self.height
    }

    /// Whether there is an alpha channel.
    pub fn has_alpha(&self) -> bool {
        self.channels.is_multiple_of(2)
    }

    /// Whether there is no colour channel.
    pub fn is_gray(&self) -> bool {
        self.channels <= 2
    }
}
