//! Pictures as the functions here take them.

use rayon::prelude::*;

use super::error::{Error, Result};
use super::sample::Sample;

/// A picture of RGB pixels, row by row, of which all or some take part.
#[derive(Clone, Copy, Debug)]
pub struct Image<'a, S> {
    width: usize,
    pixels: &'a [[S; 3]],
    mask: Option<&'a [bool]>,
}

impl<'a, S: Sample> Image<'a, S> {
    /// A picture with rows of this width.
    pub fn new(width: usize, pixels: &'a [[S; 3]]) -> Result<Self> {
        let found = pixels.len();
        if width == 0 || found == 0 || !found.is_multiple_of(width) {
            return Err(Error::Shape { found, width });
        }
        if found >= u32::MAX as usize {
            return Err(Error::TooManyPixels { found });
        }
        Ok(Image { width, pixels, mask: None })
    }

    /// The same picture, of which only the pixels that are `true` take part.
    pub fn with_mask(self, mask: &'a [bool]) -> Result<Self> {
        if mask.len() != self.pixels.len() {
            return Err(Error::MaskSize { found: mask.len(), expected: self.pixels.len() });
        }
        Ok(Image { mask: Some(mask), ..self })
    }

    /// Pixels of a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// All pixels.
    pub fn pixels(&self) -> &'a [[S; 3]] {
        self.pixels
    }

    /// Whether a pixel takes part.
    pub fn takes_part(&self, pixel: usize) -> bool {
        self.mask.is_none_or(|mask| mask[pixel])
    }

    /// Whether no pixel is left out by a mask.
    pub(super) fn is_whole(&self) -> bool {
        self.mask.is_none()
    }

    /// How many take part.
    pub fn count(&self) -> usize {
        self.mask.map_or(self.pixels.len(), |mask| mask.iter().filter(|part| **part).count())
    }

    /// Different colours of those that take part.
    pub fn colors(&self) -> usize {
        let there =
            (0..self.pixels.len()).filter(|&i| self.takes_part(i)).map(|i| self.pixels[i].map(S::rank));
        if S::STEPS == Some(255) {
            // A bit for every colour there can be.
            let mut seen = vec![0_u64; 1 << 18];
            there.for_each(|[r, g, b]| {
                let key = (r << 16 | g << 8 | b) as usize;
                seen[key / 64] |= 1 << (key % 64);
            });
            return seen.iter().map(|word| word.count_ones() as usize).sum();
        }
        let mut colors: Vec<[u32; 3]> = there.collect();
        colors.par_sort_unstable();
        colors.dedup();
        colors.len()
    }

    /// Refuses a picture without pixels that take part, or with one that is no colour.
    pub(super) fn check(&self, picture: &'static str) -> Result<()> {
        if self.count() == 0 {
            return Err(Error::NoPixels { picture });
        }
        // Only floats can be bad.
        let is_bad = |pixel: &[S; 3]| pixel.iter().any(|x| !x.to_unit().is_finite());
        match self.pixels.iter().position(|pixel| S::STEPS.is_none() && is_bad(pixel)) {
            Some(pixel) => Err(Error::NotFinite { picture, pixel }),
            None => Ok(()),
        }
    }
}
