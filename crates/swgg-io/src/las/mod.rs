//! LiDAR files, `.las` and, compressed, `.laz`, versions 1.0 to 1.4.

mod dims;
mod header;
mod packed;
mod write;

use std::fs::File;
use std::io::{Read as _, Seek, SeekFrom};

use self::header::Points;
use crate::attributes::{Attributes, Origin, to_floats};
use crate::cloud::{Cloud, Extra, Values};
use crate::column::Column;
use crate::columns::{ColumnRef, slots};
use crate::error::ErrorKind;
use crate::format::Format;
use crate::input::{Input, buffered};
use crate::scalar::{Endian, Scalar, common_name};
use crate::spec::{CloudSpec, Dims, Family, Read, Vocabulary, Write};

pub(crate) const LAS: CloudSpec = CloudSpec {
    name: "las",
    about: "LiDAR points, versions 1.0 to 1.4: x, y and z, others by name",
    extensions: &[".las"],
    mark: Some(|bytes| bytes.starts_with(header::MARK) && !header::is_packed(bytes)),
    family: Family::Lidar,
    vocabulary: Vocabulary::Usual,
    dims: Dims::Three,
    read,
    write: Some(Write::Places(write::write)),
};
pub(crate) const LAZ: CloudSpec = CloudSpec {
    name: "laz",
    about: "the same, compressed by LASzip",
    extensions: &[".laz"],
    mark: Some(|bytes| bytes.starts_with(header::MARK) && header::is_packed(bytes)),
    ..LAS
};

/// Points decoded at a time.
const BATCH: u64 = 1 << 12;

/// Reads the coordinates and, if wanted, everything else.
fn read(input: Input<'_>) -> Read {
    let Input { mut file, size, format, columns, keep, .. } = input;
    let (frame, points) = header::read(&mut file, size)?;
    let dims = dims::dims(frame.point_format, frame.extra);
    let names: Vec<String> =
        ["x", "y", "z"].into_iter().chain(dims.iter().map(|dim| dim.name)).map(str::to_owned).collect();
    let picked = match columns {
        Some(selection) => selection.resolve(Some(&names), names.len())?,
        None => vec![0, 1, 2],
    };
    if let Some(&index) = picked.iter().find(|&&index| index >= 3 && dims[index - 3].count != 1) {
        let column = ColumnRef::new(index, Some(&names));
        return Err(ErrorKind::NotNumeric { column, type_name: "bytes".into() });
    }
    let slots = slots(&picked, names.len());
    let mut read: Vec<Option<Column>> = names
        .iter()
        .enumerate()
        .map(|(k, name)| match k.checked_sub(3) {
            // Coordinates become what they mean, not what they are stored as.
            None => (keep || slots[k].is_some()).then(|| Column::numbers(name, Scalar::F64, 1)),
            Some(dim) => {
                (keep || slots[k].is_some()).then(|| Column::numbers(name, dims[dim].scalar, dims[dim].count))
            }
        })
        .collect();
    each_point(file, size, &points, |point| {
        for (axis, column) in read[..3].iter_mut().enumerate() {
            if let Some(column) = column {
                let steps = header::u32_at(point, 4 * axis) as i32;
                let value = f64::from(steps) * frame.scale[axis] + frame.offset[axis];
                column.push_bytes(&value.to_le_bytes(), Endian::Little);
            }
        }
        for (dim, column) in dims.iter().zip(&mut read[3..]) {
            if let Some(column) = column {
                column.push_bytes(dim.get(point, &mut [0]), Endian::Little);
            }
        }
    })?;

    let types = picked.iter().map(|&index| index.checked_sub(3).map_or(Scalar::I32, |dim| dims[dim].scalar));
    let dtype = common_name(types);
    let chosen: Vec<Column> = picked.iter().filter_map(|&index| read[index].take()).collect();
    let (rows, width) = (points.count as usize, picked.len());
    let mut values = vec![0.0; rows * width];
    for (slot, column) in chosen.iter().enumerate() {
        // No integer of a point has more than 16 bits.
        let floats = to_floats(column).unwrap_or_default();
        values.iter_mut().skip(slot).step_by(width).zip(floats).for_each(|(place, value)| *place = value);
    }
    let cloud = Cloud {
        values: Values::F64(values),
        columns: width,
        names: Some(picked.iter().map(|&index| names[index].clone()).collect()),
        ignored: match columns {
            Some(_) => Vec::new(),
            None => names[3..].to_vec(),
        },
        format,
        dtype,
        extra: Extra::default(),
    };
    let mut attributes = Attributes::new(rows, Origin::with_frame(format, frame));
    if points.has_more {
        attributes.unread.push("records after the points (EVLR)".to_owned());
    }
    attributes.names = cloud.names.clone();
    attributes.keep(&slots, read);
    Ok((cloud, attributes))
}

/// Shows every point, uncompressed.
fn each_point(
    mut file: File,
    size: u64,
    points: &Points,
    mut show: impl FnMut(&[u8]),
) -> Result<(), ErrorKind> {
    if let Some(packing) = &points.packing {
        return packed::each_point(file, size, points, packing, show);
    }
    // Before anything is reserved: the count may be a lie.
    let (found, expected) = (size - points.start, points.count.saturating_mul(points.size as u64));
    if found < expected {
        return Err(ErrorKind::Size { found, expected });
    }
    file.seek(SeekFrom::Start(points.start))?;
    let mut reader = buffered(file);
    let mut point = vec![0; points.size];
    for _ in 0..points.count {
        reader.read_exact(&mut point)?;
        show(&point);
    }
    Ok(())
}

fn malformed(reason: impl Into<String>) -> ErrorKind {
    ErrorKind::Malformed { format: Format::Las, reason: reason.into() }
}
