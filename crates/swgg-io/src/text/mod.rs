//! Tables of numbers as text: `.csv`, `.tsv`, `.txt`, `.xyz`, `.pts`.

mod dialect;
mod plan;
mod rows;
mod survey;
mod table;
mod write;

use crate::input::buffered;
use crate::spec::{CloudSpec, Columns, Dims, Family, Names, PlanSpec, Types, Vocabulary, Write};

pub(crate) const CSV: CloudSpec = spec(
    "csv",
    "text between commas, semicolons or tabs, with a header or without",
    &[".csv"],
    Names::Free,
    Types::Text { gaps: true },
);
pub(crate) const TSV: CloudSpec =
    spec("tsv", "text between tabs", &[".tsv"], Names::Free, Types::Text { gaps: true });
pub(crate) const TXT: CloudSpec =
    spec("txt", "text in columns", &[".txt"], Names::Bare, Types::Text { gaps: false });
pub(crate) const XYZ: CloudSpec = spec(
    "xyz",
    "bare coordinates; their number may come first",
    &[".xyz", ".pts"],
    Names::Bare,
    Types::Text { gaps: false },
);
pub(crate) const PLAN: PlanSpec = PlanSpec {
    name: "csv",
    about: "a line source,target,mass per moved piece",
    extensions: &[".csv"],
    write: plan::write,
};

const fn spec(
    name: &'static str,
    about: &'static str,
    extensions: &'static [&'static str],
    names: Names,
    types: Types,
) -> CloudSpec {
    CloudSpec {
        name,
        about,
        extensions,
        mark: None,
        family: Family::Text,
        vocabulary: Vocabulary::Usual,
        dims: Dims::Any,
        read: |input| {
            let asked = table::Asked::of(&input);
            table::read(buffered(input.file), asked)
        },
        write: Some(Write::Columns(Columns { names, types, lists: false, write: write::write })),
    }
}

pub(crate) use survey::survey;

/// The number that a field holds; `nan` and `inf` are numbers.
fn number(field: &[u8]) -> Option<f64> {
    fast_float2::parse(field).ok()
}

/// The same where a comma separates the decimals.
fn number_with_comma(field: &[u8]) -> Option<f64> {
    if !field.contains(&b',') {
        return number(field);
    }
    let pointed: Vec<u8> = field.iter().map(|&byte| if byte == b',' { b'.' } else { byte }).collect();
    number(&pointed)
}

/// Whether a field stands for a value that is not there.
fn is_missing(field: &[u8]) -> bool {
    [&b""[..], b"na", b"n/a", b"null", b"none"].iter().any(|marker| field.eq_ignore_ascii_case(marker))
}

/// Whether the fields of a first row are names. Markers of missing values are not, so that a first point without
/// values is refused and not lost.
fn is_header<'a>(fields: impl Iterator<Item = &'a [u8]>, number: fn(&[u8]) -> Option<f64>) -> bool {
    let (mut any_name, mut any_number) = (false, false);
    for field in fields {
        any_name |= !is_missing(field);
        any_number |= number(field).is_some();
    }
    any_name && !any_number
}
