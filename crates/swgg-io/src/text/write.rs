//! Tables out.

use std::io::{self, Write};

use crate::layout::Layout;

/// Writes rows of numbers, in the shortest form that reads back the same, and of text, under a header if it is wanted.
pub(crate) fn write(
    output: &mut impl Write,
    separator: char,
    header: bool,
    layout: &Layout<'_>,
) -> io::Result<()> {
    if header {
        let names: Vec<_> = layout.fields.iter().map(|field| quoted(&field.name, separator)).collect();
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

fn quoted(name: &str, separator: char) -> String {
    // Every separator that a reader may look for, not only this one.
    if name.starts_with('#') || name.contains([separator, ',', ';', '\t', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}
