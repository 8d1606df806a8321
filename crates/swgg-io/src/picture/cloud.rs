//! A picture as the cloud of its colours: a row per pixel, `r`, `g` and `b` from 0 to 1.

use std::io::Read as _;

use super::read::decoded;
use super::{Picture, Samples};
use crate::attributes::{Attributes, Origin};
use crate::cloud::{Cloud, Extra, Values};
use crate::format::Format;
use crate::input::Input;
use crate::spec::{CloudSpec, Dims, Family, Read, Vocabulary};

pub(crate) const FORMAT: CloudSpec = CloudSpec {
    name: "png",
    about: "a picture: the colours of its pixels, r, g and b from 0 to 1",
    extensions: &[".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp"],
    mark: Some(|bytes| bytes.starts_with(b"\x89PNG\r\n") || bytes.starts_with(b"\xff\xd8\xff")),
    family: Family::Array,
    vocabulary: Vocabulary::Usual,
    dims: Dims::Any,
    read,
    write: None,
};

fn read(input: Input<'_>) -> Read {
    let Input { mut file, size, columns, .. } = input;
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    file.read_to_end(&mut bytes)?;
    let picture = decoded(&bytes)?;
    drop(bytes);
    let names = ["r", "g", "b"].map(str::to_owned);
    let picked = match columns {
        Some(selection) => selection.resolve(Some(&names), 3)?,
        None => vec![0, 1, 2],
    };
    let values = colors(&picture, &picked);
    let names: Vec<String> = picked.iter().map(|&channel| names[channel].clone()).collect();
    let mut attributes = Attributes::new(picture.pixels(), Origin::plain(Format::Picture));
    attributes.names = Some(names.clone());
    attributes.arrange(&(0..picked.len()).map(Some).collect::<Vec<_>>(), &vec![None; picked.len()]);
    let ignored =
        if picture.has_alpha() && columns.is_none() { vec!["alpha".to_owned()] } else { Vec::new() };
    let dtype = match picture.samples {
        Samples::U8(_) => "uint8",
        Samples::U16(_) => "uint16",
        Samples::F32(_) => "float32",
    };
    let cloud = Cloud {
        values: Values::F32(values),
        columns: picked.len(),
        names: Some(names),
        ignored,
        format: Format::Picture,
        dtype,
        extra: Extra::default(),
    };
    Ok((cloud, attributes))
}

/// Channels of every pixel, gray ones three times.
fn colors(picture: &Picture, picked: &[usize]) -> Vec<f32> {
    let sample = |place: usize| match &picture.samples {
        Samples::U8(samples) => f32::from(samples[place]) / 255.0,
        Samples::U16(samples) => f32::from(samples[place]) / 65535.0,
        Samples::F32(samples) => samples[place],
    };
    let channels = picture.channels;
    let place = |pixel: usize, channel: usize| pixel * channels + if picture.is_gray() { 0 } else { channel };
    (0..picture.pixels())
        .flat_map(|pixel| picked.iter().map(move |&channel| (pixel, channel)))
        .map(|(pixel, channel)| sample(place(pixel, channel)))
        .collect()
}
