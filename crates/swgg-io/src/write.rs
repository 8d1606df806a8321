//! Point clouds out.

use crate::error::{Error, ErrorKind, Result};
use crate::format::Format;
use crate::output::Output;
use crate::{npy, parquet, ply, text};

/// Writes points of `d` coordinates, given row by row, ready to commit.
///
/// Columns are named `x`, `y`, `z` (`x0`, `x1`, ... beyond three) or by `names`, where the format has names: `.csv`
/// and `.tsv` as a header, and `.parquet`. Names that a reader of text would take for numbers are replaced by the
/// usual ones. `.txt` and `.xyz` are numbers between spaces, `.ply` is binary, and all values are 64-bit floats.
///
/// # Errors
///
/// [`ErrorKind::Shape`] or [`ErrorKind::NameCount`] if `d`, `data` and `names` disagree,
/// [`ErrorKind::PlyDimension`], and what the system refuses.
pub fn write_cloud(
    output: Output,
    format: Format,
    d: usize,
    data: &[f64],
    names: Option<&[String]>,
) -> Result<Output> {
    if let Some(kind) = refusal(format, d, data, names) {
        return Err(Error::at(output.path(), kind));
    }
    let names = names.map_or_else(|| usual_names(d), <[String]>::to_vec);
    let is_header = text::is_header(names.iter().map(|name| name.trim().as_bytes()));
    let header = if is_header { names.clone() } else { usual_names(d) };
    output.write_with(|output| match format {
        Format::Npy => {
            npy::write_header(output, "<f8", &[(data.len() / d) as u64, d as u64])?;
            npy::write_values(output, data)
        }
        Format::Csv => text::write(output, ',', Some(&header), d, data),
        Format::Tsv => text::write(output, '\t', Some(&header), d, data),
        Format::Txt | Format::Xyz => text::write(output, ' ', None, d, data),
        Format::Ply => ply::write(output, d, data),
        Format::Parquet => parquet::write_cloud(output, &names, data),
    })
}

fn refusal(format: Format, d: usize, data: &[f64], names: Option<&[String]>) -> Option<ErrorKind> {
    if d == 0 || !data.len().is_multiple_of(d) {
        return Some(ErrorKind::Shape { found: data.len(), rows: None, columns: d });
    }
    match names {
        Some(names) if names.len() != d => {
            return Some(ErrorKind::NameCount { found: names.len(), expected: d });
        }
        _ => {}
    }
    (format == Format::Ply && !(2..=3).contains(&d)).then_some(ErrorKind::PlyDimension { d })
}

fn usual_names(d: usize) -> Vec<String> {
    match d {
        0..=3 => ["x", "y", "z"][..d].iter().map(|&name| name.to_owned()).collect(),
        _ => (0..d).map(|column| format!("x{column}")).collect(),
    }
}
