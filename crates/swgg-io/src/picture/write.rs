//! Pictures into files.

use std::io::{self, Cursor};

use image::{ExtendedColorType, ImageEncoder};

use super::spec::PictureSpec;
use super::{Picture, Samples};
use crate::error::{Error, ErrorKind, Result};
use crate::format::PictureFormat;
use crate::output::Output;

/// Of 100: losses are hard to see.
pub const JPEG_QUALITY: u8 = 95;

/// Writes a picture in the format of the extension, with its ICC profile; [`Output::commit`] puts it in place.
///
/// # Errors
///
/// If the extension is not one of [`EXTENSIONS`](super::EXTENSIONS), or the format has no room for the depth or the alpha of the picture: nothing
/// is lost in silence.
pub fn write(output: Output, picture: &Picture) -> Result<Output> {
    let format = PictureFormat::from_path(output.path())?;
    match encode(picture, format.spec()) {
        Ok(bytes) => output.write_with(|output| io::Write::write_all(output, &bytes)),
        Err(kind) => Err(Error::at(output.path(), kind)),
    }
}

fn encode(picture: &Picture, spec: &PictureSpec) -> std::result::Result<Vec<u8>, ErrorKind> {
    let format = spec.name;
    if let Some((what, instead)) = spec.room.lacks(picture) {
        return Err(ErrorKind::PictureFormat { format, what, instead });
    }
    let mut bytes = Cursor::new(Vec::new());
    (spec.encode)(&Encoding { picture, format }, &mut bytes)?;
    Ok(bytes.into_inner())
}

/// A picture on its way into a file.
pub(super) struct Encoding<'a> {
    picture: &'a Picture,
    format: &'static str,
}

impl Encoding<'_> {
    pub(super) fn encode(&self, mut encoder: impl ImageEncoder) -> std::result::Result<(), ErrorKind> {
        use ExtendedColorType as Color;
        let Picture { width, height, channels, samples, icc } = self.picture;
        if let Some(icc) = icc {
            encoder.set_icc_profile(icc.clone()).map_err(|_| ErrorKind::PictureFormat {
                format: self.format,
                what: "a colour profile",
                instead: ".png or .jpg",
            })?;
        }
        let color = match (channels, samples.bits()) {
            (1, 8) => Color::L8,
            (2, 8) => Color::La8,
            (3, 8) => Color::Rgb8,
            (1, 16) => Color::L16,
            (2, 16) => Color::La16,
            (3, 16) => Color::Rgb16,
            (3, 32) => Color::Rgb32F,
            (4, 8) => Color::Rgba8,
            (4, 16) => Color::Rgba16,
            (4, 32) => Color::Rgba32F,
            _ => {
                let (what, instead) = ("gray floating-point samples", "three channels");
                return Err(ErrorKind::PictureFormat { format: self.format, what, instead });
            }
        };
        let bytes: std::borrow::Cow<[u8]> = match samples {
            Samples::U8(samples) => samples.into(),
            Samples::U16(samples) => samples.iter().flat_map(|x| x.to_ne_bytes()).collect(),
            Samples::F32(samples) => samples.iter().flat_map(|x| x.to_ne_bytes()).collect(),
        };
        let side = |n: usize| {
            u32::try_from(n).map_err(|_| ErrorKind::Write(io::Error::other("too many rows or columns")))
        };
        // Encoders stop the process at a buffer of the wrong length, and all fields are public.
        if bytes.len() != width * height * channels * samples.bits() / 8 {
            let columns = width * channels;
            return Err(ErrorKind::Shape { found: samples.len(), rows: Some(*height), columns });
        }
        encoder
            .write_image(&bytes, side(*width)?, side(*height)?, color)
            .map_err(|error| ErrorKind::Write(io::Error::other(error)))
    }
}
