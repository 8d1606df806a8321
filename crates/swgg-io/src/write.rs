//! Point clouds out.

use crate::attributes::{Attributes, Origin};
use crate::convert;
use crate::error::{Error, ErrorKind, Result};
use crate::format::Format;
use crate::layout::{Layout, usual_names};
use crate::output::Output;
use crate::spec::{Names, Write};

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
/// [`ErrorKind::Dimension`] and [`ErrorKind::NotFinite`] for what a format cannot hold, [`ErrorKind::NotWritten`] for
/// a format that is only read, and what the system refuses.
pub fn write_cloud(
    output: Output,
    format: Format,
    d: usize,
    data: &[f64],
    names: Option<&[String]>,
) -> Result<Output> {
    let write = writer(format, d, data, names).map_err(|kind| Error::at(output.path(), kind))?;
    let none = Attributes::new(data.len() / d, Origin::plain(format));
    match write {
        Write::Places(write) => write(output, format, data, &none).map(|(output, _)| output),
        Write::Columns(columns) => {
            let names = match names {
                Some(names) if columns.names != Names::Words => names.to_vec(),
                _ => usual_names(d),
            };
            let layout = Layout::of_points(d, data, names, &none);
            output.write_with(|output| (columns.write)(output, format, &layout))
        }
    }
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
    let write = writer(format, d, data, None).map_err(|kind| Error::at(output.path(), kind))?;
    let rows = data.len() / d;
    if rows != attributes.rows {
        let kind = ErrorKind::Shape { found: data.len(), rows: Some(attributes.rows), columns: d };
        return Err(Error::at(output.path(), kind));
    }
    match write {
        Write::Places(write) => write(output, format, data, attributes),
        Write::Columns(columns) => {
            let names = attributes.names.as_deref().filter(|names| names.len() == d);
            let (layout, left_out) = convert::layout((format, columns), (d, data), names, attributes);
            Ok((output.write_with(|output| (columns.write)(output, format, &layout))?, left_out))
        }
    }
}

/// Who writes clouds of this format, or why these points cannot be written.
fn writer(
    format: Format,
    d: usize,
    data: &[f64],
    names: Option<&[String]>,
) -> std::result::Result<&'static Write, ErrorKind> {
    if d == 0 || !data.len().is_multiple_of(d) {
        return Err(ErrorKind::Shape { found: data.len(), rows: None, columns: d });
    }
    if let Some(names) = names
        && names.len() != d
    {
        return Err(ErrorKind::NameCount { found: names.len(), expected: d });
    }
    let spec = format.spec();
    match spec.dims.refusal(format, d) {
        Some(refusal) => Err(refusal),
        None => spec.write.as_ref().ok_or(ErrorKind::NotWritten { format }),
    }
}
