//! The header of a PLY file: which elements follow, with which properties.

use std::io::{BufRead, Read};

use super::malformed;
use crate::error::{ErrorKind, shorten};
use crate::scalar::{Endian, Scalar};

/// Real headers take a few hundred bytes.
const LONGEST: u64 = 1 << 20;

#[derive(Debug)]
pub(super) struct Header {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element>,
    /// Lines of the header.
    pub(super) lines: u64,
    /// Bytes of the header.
    pub(super) length: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Ascii,
    Binary(Endian),
}

#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) count: u64,
    pub(super) properties: Vec<Property>,
}

impl Element {
    /// Bytes of one binary item if its lists are empty.
    pub(super) fn least_size(&self) -> u64 {
        self.properties
            .iter()
            .map(|property| match property.kind {
                Kind::Scalar(scalar) => scalar.size() as u64,
                Kind::List { count, .. } => count.size() as u64,
            })
            .sum()
    }

    pub(super) fn has_lists(&self) -> bool {
        self.properties.iter().any(|property| matches!(property.kind, Kind::List { .. }))
    }
}

#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Scalar(Scalar),
    List { count: Scalar, item: Scalar },
}

impl Header {
    /// Reads up to and including the line `end_header`.
    pub(super) fn read(reader: &mut impl BufRead) -> Result<Self, ErrorKind> {
        let mut reader = reader.take(LONGEST);
        let mut header = Self { encoding: Encoding::Ascii, elements: Vec::new(), lines: 0, length: 0 };
        let mut encoding = None;
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = reader.read_until(b'\n', &mut line)? as u64;
            header.lines += 1;
            header.length += read;
            if header.lines == 1 && !is_first_line(&line) {
                return Err(malformed("its first line is not \"ply\""));
            }
            if !line.ends_with(b"\n") && header.length == LONGEST {
                return Err(malformed(format!(
                    "its header has no line \"end_header\" in its first {LONGEST} bytes ({} lines); points with very many properties fit a .npy or .parquet file",
                    header.lines
                )));
            }
            if !line.ends_with(b"\n") {
                return Err(malformed("its header never ends: there is no line \"end_header\""));
            }
            let number = header.lines;
            let text = std::str::from_utf8(&line).map_err(|_| ErrorKind::NotUtf8 { line: number })?;
            let refuse = || malformed(format!("line {number} is {:?}", shorten(text.trim_end())));
            let words: Vec<&str> = text.split_ascii_whitespace().collect();
            match words[..] {
                ["end_header"] => break,
                [] | ["ply"] | ["comment" | "obj_info", ..] => {}
                ["format", name, _] => encoding = Some(encoding_of(name).ok_or_else(refuse)?),
                ["element", name, count] => header.elements.push(Element {
                    name: name.to_owned(),
                    count: count.parse().map_err(|_| refuse())?,
                    properties: Vec::new(),
                }),
                ["property", ref property @ ..] => {
                    let property = property_of(property, number).ok_or_else(refuse)??;
                    header.elements.last_mut().ok_or_else(refuse)?.properties.push(property);
                }
                _ => return Err(refuse()),
            }
        }
        header.encoding = encoding.ok_or_else(|| malformed("its header has no line \"format\""))?;
        Ok(header)
    }
}

/// Whether a file that begins with this line is a PLY file.
pub(super) fn is_first_line(line: &[u8]) -> bool {
    line.trim_ascii() == b"ply"
}

fn encoding_of(name: &str) -> Option<Encoding> {
    match name {
        "ascii" => Some(Encoding::Ascii),
        "binary_little_endian" => Some(Encoding::Binary(Endian::Little)),
        "binary_big_endian" => Some(Encoding::Binary(Endian::Big)),
        _ => None,
    }
}

/// `None` if the words are not a property at all.
fn property_of(words: &[&str], line: u64) -> Option<Result<Property, ErrorKind>> {
    let scalar = |word: &str| {
        scalar_of(word)
            .ok_or_else(|| malformed(format!("line {line} has an unknown type {:?}", shorten(word))))
    };
    let kind = match *words {
        ["list", count, item, _] => match (scalar(count), scalar(item)) {
            (Ok(Scalar::F32 | Scalar::F64), _) => return None,
            (Ok(count), Ok(item)) => Ok(Kind::List { count, item }),
            (Err(unknown), _) | (_, Err(unknown)) => Err(unknown),
        },
        [word, _] => scalar(word).map(Kind::Scalar),
        _ => return None,
    };
    let name = words.last().copied().unwrap_or_default().to_owned();
    Some(kind.map(|kind| Property { name, kind }))
}

fn scalar_of(word: &str) -> Option<Scalar> {
    Some(match word {
        "char" | "int8" => Scalar::I8,
        "uchar" | "uint8" => Scalar::U8,
        "short" | "int16" => Scalar::I16,
        "ushort" | "uint16" => Scalar::U16,
        "int" | "int32" => Scalar::I32,
        "uint" | "uint32" => Scalar::U32,
        "float" | "float32" => Scalar::F32,
        "double" | "float64" => Scalar::F64,
        _ => return None,
    })
}
