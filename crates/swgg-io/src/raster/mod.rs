//! Rasters: images of any number of bands, as satellites take them, in TIFF files.
//!
//! Samples of 8 or 16 bits without sign and 32-bit floats; strips and tiles, bands pixel by pixel or plane by plane, small
//! and big TIFF; uncompressed, PackBits, LZW and deflate. The tags that place a raster on the map (GeoTIFF 1.1,
//! Open Geospatial Consortium 19-008r4) and those of GDAL for missing values and metadata are kept as they are.
//!
//! ```
//! use swgg_io::Output;
//! use swgg_io::raster::{Depth, Raster, Tags};
//!
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("scene.tif");
//! let values = vec![10.0, 20.0, 30.0, 40.0, 1.0, 2.0, 3.0, 4.0];
//! let scene = Raster { bands: 2, rows: 2, columns: 2, depth: Depth::U16, values, tags: Tags::default() };
//! scene.write(Output::create(&path)?)?.commit()?;
//! assert_eq!(Raster::read(&path)?, scene);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod read;
mod tags;
mod write;

pub use tags::{TagValue, Tags};

/// An image of several bands.
#[derive(Clone, Debug, PartialEq)]
pub struct Raster {
    /// How many bands.
    pub bands: usize,
    /// Pixels from top to bottom.
    pub rows: usize,
    /// Pixels from left to right.
    pub columns: usize,
    /// How samples are stored in the file.
    pub depth: Depth,
    /// Band by band, row by row. Every sample of the supported depths is exact as a 32-bit float.
    pub values: Vec<f32>,
    /// Where it lies and what is missing.
    pub tags: Tags,
}

/// How samples are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// 0 to 255.
    U8,
    /// 0 to 65535.
    U16,
    /// Any.
    F32,
}

impl Depth {
    /// The nearest value that can be stored; what is not a number becomes 0 in depths that have no such thing.
    pub fn nearest(self, value: f32) -> f32 {
        match self {
            Depth::U8 => f32::from(value.round() as u8),
            Depth::U16 => f32::from(value.round() as u16),
            Depth::F32 => value,
        }
    }
}

impl std::fmt::Display for Depth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Depth::U8 => "8 bit",
            Depth::U16 => "16 bit",
            Depth::F32 => "32-bit float",
        })
    }
}

impl Raster {
    /// One band, row by row.
    pub fn band(&self, band: usize) -> &[f32] {
        let pixels = self.rows * self.columns;
        &self.values[band * pixels..(band + 1) * pixels]
    }

    /// The bands at these places (from 0), in this order. Metadata, which names bands by their number, is left out unless
    /// all bands stay where they are.
    ///
    /// `None` if there is no band at one of the places.
    pub fn pick(&self, bands: &[usize]) -> Option<Raster> {
        if bands.iter().any(|&band| band >= self.bands) {
            return None;
        }
        let values = bands.iter().flat_map(|&band| self.band(band)).copied().collect();
        let mut tags = self.tags.clone();
        if !bands.iter().copied().eq(0..self.bands) {
            tags.metadata = None;
        }
        Some(Raster { bands: bands.len(), values, tags, ..*self })
    }
}
