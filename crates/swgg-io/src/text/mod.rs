//! Tables of numbers as text: `.csv`, `.tsv`, `.txt`, `.xyz`, `.pts`.

mod dialect;
mod plan;
mod rows;
mod table;
mod write;

use crate::input::buffered;
use crate::spec::{CloudSpec, Columns, Dims, Family, Names, PlanSpec, Types, Vocabulary, Write};

pub(crate) const CSV: CloudSpec = spec("csv", &[".csv"], Names::Free, Types::Text { gaps: true });
pub(crate) const TSV: CloudSpec = spec("tsv", &[".tsv"], Names::Free, Types::Text { gaps: true });
pub(crate) const TXT: CloudSpec = spec("txt", &[".txt"], Names::Bare, Types::Text { gaps: false });
pub(crate) const XYZ: CloudSpec = spec("xyz", &[".xyz", ".pts"], Names::Bare, Types::Text { gaps: false });
pub(crate) const PLAN: PlanSpec = PlanSpec { name: "csv", extensions: &[".csv"], write: plan::write };

const fn spec(
    name: &'static str,
    extensions: &'static [&'static str],
    names: Names,
    types: Types,
) -> CloudSpec {
    CloudSpec {
        name,
        extensions,
        mark: None,
        family: Family::Text,
        vocabulary: Vocabulary::Usual,
        dims: Dims::Any,
        read: |input| table::read(buffered(input.file), input.format, input.columns, input.keep),
        write: Some(Write::Columns(Columns { names, types, lists: false, write: write::write })),
    }
}

/// The number that a field holds; `nan` and `inf` are numbers.
fn number(field: &[u8]) -> Option<f64> {
    fast_float2::parse(field).ok()
}

/// Whether the fields of a first row are names. Markers of missing values are not, so that a first point without
/// values is refused and not lost.
fn is_header<'a>(fields: impl Iterator<Item = &'a [u8]>) -> bool {
    let missing = |field: &[u8]| {
        [&b""[..], b"na", b"n/a", b"null", b"none"].iter().any(|marker| field.eq_ignore_ascii_case(marker))
    };
    let (mut any_name, mut any_number) = (false, false);
    for field in fields {
        any_name |= !missing(field);
        any_number |= number(field).is_some();
    }
    any_name && !any_number
}
