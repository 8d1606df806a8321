//! Rasters in.

use std::io::{BufReader, ErrorKind as Io, Read, Seek};
use std::panic::catch_unwind;
use std::path::Path;

use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::tags::{PlanarConfiguration, Tag};
use tiff::{ColorType, TiffError, TiffFormatError, TiffUnsupportedError};

use super::tags::{GDAL_METADATA, GEOREFERENCE};
use super::{Depth, Raster, TagValue, Tags};
use crate::error::{Error, ErrorKind, Result};
use crate::input::open;

/// Most values that are decoded: 2 GB of them.
const MOST_VALUES: u64 = 1 << 29;

type Decoded<T> = std::result::Result<T, ErrorKind>;

impl Raster {
    /// Reads the first image of a TIFF file.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::BadRaster`] for what is not a TIFF or has samples of another kind, [`ErrorKind::RasterCut`] for a file
    /// that ends too early, [`ErrorKind::RasterTooLarge`] before anything large is allocated, and what the system refuses.
    pub fn read(path: &Path) -> Result<Self> {
        let read = || {
            open(path, || bad("the file is empty"))
                .and_then(|(file, bytes)| decode(BufReader::new(file), bytes))
        };
        // The library checks some of what a damaged file says by assertions.
        let read =
            catch_unwind(read).unwrap_or_else(|_| Err(bad("its tags contradict each other; write it again")));
        read.map_err(|kind| Error::at(path, kind))
    }
}

fn decode<R: Read + Seek>(file: R, bytes: u64) -> Decoded<Raster> {
    let mut decoder = Decoder::new(file).map_err(refusal)?;
    let (columns, rows) = decoder.dimensions().map_err(refusal)?;
    let announced: u16 = decoder.find_tag_unsigned(Tag::SamplesPerPixel).map_err(refusal)?.unwrap_or(1);
    let bands = u64::from(announced);
    let pixels = u64::from(columns) * u64::from(rows);
    if pixels == 0 || bands == 0 {
        return Err(bad("it has no pixels"));
    }
    // One factor at a time: the product of all may overflow.
    if pixels > MOST_VALUES || pixels * bands > MOST_VALUES {
        return Err(ErrorKind::RasterTooLarge { bands, columns, rows, most: MOST_VALUES });
    }
    let color = decoder.colortype().map_err(refusal)?;
    if matches!(color, ColorType::Palette(_) | ColorType::YCbCr(_) | ColorType::Lab(_)) {
        return Err(bad(format!("its samples are {color:?}, not measured bands; convert it to plain bands")));
    }
    let expected = pixels * bands * u64::from(color.bit_depth()) / 8;
    let compression: Option<u16> = decoder.find_tag_unsigned(Tag::Compression).map_err(refusal)?;
    if compression.unwrap_or(1) == 1 && bytes < expected {
        let reason = format!("{expected} bytes of samples are announced, the file has {bytes}");
        return Err(ErrorKind::RasterCut { reason });
    }
    let tags = tags(&mut decoder)?;
    let mut limits = Limits::default();
    // No strip or tile is larger than the whole, but for what fills up the last of the tiles.
    limits.decoding_buffer_size = usize::try_from(4 * expected + (1 << 20)).unwrap_or(usize::MAX);
    let mut decoder = decoder.with_limits(limits);
    let (bands, rows, columns) = (bands as usize, rows as usize, columns as usize);
    let (depth, values) = samples(&mut decoder, bands, rows, columns)?;
    Ok(Raster { bands, rows, columns, depth, values, tags })
}

/// The samples, strip by strip or tile by tile, put in their places band by band.
fn samples<R: Read + Seek>(
    decoder: &mut Decoder<R>,
    bands: usize,
    rows: usize,
    columns: usize,
) -> Decoded<(Depth, Vec<f32>)> {
    let planar: Option<u16> = decoder.find_tag_unsigned(Tag::PlanarConfiguration).map_err(refusal)?;
    let per_chunk = if planar == Some(PlanarConfiguration::Planar.to_u16()) { 1 } else { bands };
    let (width, height) = decoder.chunk_dimensions();
    let (width, height) = (width as usize, height as usize);
    if width == 0 || height == 0 {
        return Err(bad("its strips or tiles have no size; write it again"));
    }
    let (across, down) = (columns.div_ceil(width), rows.div_ceil(height));
    let mut depth = None;
    let mut values = vec![0.0; bands * rows * columns];
    for chunk in 0..across * down * (bands / per_chunk) {
        let index = u32::try_from(chunk).map_err(|_| bad("it has too many strips; write it again"))?;
        let (kind, chunk_values) = depth_and_values(decoder.read_chunk(index).map_err(refusal)?)?;
        if depth.is_some_and(|depth| depth != kind) {
            return Err(bad("its strips hold samples of several kinds; write it again"));
        }
        depth = Some(kind);
        let (plane, place) = (chunk / (across * down), chunk % (across * down));
        let (top, left) = (place / across * height, place % across * width);
        let (wide, high) = (width.min(columns - left), height.min(rows - top));
        // From the second plane on, the library keeps the rows that only fill up the last tiles.
        let samples = wide * high * per_chunk;
        if chunk_values.len() != samples && chunk_values.len() != wide * height * per_chunk {
            return Err(bad("a strip or tile has another size than announced; write it again"));
        }
        for (pixel, samples) in chunk_values[..samples].chunks_exact(per_chunk).enumerate() {
            let at = (top + pixel / wide) * columns + left + pixel % wide;
            for (band, &sample) in samples.iter().enumerate() {
                values[(plane + band) * rows * columns + at] = sample;
            }
        }
    }
    depth.map(|depth| (depth, values)).ok_or_else(|| bad("it has no samples"))
}

fn depth_and_values(samples: DecodingResult) -> Decoded<(Depth, Vec<f32>)> {
    match samples {
        DecodingResult::U8(values) => Ok((Depth::U8, values.into_iter().map(f32::from).collect())),
        DecodingResult::U16(values) => Ok((Depth::U16, values.into_iter().map(f32::from).collect())),
        DecodingResult::F32(values) => Ok((Depth::F32, values)),
        _ => {
            let kind = "8 or 16 bits without sign or 32-bit floats";
            Err(bad(format!("its samples have another kind than {kind}; convert it to one of these")))
        }
    }
}

fn tags<R: Read + Seek>(decoder: &mut Decoder<R>) -> Decoded<Tags> {
    let mut text = |tag: Tag| match decoder.find_tag(tag) {
        Ok(Some(value)) => value.into_string().map(Some).map_err(refusal),
        Ok(None) => Ok(None),
        Err(error) => Err(refusal(error)),
    };
    let (nodata, metadata) = (text(Tag::GdalNodata)?, text(GDAL_METADATA)?);
    let mut georeference = Vec::new();
    for tag in GEOREFERENCE {
        let Some(value) = decoder.find_tag(tag).map_err(refusal)? else {
            continue;
        };
        let value = match tag {
            Tag::GeoKeyDirectoryTag => value.into_u16_vec().map(TagValue::Shorts),
            Tag::GeoAsciiParamsTag => value.into_string().map(TagValue::Text),
            _ => value.into_f64_vec().map(TagValue::Doubles),
        };
        georeference.push((tag.to_u16(), value.map_err(refusal)?));
    }
    Ok(Tags { georeference, nodata, metadata })
}

fn bad(reason: impl Into<String>) -> ErrorKind {
    ErrorKind::BadRaster { reason: reason.into() }
}

/// What the library says, with what to do.
fn refusal(error: TiffError) -> ErrorKind {
    match error {
        TiffError::IoError(error)
            if matches!(error.kind(), Io::UnexpectedEof | Io::InvalidData | Io::InvalidInput) =>
        {
            ErrorKind::RasterCut { reason: error.to_string() }
        }
        TiffError::IoError(error) => ErrorKind::Read(error),
        TiffError::FormatError(
            TiffFormatError::TiffSignatureNotFound | TiffFormatError::TiffSignatureInvalid,
        ) => bad("it does not begin as one; give a .tif file"),
        TiffError::UnsupportedError(TiffUnsupportedError::UnsupportedCompressionMethod(method)) => {
            bad(format!("its compression ({method:?}) is not known here; write it with deflate, LZW or none"))
        }
        TiffError::LimitsExceeded => {
            bad("one of its parts is larger than the whole should be; write it again")
        }
        error => bad(format!("{error}; write it again")),
    }
}
