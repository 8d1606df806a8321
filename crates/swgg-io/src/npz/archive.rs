//! The members of an archive, one at a time.

use std::fs::File;
use std::io::{self, Read, Seek, Write};

use zip::ZipArchive;

use crate::error::ErrorKind;
use crate::format::Format;
use crate::input::buffered;

/// No compression of zip makes bytes more than that many times fewer.
const MAX_RATIO: u64 = 1032;

/// An archive that was opened.
pub(super) struct Archive {
    zip: ZipArchive<io::BufReader<File>>,
    /// Names of arrays, in the order of the archive.
    pub(super) names: Vec<String>,
}

pub(super) fn malformed(reason: impl std::fmt::Display) -> ErrorKind {
    ErrorKind::Malformed { format: Format::Npz, reason: reason.to_string() }
}

impl Archive {
    pub(super) fn open(file: File) -> Result<Self, ErrorKind> {
        let zip = ZipArchive::new(buffered(file)).map_err(malformed)?;
        let mut names = Vec::new();
        for name in zip.file_names() {
            let name = name.map_err(malformed)?;
            names.push(name.strip_suffix(".npy").unwrap_or(&name).to_owned());
        }
        Ok(Self { zip, names })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// An array in a temporary file of its own, which readers of arrays may seek and map, and its size.
    pub(super) fn member(&mut self, name: &str) -> Result<(File, u64), ErrorKind> {
        let stored = if self.zip.file_names().any(|known| known.is_ok_and(|known| known == name)) {
            name.to_owned()
        } else {
            format!("{name}.npy")
        };
        let mut member = self.zip.by_name(&stored).map_err(malformed)?;
        let (size, packed) = (member.size(), member.compressed_size());
        if size > packed.saturating_mul(MAX_RATIO) {
            return Err(malformed(format!("{name} announces {size} bytes, packed into {packed}")));
        }
        let mut file = tempfile::tempfile()?;
        let mut piece = vec![0; 1 << 17];
        loop {
            let length = member.read(&mut piece).map_err(malformed)?;
            if length == 0 {
                break;
            }
            file.write_all(&piece[..length])?;
        }
        let found = file.stream_position()?;
        file.rewind()?;
        Ok((file, found))
    }
}
