//! Opening files and handing them to the readers of their formats.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use crate::attributes::Attributes;
use crate::cloud::Cloud;
use crate::columns::{Available, ColumnSelection};
use crate::error::{Error, ErrorKind, Result};
use crate::format::{Format, extension};
use crate::input::{Input, open};
use crate::packing::{standard_input, unpacked};
use crate::parts;
use crate::spec::Family;
use crate::survey::Survey;
use crate::text;

/// How [`read_cloud`] reads.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The columns that are coordinates. By default: `x`, `y` and `z` of a scan (such as PLY, PCD, LAS), the columns of
    /// numbers of a parquet table, all columns of the other formats. [`read_table`] takes columns named `x`, `y` and
    /// `z` of the others, too, if they are there.
    pub columns: Option<ColumnSelection>,
    /// A column of weights, by its name; it is no coordinate unless it is picked.
    pub weights: Option<String>,
    /// Leave out rows with a value that is missing, infinite or not a number; [`Cloud::skipped`] says how many.
    pub skip_missing: bool,
    /// Read `1,5` as 1.5 in text.
    pub decimal_comma: bool,
    /// The format, instead of what the extension says.
    pub format: Option<Format>,
}

/// Reads a cloud of points; the extension tells the [`Format`].
///
/// Files packed by gzip or zstd are unpacked first, a folder or a pattern of names is one cloud, `-` is standard input (told by its
/// first bytes; text is `.csv`), and `FILE.npz:NAME` is an array of an archive.
///
/// Every size that a header announces is compared with the size of the file before memory is reserved. Values that
/// are infinite or not a number are kept for the caller to judge, unless rows with them are to be left out.
///
/// A `.npy` file of 64 MiB or more that stores little-endian floats row by row is mapped into memory instead of
/// copied, unless columns are picked. Do not change such a file while its [`Cloud`] is alive: the points would
/// change with it, and if the file became shorter the system would end the process.
///
/// # Errors
///
/// A file that is missing, empty, malformed or without points; see [`ErrorKind`].
pub fn read_cloud(path: &Path, options: &ReadOptions) -> Result<Cloud> {
    match parts::listed(path)? {
        None => read(path, options, false).map(|(cloud, _)| cloud),
        Some(files) => {
            let read = |file: PathBuf| read(&file, options, false).map(|(cloud, _)| (file, cloud));
            parts::joined(files.into_iter().map(read).collect::<Result<_>>()?)
        }
    }
}

/// Reads a cloud of points together with what the points carry: all columns that are not coordinates, in the types in
/// which they are stored. [`write_table`](crate::write_table) writes them back.
///
/// # Errors
///
/// As [`read_cloud`], and for a folder or a pattern.
pub fn read_table(path: &Path, options: &ReadOptions) -> Result<(Cloud, Attributes)> {
    if path.is_dir() {
        // Said before the lack of an extension, which a directory often has too.
        return Err(Error::at(path, ErrorKind::IsDirectory));
    }
    read(path, options, true)
}

/// What the columns of a file of text hold, numbers or not; `None` for other formats, whose readers say it themselves.
///
/// # Errors
///
/// A file that is missing, empty or not text.
pub fn survey(path: &Path, options: &ReadOptions) -> Result<Option<Survey>> {
    let look = || {
        let (file, _, format, _) = opened(path, options)?;
        match format.spec().family {
            Family::Text => text::survey(file, format, options.decimal_comma).map(Some),
            _ => Ok(None),
        }
    };
    look().map_err(|kind| Error::at(path, kind))
}

type Opened = (File, u64, Format, Option<String>);

/// A file ready to be read, unpacked, with its format and the array of an archive that is meant.
fn opened(path: &Path, options: &ReadOptions) -> std::result::Result<Opened, ErrorKind> {
    if path == Path::new("-") {
        let (mut file, size) = standard_input()?;
        let mut start = Vec::new();
        file.by_ref().take(512).read_to_end(&mut start)?;
        file.rewind()?;
        let format = options.format.or_else(|| Format::sniff(&start)).unwrap_or(Format::Csv);
        return Ok((file, size, format, None));
    }
    let (path, member) = archived(path);
    let format = match options.format {
        Some(format) => format,
        None => {
            Format::from_path(&path).map_err(|error| foreign(&path).unwrap_or_else(|| error.into_kind()))?
        }
    };
    let (file, size) = open(&path, || ErrorKind::Empty)?;
    let (file, size) = unpacked(file, size)?;
    Ok((file, size, format, member))
}

/// `FILE.npz:NAME` cut at the colon, unless there is a file of that very name.
fn archived(path: &Path) -> (PathBuf, Option<String>) {
    let cut = || {
        let text = path.to_str().filter(|_| !path.exists())?;
        let at = text.to_ascii_lowercase().rfind(".npz:")? + ".npz".len();
        Some((PathBuf::from(&text[..at]), Some(text[at + 1..].to_owned())))
    };
    cut().unwrap_or_else(|| (path.to_owned(), None))
}

/// What to do with formats of other fields.
fn foreign(path: &Path) -> Option<ErrorKind> {
    let (name, found) = (path.display(), extension(path)?);
    let (what, command) = match found.as_str() {
        ".mat" => ("MATLAB", format!("numpy.save('X.npy', scipy.io.loadmat('{name}')['X'])")),
        ".h5ad" => ("AnnData", format!("numpy.save('X.npy', anndata.read_h5ad('{name}').obsm['X_pca'])")),
        ".h5" | ".hdf5" => ("HDF5", format!("numpy.save('X.npy', h5py.File('{name}')['X'][:])")),
        ".arrow" | ".feather" | ".ipc" => (
            "Arrow",
            format!("pyarrow.parquet.write_table(pyarrow.feather.read_table('{name}'), 'X.parquet')"),
        ),
        ".xlsx" | ".xls" | ".ods" => {
            ("spreadsheet", format!("pandas.read_excel('{name}').to_csv('X.csv', index=False)"))
        }
        ".pt" | ".pth" => ("PyTorch", format!("numpy.save('X.npy', torch.load('{name}').numpy())")),
        ".pkl" | ".pickle" => ("pickled", format!("numpy.save('X.npy', pandas.read_pickle('{name}'))")),
        _ => return None,
    };
    Some(ErrorKind::Convert { what, command })
}

fn read(path: &Path, options: &ReadOptions, keep: bool) -> Result<(Cloud, Attributes)> {
    let read = || {
        let (file, size, format, member) = opened(path, options)?;
        let weights = options.weights.as_ref();
        // The column of weights is read as one that is no coordinate.
        let others = weights
            .filter(|_| options.columns.is_none() && !format.has_places())
            .map(|name| ColumnSelection::from_iter([name.clone()]).others());
        let (mut cloud, mut attributes) = (format.spec().read)(Input {
            file,
            size,
            format,
            columns: options.columns.as_ref().or(others.as_ref()),
            keep: keep || weights.is_some(),
            missing: options.skip_missing,
            decimal_comma: options.decimal_comma,
            member: member.as_deref(),
        })?;
        if let Some(name) = weights {
            cloud.extra.weights = Some(weights_of(&attributes, name, options)?);
        }
        if options.skip_missing {
            skip_missing(&mut cloud, &mut attributes)?;
        }
        Ok((cloud, attributes))
    };
    read().map_err(|kind| Error::at(path, kind))
}

/// The numbers of the column of weights; rows without one have not a number.
fn weights_of(
    attributes: &Attributes,
    name: &str,
    options: &ReadOptions,
) -> std::result::Result<Vec<f64>, ErrorKind> {
    let names: Vec<String> = attributes.names().map(str::to_owned).collect();
    let found = names.iter().find(|known| *known == name);
    let found = found.or_else(|| names.iter().find(|known| known.eq_ignore_ascii_case(name)));
    let Some(found) = found else {
        let available = Available { count: names.len(), names: Some(names) };
        return Err(ErrorKind::UnknownColumn { item: name.to_owned(), available });
    };
    let read = |word: &String| {
        let word = if options.decimal_comma { word.replace(',', ".") } else { word.clone() };
        word.trim().parse::<f64>().ok().or(options.skip_missing.then_some(f64::NAN))
    };
    let numbers = || attributes.words(found)?.iter().map(read).collect::<Option<Vec<f64>>>();
    attributes.values(found).or_else(numbers).ok_or_else(|| ErrorKind::NotNumeric {
        column: crate::ColumnRef { index: 0, name: Some(found.clone()) },
        type_name: attributes.type_name(found).unwrap_or_default(),
    })
}

/// Leaves out points with a value that is not finite.
fn skip_missing(cloud: &mut Cloud, attributes: &mut Attributes) -> std::result::Result<(), ErrorKind> {
    let values = cloud.to_f64();
    let rows = values.chunks_exact(cloud.columns);
    let mut keep: Vec<bool> = rows.map(|row| row.iter().all(|x| x.is_finite())).collect();
    drop(values);
    if let Some(weights) = &cloud.extra.weights {
        keep.iter_mut().zip(weights).for_each(|(keep, weight)| *keep &= weight.is_finite());
    }
    let skipped = keep.iter().filter(|keep| !**keep).count();
    if skipped == 0 {
        return Ok(());
    }
    if skipped == keep.len() {
        return Err(ErrorKind::NoRows);
    }
    cloud.values = cloud.values.retained(cloud.columns, &keep);
    if let Some(weights) = &mut cloud.extra.weights {
        let mut keep = keep.iter();
        weights.retain(|_| keep.next().copied().unwrap_or(true));
    }
    if attributes.rows() == keep.len() {
        attributes.retain(&keep);
    }
    (cloud.extra.skipped, cloud.extra.lines) = (skipped, Vec::new());
    Ok(())
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
