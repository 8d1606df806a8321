//! Files of the Point Cloud Library, `.pcd`, versions .5 to .7.

mod body;
mod header;
mod lzf;
mod write;

use self::header::{Grid, Header};
use crate::attributes::{Attributes, Origin, to_floats};
use crate::cloud::{Cloud, Extra, Values};
use crate::column::Column;
use crate::columns::{ColumnRef, slots};
use crate::error::ErrorKind;
use crate::format::Format;
use crate::input::{Input, buffered};
use crate::scalar::{Endian, Scalar, common_name, to_f32};
use crate::spec::{CloudSpec, Columns, Dims, Family, Names, Read, Types, Vocabulary, Write};

pub(crate) const FORMAT: CloudSpec = CloudSpec {
    name: "pcd",
    about: "a scan of the Point Cloud Library: x, y and z, others by name",
    extensions: &[".pcd"],
    // A comment that is usual, or the first line that is asked for.
    mark: Some(|bytes| bytes.starts_with(b"# .PCD") || bytes.starts_with(b"VERSION")),
    family: Family::Scan,
    vocabulary: Vocabulary::PointCloudLibrary,
    dims: Dims::TwoOrThree,
    read,
    write: Some(Write::Columns(Columns {
        names: Names::Words,
        types: Types::Wide,
        lists: true,
        write: |output, _, layout| write::write(output, layout, layout.attributes.origin.frame::<Grid>()),
    })),
};

/// Reads the coordinates and, if wanted, everything else.
fn read(input: Input<'_>) -> Read {
    let Input { file, size, columns, keep, .. } = input;
    let mut reader = buffered(file);
    let header = Header::read(&mut reader)?;
    if header.points == 0 {
        return Err(ErrorKind::NoRows);
    }
    let names: Vec<String> = header.fields.iter().map(|field| field.name.clone()).collect();
    let picked = match columns {
        Some(selection) => selection.resolve(Some(&names), names.len())?,
        None => coordinates(&names)?,
    };
    if let Some(&index) = picked.iter().find(|&&index| header.fields[index].count != 1) {
        let column = ColumnRef::new(index, Some(&names));
        return Err(ErrorKind::NotNumeric { column, type_name: "lists".into() });
    }
    let slots = slots(&picked, names.len());
    let wanted: Vec<bool> =
        (0..names.len()).map(|k| slots[k].is_some() || (keep && !header.fields[k].is_padding())).collect();
    let mut read = body::read(&mut reader, size, &header, &wanted)?;

    let types: Vec<Scalar> = picked.iter().map(|&index| header.fields[index].scalar).collect();
    let chosen: Vec<Column> = picked.iter().filter_map(|&index| read[index].take()).collect();
    let cloud = Cloud {
        values: values(&chosen, &picked, &names)?,
        columns: picked.len(),
        names: Some(picked.iter().map(|&index| names[index].clone()).collect()),
        ignored: match columns {
            Some(_) => Vec::new(),
            None => {
                let others = header.fields.iter().zip(&slots).filter(|(_, slot)| slot.is_none());
                others.filter(|(field, _)| !field.is_padding()).map(|(field, _)| field.name.clone()).collect()
            }
        },
        format: Format::Pcd,
        dtype: common_name(types.iter().copied()),
        extra: Extra::default(),
    };
    let mut attributes = Attributes::new(cloud.rows(), Origin::with_frame(Format::Pcd, header.grid));
    if keep && header.has_viewpoint {
        attributes.unread.push("VIEWPOINT (of the file, not of points)".to_owned());
    }
    attributes.single = types.iter().all(|&scalar| scalar == Scalar::F32);
    attributes.names = cloud.names.clone();
    attributes.keep(&slots, read);
    Ok((cloud, attributes))
}

/// The columns side by side.
fn values(columns: &[Column], picked: &[usize], names: &[String]) -> Result<Values, ErrorKind> {
    let (rows, width) = (columns.first().map_or(0, Column::rows), columns.len());
    if columns.iter().all(|column| column.scalar() == Some(Scalar::F32)) {
        let value = |k: usize| to_f32(columns[k % width].bytes(k / width), Endian::Little);
        return Ok(Values::F32((0..rows * width).map(value).collect()));
    }
    let mut values = vec![0.0; rows * width];
    for (slot, column) in columns.iter().enumerate() {
        let floats = to_floats(column).map_err(|(row, value)| ErrorKind::Inexact {
            row: row as u64,
            column: ColumnRef::new(picked[slot], Some(names)),
            value,
        })?;
        values.iter_mut().skip(slot).step_by(width).zip(floats).for_each(|(place, value)| *place = value);
    }
    Ok(Values::F64(values))
}

fn coordinates(names: &[String]) -> Result<Vec<usize>, ErrorKind> {
    let place = |wanted: &str| names.iter().position(|name| name == wanted);
    match (place("x"), place("y"), place("z")) {
        (Some(x), Some(y), z) => Ok([Some(x), Some(y), z].into_iter().flatten().collect()),
        (None, ..) => Err(malformed("its points have no field \"x\"")),
        (_, None, _) => Err(malformed("its points have no field \"y\"")),
    }
}

fn malformed(reason: impl Into<String>) -> ErrorKind {
    ErrorKind::Malformed { format: Format::Pcd, reason: reason.into() }
}
