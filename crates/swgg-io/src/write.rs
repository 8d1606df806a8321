//! Point clouds out.

use crate::attributes::{Attributes, Origin};
use crate::convert;
use crate::error::{Error, ErrorKind, Result};
use crate::format::Format;
use crate::layout::{Layout, usual_names};
use crate::output::Output;
use crate::{las, npy, parquet, pcd, ply, text};

/// Writes points of `d` coordinates, given row by row, ready to commit.
///
/// Columns are named `x`, `y`, `z` (`x0`, `x1`, ... beyond three) or by `names`, where the format has names: `.csv`
/// and `.tsv` as a header, and `.parquet`. Names that a reader of text would take for numbers are replaced by the
/// usual ones. `.txt` and `.xyz` are numbers between spaces, `.ply` and `.pcd` are binary, and all values are 64-bit
/// floats. Only `.las` and `.laz` round: to a billionth of the extent, or a little more, of the cloud.
///
/// # Errors
///
/// [`ErrorKind::Shape`] or [`ErrorKind::NameCount`] if `d`, `data` and `names` disagree,
/// [`ErrorKind::Dimension`] and [`ErrorKind::NotFinite`] for what a format cannot hold, and what the system refuses.
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
    let names = match (format, names) {
        (Format::Ply | Format::Pcd, _) | (_, None) => usual_names(d),
        (_, Some(names)) => names.to_vec(),
    };
    let layout = Layout::of_points(d, data, names);
    if matches!(format, Format::Las | Format::Laz) {
        let attributes = Attributes::new(data.len() / d, Origin::Plain(format));
        return las::write(output, format, data, &attributes).map(|(output, _)| output);
    }
    write_layout(output, format, layout, None)
}

/// Writes points of `d` coordinates with the attributes of the file they came from, ready to commit.
///
/// Returns beside the output what could not be written, each by its name and with the reason: text into a polygon
/// file, colours into a list of bare coordinates. Between formats things are called what the other format calls them
/// (`nx` is `normal_x` in a PCD file, three colours of eight bits are one packed `rgb` there), and types are kept
/// where the other format has them. Coordinates are 32-bit floats if they were, and in the steps of the LAS header
/// if they came from such a file.
///
/// ```
/// use swgg_io::{Format, Output, ReadOptions, read_table, write_table};
///
/// # let directory = tempfile::tempdir()?;
/// # let at = |name: &str| directory.path().join(name);
/// std::fs::write(at("in.csv"), "x,y,z,red\n0,0,1,255\n1,0,0,7\n")?;
/// let (cloud, attributes) = read_table(&at("in.csv"), &ReadOptions::default())?;
/// let moved: Vec<f64> = cloud.to_f64().iter().map(|x| x + 1.0).collect();
/// let output = Output::create(&at("out.ply"))?;
/// let (output, left_out) = write_table(output, Format::Ply, cloud.columns(), &moved, &attributes)?;
/// output.commit()?;
/// assert!(left_out.is_empty());
/// assert_eq!(read_table(&at("out.ply"), &ReadOptions::default())?.1.values("red"), Some(vec![255.0, 7.0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`write_cloud`], and [`ErrorKind::Count`] if the attributes are of another number of points.
pub fn write_table(
    output: Output,
    format: Format,
    d: usize,
    data: &[f64],
    attributes: &Attributes,
) -> Result<(Output, Vec<String>)> {
    if let Some(kind) = refusal(format, d, data, None) {
        return Err(Error::at(output.path(), kind));
    }
    let rows = data.len() / d;
    if rows != attributes.rows {
        let kind = ErrorKind::Shape { found: data.len(), rows: Some(attributes.rows), columns: d };
        return Err(Error::at(output.path(), kind));
    }
    if matches!(format, Format::Las | Format::Laz) {
        return las::write(output, format, data, attributes);
    }
    let names = attributes.names.as_deref().filter(|names| names.len() == d);
    let (layout, left_out) = convert::layout(format, (d, data), names, attributes);
    Ok((write_layout(output, format, layout, Some(attributes))?, left_out))
}

fn write_layout(
    output: Output,
    format: Format,
    mut layout: Layout<'_>,
    attributes: Option<&Attributes>,
) -> Result<Output> {
    if matches!(format, Format::Csv | Format::Tsv)
        && !text::is_header(layout.fields.iter().map(|field| field.name.trim().as_bytes()))
    {
        let usual = usual_names(layout.fields.len());
        layout.fields.iter_mut().zip(usual).for_each(|(field, name)| field.name = name);
    }
    let layout = &layout;
    let grid = match attributes.map(|attributes| &attributes.origin) {
        Some(Origin::Pcd(grid)) => Some(*grid),
        _ => None,
    };
    // Lists of points have no header unless they came with one and carry more than coordinates.
    let named = attributes.is_some_and(|a| a.names.is_some() && a.origin.is_text() && !a.columns.is_empty());
    output.write_with(|output| match format {
        Format::Npy => {
            npy::write_header(output, "<f8", &[layout.rows as u64, layout.fields.len() as u64])?;
            layout.write_rows(output)
        }
        Format::Csv => text::write(output, ',', true, layout),
        Format::Tsv => text::write(output, '\t', true, layout),
        Format::Txt | Format::Xyz => text::write(output, ' ', named, layout),
        Format::Ply => ply::write(output, layout),
        Format::Pcd => pcd::write(output, layout, grid),
        Format::Parquet => parquet::write_layout(output, layout),
        // Written by their own door.
        Format::Las | Format::Laz => Ok(()),
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
    let held = match format {
        Format::Ply | Format::Pcd => "2 or 3",
        Format::Las | Format::Laz => "3",
        _ => return None,
    };
    let fits = d == 3 || (d == 2 && held != "3");
    (!fits).then_some(ErrorKind::Dimension { format, d, held })
}
