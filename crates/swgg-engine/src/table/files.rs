//! Which files a path means.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::{Columns, Kind, Picked, arrow_file, csv_file, parquet_file};
use crate::error::{Error, Result};

/// What is read, by the end of its name.
const ENDINGS: &str = ".parquet, .csv, .tsv, .arrow, .feather or .ipc";

/// The files of a path, in the order of their names.
pub(super) fn listed(path: &str) -> Result<Vec<PathBuf>> {
    let refuse = |problem: String| Error::table(path, problem);
    if let Some((scheme, _)) = path.split_once("://") {
        return Err(refuse(format!(
            "tables are read from disks, not by {scheme}://; copy the files, or mount what holds them and name the folder"
        )));
    }
    let as_path = Path::new(path);
    let mut found = Vec::new();
    if as_path.is_dir() {
        walk(as_path, &mut found)?;
        if found.is_empty() {
            return Err(refuse(format!("the folder holds no table; expected files that end with {ENDINGS}")));
        }
    } else if as_path.exists() {
        found.push(as_path.to_path_buf());
    } else if path.contains(['*', '?', '[']) {
        let paths = glob::glob(path).map_err(|error| refuse(format!("is no pattern: {error}")))?;
        for file in paths {
            let file = file.map_err(|error| refuse(error.to_string()))?;
            if file.is_dir() {
                walk(&file, &mut found)?;
            } else {
                found.push(file);
            }
        }
        if found.is_empty() {
            return Err(refuse("no file has such a name; look at the pattern".to_string()));
        }
    } else {
        return Err(refuse("there is no such file, folder or pattern".to_string()));
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// Every file below a folder but hidden ones and the notes of other engines (`_SUCCESS`).
fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    let refuse = |error: std::io::Error| Error::table(folder.display(), format!("cannot be read ({error})"));
    for entry in std::fs::read_dir(folder).map_err(refuse)? {
        let path = entry.map_err(refuse)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with(['.', '_']) {
            continue;
        }
        if path.is_dir() {
            walk(&path, found)?;
        } else {
            found.push(path);
        }
    }
    Ok(())
}

/// The format and the columns of a file.
pub(super) fn look(path: &Path) -> Result<(Kind, Columns)> {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    match ending.as_str() {
        "parquet" => Ok((Kind::Parquet, parquet_file::columns(path)?)),
        "csv" | "tsv" => {
            let (dialect, columns) = csv_file::look(path)?;
            Ok((Kind::Csv(dialect), columns))
        }
        "arrow" | "feather" | "ipc" => Ok((Kind::Arrow, arrow_file::columns(path)?)),
        _ => Err(Error::table(
            path.display(),
            format!("is no table; expected a file that ends with {ENDINGS}"),
        )),
    }
}

/// Rows of a file that does not say how many it has.
pub(super) fn count(path: &Path, kind: &Kind, picked: &Picked) -> Result<u64> {
    // One column will do: every row has it.
    let one = Picked { points: picked.points[..1].to_vec(), weights: None, id: None };
    let mut rows = 0;
    let mut each = |batch: arrow::array::RecordBatch| {
        rows += batch.num_rows() as u64;
        Ok(ControlFlow::Continue(()))
    };
    let _ = match kind {
        Kind::Csv(dialect) => csv_file::read(path, dialect, &one, &mut each)?,
        Kind::Arrow => arrow_file::read(path, &one, &mut each)?,
        Kind::Parquet => return Ok(parquet_file::row_groups(path)?.into_iter().sum()),
    };
    Ok(rows)
}

/// Opens a file, or says why not.
pub(super) fn open(path: &Path) -> Result<std::fs::File> {
    std::fs::File::open(path)
        .map_err(|error| Error::table(path.display(), format!("cannot be opened ({error})")))
}

/// A file that is not what its name says.
pub(super) fn damaged(path: &Path, error: impl std::fmt::Display) -> Error {
    Error::table(path.display(), format!("cannot be read: {error}"))
}
