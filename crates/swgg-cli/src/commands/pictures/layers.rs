//! Pictures between files and functions: colours apart from alpha.

use swgg_apps::color::{Image, Sample};
use swgg_io::picture::{Picture, Samples};

use crate::exit::{Failure, Outcome};

/// A picture as colours and what goes beside them.
pub struct Layers<S> {
    pub width: usize,
    pub height: usize,
    pub colors: Vec<[S; 3]>,
    pub alpha: Option<Vec<S>>,
    pub is_gray: bool,
    pub icc: Option<Vec<u8>>,
}

/// Samples that have a place in a picture.
pub trait Stored: Sample {
    fn stored(samples: Vec<Self>) -> Samples;
}

impl Stored for u8 {
    fn stored(samples: Vec<u8>) -> Samples {
        Samples::U8(samples)
    }
}

impl Stored for u16 {
    fn stored(samples: Vec<u16>) -> Samples {
        Samples::U16(samples)
    }
}

impl Stored for f32 {
    fn stored(samples: Vec<f32>) -> Samples {
        Samples::F32(samples)
    }
}

impl<S: Stored> Layers<S> {
    /// The picture in the depth that is asked for.
    pub fn new(picture: &Picture) -> Self {
        fn split<T: Sample, S: Sample>(samples: &[T], channels: usize) -> (Vec<[S; 3]>, Option<Vec<S>>) {
            let to = |x: T| S::from_unit(x.to_unit());
            let colors = samples.chunks_exact(channels).map(|pixel| match pixel {
                [r, g, b, ..] => [to(*r), to(*g), to(*b)],
                _ => [to(pixel[0]); 3],
            });
            let alpha = channels
                .is_multiple_of(2)
                .then(|| samples.chunks_exact(channels).map(|pixel| to(pixel[channels - 1])).collect());
            (colors.collect(), alpha)
        }
        let channels = picture.channels;
        let (colors, alpha) = match &picture.samples {
            Samples::U8(samples) => split(samples, channels),
            Samples::U16(samples) => split(samples, channels),
            Samples::F32(samples) => split(samples, channels),
        };
        let (width, height, icc) = (picture.width, picture.height, picture.icc.clone());
        Layers { width, height, colors, alpha, is_gray: picture.is_gray(), icc }
    }

    /// Which pixels take part: those that can be seen and are white in the mask, if there is one.
    pub fn part(&self, mask: Option<&Picture>) -> Outcome<Option<Vec<bool>>> {
        let mut part: Option<Vec<bool>> =
            self.alpha.as_ref().map(|alpha| alpha.iter().map(|a| a.to_unit() > 0.0).collect());
        if let Some(mask) = mask {
            if (mask.width, mask.height) != (self.width, self.height) {
                return Err(Failure::new(format!(
                    "the mask has {} x {} pixels, the picture {} x {}; give one of the same size",
                    mask.width, mask.height, self.width, self.height
                )));
            }
            let white = Layers::<f32>::new(mask).colors.into_iter().map(|[r, g, b]| r + g + b >= 1.5);
            part = Some(match part {
                Some(part) => part.into_iter().zip(white).map(|(a, b)| a && b).collect(),
                None => white.collect(),
            });
        }
        Ok(part)
    }

    /// The colours as an image, or that part of it.
    pub fn image<'a>(&'a self, part: Option<&'a [bool]>) -> Outcome<Image<'a, S>> {
        let image = Image::new(self.width, &self.colors)?;
        Ok(match part {
            Some(part) => image.with_mask(part)?,
            None => image,
        })
    }

    /// A picture of other colours with the alpha and the profile of this one; gray if it is and they are.
    pub fn picture(&self, colors: &[[S; 3]]) -> Outcome<Picture> {
        let is_gray = self.is_gray && colors.iter().all(|[r, g, b]| r == g && g == b);
        let shown = if is_gray { 1 } else { 3 };
        let mut samples = Vec::with_capacity(colors.len() * (shown + 1));
        for (i, color) in colors.iter().enumerate() {
            samples.extend_from_slice(&color[..shown]);
            samples.extend(self.alpha.as_ref().map(|alpha| alpha[i]));
        }
        let channels = shown + usize::from(self.alpha.is_some());
        let mut picture = Picture::new(self.width, self.height, channels, S::stored(samples))?;
        // A profile of grays says nothing about colours.
        picture.icc = self.icc.clone().filter(|_| is_gray == self.is_gray);
        Ok(picture)
    }
}
