//! A file that was opened to be read, and what is wanted of it.

use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::Path;

use crate::columns::ColumnSelection;
use crate::error::ErrorKind;
use crate::format::Format;

/// What a reader of clouds is given.
pub(crate) struct Input<'a> {
    pub(crate) file: File,
    /// Bytes of the file, to check what its header announces.
    pub(crate) size: u64,
    /// What the extension says, for readers of several formats.
    pub(crate) format: Format,
    /// The columns that are coordinates, if the caller picked them.
    pub(crate) columns: Option<&'a ColumnSelection>,
    /// Whether columns that are not coordinates are wanted, too.
    pub(crate) keep: bool,
    /// Whether values that are not there are read as not a number.
    pub(crate) missing: bool,
    /// Whether a comma separates the decimals of text.
    pub(crate) decimal_comma: bool,
    /// The array of an archive that is meant.
    pub(crate) member: Option<&'a str>,
}

/// The file behind a buffer that is large enough for long reads.
pub(crate) fn buffered(file: File) -> BufReader<File> {
    BufReader::with_capacity(1 << 18, file)
}

/// Opens a file that has some bytes, and says how many; `empty` is what to say if it has none.
pub(crate) fn open(path: &Path, empty: impl FnOnce() -> ErrorKind) -> Result<(File, u64), ErrorKind> {
    // Looked at before it is opened, because opening a pipe would wait for its writer.
    let metadata = fs::metadata(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => ErrorKind::NotFound,
        _ => ErrorKind::Read(error),
    })?;
    match () {
        () if metadata.is_dir() => Err(ErrorKind::IsDirectory),
        () if !metadata.is_file() => Err(ErrorKind::NotRegular),
        () if metadata.len() == 0 => Err(empty()),
        () => Ok((File::open(path)?, metadata.len())),
    }
}
