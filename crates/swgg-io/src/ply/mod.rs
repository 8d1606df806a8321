//! Stanford polygon files, `.ply`: the vertices, whatever else is in them.

mod body;
mod header;
mod write;

use std::fs::File;
use std::io::{BufRead, BufReader};

use self::body::{Ascii, Binary, Coordinate, Wanted};
use self::header::{Element, Encoding, Header, Kind};
pub(crate) use self::write::write;
use crate::cloud::{Cloud, Values};
use crate::columns::{ColumnRef, ColumnSelection, slots};
use crate::error::ErrorKind;
use crate::format::Format;
use crate::scalar::{Scalar, common_name};

pub(crate) fn read(file: File, size: u64, columns: Option<&ColumnSelection>) -> Result<Cloud, ErrorKind> {
    let mut reader = BufReader::with_capacity(1 << 18, file);
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
    let wanted = Wanted { names: &names, slots: slots(&picked, names.len()), width: picked.len() };
    let values = if types.iter().all(|&scalar| scalar == Scalar::F32) {
        Values::F32(points(reader, size, &header, &wanted)?)
    } else {
        Values::F64(points(reader, size, &header, &wanted)?)
    };
    let ignored = match columns {
        Some(_) => Vec::new(),
        None => (0..names.len()).filter(|index| !picked.contains(index)).map(|i| names[i].clone()).collect(),
    };
    Ok(Cloud {
        values,
        columns: picked.len(),
        names: Some(picked.iter().map(|&index| names[index].clone()).collect()),
        ignored,
        format: Format::Ply,
        dtype: common_name(types.into_iter()),
    })
}

fn points<T: Coordinate>(
    reader: impl BufRead,
    size: u64,
    header: &Header,
    wanted: &Wanted,
) -> Result<Vec<T>, ErrorKind> {
    match header.encoding {
        Encoding::Ascii => Ascii::new(reader, header.lines).points(&header.elements, wanted),
        Encoding::Binary(endian) => {
            Binary::new(reader, size.saturating_sub(header.length), endian).points(&header.elements, wanted)
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
