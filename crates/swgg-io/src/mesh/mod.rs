//! Meshes, of which the vertices are points: `.obj`, `.off`, `.stl`. Their faces, textures and normals are not read.

mod obj;
mod off;
mod stl;

use crate::attributes::{Attributes, Origin};
use crate::cloud::{Cloud, Extra, Values};
use crate::columns::ColumnSelection;
use crate::error::ErrorKind;
use crate::format::Format;
use crate::spec::{CloudSpec, Dims, Family, Read, Vocabulary};

pub(crate) const OBJ: CloudSpec = CloudSpec {
    name: "obj",
    about: "a Wavefront mesh: its vertices",
    extensions: &[".obj"],
    mark: None,
    family: Family::Scan,
    vocabulary: Vocabulary::Usual,
    dims: Dims::Three,
    read: obj::read,
    write: None,
};
pub(crate) const OFF: CloudSpec = CloudSpec {
    name: "off",
    about: "a mesh in the Object File Format: its vertices",
    extensions: &[".off"],
    mark: Some(off::is_marked),
    read: off::read,
    ..OBJ
};
pub(crate) const STL: CloudSpec = CloudSpec {
    name: "stl",
    about: "triangles as printers want them: their corners, each once",
    extensions: &[".stl"],
    read: stl::read,
    ..OBJ
};

/// The number in a word, as for other text.
fn number(word: &str) -> Option<f64> {
    fast_float2::parse(word).ok()
}

fn malformed(format: Format, reason: impl Into<String>) -> ErrorKind {
    ErrorKind::Malformed { format, reason: reason.into() }
}

/// Three numbers of a line, or what is wrong with it.
fn point(format: Format, line: usize, words: &[&str]) -> Result<[f64; 3], ErrorKind> {
    let mut point = [0.0; 3];
    for (axis, place) in point.iter_mut().enumerate() {
        let found = words.get(axis).copied();
        *place = found.and_then(number).ok_or_else(|| {
            let found = found
                .map_or_else(|| "nothing".to_owned(), |word| format!("{:?}", crate::error::shorten(word)));
            let axis = ["x", "y", "z"][axis];
            malformed(format, format!("line {line} has {found} where the {axis} of a vertex should be"))
        })?;
    }
    Ok(point)
}

/// Vertices as a cloud.
fn cloud(
    format: Format,
    columns: Option<&ColumnSelection>,
    points: Vec<[f64; 3]>,
    is_single: bool,
    unread: Vec<String>,
) -> Read {
    if points.is_empty() {
        return Err(ErrorKind::NoRows);
    }
    let names = ["x", "y", "z"].map(str::to_owned);
    let picked = match columns {
        Some(selection) => selection.resolve(Some(&names), 3)?,
        None => vec![0, 1, 2],
    };
    let coordinates = points.iter().flat_map(|point| picked.iter().map(|&axis| point[axis]));
    let values = match is_single {
        true => Values::F32(coordinates.map(|x| x as f32).collect()),
        false => Values::F64(coordinates.collect()),
    };
    let names: Vec<String> = picked.iter().map(|&axis| names[axis].clone()).collect();
    let mut attributes = Attributes::new(points.len(), Origin::plain(format));
    attributes.names = Some(names.clone());
    attributes.single = is_single;
    attributes.arrange(&(0..picked.len()).map(Some).collect::<Vec<_>>(), &vec![None; picked.len()]);
    attributes.unread.clone_from(&unread);
    let dtype = if is_single { "float32" } else { "text" };
    let cloud = Cloud {
        values,
        columns: picked.len(),
        names: Some(names),
        ignored: if columns.is_some() { Vec::new() } else { unread },
        format,
        dtype,
        extra: Extra::default(),
    };
    Ok((cloud, attributes))
}
