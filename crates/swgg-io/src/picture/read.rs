//! Pictures from files.

use std::io::{self, Cursor, Read};
use std::path::Path;

use image::codecs::tiff::TiffDecoder;
use image::error::{DecodingError, ImageError, LimitErrorKind};
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};

use super::{MOST_PIXELS, Picture, Samples, jpeg};
use crate::error::{Error, ErrorKind, Result};
use crate::format::PictureFormat;
use crate::input::open;

/// Bytes that a decoder may take for itself and the pixels.
const MOST_BYTES: u64 = 16 * MOST_PIXELS;

/// Reads a picture: PNG, JPEG, TIFF, WebP or BMP, told by its first bytes.
///
/// # Errors
///
/// If the file is missing, cut short, of more than [`MOST_PIXELS`] pixels, or not a picture of a known kind.
pub fn read(path: &Path) -> Result<Picture> {
    bytes(path).and_then(|bytes| decode(&bytes)).map_err(|kind| Error::at(path, kind))
}

/// A picture from all bytes of its file.
pub(super) fn decoded(bytes: &[u8]) -> std::result::Result<Picture, ErrorKind> {
    decode(bytes)
}

fn bytes(path: &Path) -> std::result::Result<Vec<u8>, ErrorKind> {
    let empty = || ErrorKind::PictureCut { reason: "the file has no bytes".to_string() };
    let (mut file, size) = open(path, empty)?;
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn decode(bytes: &[u8]) -> std::result::Result<Picture, ErrorKind> {
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format()?;
    let Some(format) = reader.format() else {
        let names: Vec<&str> = PictureFormat::ALL.iter().map(|format| format.name()).collect();
        let (last, others) = names.split_last().unwrap_or((&"", &[]));
        let known = format!("{} or {last}", others.join(", "));
        let reason = format!("its first bytes are those of no known format; use {known}");
        return Err(ErrorKind::BadPicture { reason });
    };
    let mut limits = Limits::default();
    limits.max_alloc = Some(MOST_BYTES);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(refused)?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        return Err(ErrorKind::TooManyPixels { width, height, most: MOST_PIXELS });
    }
    if format == ImageFormat::Jpeg && !jpeg::is_whole(bytes) {
        return Err(ErrorKind::PictureCut { reason: "its end is missing".to_string() });
    }
    let icc = match format {
        // With limits that are as tight as the picture is small, profiles are left out in silence.
        ImageFormat::Tiff => TiffDecoder::new(Cursor::new(bytes)).and_then(|mut plain| plain.icc_profile()),
        _ => decoder.icc_profile(),
    }
    .map_err(refused)?;
    let orientation = decoder.orientation().map_err(refused)?;
    let mut image = DynamicImage::from_decoder(decoder).map_err(refused)?;
    if orientation != Orientation::NoTransforms {
        image.apply_orientation(orientation);
    }
    let (width, height) = (image.width() as usize, image.height() as usize);
    if width == 0 || height == 0 {
        return Err(ErrorKind::BadPicture { reason: "it has no pixels".to_string() });
    }
    let (channels, samples) = match image {
        DynamicImage::ImageLuma8(image) => (1, Samples::U8(image.into_raw())),
        DynamicImage::ImageLumaA8(image) => (2, Samples::U8(image.into_raw())),
        DynamicImage::ImageRgb8(image) => (3, Samples::U8(image.into_raw())),
        DynamicImage::ImageRgba8(image) => (4, Samples::U8(image.into_raw())),
        DynamicImage::ImageLuma16(image) => (1, Samples::U16(image.into_raw())),
        DynamicImage::ImageLumaA16(image) => (2, Samples::U16(image.into_raw())),
        DynamicImage::ImageRgb16(image) => (3, Samples::U16(image.into_raw())),
        DynamicImage::ImageRgba16(image) => (4, Samples::U16(image.into_raw())),
        DynamicImage::ImageRgb32F(image) => (3, Samples::F32(image.into_raw())),
        DynamicImage::ImageRgba32F(image) => (4, Samples::F32(image.into_raw())),
        other => {
            let reason = format!("its pixels are {:?}; convert it to RGB", other.color());
            return Err(ErrorKind::BadPicture { reason });
        }
    };
    if let Samples::F32(samples) = &samples
        && !samples.iter().all(|x| x.is_finite())
    {
        return Err(ErrorKind::BadPicture { reason: "it holds samples that are not finite numbers".into() });
    }
    Ok(Picture { width, height, channels, samples, icc })
}

/// The words of the decoder, and whether the file was cut.
fn refused(error: ImageError) -> ErrorKind {
    match &error {
        ImageError::Limits(limit) if matches!(limit.kind(), LimitErrorKind::InsufficientMemory) => {
            ErrorKind::BadPicture {
                reason: format!("it would take more than {} GB of memory; scale it down", MOST_BYTES >> 30),
            }
        }
        ImageError::IoError(io) if io.kind() == io::ErrorKind::UnexpectedEof => {
            ErrorKind::PictureCut { reason: "its end is missing".to_string() }
        }
        ImageError::Decoding(decoding) if ends_early(decoding) => {
            ErrorKind::PictureCut { reason: "its end is missing".to_string() }
        }
        ImageError::Unsupported(_) => {
            ErrorKind::BadPicture { reason: format!("{error}; convert it to 8- or 16-bit RGB") }
        }
        _ => ErrorKind::BadPicture { reason: error.to_string() },
    }
}

/// Decoders hide the end of a file in errors of their own.
fn ends_early(error: &DecodingError) -> bool {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if error.downcast_ref::<io::Error>().is_some_and(|io| io.kind() == io::ErrorKind::UnexpectedEof) {
            return true;
        }
        cause = error.source();
    }
    false
}
