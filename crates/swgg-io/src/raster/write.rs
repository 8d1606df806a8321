//! Rasters out.

use std::io::{self, Seek, Write};

use tiff::TiffError;
use tiff::encoder::colortype::{ColorType, Gray8, Gray16, Gray32Float};
use tiff::encoder::{TiffEncoder, TiffValue};
use tiff::tags::{ExtraSamples, Tag};

use super::tags::GDAL_METADATA;
use super::{Depth, Raster, TagValue};
use crate::error::{Error, ErrorKind, Result};
use crate::output::Output;

impl Raster {
    /// Writes an uncompressed TIFF file, pixel by pixel, ready to commit.
    ///
    /// Values are rounded to the nearest that the depth can hold.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Shape`] if the values do not fill the bands, and what the system refuses.
    pub fn write(&self, output: Output) -> Result<Output> {
        let pixels = self.rows * self.columns;
        if self.values.len() != pixels * self.bands || self.values.is_empty() {
            let kind = ErrorKind::Shape { found: self.values.len(), rows: Some(self.bands), columns: pixels };
            return Err(Error::at(output.path(), kind));
        }
        output.write_with(|output| {
            match self.depth {
                Depth::U8 => self.encode::<Gray8, _>(output, |value| value.round() as u8),
                Depth::U16 => self.encode::<Gray16, _>(output, |value| value.round() as u16),
                Depth::F32 => self.encode::<Gray32Float, _>(output, |value| value),
            }
            .map_err(|error| match error {
                TiffError::IoError(error) => error,
                error => io::Error::other(error),
            })
        })
    }

    fn encode<C: ColorType, W: Write + Seek>(
        &self,
        output: W,
        store: impl Fn(f32) -> C::Inner,
    ) -> std::result::Result<(), TiffError>
    where
        [C::Inner]: TiffValue,
    {
        let mut encoder = TiffEncoder::new(output)?;
        let mut image = encoder.new_image::<C>(u32::try_from(self.columns)?, u32::try_from(self.rows)?)?;
        // The first band is the gray that viewers show; the others are bands without further meaning.
        image.extra_samples(&vec![ExtraSamples::Unspecified; self.bands - 1])?;
        // By hand, because the library's own choice does not count the extra bands.
        let strip = (1_000_000 / (self.columns * self.bands)).clamp(1, self.rows);
        image.rows_per_strip(u32::try_from(strip)?)?;
        let directory = image.encoder();
        for (tag, value) in &self.tags.georeference {
            let tag = Tag::from_u16_exhaustive(*tag);
            match value {
                TagValue::Shorts(values) => directory.write_tag(tag, &values[..])?,
                TagValue::Doubles(values) => directory.write_tag(tag, &values[..])?,
                TagValue::Text(text) => directory.write_tag(tag, text.as_str())?,
            }
        }
        for (tag, text) in [(Tag::GdalNodata, &self.tags.nodata), (GDAL_METADATA, &self.tags.metadata)] {
            if let Some(text) = text {
                directory.write_tag(tag, text.as_str())?;
            }
        }
        let pixels = self.rows * self.columns;
        let mut samples = Vec::with_capacity(strip * self.columns * self.bands);
        for first in (0..self.rows).step_by(strip) {
            samples.clear();
            for pixel in first * self.columns..(first + strip).min(self.rows) * self.columns {
                samples.extend((0..self.bands).map(|band| store(self.values[band * pixels + pixel])));
            }
            image.write_strip(&samples)?;
        }
        image.finish()
    }
}
