//! Tables of numbers as text: `.csv`, `.tsv`, `.txt`, `.xyz`, `.pts`.

mod rows;
mod table;
mod write;

pub(crate) use table::read;
pub(crate) use write::write;

/// The number that a field holds; `nan` and `inf` are numbers.
pub(crate) fn number(field: &[u8]) -> Option<f64> {
    fast_float2::parse(field).ok()
}

/// Whether the fields of a first row are names. Markers of missing values are not, so that a first point without
/// values is refused and not lost.
pub(crate) fn is_header<'a>(fields: impl Iterator<Item = &'a [u8]>) -> bool {
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
