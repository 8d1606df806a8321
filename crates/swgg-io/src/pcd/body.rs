//! The body of a PCD file: text, points one after the other, or compressed fields one after the other.

use std::io::{BufRead, Read};

use super::header::{Encoding, Header};
use super::{lzf, malformed};
use crate::column::Column;
use crate::columns::ColumnRef;
use crate::error::{ErrorKind, shorten};
use crate::scalar::Endian;

/// The wanted fields as columns; `None` for the others. `size` is that of the whole file.
pub(super) fn read(
    reader: &mut impl BufRead,
    size: u64,
    header: &Header,
    wanted: &[bool],
) -> Result<Vec<Option<Column>>, ErrorKind> {
    let fields = header.fields.iter().zip(wanted);
    let mut columns: Vec<Option<Column>> = fields
        .map(|(field, wanted)| wanted.then(|| Column::numbers(field.name.clone(), field.scalar, field.count)))
        .collect();
    let left = size.saturating_sub(header.length);
    match header.grid.encoding {
        Encoding::Ascii => read_text(reader, header, &mut columns)?,
        Encoding::Binary => read_points(reader, left, header, &mut columns)?,
        Encoding::Compressed => read_compressed(reader, left, header, &mut columns)?,
    }
    Ok(columns)
}

fn read_points(
    reader: &mut impl BufRead,
    left: u64,
    header: &Header,
    columns: &mut [Option<Column>],
) -> Result<(), ErrorKind> {
    // Before anything is reserved: the count may be a lie.
    let expected = header.points.saturating_mul(header.point_size());
    check_size(reader, left, expected, |reader| {
        let mut point = vec![0; header.point_size() as usize];
        for _ in 0..header.points {
            reader.read_exact(&mut point)?;
            let mut rest = &point[..];
            for (field, column) in header.fields.iter().zip(columns.iter_mut()) {
                let (value, after) = rest.split_at(field.size());
                rest = after;
                if let Some(column) = column {
                    column.push_bytes(value, Endian::Little);
                }
            }
        }
        Ok(())
    })
}

fn read_compressed(
    reader: &mut impl BufRead,
    left: u64,
    header: &Header,
    columns: &mut [Option<Column>],
) -> Result<(), ErrorKind> {
    let mut sizes = [0; 8];
    if left < 8 {
        return Err(ErrorKind::Size { found: left, expected: 8 });
    }
    reader.read_exact(&mut sizes)?;
    let word = |k: usize| u64::from(u32::from_le_bytes([sizes[k], sizes[k + 1], sizes[k + 2], sizes[k + 3]]));
    let (compressed, uncompressed) = (word(0), word(4));
    if uncompressed != header.points.saturating_mul(header.point_size()) {
        return Err(malformed(format!(
            "its body unpacks to {uncompressed} bytes, but its header announces {} points of {} bytes",
            header.points,
            header.point_size()
        )));
    }
    if uncompressed > compressed.saturating_mul(lzf::EXPANSION) {
        return Err(malformed(format!("{compressed} bytes cannot unpack to {uncompressed}")));
    }
    check_size(reader, left - 8, compressed, |reader| {
        let mut packed = vec![0; compressed as usize];
        reader.read_exact(&mut packed)?;
        let bytes = lzf::decompress(&packed, uncompressed as usize)
            .ok_or_else(|| malformed("its compressed body is damaged"))?;
        let mut rest = &bytes[..];
        for (field, column) in header.fields.iter().zip(columns.iter_mut()) {
            let (values, after) = rest.split_at(field.size() * header.points as usize);
            rest = after;
            if let Some(column) = column {
                column.push_bytes(values, Endian::Little);
            }
        }
        Ok(())
    })
}

/// Compares the size of the body with what follows the header, before and after it is read. A line break at the end
/// is harmless.
fn check_size<R: BufRead>(
    reader: &mut R,
    found: u64,
    expected: u64,
    read: impl FnOnce(&mut R) -> Result<(), ErrorKind>,
) -> Result<(), ErrorKind> {
    if found < expected {
        return Err(ErrorKind::Size { found, expected });
    }
    read(reader)?;
    let mut rest = Vec::new();
    reader.take(3).read_to_end(&mut rest)?;
    if rest.len() > 2 || !rest.trim_ascii().is_empty() {
        return Err(ErrorKind::Size { found, expected });
    }
    Ok(())
}

fn read_text(
    reader: &mut impl BufRead,
    header: &Header,
    columns: &mut [Option<Column>],
) -> Result<(), ErrorKind> {
    let (mut number, mut found) = (header.lines, 0);
    let mut line = Vec::new();
    loop {
        line.clear();
        if reader.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        number += 1;
        if line.trim_ascii().is_empty() {
            continue;
        }
        if found == header.points {
            return Err(malformed(format!("line {number} is beyond the points that its header announces")));
        }
        found += 1;
        let text = std::str::from_utf8(&line).map_err(|_| ErrorKind::NotUtf8 { line: number })?;
        read_line(text, number, header, columns)?;
    }
    match header.points {
        expected if expected != found => Err(ErrorKind::Count { what: "points".into(), found, expected }),
        _ => Ok(()),
    }
}

fn read_line(
    text: &str,
    line: u64,
    header: &Header,
    columns: &mut [Option<Column>],
) -> Result<(), ErrorKind> {
    let mut words = text.split_ascii_whitespace();
    let ragged = || ErrorKind::Ragged {
        line,
        found: text.split_ascii_whitespace().count(),
        expected: header.fields.iter().map(|field| field.count).sum(),
    };
    for (index, (field, column)) in header.fields.iter().zip(columns).enumerate() {
        for _ in 0..field.count {
            let word = words.next().ok_or_else(ragged)?;
            if let Some(column) = column
                && !column.push_text(word)
            {
                let column = ColumnRef { index, name: Some(field.name.clone()) };
                return Err(match word.parse::<f64>() {
                    Err(_) => ErrorKind::NotANumber { line, column, text: shorten(word) },
                    Ok(_) => {
                        malformed(format!("line {line}, {column}: {word} is no {}", field.scalar.name()))
                    }
                });
            }
        }
    }
    if words.next().is_some() { Err(ragged()) } else { Ok(()) }
}
