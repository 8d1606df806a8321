//! Stanford polygon files, `.ply`: the vertices, whatever else is in them.

mod body;
mod header;
mod write;

use std::io::BufRead;

use self::body::{Ascii, Binary, Coordinate, Wanted};
use self::header::{Element, Encoding, Header, Kind};
use crate::attributes::{Attributes, Origin};
use crate::cloud::{Cloud, Extra, Values};
use crate::column::Column;
use crate::columns::{ColumnRef, slots};
use crate::error::ErrorKind;
use crate::format::Format;
use crate::input::{Input, buffered};
use crate::scalar::{Scalar, common_name};
use crate::spec::{CloudSpec, Columns, Dims, Family, Names, Read, Types, Vocabulary, Write};

pub(crate) const FORMAT: CloudSpec = CloudSpec {
    name: "ply",
    about: "a polygon file: x, y and z of its vertices, others by name",
    extensions: &[".ply"],
    mark: Some(|bytes| header::is_first_line(bytes.split(|&byte| byte == b'\n').next().unwrap_or_default())),
    family: Family::Scan,
    vocabulary: Vocabulary::Usual,
    dims: Dims::TwoOrThree,
    read,
    write: Some(Write::Columns(Columns {
        names: Names::Words,
        types: Types::Narrow,
        lists: false,
        write: |output, _, layout| write::write(output, layout),
    })),
};

/// Reads the coordinates and, if wanted, everything else that the vertices have.
fn read(input: Input<'_>) -> Read {
    let Input { file, size, columns, keep, .. } = input;
    let mut reader = buffered(file);
    let header = Header::read(&mut reader)?;
    let vertex = header
        .elements
        .iter()
        .find(|element| element.name == "vertex")
        .ok_or_else(|| malformed("it has no element \"vertex\""))?;
    if vertex.count == 0 {
        return Err(ErrorKind::NoRows);
    }
    let names: Vec<String> = vertex.properties.iter().map(|property| property.name.clone()).collect();
    let picked = match columns {
        Some(selection) => selection.resolve(Some(&names), names.len())?,
        None => coordinates(&names)?,
    };
    let types = types(vertex, &picked, &names)?;
    let mut attributes = Attributes::new(0, Origin::plain(Format::Ply));
    let slots = slots(&picked, names.len());
    let mut kept = vec![None; names.len()];
    for (index, property) in vertex.properties.iter().enumerate() {
        match property.kind {
            Kind::Scalar(scalar) if keep && slots[index].is_none() => {
                kept[index] = Some(attributes.columns.len());
                attributes.columns.push(Column::numbers(&property.name, scalar, 1));
            }
            Kind::List { .. } if keep => attributes.unread.push(format!("{} (lists)", property.name)),
            _ => {}
        }
    }
    if keep {
        let others = header.elements.iter().filter(|element| element.name != "vertex" && element.count > 0);
        attributes.unread.extend(others.map(|element| format!("{} (not of points)", element.name)));
    }
    let wanted = Wanted { names: &names, slots, width: picked.len(), kept };
    let kept = &mut attributes.columns;
    attributes.single = types.iter().all(|&scalar| scalar == Scalar::F32);
    let values = if attributes.single {
        Values::F32(points(reader, size, &header, &wanted, kept)?)
    } else {
        Values::F64(points(reader, size, &header, &wanted, kept)?)
    };
    attributes.arrange(&wanted.slots, &wanted.kept);
    let ignored = match columns {
        Some(_) => Vec::new(),
        None => (0..names.len()).filter(|index| !picked.contains(index)).map(|i| names[i].clone()).collect(),
    };
    let cloud = Cloud {
        values,
        columns: picked.len(),
        names: Some(picked.iter().map(|&index| names[index].clone()).collect()),
        ignored,
        format: Format::Ply,
        dtype: common_name(types.into_iter()),
        extra: Extra::default(),
    };
    attributes.rows = cloud.rows();
    attributes.names = cloud.names.clone();
    Ok((cloud, attributes))
}

fn points<T: Coordinate>(
    reader: impl BufRead,
    size: u64,
    header: &Header,
    wanted: &Wanted,
    kept: &mut [Column],
) -> Result<Vec<T>, ErrorKind> {
    match header.encoding {
        Encoding::Ascii => Ascii::new(reader, header.lines).points(&header.elements, wanted, kept),
        Encoding::Binary(endian) => {
            let body = Binary::new(reader, size.saturating_sub(header.length), endian);
            body.points(&header.elements, wanted, kept)
        }
    }
}

fn coordinates(names: &[String]) -> Result<Vec<usize>, ErrorKind> {
    let mut picked = Vec::new();
    for coordinate in ["x", "y", "z"] {
        match names.iter().position(|name| name == coordinate) {
            Some(index) => picked.push(index),
            None if coordinate == "z" => {}
            None => return Err(malformed(format!("its vertices have no property {coordinate:?}"))),
        }
    }
    Ok(picked)
}

fn types(vertex: &Element, picked: &[usize], names: &[String]) -> Result<Vec<Scalar>, ErrorKind> {
    let scalar = |&index: &usize| match vertex.properties[index].kind {
        Kind::Scalar(scalar) => Ok(scalar),
        Kind::List { .. } => {
            let column = ColumnRef::new(index, Some(names));
            Err(ErrorKind::NotNumeric { column, type_name: "lists".into() })
        }
    };
    picked.iter().map(scalar).collect()
}

fn malformed(reason: impl Into<String>) -> ErrorKind {
    ErrorKind::Malformed { format: Format::Ply, reason: reason.into() }
}
