//! Tables of numbers out.

use std::io::{self, Write};

/// Writes rows of `d` numbers in the shortest form that reads back the same, under a header if there is one.
pub(crate) fn write(
    output: &mut impl Write,
    separator: char,
    header: Option<&[String]>,
    d: usize,
    data: &[f64],
) -> io::Result<()> {
    if let Some(names) = header {
        let names: Vec<_> = names.iter().map(|name| quoted(name, separator)).collect();
        writeln!(output, "{}", names.join(&separator.to_string()))?;
    }
    for row in data.chunks_exact(d) {
        for (column, value) in row.iter().enumerate() {
            if column > 0 {
                write!(output, "{separator}")?;
            }
            write!(output, "{value:?}")?;
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
