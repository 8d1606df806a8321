//! How text formats differ.

use super::{number, number_with_comma};
use crate::format::Format;

/// What separates the fields of a format, and what may come before them.
pub(super) struct Dialect {
    /// Separators that are looked for on the first line, in this order.
    pub(super) candidates: &'static [u8],
    /// What separates fields if none of them is there, and in what is written, which then has a header; `None` for
    /// white space.
    pub(super) separator: Option<u8>,
    /// Whether the number of points may come first, and a `v` before each of them.
    pub(super) is_point_list: bool,
    /// Reads the number in a field.
    pub(super) number: fn(&[u8]) -> Option<f64>,
}

impl Dialect {
    pub(super) fn of(format: Format, decimal_comma: bool) -> Self {
        let (candidates, separator, is_point_list): (&[u8], _, _) = match format {
            Format::Csv => (b",;\t", Some(b','), false),
            Format::Tsv => (b"\t", Some(b'\t'), false),
            Format::Xyz => (b",;", None, true),
            _ => (b",;\t", None, false),
        };
        if decimal_comma {
            // Commas are within numbers; what is left are the other separators.
            let separator = separator.map(|byte| if byte == b',' { b';' } else { byte });
            let candidates: &[u8] = if format == Format::Tsv { b"\t" } else { b";\t" };
            return Self { candidates, separator, is_point_list, number: number_with_comma };
        }
        Self { candidates, separator, is_point_list, number }
    }
}
