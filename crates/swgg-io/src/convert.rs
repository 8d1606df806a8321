//! From the columns of one format to those of another.

use std::borrow::Cow;

use crate::attributes::{Attributes, Slot};
use crate::column::{Column, Data};
use crate::format::Format;
use crate::layout::{Field, Layout, Source, usual_names};
use crate::scalar::{Number, Scalar};
use crate::spec::{Columns, Family, Names, Types, Vocabulary};

/// What normals are called in a PCD file and elsewhere.
const NORMALS: [(&str, &str); 3] = [("normal_x", "nx"), ("normal_y", "ny"), ("normal_z", "nz")];
const COLORS: [&str; 3] = ["red", "green", "blue"];

/// Points and attributes as `format` can say them, and what it cannot, by name and with the reason.
pub(crate) fn layout<'a>(
    (format, columns): (Format, &Columns),
    (d, data): (usize, &'a [f64]),
    names: Option<&[String]>,
    attributes: &'a Attributes,
) -> (Layout<'a>, Vec<String>) {
    let mut left_out = attributes.unread.clone();
    let target = Target { format, columns, attributes };
    // Polygon files and their kin are read by these names; they keep others only if they had them before.
    let names = match names.or(attributes.names.as_deref()) {
        Some(names) if columns.names != Names::Words || target.is_of_family() => names.to_vec(),
        _ => usual_names(d),
    };
    let single = attributes.single && columns.types != Types::Doubles && fits_single(d, data);
    let coordinate = |index: usize| Field {
        name: names.get(index).cloned().unwrap_or_default(),
        source: Source::Coordinate { index, single },
    };
    let colors = eight_bits(format, attributes, &mut left_out);
    let in_order = (0..d).all(|k| attributes.order.contains(&Slot::Coordinate(k)));
    let mut fields: Vec<Field> = if in_order { Vec::new() } else { (0..d).map(coordinate).collect() };
    for slot in &attributes.order {
        match *slot {
            Slot::Coordinate(index) if in_order && index < d => fields.push(coordinate(index)),
            Slot::Coordinate(_) => {}
            Slot::Attribute(index) => {
                let column = &attributes.columns[index];
                let color = colors.iter().find(|color| color.name == column.name);
                let column = color.map_or(Cow::Borrowed(column), |color| Cow::Owned(color.clone()));
                fields.extend(spoken(column, format, attributes).into_iter().map(field));
            }
        }
    }
    let packs = format.spec().vocabulary == Vocabulary::PointCloudLibrary;
    if packs && attributes.origin.format.spec().vocabulary != Vocabulary::PointCloudLibrary {
        pack_colors(&mut fields);
    }
    let fields = fields.into_iter().flat_map(|field| match field.source {
        Source::Coordinate { .. } => vec![field],
        Source::Column(column) => fitted(column, &target, &mut left_out),
    });
    let mut fields: Vec<Field> = fields.collect();
    if columns.names != Names::Free {
        settle_names(&mut fields, columns.names);
    }
    (Layout { rows: attributes.rows, d, data, fields, attributes }, left_out)
}

/// A format to write to, and where attributes come from.
struct Target<'a> {
    format: Format,
    columns: &'a Columns,
    attributes: &'a Attributes,
}

impl Target<'_> {
    /// Whether attributes come from a format of the same family.
    fn is_of_family(&self) -> bool {
        self.attributes.origin.family() == self.format.spec().family
    }
}

/// Whether coordinates are as good as ever when they are written as 32-bit floats.
///
/// Points that were moved far away, to where a map has its coordinates, would fall onto a coarse grid.
fn fits_single(d: usize, data: &[f64]) -> bool {
    let (mut low, mut high) = (vec![f64::INFINITY; d], vec![f64::NEG_INFINITY; d]);
    let mut lost = 0.0_f64;
    for row in data.chunks_exact(d) {
        for ((low, high), &x) in low.iter_mut().zip(&mut high).zip(row) {
            (*low, *high) = (low.min(x), high.max(x));
            lost = lost.max((x - f64::from(x as f32)).abs());
        }
    }
    let extent = low.iter().zip(&high).fold(0.0_f64, |most, (low, high)| most.max(high - low));
    lost <= 1e-6 * extent
}

/// A column in the words of another format: what a PCD file packs or calls otherwise.
pub(crate) fn spoken<'a>(
    column: Cow<'a, Column>,
    format: Format,
    attributes: &Attributes,
) -> Vec<Cow<'a, Column>> {
    let before = attributes.origin.format.spec().vocabulary;
    if before == format.spec().vocabulary {
        return vec![column];
    }
    let from_pcd = before == Vocabulary::PointCloudLibrary;
    if from_pcd && let Some(colors) = unpacked(&column) {
        return colors.into_iter().map(Cow::Owned).collect();
    }
    let other = |&(pcd, usual): &(&str, &'static str)| (from_pcd && column.name == pcd).then_some(usual);
    let pcd = |&(pcd, usual): &(&'static str, &str)| (!from_pcd && column.name == usual).then_some(pcd);
    match NORMALS.iter().find_map(other).or_else(|| NORMALS.iter().find_map(pcd)) {
        Some(name) => vec![Cow::Owned(Column { name: name.to_owned(), ..column.into_owned() })],
        None => vec![column],
    }
}

/// The colours of a LAS file, which has 16 bits for each, for formats whose readers expect 8; none for others.
///
/// Many files have numbers up to 255 there all the same: those are taken as they are.
fn eight_bits(format: Format, attributes: &Attributes, left_out: &mut Vec<String>) -> Vec<Column> {
    if (format.spec().family, attributes.origin.family()) != (Family::Scan, Family::Lidar) {
        return Vec::new();
    }
    let is_color = |column: &&Column| COLORS.contains(&column.name.as_str());
    let colors: Vec<(&Column, Vec<i128>)> = attributes
        .columns
        .iter()
        .filter(is_color)
        .filter_map(|column| {
            let whole = |value| if let Number::Integer(whole) = value { Some(whole) } else { None };
            Some((column, column.values()?.into_iter().map(whole).collect::<Option<_>>()?))
        })
        .collect();
    let all = || colors.iter().flat_map(|(_, values)| values);
    let step = if all().any(|value| *value > 255) { 257 } else { 1 };
    if all().any(|value| value % step != 0) {
        left_out.push(format!("half of the 16 bits of red, green and blue (a .{format} file has 8)"));
    }
    let narrow = |(column, values): &(&Column, Vec<i128>)| {
        let bytes = values.iter().map(|value| ((value + step / 2) / step).clamp(0, 255) as u8).collect();
        Column { name: column.name.clone(), data: Data::Numbers { scalar: Scalar::U8, count: 1, bytes } }
    };
    colors.iter().map(narrow).collect()
}

/// The colours that are packed into four bytes, from blue to red and, in `rgba`, alpha.
fn unpacked(column: &Column) -> Option<Vec<Column>> {
    let alpha = match column.name.as_str() {
        "rgb" => None,
        "rgba" => Some(("alpha", 3)),
        _ => return None,
    };
    column.scalar().filter(|scalar| scalar.size() == 4)?;
    let colors = COLORS.iter().copied().zip([2, 1, 0]).chain(alpha);
    let color = |(name, at): (&str, usize)| {
        let bytes = (0..column.rows()).map(|row| column.bytes(row)[at]).collect();
        Column { name: name.to_owned(), data: Data::Numbers { scalar: Scalar::U8, count: 1, bytes } }
    };
    Some(colors.map(color).collect())
}

/// Colours of eight bits become one packed field, a float as the Point Cloud Library has it; with alpha an integer.
fn pack_colors(fields: &mut Vec<Field<'_>>) {
    let place = |fields: &[Field], name: &str| {
        fields.iter().position(|field| field.name == name && matches!(field.source, Source::Column(_)))
    };
    let narrow = |fields: &[Field], name: &str| match &fields[place(fields, name)?].source {
        Source::Column(column) => column.in_type(Scalar::U8),
        Source::Coordinate { .. } => None,
    };
    let [Some(red), Some(green), Some(blue)] = COLORS.map(|name| narrow(fields, name)) else { return };
    let alpha = narrow(fields, "alpha");
    let (name, scalar) = if alpha.is_some() { ("rgba", Scalar::U32) } else { ("rgb", Scalar::F32) };
    let mut bytes = Vec::with_capacity(4 * red.rows());
    for row in 0..red.rows() {
        let opacity = alpha.as_ref().map_or(0, |alpha| alpha.bytes(row)[0]);
        bytes.extend([blue.bytes(row)[0], green.bytes(row)[0], red.bytes(row)[0], opacity]);
    }
    let packed = Column { name: name.to_owned(), data: Data::Numbers { scalar, count: 1, bytes } };
    if let Some(at) = place(fields, "red") {
        fields[at] = field(Cow::Owned(packed));
    }
    let gone: &[&str] = if alpha.is_some() { &["green", "blue", "alpha"] } else { &["green", "blue"] };
    for name in gone {
        if let Some(at) = place(fields, name) {
            fields.remove(at);
        }
    }
}

/// A column in types that the format has; nothing, with the reason noted, if there are none.
fn fitted<'a>(column: Cow<'a, Column>, target: &Target<'_>, left_out: &mut Vec<String>) -> Vec<Field<'a>> {
    let Target { format, columns, .. } = target;
    let mut refuse = |name: &str, reason: &str| {
        left_out.push(format!("{name} ({reason})"));
        Vec::new()
    };
    let name = column.name.clone();
    if columns.names == Names::Bare && !target.is_of_family() {
        return refuse(&name, &format!("a .{format} file has no names to tell it from a coordinate"));
    }
    let is_text = matches!(column.data, Data::Text { .. });
    match columns.types {
        Types::Text { gaps } => {
            let breaks =
                |row| column.field(row).is_empty() || column.field(row).contains(char::is_whitespace);
            if is_text && !gaps && (0..column.rows()).any(breaks) {
                return refuse(&name, "text with gaps");
            }
            parts(column).into_iter().map(field).collect()
        }
        types => {
            let typed = match is_text.then(|| inferred(&column)) {
                None => column,
                Some(Some(numbers)) => Cow::Owned(numbers),
                Some(None) if types == Types::All => column,
                Some(None) => return refuse(&name, "text"),
            };
            let whole = if columns.lists { vec![typed] } else { parts(typed) };
            let mut fields = Vec::with_capacity(whole.len());
            for part in whole {
                match in_types(types, part) {
                    Some(part) => fields.push(field(part)),
                    None => return refuse(&name, "integers of 64 bits"),
                }
            }
            fields
        }
    }
}

fn parts(column: Cow<'_, Column>) -> Vec<Cow<'_, Column>> {
    match column.data {
        Data::Numbers { count: 2.., .. } => column.into_owned().split().into_iter().map(Cow::Owned).collect(),
        _ => vec![column],
    }
}

/// Text as numbers, if that is all it says: colours of eight bits, integers, or floats.
fn inferred(column: &Column) -> Option<Column> {
    let is_color = COLORS.contains(&column.name.as_str()) || column.name == "alpha";
    let color = is_color.then(|| column.in_type(Scalar::U8)).flatten();
    let integers = || {
        let written = column.values()?.iter().all(|value| matches!(value, Number::Integer(_)));
        written.then(|| column.in_type(Scalar::I32).or_else(|| column.in_type(Scalar::I64))).flatten()
    };
    color.or_else(integers).or_else(|| column.in_type(Scalar::F64))
}

/// The column in a type that the format has.
fn in_types(types: Types, column: Cow<'_, Column>) -> Option<Cow<'_, Column>> {
    let Data::Numbers { scalar, count, .. } = column.data else { return Some(column) };
    let exact_float = |column: &Column| {
        column
            .values()?
            .iter()
            .all(|value| value.to_f64().is_ok())
            .then(|| column.in_type(Scalar::F64))
            .flatten()
    };
    let other = match (types, scalar) {
        (Types::Doubles, Scalar::F64) | (Types::All, _) => return Some(column),
        (Types::Doubles, _) => exact_float(&column),
        (_, Scalar::Bool) if count == 1 => column.in_type(Scalar::U8),
        (_, Scalar::F16) if count == 1 => column.in_type(Scalar::F32),
        (Types::Narrow, Scalar::I64 | Scalar::U64) => column
            .in_type(Scalar::I32)
            .or_else(|| column.in_type(Scalar::U32))
            .or_else(|| exact_float(&column)),
        _ => return Some(column),
    };
    other.map(Cow::Owned)
}

/// Names without gaps, where gaps separate them, and no name twice.
fn settle_names(fields: &mut [Field<'_>], names: Names) {
    let mut taken: Vec<String> = Vec::with_capacity(fields.len());
    let (coordinates, others): (Vec<_>, Vec<_>) =
        fields.iter_mut().partition(|field| matches!(field.source, Source::Coordinate { .. }));
    // Coordinates first: it is the others that have to give way.
    for field in coordinates.into_iter().chain(others) {
        let mut name = field.name.trim().to_owned();
        if names != Names::Unique {
            name = name.split_whitespace().collect::<Vec<_>>().join("_");
        }
        if name.is_empty() {
            name = "unnamed".to_owned();
        }
        let fresh = (2..).map(|k| format!("{name}_{k}")).find(|other| !taken.contains(other));
        field.name = if taken.contains(&name) { fresh.unwrap_or(name) } else { name };
        taken.push(field.name.clone());
    }
}

fn field(column: Cow<'_, Column>) -> Field<'_> {
    Field { name: column.name.clone(), source: Source::Column(column) }
}
