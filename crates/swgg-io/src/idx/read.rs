//! From bytes to numbers.

use std::fs::File;
use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

use super::{Numbers, Tensor};
use crate::error::ErrorKind;
use crate::input::buffered;
use crate::scalar::{Endian, Scalar};

/// The first bytes of a file that gzip has compressed.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// By how much gzip makes anything smaller, at most.
const MAX_RATIO: u64 = 1032;
/// Bytes that are read at a time, so that a header that lies costs no memory that the file does not fill.
const PIECE: usize = 1 << 24;

/// Reads what stands in a file of `size` bytes.
pub(super) fn read(file: File, size: u64) -> Result<Tensor, ErrorKind> {
    let mut bytes = buffered(file);
    if bytes.fill_buf()?.starts_with(&GZIP) {
        let limit = Limit::AtMost(size.saturating_mul(MAX_RATIO));
        return unpacked(&mut GzDecoder::new(bytes), limit);
    }
    unpacked(&mut bytes, Limit::Exactly(size))
}

/// What is known about the number of bytes before they are read.
#[derive(Clone, Copy)]
enum Limit {
    Exactly(u64),
    AtMost(u64),
}

fn bad(reason: impl Into<String>) -> ErrorKind {
    ErrorKind::BadIdx { reason: reason.into() }
}

/// What a reader of compressed bytes says when they are damaged is about the file, not about the system.
fn damaged(error: io::Error) -> ErrorKind {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => bad("it ends too early; copy it again"),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            bad(format!("its compressed bytes are damaged ({error}); copy it again"))
        }
        _ => ErrorKind::Read(error),
    }
}

fn unpacked(bytes: &mut dyn Read, limit: Limit) -> Result<Tensor, ErrorKind> {
    let mut head = [0; 4];
    bytes.read_exact(&mut head).map_err(damaged)?;
    let [zero, another, kind, axes] = head;
    if (zero, another) != (0, 0) {
        let found = format!("{zero:#04x} {another:#04x}");
        return Err(bad(format!("it begins with the bytes {found}, not with two zeros; name another file")));
    }
    let scalar = match kind {
        0x08 => Scalar::U8,
        0x09 => Scalar::I8,
        0x0b => Scalar::I16,
        0x0c => Scalar::I32,
        0x0d => Scalar::F32,
        0x0e => Scalar::F64,
        _ => return Err(bad(format!("its type {kind:#04x} is unknown; name another file"))),
    };
    if axes == 0 {
        return Err(bad("it announces no axes; name another file"));
    }
    let mut shape = Vec::with_capacity(axes.into());
    for _ in 0..axes {
        let mut length = [0; 4];
        bytes.read_exact(&mut length).map_err(damaged)?;
        shape.push(u32::from_be_bytes(length) as usize);
    }
    let count = shape.iter().try_fold(1_u64, |count, length| count.checked_mul(*length as u64));
    let expected = count.and_then(|count| count.checked_mul(scalar.size() as u64));
    let too_large = || bad(format!("it announces {} numbers, which no file holds", announced(&shape)));
    let expected = expected.ok_or_else(too_large)?;
    if expected == 0 {
        return Err(ErrorKind::NoRows);
    }
    let head = 4 + 4 * u64::from(axes);
    match limit {
        Limit::Exactly(size) if size != head + expected => {
            return Err(ErrorKind::Size { found: size.saturating_sub(head), expected });
        }
        Limit::AtMost(most) if head + expected > most => {
            return Err(bad(format!(
                "it announces {} numbers, more than its compressed bytes can hold; copy it again",
                announced(&shape)
            )));
        }
        _ => {}
    }
    let data = exactly(bytes, expected)?;
    let size = scalar.size();
    let numbers = match scalar {
        Scalar::U8 => Numbers::Bytes(data),
        // No integer of 32 bits is beyond a float of 64.
        _ => Numbers::Floats(
            data.chunks_exact(size)
                .map(|bytes| scalar.to_f64(bytes, Endian::Big).unwrap_or(f64::NAN))
                .collect(),
        ),
    };
    Ok(Tensor { shape, numbers })
}

/// `60000 x 28 x 28`.
fn announced(shape: &[usize]) -> String {
    shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" x ")
}

/// So many bytes, and none after them.
fn exactly(bytes: &mut dyn Read, expected: u64) -> Result<Vec<u8>, ErrorKind> {
    let mut data = Vec::new();
    while (data.len() as u64) < expected {
        let piece = (expected - data.len() as u64).min(PIECE as u64) as usize;
        let have = data.len();
        data.resize(have + piece, 0);
        let mut filled = have;
        while filled < data.len() {
            match bytes.read(&mut data[filled..]) {
                Ok(0) => return Err(ErrorKind::Size { found: filled as u64, expected }),
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    return Err(ErrorKind::Size { found: filled as u64, expected });
                }
                Err(error) => return Err(damaged(error)),
            }
        }
    }
    // The end of compressed bytes is where their checksum is looked at.
    let mut more = [0];
    match bytes.read(&mut more).map_err(damaged)? {
        0 => Ok(data),
        _ => Err(bad(format!(
            "more than the {expected} bytes that it announces follow its header; copy it again"
        ))),
    }
}
