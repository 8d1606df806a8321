//! Files packed by gzip or zstd: unpacked before anybody reads them, packed after somebody has written them.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

use crate::error::ErrorKind;

/// Who packed a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Gzip,
    Zstd,
}

impl Packing {
    /// What the extension says.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?;
        let is = |known: &str| extension.eq_ignore_ascii_case(known);
        match () {
            () if is("gz") => Some(Self::Gzip),
            () if is("zst") => Some(Self::Zstd),
            () => None,
        }
    }

    /// What the first bytes say.
    fn sniff(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x1f, 0x8b, 8, ..] => Some(Self::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstd),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }

    /// Packs all bytes of a file into another one.
    pub(crate) fn pack(self, from: &mut File, to: &mut File) -> io::Result<()> {
        from.rewind()?;
        let mut from = io::BufReader::with_capacity(1 << 16, from);
        let to = io::BufWriter::with_capacity(1 << 16, to);
        let mut to = match self {
            Self::Gzip => {
                let mut packer = GzEncoder::new(to, Compression::default());
                io::copy(&mut from, &mut packer)?;
                packer.finish()?
            }
            Self::Zstd => {
                let mut packer = zstd::stream::write::Encoder::new(to, zstd::DEFAULT_COMPRESSION_LEVEL)?;
                io::copy(&mut from, &mut packer)?;
                packer.finish()?
            }
        };
        to.flush()
    }
}

/// The file as it is, or what is packed in it: in a temporary file without a name, so that every reader may seek and
/// measure it. The first bytes decide, not the name.
pub(crate) fn unpacked(mut file: File, size: u64) -> Result<(File, u64), ErrorKind> {
    let mut start = [0; 4];
    let length = file.read(&mut start)?;
    file.rewind()?;
    let Some(packing) = Packing::sniff(&start[..length]) else { return Ok((file, size)) };
    let damaged = |error: io::Error| match error.kind() {
        io::ErrorKind::UnexpectedEof => refusal(packing, "it ends too early; copy it again".to_owned()),
        _ => refusal(packing, format!("{error}; copy it again")),
    };
    match packing {
        Packing::Gzip => drained(packing, &mut MultiGzDecoder::new(io::BufReader::new(file)), damaged),
        Packing::Zstd => {
            let mut unpacker = zstd::stream::read::Decoder::new(file).map_err(damaged)?;
            drained(packing, &mut unpacker, damaged)
        }
    }
}

fn refusal(packing: Packing, reason: String) -> ErrorKind {
    ErrorKind::Unpack { codec: packing.name(), reason }
}

/// All bytes of a reader in a temporary file, and how many they are.
fn drained(
    packing: Packing,
    from: &mut dyn Read,
    damaged: impl Fn(io::Error) -> ErrorKind,
) -> Result<(File, u64), ErrorKind> {
    let full = |error: io::Error| {
        refusal(
            packing,
            format!("the folder for temporary files has no place for it ({error}); unpack it yourself"),
        )
    };
    let mut to = tempfile::tempfile().map_err(full)?;
    let mut piece = vec![0; 1 << 17];
    let mut size = 0;
    loop {
        let length = match from.read(&mut piece) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(damaged(error)),
        };
        to.write_all(&piece[..length]).map_err(full)?;
        size += length as u64;
    }
    to.rewind()?;
    if size == 0 { Err(ErrorKind::Empty) } else { Ok((to, size)) }
}

/// Standard input, all of it.
pub(crate) fn standard_input() -> Result<(File, u64), ErrorKind> {
    let mut to = tempfile::tempfile()?;
    let size = io::copy(&mut io::stdin().lock(), &mut to)?;
    to.rewind()?;
    if size == 0 { Err(ErrorKind::Empty) } else { unpacked(to, size) }
}
