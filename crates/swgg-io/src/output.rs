//! Files that appear whole or not at all.

use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile, TempPath};

use crate::error::{Error, ErrorKind, Result};
use crate::packing::Packing;
use crate::scratch;

/// A file being written beside its destination; it takes the destination's place on [`commit`](Output::commit).
///
/// Until then the destination is untouched, and an output that is dropped leaves nothing behind. Create it before a
/// long computation: a destination that cannot be written is refused at once.
///
/// ```
/// use std::io::Write;
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("answer.txt");
/// let mut output = swgg_io::Output::create(&path)?;
/// writeln!(output, "42")?;
/// assert!(!path.exists());
/// output.commit()?;
/// assert_eq!(std::fs::read_to_string(&path)?, "42\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "without commit the file does not appear"]
pub struct Output {
    path: PathBuf,
    /// What `path` names once symbolic links are followed.
    destination: PathBuf,
    file: BufWriter<File>,
    /// Where the bytes are until then; removed when dropped.
    temporary: TempPath,
    /// Who packs the bytes once all are there.
    packing: Option<Packing>,
}

impl Output {
    /// Starts a file that will be `path`; a symbolic link is written through, `-` is standard output, and what ends in `.gz` or
    /// `.zst` is packed.
    ///
    /// # Errors
    ///
    /// If `path` is a directory, is not a regular file or is read-only, or if its directory is missing or cannot be
    /// written.
    pub fn create(path: &Path) -> Result<Self> {
        Self::start(path).map_err(|kind| Error::at(path, kind))
    }

    fn start(path: &Path) -> std::result::Result<Self, ErrorKind> {
        if path == Path::new(STANDARD) {
            let (file, temporary) =
                temporary_in(&std::env::temp_dir()).map_err(ErrorKind::Write)?.into_parts();
            let file = BufWriter::with_capacity(1 << 16, file);
            let path = path.to_owned();
            return Ok(Self { destination: path.clone(), path, file, temporary, packing: None });
        }
        let (destination, previous) = follow(path).map_err(ErrorKind::Write)?;
        let slashed =
            path.as_os_str().as_encoded_bytes().last().is_some_and(|&b| std::path::is_separator(b.into()));
        match &previous {
            Some(metadata) if metadata.is_dir() => return Err(ErrorKind::IsDirectory),
            // A rename would replace a device by a file.
            Some(metadata) if !metadata.is_file() => return Err(ErrorKind::NotRegular),
            Some(metadata) if metadata.permissions().readonly() => return Err(ErrorKind::ReadOnly),
            None if slashed || path.file_name().is_none() => return Err(ErrorKind::IsDirectory),
            _ => {}
        }
        let parent = directory(&destination);
        if !parent.exists() {
            return Err(ErrorKind::NoParent { parent: parent.to_owned() });
        }
        let (file, temporary) = temporary_in(parent)
            .map_err(|error| {
                ErrorKind::Write(match error.kind() {
                    // The plain error, without the name of a temporary file that means nothing to the reader.
                    kind @ (io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem) => {
                        kind.into()
                    }
                    _ => error,
                })
            })?
            .into_parts();
        if let Some(metadata) = previous {
            file.set_permissions(metadata.permissions()).map_err(ErrorKind::Write)?;
        }
        let file = BufWriter::with_capacity(1 << 16, file);
        Ok(Self { path: path.to_owned(), destination, file, temporary, packing: Packing::of(path) })
    }

    /// The path that was asked for.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Flushes everything to the disk and puts the file in its place.
    ///
    /// # Errors
    ///
    /// What the system refuses; the previous file, if any, is then untouched.
    pub fn commit(mut self) -> Result<()> {
        let packed = self.pack();
        let Self { path, destination, file, temporary, .. } = self;
        packed.map_err(|error| Error::at(&path, ErrorKind::Write(error)))?;
        let finish = || {
            let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            if destination == Path::new(STANDARD) {
                return to_standard_output(&temporary);
            }
            file.sync_all()?;
            // Some systems do not rename a file that is open.
            drop(file);
            temporary.persist(destination).map_err(|refused| refused.error)
        };
        finish().map_err(|error| Error::at(&path, ErrorKind::Write(error)))
    }

    /// Writes the content down to the disk, ready to [`commit`](Output::commit); an error of `write` becomes one that
    /// names the path.
    ///
    /// # Errors
    ///
    /// What the system refuses; the previous file, if any, is then untouched.
    pub fn write_with(mut self, write: impl FnOnce(&mut Self) -> io::Result<()>) -> Result<Self> {
        let written = write(&mut self)
            .and_then(|()| self.pack())
            .and_then(|()| self.file.flush())
            .and_then(|()| self.file.get_ref().sync_all());
        match written {
            Ok(()) => Ok(self),
            Err(error) => Err(Error::at(&self.path, ErrorKind::Write(error))),
        }
    }
}

impl Output {
    /// Packs what was written, once, if the path says so (`.gz`, `.zst`).
    fn pack(&mut self) -> io::Result<()> {
        let Some(packing) = self.packing.take() else { return Ok(()) };
        self.file.flush()?;
        let (mut file, temporary) = temporary_in(directory(&self.destination))?.into_parts();
        let permissions = self.file.get_ref().metadata()?.permissions();
        // Opened again, because the one that is written to may not be read.
        packing.pack(&mut File::open(&self.temporary)?, &mut file)?;
        file.set_permissions(permissions)?;
        self.file = BufWriter::with_capacity(1 << 16, file);
        self.temporary = temporary;
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for Output {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.file.seek(position)
    }
}

/// The path that stands for standard output.
const STANDARD: &str = "-";

/// A reader that has gone away is not a failure.
fn to_standard_output(path: &Path) -> io::Result<()> {
    let mut output = io::stdout().lock();
    match io::copy(&mut File::open(path)?, &mut output).and_then(|_| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

/// What a path names behind its symbolic links, and the file there, if any. By hand, because the target of a link
/// that dangles is to be created, and `canonicalize` fails for it.
fn follow(path: &Path) -> io::Result<(PathBuf, Option<Metadata>)> {
    const LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => path = directory(&path).join(fs::read_link(&path)?),
            Ok(metadata) => return Ok((path, Some(metadata))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((path, None)),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many symbolic links, perhaps a loop"))
}

fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

fn temporary_in(directory: &Path) -> io::Result<NamedTempFile> {
    scratch::sweep(directory);
    let (mut builder, prefix) = (Builder::new(), scratch::prefix());
    builder.prefix(&prefix).suffix(scratch::SUFFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As for any new file: the umask takes its share. The default would be readable by the owner only.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(directory)
}
