//! The tags that are carried along.

use tiff::tags::Tag;

/// GDAL's metadata, which the TIFF library has no name for.
pub(super) const GDAL_METADATA: Tag = Tag::Unknown(42112);

/// The tags of GeoTIFF: scale, tie points, matrix, keys and what the keys refer to.
pub(super) const GEOREFERENCE: [Tag; 6] = [
    Tag::ModelPixelScaleTag,
    Tag::ModelTiepointTag,
    Tag::ModelTransformationTag,
    Tag::GeoKeyDirectoryTag,
    Tag::GeoDoubleParamsTag,
    Tag::GeoAsciiParamsTag,
];

/// What a raster says about itself besides its samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tags {
    /// Where the raster lies on the map: tags 33550, 33922, 34264, 34735, 34736 and 34737, those that are there, with their
    /// number.
    pub georeference: Vec<(u16, TagValue)>,
    /// The sample that stands for "nothing was measured here", as GDAL writes it (tag 42113).
    pub nodata: Option<String>,
    /// GDAL's metadata (tag 42112).
    pub metadata: Option<String>,
}

impl Tags {
    /// The sample that stands for missing values, as a number; `NaN` is one, too.
    pub fn nodata_value(&self) -> Option<f32> {
        self.nodata.as_deref().and_then(|text| text.trim().parse().ok())
    }
}

/// The value of a tag of GeoTIFF.
#[derive(Clone, Debug, PartialEq)]
pub enum TagValue {
    /// Keys.
    Shorts(Vec<u16>),
    /// Coordinates.
    Doubles(Vec<f64>),
    /// Names.
    Text(String),
}
