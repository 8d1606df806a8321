//! The header of a LAS file and the records after it, checked against the size of the file.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use super::dims;
use super::malformed;
use crate::error::ErrorKind;

/// Bytes of the shortest header, that of version 1.0, and of that of version 1.4.
pub(super) const SHORTEST: usize = 227;
pub(super) const LONG: usize = 375;
/// Bytes before the data of a record.
const RECORD_HEAD: usize = 54;
/// Bits of the point format that say that points are compressed.
const PACKED: u8 = 0xc0;

/// The first bytes of every file.
pub(super) const MARK: &[u8] = b"LASF";

/// Whether the points behind this header are compressed.
pub(super) fn is_packed(header: &[u8]) -> bool {
    header.get(104).is_some_and(|point_format| point_format & PACKED != 0)
}

/// What a LAS file says about a whole cloud: the header as it is, and the records that describe it.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(super) header: Vec<u8>,
    pub(super) records: Vec<Record>,
    pub(super) point_format: u8,
    /// Bytes of a point beyond those of its format.
    pub(super) extra: usize,
    pub(super) scale: [f64; 3],
    pub(super) offset: [f64; 3],
}

/// A variable-length record, head included.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) bytes: Vec<u8>,
}

impl Record {
    fn user(&self) -> &[u8] {
        let name = &self.bytes[2..18];
        &name[..name.iter().position(|&byte| byte == 0).unwrap_or(name.len())]
    }

    pub(super) fn data(&self) -> &[u8] {
        &self.bytes[RECORD_HEAD..]
    }

    /// A record from its parts.
    pub(super) fn new(user: &str, id: u16, description: &str, data: &[u8]) -> Self {
        let mut bytes = vec![0; RECORD_HEAD];
        bytes[2..2 + user.len()].copy_from_slice(user.as_bytes());
        bytes[18..20].copy_from_slice(&id.to_le_bytes());
        bytes[20..22].copy_from_slice(&(data.len() as u16).to_le_bytes());
        bytes[22..22 + description.len()].copy_from_slice(description.as_bytes());
        bytes.extend(data);
        Self { bytes }
    }
}

/// Where the points are.
pub(super) struct Points {
    pub(super) count: u64,
    /// Bytes of one.
    pub(super) size: usize,
    pub(super) start: u64,
    /// Data of the record that says how they are compressed.
    pub(super) packing: Option<Vec<u8>>,
    /// Whether records follow the points.
    pub(super) has_more: bool,
}

/// Reads the header and the records before the points.
pub(super) fn read(file: &mut File, size: u64) -> Result<(Frame, Points), ErrorKind> {
    let mut head = vec![0; SHORTEST.min(size as usize)];
    file.read_exact(&mut head)?;
    if !head.starts_with(MARK) {
        return Err(malformed("it does not start with \"LASF\""));
    }
    if head.len() < SHORTEST {
        return Err(malformed("it ends within its header"));
    }
    let length = usize::from(u16_at(&head, 94));
    if (length as u64) > size || length < SHORTEST {
        return Err(malformed(format!("its header of {length} bytes does not fit the file")));
    }
    file.seek(SeekFrom::Start(0))?;
    let mut header = vec![0; length];
    file.read_exact(&mut header)?;

    let start = u64::from(u32_at(&header, 96));
    if start < length as u64 || start > size {
        return Err(malformed(format!("its points start at byte {start}, which does not fit the file")));
    }
    let all = records(file, length as u64, start, u32_at(&header, 100))?;
    let packing = all.iter().find(|record| record.user() == b"laszip encoded").map(|r| r.data().to_vec());
    // The index of a cloud-optimised file would no longer be true.
    let kept = |record: &Record| ![&b"laszip encoded"[..], b"copc"].contains(&record.user());
    let records: Vec<Record> = all.into_iter().filter(kept).collect();

    let point_format = header[104] & !PACKED;
    let point_size = usize::from(u16_at(&header, 105));
    let least = dims::size(point_format).ok_or_else(|| ErrorKind::Unsupported {
        what: format!("points of LAS format {point_format}"),
        advice: "convert it to one of the formats 0 to 10",
    })?;
    let extra = point_size.checked_sub(least).ok_or_else(|| {
        malformed(format!("its points have {point_size} bytes, {least} are needed for format {point_format}"))
    })?;
    let triple = |at: usize| [0, 8, 16].map(|k| f64_at(&header, at + k));
    let (scale, offset) = (triple(131), triple(155));
    if scale.iter().chain(&offset).any(|value| !value.is_finite()) || scale.contains(&0.0) {
        return Err(malformed("its scales or offsets are not usable numbers"));
    }
    let long = length >= LONG && header[25] >= 4;
    let count = match long.then(|| u64_at(&header, 247)) {
        Some(count) if count > 0 => count,
        _ => u64::from(u32_at(&header, 107)),
    };
    let is_packed = is_packed(&header);
    if is_packed != packing.is_some() {
        return Err(malformed("its header and its records disagree on whether it is compressed"));
    }
    let points =
        Points { count, size: point_size, start, packing, has_more: long && u32_at(&header, 243) > 0 };
    if count == 0 {
        return Err(ErrorKind::NoRows);
    }
    Ok((Frame { header, records, point_format, extra, scale, offset }, points))
}

/// The records between the header and the points.
fn records(file: &mut File, mut at: u64, end: u64, count: u32) -> Result<Vec<Record>, ErrorKind> {
    let mut records = Vec::new();
    for _ in 0..count {
        let mut bytes = vec![0; RECORD_HEAD];
        if at + RECORD_HEAD as u64 > end {
            return Err(malformed(format!("it announces {count} records, {} are present", records.len())));
        }
        file.read_exact(&mut bytes)?;
        let length = usize::from(u16_at(&bytes, 20));
        at += (RECORD_HEAD + length) as u64;
        if at > end {
            return Err(malformed("a record runs into the points"));
        }
        bytes.resize(RECORD_HEAD + length, 0);
        file.read_exact(&mut bytes[RECORD_HEAD..])?;
        records.push(Record { bytes });
    }
    Ok(records)
}

pub(super) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([0, 1, 2, 3].map(|k| bytes[at + k]))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|k| bytes[at + k]))
}

fn f64_at(bytes: &[u8], at: usize) -> f64 {
    f64::from_bits(u64_at(bytes, at))
}

/// Writes bytes over others.
pub(super) fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}
