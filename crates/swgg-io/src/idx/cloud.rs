//! An array of MNIST as a cloud: a row per image, a column per pixel.

use super::{Numbers, read};
use crate::attributes::{Attributes, Origin};
use crate::cloud::{Cloud, Extra, Values};
use crate::format::Format;
use crate::input::Input;
use crate::spec::{CloudSpec, Dims, Family, Read, Vocabulary};

pub(crate) const FORMAT: CloudSpec = CloudSpec {
    name: "idx",
    about: "arrays of MNIST and its relatives: a row per image",
    extensions: &[".idx", ".idx1-ubyte", ".idx2-ubyte", ".idx3-ubyte", ".idx4-ubyte"],
    mark: None,
    family: Family::Array,
    vocabulary: Vocabulary::Usual,
    dims: Dims::Any,
    read: read_cloud,
    write: None,
};

fn read_cloud(input: Input<'_>) -> Read {
    let Input { file, size, columns, .. } = input;
    let tensor = read::read(file, size)?;
    let rows = tensor.shape[0];
    let width = tensor.numbers.len() / rows;
    let picked = match columns {
        Some(selection) => selection.resolve(None, width)?,
        None => (0..width).collect(),
    };
    let places = (0..rows).flat_map(|row| picked.iter().map(move |&column| row * width + column));
    let (values, dtype) = match &tensor.numbers {
        Numbers::Bytes(bytes) => {
            (Values::F32(places.map(|place| f32::from(bytes[place])).collect()), "uint8")
        }
        Numbers::Floats(floats) => (Values::F64(places.map(|place| floats[place]).collect()), "mixed"),
    };
    let cloud = Cloud {
        values,
        columns: picked.len(),
        names: None,
        ignored: Vec::new(),
        format: Format::Idx,
        dtype,
        extra: Extra::default(),
    };
    Ok((cloud, Attributes::new(rows, Origin::plain(Format::Idx))))
}
