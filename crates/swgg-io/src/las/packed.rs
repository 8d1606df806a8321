//! Points compressed by LASzip. The sizes that its chunks announce are checked before the decoder believes them.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};

use laz::{LasZipDecompressor, LazItemType, LazVlr};

use super::header::{Points, u16_at, u32_at, u64_at};
use super::{BATCH, malformed};
use crate::error::ErrorKind;

/// Bytes before the items in the record that describes the compression.
const BEFORE_ITEMS: usize = 34;
/// The compressors of LASzip: in chunks, and in chunks with a layer per dimension.
const CHUNKED: u16 = 2;
const LAYERED: u16 = 3;

/// Shows every point.
pub(super) fn each_point(
    mut file: File,
    size: u64,
    points: &Points,
    packing: &[u8],
    mut show: impl FnMut(&[u8]),
) -> Result<(), ErrorKind> {
    let damaged = || malformed("its compressed points are damaged");
    let items = packing.len() >= BEFORE_ITEMS && {
        let count = usize::from(u16_at(packing, BEFORE_ITEMS - 2));
        count > 0 && packing.len() >= BEFORE_ITEMS + 6 * count
    };
    if !items {
        return Err(malformed("the record about its compression is too short"));
    }
    let vlr = LazVlr::from_buffer(packing).map_err(|error| malformed(error.to_string()))?;
    if vlr.items().iter().map(|item| usize::from(item.size())).sum::<usize>() != points.size {
        return Err(malformed("the record about its compression is of other points"));
    }
    let compressor = u16_at(packing, 0);
    if [CHUNKED, LAYERED].contains(&compressor) {
        check_table(&mut file, size, points, &vlr)?;
    }
    if compressor == LAYERED {
        check_layers(&mut file, size, points, &vlr)?;
    }
    file.seek(SeekFrom::Start(points.start))?;
    // The decoder panics on some damaged chunks. Nothing that it was working on outlives the call.
    let decode = AssertUnwindSafe(|| -> Result<(), ErrorKind> {
        let reader = BufReader::with_capacity(1 << 18, file);
        let mut decoder =
            LasZipDecompressor::new(reader, vlr).map_err(|error| malformed(error.to_string()))?;
        let mut left = points.count;
        let mut batch = Vec::new();
        while left > 0 {
            let count = left.min(BATCH);
            left -= count;
            batch.resize(count as usize * points.size, 0);
            decoder.decompress_many(&mut batch).map_err(|_| damaged())?;
            batch.chunks_exact(points.size).for_each(&mut show);
        }
        Ok(())
    });
    catch_unwind(decode).unwrap_or_else(|_| Err(damaged()))
}

/// Every chunk starts with a whole point, so there cannot be many more chunks than the file has bytes for.
fn check_table(file: &mut File, size: u64, points: &Points, vlr: &LazVlr) -> Result<(), ErrorKind> {
    let lost = || malformed("its table of chunks lies outside the file");
    let mut word = [0; 8];
    let mut read = |at: u64| -> Result<u64, ErrorKind> {
        if at.checked_add(8).is_none_or(|end| end > size) {
            return Err(lost());
        }
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(&mut word)?;
        Ok(u64_at(&word, 0))
    };
    let mut table = read(points.start)?;
    if table as i64 <= points.start as i64 {
        // A writer that could not go back has put the place of the table at the end.
        table = read(size - 8)?;
    }
    let chunks = read(table)? >> 32;
    if chunks.saturating_mul(points.size as u64) > size {
        return Err(malformed(format!("it announces {chunks} chunks, more than it has room for")));
    }
    let most = chunks.saturating_mul(vlr.chunk_size().into());
    if !vlr.uses_variable_size_chunks() && most < points.count {
        // Its chunks are full, or nearly: decoding on would make up points.
        return Err(ErrorKind::Count { what: "points".into(), found: most, expected: points.count });
    }
    Ok(())
}

/// Walks over chunks of layers: a point, how many there are, the size of each layer, and the layers.
fn check_layers(file: &mut File, size: u64, points: &Points, vlr: &LazVlr) -> Result<(), ErrorKind> {
    let layers: usize = vlr
        .items()
        .iter()
        .map(|item| match item.item_type() {
            LazItemType::Point14 => 9,
            LazItemType::RGBNIR14 => 2,
            LazItemType::Byte14(count) => usize::from(count),
            _ => 1,
        })
        .sum();
    let mut head = vec![0; points.size + 4 + 4 * layers];
    let (mut at, mut found) = (points.start + 8, 0u64);
    while found < points.count {
        if at + head.len() as u64 > size {
            return Err(ErrorKind::Count { what: "points".into(), found, expected: points.count });
        }
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(&mut head)?;
        let words = head[points.size..].chunks_exact(4).map(|word| u64::from(u32_at(word, 0)));
        let (count, layers) = (words.clone().next().unwrap_or(0), words.skip(1).sum::<u64>());
        at += head.len() as u64 + layers;
        if count == 0 || at > size {
            return Err(malformed("its compressed points are damaged"));
        }
        found = found.saturating_add(count);
    }
    Ok(())
}
