//! Pictures into files.

use std::io::{self, Cursor};

use image::codecs::bmp::BmpEncoder;
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::codecs::tiff::TiffEncoder;
use image::codecs::webp::WebPEncoder;
use image::{ExtendedColorType, ImageEncoder};

use super::{EXTENSIONS, Picture, Samples, extension, refuse};
use crate::error::{ErrorKind, Result};
use crate::output::Output;

/// Of 100: losses are hard to see.
pub const JPEG_QUALITY: u8 = 95;

/// Writes a picture in the format of the extension, with its ICC profile; [`Output::commit`] puts it in place.
///
/// # Errors
///
/// If the extension is not one of [`EXTENSIONS`], or the format has no room for the depth or the alpha of the picture: nothing
/// is lost in silence.
pub fn write(output: Output, picture: &Picture) -> Result<Output> {
    let path = output.path().to_owned();
    let bytes = match encode(picture, extension(&path).as_deref()) {
        Ok(bytes) => bytes,
        Err(kind) => return Err(refuse(&path, kind)),
    };
    output.write_with(|output| io::Write::write_all(output, &bytes))
}

fn encode(picture: &Picture, extension: Option<&str>) -> std::result::Result<Vec<u8>, ErrorKind> {
    let (format, room) = match extension {
        Some("png") => ("PNG", Room { bits: 16, alpha: true, gray_alpha: true, icc: true }),
        Some("jpg" | "jpeg") => ("JPEG", Room { bits: 8, alpha: false, gray_alpha: false, icc: true }),
        Some("tif" | "tiff") => ("TIFF", Room { bits: 32, alpha: true, gray_alpha: false, icc: true }),
        Some("webp") => ("WebP", Room { bits: 8, alpha: true, gray_alpha: true, icc: true }),
        Some("bmp") => ("BMP", Room { bits: 8, alpha: true, gray_alpha: true, icc: false }),
        found => {
            let found = found.map(|found| format!(".{found}"));
            return Err(ErrorKind::UnknownExtension { found, known: &EXTENSIONS });
        }
    };
    if let Some((what, instead)) = room.lacks(picture) {
        return Err(ErrorKind::PictureFormat { format, what, instead });
    }
    let mut bytes = Cursor::new(Vec::new());
    let image = Encoding { picture, format };
    match format {
        "PNG" => {
            // Twice the speed of the default for a few per cent of the size.
            image.encode(PngEncoder::new_with_quality(
                &mut bytes,
                CompressionType::Fast,
                FilterType::Adaptive,
            ))
        }
        "JPEG" => image.encode(JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY)),
        "TIFF" => image.encode(TiffEncoder::new(&mut bytes)),
        "WebP" => image.encode(WebPEncoder::new_lossless(&mut bytes)),
        _ => image.encode(BmpEncoder::new(&mut bytes)),
    }?;
    Ok(bytes.into_inner())
}

/// What a format can hold.
struct Room {
    bits: usize,
    alpha: bool,
    gray_alpha: bool,
    icc: bool,
}

impl Room {
    /// What it cannot hold of this picture, and what could.
    fn lacks(&self, picture: &Picture) -> Option<(&'static str, &'static str)> {
        match picture.samples.bits() {
            32 if self.bits < 32 => return Some(("floating-point samples", ".tif")),
            16 if self.bits < 16 => return Some(("16-bit samples", ".png or .tif")),
            _ => {}
        }
        match (picture.has_alpha(), picture.is_gray()) {
            (true, _) if !self.alpha => Some(("transparency", ".png, .webp or .tif")),
            (true, true) if !self.gray_alpha => Some(("gray with transparency", ".png")),
            _ if picture.icc.is_some() && !self.icc => {
                Some(("a colour profile", ".png, .jpg, .webp or .tif"))
            }
            _ => None,
        }
    }
}

struct Encoding<'a> {
    picture: &'a Picture,
    format: &'static str,
}

impl Encoding<'_> {
    fn encode(&self, mut encoder: impl ImageEncoder) -> std::result::Result<(), ErrorKind> {
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
