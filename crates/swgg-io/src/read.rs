//! Opening a file and handing it to the reader of its format.

use std::path::Path;

use crate::attributes::Attributes;
use crate::cloud::Cloud;
use crate::columns::ColumnSelection;
use crate::error::{Error, ErrorKind, Result};
use crate::format::Format;
use crate::input::{Input, open};

/// How [`read_cloud`] reads.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The columns that are coordinates. By default: `x`, `y` and `z` of a scan (such as PLY, PCD, LAS), the columns of
    /// numbers of a parquet table, all columns of the other formats. [`read_table`] takes columns named `x`, `y` and
    /// `z` of the others, too, if they are there.
    pub columns: Option<ColumnSelection>,
}

/// Reads a cloud of points; the extension tells the [`Format`].
///
/// Every size that a header announces is compared with the size of the file before memory is reserved. Values that
/// are infinite or not a number are kept for the caller to judge.
///
/// A `.npy` file of 64 MiB or more that stores little-endian floats row by row is mapped into memory instead of
/// copied, unless columns are picked. Do not change such a file while its [`Cloud`] is alive: the points would
/// change with it, and if the file became shorter the system would end the process.
///
/// # Errors
///
/// A file that is missing, empty, malformed or without points; see [`ErrorKind`].
pub fn read_cloud(path: &Path, options: &ReadOptions) -> Result<Cloud> {
    read(path, options, false).map(|(cloud, _)| cloud)
}

/// Reads a cloud of points together with what the points carry: all columns that are not coordinates, in the types in
/// which they are stored. [`write_table`](crate::write_table) writes them back.
///
/// # Errors
///
/// As [`read_cloud`].
pub fn read_table(path: &Path, options: &ReadOptions) -> Result<(Cloud, Attributes)> {
    read(path, options, true)
}

fn read(path: &Path, options: &ReadOptions, keep: bool) -> Result<(Cloud, Attributes)> {
    if path.is_dir() {
        // Said before the lack of an extension, which a directory often has too.
        return Err(Error::at(path, ErrorKind::IsDirectory));
    }
    let format = Format::from_path(path)?;
    let read = || {
        let (file, size) = open(path, || ErrorKind::Empty)?;
        let columns = options.columns.as_ref();
        (format.spec().read)(Input { file, size, format, columns, keep })
    };
    read().map_err(|kind| Error::at(path, kind))
}

/// Reads a single column (or a single row) of numbers, such as weights.
///
/// # Errors
///
/// As [`read_cloud`], and [`ErrorKind::NotAVector`] if the file has several rows and several columns.
pub fn read_vector(path: &Path) -> Result<Vec<f64>> {
    let cloud = read_cloud(path, &ReadOptions::default())?;
    let (rows, columns) = (cloud.rows(), cloud.columns());
    if rows != 1 && columns != 1 {
        return Err(Error::at(path, ErrorKind::NotAVector { rows, columns }));
    }
    Ok(cloud.to_f64().into_owned())
}
