//! Directories that appear whole or not at all.

use std::fs;
use std::path::{Path, PathBuf};

use swgg_io::{Output, scratch};

use crate::exit::{Failure, Outcome};

/// A directory that appears under its name once everything in it is whole.
pub struct NewDirectory {
    scratch: tempfile::TempDir,
    destination: PathBuf,
}

impl NewDirectory {
    pub fn create(destination: &Path) -> Outcome<Self> {
        let refuse = |what: String| Failure::new(format!("{}: {what}", destination.display()));
        if destination.file_name().is_none() {
            return Err(refuse("cannot be replaced; name a new directory".to_string()));
        }
        match fs::read_dir(destination) {
            Ok(mut entries) => {
                if entries.next().is_some() {
                    return Err(refuse("the directory is not empty; name a new one or empty it".to_string()));
                }
            }
            Err(_) if destination.is_file() => {
                return Err(refuse("is a file, not a directory; name another place".to_string()));
            }
            Err(_) if !destination.exists() => {}
            Err(error) => {
                return Err(refuse(format!("cannot be looked into ({}); name another place", error.kind())));
            }
        }
        let parent = match destination.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let place = parent.display();
        if !parent.exists() {
            return Err(refuse(format!("the directory {place} does not exist; create it first")));
        }
        if !parent.is_dir() {
            return Err(refuse(format!("{place} is not a directory; name another place")));
        }
        scratch::sweep(parent);
        let scratch =
            tempfile::Builder::new().prefix(&scratch::prefix()).suffix(scratch::SUFFIX).tempdir_in(parent);
        // The kind alone: the whole error names a temporary directory that means nothing to the reader.
        let scratch = scratch.map_err(|error| {
            refuse(format!("cannot create a directory in {place} ({}); name another place", error.kind()))
        })?;
        Ok(NewDirectory { scratch, destination: destination.to_path_buf() })
    }

    /// Writes one file; a message names it where it would have been.
    pub fn write(&self, file: &Path, write: impl FnOnce(Output) -> swgg_io::Result<Output>) -> Outcome<()> {
        let output = Output::create(&self.scratch.path().join(file));
        output.and_then(write).and_then(Output::commit).map_err(|error| {
            Failure::new(format!("{}: {}", self.destination.join(file).display(), error.kind()))
        })
    }

    /// Renames the directory into place; returns the paths of `files` there.
    pub fn commit(self, files: Vec<PathBuf>) -> Outcome<Vec<String>> {
        let NewDirectory { scratch, destination } = self;
        open_to_others(scratch.path());
        // An empty directory of that name is replaced by the full one.
        fs::rename(scratch.path(), &destination).map_err(|error| {
            Failure::new(format!("{}: could not be put in place ({error})", destination.display()))
        })?;
        let _ = scratch.keep();
        Ok(files.into_iter().map(|file| destination.join(file).display().to_string()).collect())
    }
}

/// Temporary directories are private; a result has the permissions any new directory would have.
#[cfg(unix)]
fn open_to_others(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    // The umask cannot be read without changing it, but a new directory shows what it leaves.
    let probe = path.join(".probe");
    if fs::create_dir(&probe).is_ok() {
        if let Ok(metadata) = fs::metadata(&probe) {
            let _ = fs::set_permissions(path, fs::Permissions::from_mode(metadata.permissions().mode()));
        }
        let _ = fs::remove_dir(&probe);
    }
}

#[cfg(not(unix))]
fn open_to_others(_: &Path) {}
