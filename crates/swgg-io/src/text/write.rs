//! Tables out.

use std::io::{self, Write};

use super::dialect::Dialect;
use super::{is_header, number};
use crate::format::Format;
use crate::layout::{Layout, usual_names};
use crate::output::Output;
use crate::spec::Family;

/// Writes rows of numbers, in the shortest form that reads back the same, and of text, under a header if there is one.
pub(super) fn write(output: &mut Output, format: Format, layout: &Layout<'_>) -> io::Result<()> {
    let separator = Dialect::of(format, false).separator;
    let header = if separator.is_some() { Some(header(layout)) } else { list_header(layout) };
    let separator = separator.map_or(' ', char::from);
    if let Some(names) = header {
        let names: Vec<_> = names.iter().map(|name| quoted(name, separator)).collect();
        writeln!(output, "{}", names.join(&separator.to_string()))?;
    }
    let mut bytes = Vec::new();
    for row in 0..layout.rows {
        for (column, field) in layout.fields.iter().enumerate() {
            if column > 0 {
                write!(output, "{separator}")?;
            }
            match field.text() {
                Some(text) if separator == ' ' => output.write_all(text.field(row).as_bytes())?,
                Some(text) => output.write_all(quoted(text.field(row), separator).as_bytes())?,
                None => {
                    bytes.clear();
                    layout.push(field, row, &mut bytes);
                    field.scalar().write_text(&bytes, output)?;
                }
            }
        }
        writeln!(output)?;
    }
    Ok(())
}

/// The names of the columns, or the usual ones where a reader would take those for numbers.
fn header(layout: &Layout<'_>) -> Vec<String> {
    if is_header(layout.fields.iter().map(|field| field.name.trim().as_bytes()), number) {
        names(layout)
    } else {
        usual_names(layout.fields.len())
    }
}

/// Lists of points have no header unless they came with one and carry more than coordinates.
fn list_header(layout: &Layout<'_>) -> Option<Vec<String>> {
    let before = layout.attributes;
    let named =
        before.names.is_some() && before.origin.family() == Family::Text && !before.columns.is_empty();
    named.then(|| names(layout))
}

fn names(layout: &Layout<'_>) -> Vec<String> {
    layout.fields.iter().map(|field| field.name.clone()).collect()
}

fn quoted(name: &str, separator: char) -> String {
    // Every separator that a reader may look for, not only this one.
    if name.starts_with('#') || name.contains([separator, ',', ';', '\t', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}
