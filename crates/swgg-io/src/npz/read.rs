//! One array of an archive as a cloud, and a sparse matrix as a plan.

use super::archive::{Archive, malformed};
use crate::error::ErrorKind;
use crate::format::Format;
use crate::input::Input;
use crate::npy;
use crate::plan_file::PlanFile;
use crate::spec::Read;

/// What sparse matrices are made of.
const SPARSE: [&str; 3] = ["data", "shape", "format"];

pub(super) fn read(input: Input<'_>) -> Read {
    let mut archive = Archive::open(input.file.try_clone()?)?;
    let name = match input.member {
        Some(name) if archive.has(name) => name.to_owned(),
        Some(name) => {
            return Err(ErrorKind::NoArray { name: name.to_owned(), names: archive.names });
        }
        None => match &archive.names[..] {
            [] => return Err(ErrorKind::NoRows),
            [only] => only.clone(),
            _ if SPARSE.iter().all(|name| archive.has(name)) => {
                return Err(ErrorKind::Unsupported {
                    what: "a sparse matrix".into(),
                    advice: "swgg info, check and apply read it as a plan",
                });
            }
            [first, ..] => {
                let example = format!("FILE.npz:{first}");
                return Err(ErrorKind::WhichArray { names: archive.names, example });
            }
        },
    };
    let (file, size) = archive.member(&name)?;
    let (mut cloud, mut attributes) = (Format::Npy.spec().read)(Input { file, size, ..input })?;
    cloud.format = Format::Npz;
    attributes.origin = crate::attributes::Origin::plain(Format::Npz);
    Ok((cloud, attributes))
}

/// A matrix of `scipy.sparse` in coordinates, by rows or by columns.
pub(crate) fn read_plan(input: Input<'_>) -> Result<PlanFile, ErrorKind> {
    let bad = |reason: String| ErrorKind::BadPlan { reason };
    let mut archive = Archive::open(input.file)?;
    if !SPARSE.iter().all(|name| archive.has(name)) {
        let reason = format!("it holds {}, not a matrix of scipy.sparse.save_npz", archive.names.join(", "));
        return Err(bad(reason));
    }
    let mut numbers = |name: &str| -> Result<Vec<f64>, ErrorKind> {
        let (file, size) = archive.member(name)?;
        npy::numbers(file, size)
    };
    let shape = numbers("shape")?;
    let &[n, m] = &shape[..] else { return Err(bad("its shape has not two numbers".into())) };
    let masses = numbers("data")?;
    let whole = |x: f64| (x >= 0.0 && x.fract() == 0.0 && x <= f64::from(u32::MAX)).then_some(x as u32);
    let indices = |values: Vec<f64>, what: &str| -> Result<Vec<u32>, ErrorKind> {
        let index = |x| whole(x).ok_or_else(|| bad(format!("{what} has {x}, which is no index")));
        values.into_iter().map(index).collect()
    };
    let (rows, columns) = if let Ok(rows) = numbers("row") {
        (indices(rows, "row")?, indices(numbers("col")?, "col")?)
    } else {
        let starts = indices(numbers("indptr")?, "indptr")?;
        let inner = indices(numbers("indices")?, "indices")?;
        let is_ordered = starts.windows(2).all(|pair| pair[0] <= pair[1]);
        if !is_ordered
            || starts.first() != Some(&0)
            || starts.last().map(|&end| end as usize) != Some(inner.len())
        {
            return Err(bad("its indptr does not lead through its indices".into()));
        }
        let lengths = starts.windows(2).map(|pair| (pair[1] - pair[0]) as usize);
        let outer: Vec<u32> =
            lengths.enumerate().flat_map(|(k, length)| std::iter::repeat_n(k as u32, length)).collect();
        // By rows unless there are as many starts as columns and not as rows; the word tells where both are.
        let by_rows = match whole(n).map(|n| n as usize + 1 == starts.len()) {
            Some(true) if n == m => !is_by_columns(&mut archive)?,
            Some(by_rows) => by_rows,
            None => return Err(malformed("its shape is no shape")),
        };
        if by_rows { (outer, inner) } else { (inner, outer) }
    };
    if rows.len() != columns.len() || rows.len() != masses.len() {
        return Err(bad("its rows, columns and masses are of different lengths".into()));
    }
    let entries = rows.into_iter().zip(columns).zip(masses).map(|((i, j), mass)| (i, j, mass)).collect();
    PlanFile::checked(entries, Some((n as usize, m as usize)))
}

/// Whether the word of the archive says that a matrix is stored by columns.
fn is_by_columns(archive: &mut Archive) -> Result<bool, ErrorKind> {
    use std::io::Read;
    let (mut file, _) = archive.member("format")?;
    let mut bytes = Vec::new();
    file.by_ref().take(4096).read_to_end(&mut bytes)?;
    Ok(bytes.ends_with(b"csc") || bytes.ends_with(b"c\0\0\0s\0\0\0c\0\0\0"))
}
