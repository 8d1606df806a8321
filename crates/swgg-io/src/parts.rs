//! Several files that are one cloud: a folder, or a pattern of names.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cloud::{Cloud, Extra, Values};
use crate::error::{Error, ErrorKind, Result};
use crate::format::Format;
use crate::pattern::{fits, is_pattern};

/// The files that a path stands for, sorted by name; `None` if it stands for itself.
pub(crate) fn listed(path: &Path) -> Result<Option<Vec<PathBuf>>> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let pattern = (is_pattern(&name) && !path.exists()).then_some(name);
    if pattern.is_none() && !path.is_dir() {
        return Ok(None);
    }
    let folder = match (&pattern, path.parent()) {
        (Some(_), Some(parent)) if parent.as_os_str().is_empty() => Path::new("."),
        (Some(_), Some(parent)) => parent,
        _ => path,
    };
    let refused = |kind| Error::at(path, kind);
    let entries = fs::read_dir(folder).map_err(|error| refused(ErrorKind::Read(error)))?;
    let is_meant = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let fits = pattern.as_ref().is_none_or(|pattern| fits(pattern, &name));
        fits && !name.starts_with('.') && path.is_file() && Format::from_path(path).is_ok()
    };
    let mut files: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_meant).collect();
    files.sort();
    let Some(first) = files.first() else {
        return Err(refused(ErrorKind::NoFiles { known: Format::EXTENSIONS }));
    };
    let first = Format::from_path(first)?;
    for file in &files {
        let second = Format::from_path(file)?;
        if second != first {
            return Err(refused(ErrorKind::SeveralFormats { first, second }));
        }
    }
    Ok(Some(files))
}

/// The points of all clouds, one after the other.
pub(crate) fn joined(clouds: Vec<(PathBuf, Cloud)>) -> Result<Cloud> {
    let mut clouds = clouds.into_iter();
    let Some((other, mut all)) = clouds.next() else { return Err(ErrorKind::NoRows.into()) };
    // Lines are those of one file.
    all.extra.lines = Vec::new();
    for (path, cloud) in clouds {
        if cloud.columns != all.columns || cloud.names != all.names {
            let what = |cloud: &Cloud| match cloud.names() {
                Some(names) => format!("the columns {}", names.join(", ")),
                None => format!("{} columns without names", cloud.columns()),
            };
            let (found, expected) = (what(&cloud), what(&all));
            let kind = ErrorKind::OtherColumns { found, other: other.display().to_string(), expected };
            return Err(Error::at(&path, kind));
        }
        if cloud.dtype != all.dtype {
            all.dtype = "mixed";
        }
        all.values = match (all.as_f32(), cloud.as_f32()) {
            (Some(before), Some(more)) => Values::F32([before, more].concat()),
            _ => Values::F64([&*all.to_f64(), &*cloud.to_f64()].concat()),
        };
        let Extra { weights, skipped, .. } = cloud.extra;
        all.extra.skipped += skipped;
        if let (Some(all), Some(more)) = (&mut all.extra.weights, weights) {
            all.extend(more);
        }
    }
    Ok(all)
}
