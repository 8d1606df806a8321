//! Every refusal of a file, with its numbers and its sentence.

use std::io;
use std::path::PathBuf;

use crate::columns::{Available, ColumnRef};
use crate::format::{Format, writable_extensions};

/// The kinds of [`Error`](super::Error).
///
/// Lines count from 1, as in an editor; rows and columns count from 0, as in a [`ColumnSelection`].
///
/// [`ColumnSelection`]: crate::ColumnSelection
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file to read is missing.
    #[error("no such file; check the path")]
    NotFound,
    /// The path to read or write is a directory.
    #[error("is a directory; give the name of a file")]
    IsDirectory,
    /// The path to read or write is a device, a pipe or a socket.
    #[error("is not a regular file; use one, not a device, a pipe or a socket")]
    NotRegular,
    /// The extension does not tell a format.
    #[error("{}; use one of {}", unknown(.found.as_deref()), .known.join(", "))]
    UnknownExtension {
        /// The extension, if there is one.
        found: Option<String>,
        /// The extensions that are known, each with its dot.
        known: &'static [&'static str],
    },
    /// The system refused to read.
    #[error("cannot be read: {0}")]
    Read(io::Error),

    /// The file has no bytes.
    #[error("the file is empty; it should hold one point per row")]
    Empty,
    /// The file is well formed but has no points.
    #[error("holds no points: it has zero rows; add at least one")]
    NoRows,
    /// The file is well formed but its points have no coordinates.
    #[error("holds no coordinates: it has no column of numbers; add at least one")]
    NoColumns,
    /// The bytes are not what the extension says.
    #[error("is not a valid {format} file: {reason}")]
    Malformed {
        /// The format that the extension announces.
        format: Format,
        /// What is wrong.
        reason: String,
    },
    /// A valid file whose content is not a cloud of points.
    #[error("holds {what}, which cannot be read as points; {advice}")]
    Unsupported {
        /// What the file holds.
        what: String,
        /// What to do instead.
        advice: &'static str,
    },
    /// The header and the size of the file disagree.
    #[error("the header announces {expected} bytes of data but {found} follow it; {}", cut(*.found, *.expected))]
    Size {
        /// Bytes after the header.
        found: u64,
        /// Bytes that the header announces (in a PLY file with lists: at least).
        expected: u64,
    },
    /// The announced number of items and the number present disagree.
    #[error("the header announces {expected} {what} but {found} are present; correct one of them")]
    Count {
        /// What is counted.
        what: String,
        /// Items present.
        found: u64,
        /// Items announced.
        expected: u64,
    },

    /// An array in the format of MNIST that cannot be decoded.
    #[error("is not an IDX file that can be read: {reason}")]
    BadIdx {
        /// What is wrong, and what to do.
        reason: String,
    },

    /// A raster that cannot be decoded.
    #[error("is not a TIFF raster that can be read: {reason}")]
    BadRaster {
        /// What is wrong, and what to do.
        reason: String,
    },
    /// A raster that ends too early.
    #[error("the raster is cut short: {reason}; copy it again")]
    RasterCut {
        /// Where it ends.
        reason: String,
    },
    /// A raster beyond all sizes that are decoded.
    #[error(
        "the header announces {bands} bands of {columns} x {rows} pixels, at most {most} values in all are read; cut \
         the raster into pieces"
    )]
    RasterTooLarge {
        /// Bands announced.
        bands: u64,
        /// Columns announced.
        columns: u32,
        /// Rows announced.
        rows: u32,
        /// Most values that are read.
        most: u64,
    },

    /// A row of a text file has too few or too many fields.
    #[error("line {line} has {found} {} where {expected} were expected; complete the row or drop it", if *.found == 1 { "field" } else { "fields" })]
    Ragged {
        /// Line, from 1.
        line: u64,
        /// Fields on this line.
        found: usize,
        /// Fields on the lines before.
        expected: usize,
    },
    /// A field is not a number.
    #[error(
        "line {line}, {column}: {text:?} is not a number; correct it (with a decimal point, not a comma) or \
         leave the column out"
    )]
    NotANumber {
        /// Line, from 1.
        line: u64,
        /// Where on the line.
        column: ColumnRef,
        /// The field, shortened.
        text: String,
    },
    /// The first row has numbers and text, so it is neither a header nor a point.
    #[error(
        "line {line} mixes numbers with text ({text:?} in {column}), so it is neither a header nor a point; \
         name every column, or leave the columns of text out"
    )]
    HalfHeader {
        /// Line, from 1.
        line: u64,
        /// Where the text is.
        column: ColumnRef,
        /// The text, shortened.
        text: String,
    },
    /// A field has nothing in it.
    #[error("line {line}, {column} is empty; fill it, drop the row or leave the column out")]
    EmptyCell {
        /// Line, from 1.
        line: u64,
        /// Where on the line.
        column: ColumnRef,
    },
    /// Text that is not UTF-8 where a name or a number is needed.
    #[error("line {line} is not UTF-8 text; convert the file to UTF-8")]
    NotUtf8 {
        /// Line, from 1.
        line: u64,
    },
    /// Text of two bytes per letter.
    #[error("is UTF-16 text, two bytes per letter; save it as UTF-8 (iconv -f UTF-16 -t UTF-8 does)")]
    Utf16,
    /// A byte that no text has.
    #[error(
        "line {line} has a zero byte: the file is not text, or it is damaged; look at it or copy it again"
    )]
    NulByte {
        /// Line, from 1.
        line: u64,
    },
    /// A first column without a name that does not hold labels of rows.
    #[error(
        "line {line} has {text:?} in a first column without a name; name the column if it holds coordinates, pick \
         others if it does not"
    )]
    NamelessColumn {
        /// Line, from 1.
        line: u64,
        /// The field, shortened.
        text: String,
    },
    /// Compressed bytes that cannot be unpacked.
    #[error("cannot be unpacked by {codec}: {reason}")]
    Unpack {
        /// Who packed it.
        codec: &'static str,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// A format of another field, with the way out.
    #[error("{what} files are not read; convert it first, in Python for instance: {command}")]
    Convert {
        /// The format.
        what: &'static str,
        /// A line of Python.
        command: String,
    },
    /// An archive of several arrays.
    #[error("holds {} arrays: {}; say which after a colon, as in {example}", .names.len(), listed(.names))]
    WhichArray {
        /// Their names.
        names: Vec<String>,
        /// How to say it.
        example: String,
    },
    /// An array that an archive does not have.
    #[error("has no array {name:?}; it has {}", listed(.names))]
    NoArray {
        /// The name asked for.
        name: String,
        /// The names there are.
        names: Vec<String>,
    },
    /// A folder or a pattern without files to read.
    #[error("no files there that can be read as clouds; they end in {}", .known.join(", "))]
    NoFiles {
        /// The endings that are known.
        known: &'static [&'static str],
    },
    /// Files of several formats where one cloud is wanted.
    #[error("holds {first} and {second} files; name those of one format by a pattern, as in \"*.{first}\"")]
    SeveralFormats {
        /// A format.
        first: Format,
        /// Another one.
        second: Format,
    },
    /// Files whose columns differ.
    #[error("has {found} where {other} has {expected}; files that make one cloud need the same columns")]
    OtherColumns {
        /// What this one has.
        found: String,
        /// The first of the files.
        other: String,
        /// What that one has.
        expected: String,
    },
    /// A plan that is none.
    #[error("is not a plan: {reason}")]
    BadPlan {
        /// What is wrong, and what to do.
        reason: String,
    },

    /// A quoted field runs to the end of the file.
    #[error("the quote opened on line {line} never closes; close it or remove it")]
    OpenQuote {
        /// Line, from 1.
        line: u64,
    },
    /// A missing value in a parquet file.
    #[error("row {row} (from 0), {column} is null; fill it, drop the row or leave the column out")]
    Null {
        /// Row, from 0.
        row: u64,
        /// Where in the row.
        column: ColumnRef,
    },
    /// An integer that a 64-bit float cannot hold.
    #[error(
        "row {row} (from 0), {column}: {value} is beyond 2^53 and has no exact 64-bit float; subtract an offset \
         or leave the column out"
    )]
    Inexact {
        /// Row, from 0.
        row: u64,
        /// Where in the row.
        column: ColumnRef,
        /// The integer.
        value: i128,
    },

    /// A picked column does not exist.
    #[error("there is no column {item:?}; {available}")]
    UnknownColumn {
        /// The item of the selection.
        item: String,
        /// What could have been picked.
        available: Available,
    },
    /// A picked column does not hold numbers.
    #[error("{column} holds {type_name}, not numbers; pick other columns")]
    NotNumeric {
        /// The picked column.
        column: ColumnRef,
        /// What it holds.
        type_name: String,
    },
    /// A selection that makes no sense whatever the file.
    #[error("cannot pick columns by {item:?}: {reason}")]
    BadSelection {
        /// The item of the selection.
        item: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A file of weights that has several columns.
    #[error(
        "holds {rows} rows of {columns} columns where a single column was expected; give one number per row"
    )]
    NotAVector {
        /// Rows found.
        rows: usize,
        /// Columns found.
        columns: usize,
    },

    /// A picture that cannot be decoded.
    #[error("is not a picture that can be read: {reason}")]
    BadPicture {
        /// What is wrong.
        reason: String,
    },
    /// A picture that ends too early.
    #[error("the picture is cut short: {reason}; copy it again")]
    PictureCut {
        /// Where it ends.
        reason: String,
    },
    /// A picture beyond all sizes that are decoded.
    #[error(
        "the header announces {width} x {height} pixels, at most {most} in all are read; scale the picture down"
    )]
    TooManyPixels {
        /// Columns announced.
        width: u32,
        /// Rows announced.
        height: u32,
        /// Most pixels that are read.
        most: u64,
    },
    /// A format that has no room for what is to be written.
    #[error("a {format} file cannot hold {what}; write {instead}")]
    PictureFormat {
        /// The format that the extension announces.
        format: &'static str,
        /// What there is.
        what: &'static str,
        /// What could hold it.
        instead: &'static str,
    },

    /// The directory of an output is missing.
    #[error("the directory {} does not exist; create it first", .parent.display())]
    NoParent {
        /// The missing directory.
        parent: PathBuf,
    },
    /// An output would replace a file that is read-only.
    #[error("exists and is read-only; change its permissions or choose another name")]
    ReadOnly,
    /// The system refused to write.
    #[error("cannot be written: {0}; the previous file, if any, is untouched")]
    Write(io::Error),
    /// The values to write do not fill the announced shape.
    #[error("cannot write {found} values as rows of {columns}{}", of_rows(*.rows))]
    Shape {
        /// Values given.
        found: usize,
        /// Rows announced, if they were.
        rows: Option<usize>,
        /// Columns announced.
        columns: usize,
    },
    /// The names to write are not one per column.
    #[error("cannot write {found} names over {expected} columns")]
    NameCount {
        /// Names given.
        found: usize,
        /// Columns.
        expected: usize,
    },
    /// A format that is only read.
    #[error("a .{format} file can be read but not written; use one of {}", writable_extensions().join(", "))]
    NotWritten {
        /// The format asked for.
        format: Format,
    },
    /// A format that stores x, y and z only.
    #[error("a .{format} file holds points in {held} dimensions, not {d}; write .csv, .npy or .parquet")]
    Dimension {
        /// The format asked for.
        format: Format,
        /// The dimension asked for.
        d: usize,
        /// The dimensions that it holds.
        held: &'static str,
    },
    /// A coordinate that a format of integers cannot store.
    #[error(
        "row {row} (from 0) has a coordinate that is not finite, which a .{format} file cannot hold; drop the row"
    )]
    NotFinite {
        /// The format asked for.
        format: Format,
        /// Row, from 0.
        row: usize,
    },
    /// A plan entry outside its matrix.
    #[error("the plan has an entry ({source_index}, {target_index}) outside its {n} x {m} matrix")]
    PlanEntry {
        /// Row of the entry.
        source_index: u32,
        /// Column of the entry.
        target_index: u32,
        /// Rows of the matrix.
        n: usize,
        /// Columns of the matrix.
        m: usize,
    },
}

impl From<io::Error> for ErrorKind {
    fn from(error: io::Error) -> Self {
        Self::Read(error)
    }
}

fn unknown(found: Option<&str>) -> String {
    match found {
        Some(extension) => format!("the extension {extension:?} is not a known format"),
        None => "there is no extension to tell the format".into(),
    }
}

/// A few names of many.
fn listed(names: &[String]) -> String {
    const LISTED: usize = 12;
    let shown = names.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(LISTED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn cut(found: u64, expected: u64) -> &'static str {
    if found < expected {
        "the file is cut short or its header is wrong: write it again"
    } else {
        "the header is wrong or two files were joined: write it again"
    }
}

fn of_rows(rows: Option<usize>) -> String {
    rows.map_or(String::new(), |rows| format!(", {rows} of them"))
}
