//! The body of a PLY file: the wanted properties of the vertices, the rest stepped over.

use std::io::{self, BufRead, Read};

use super::header::{Element, Kind};
use super::malformed;
use crate::column::Column;
use crate::columns::ColumnRef;
use crate::error::{ErrorKind, shorten};
use crate::scalar::{Endian, Scalar, to_f32};

/// Which properties of a vertex are wanted, and where they go.
pub(super) struct Wanted<'a> {
    pub(super) names: &'a [String],
    pub(super) slots: Vec<Option<usize>>,
    pub(super) width: usize,
    /// Which of the others are kept as they are, and where.
    pub(super) kept: Vec<Option<usize>>,
}

/// The two floats a cloud may hold.
pub(super) trait Coordinate: Copy + Default {
    fn decode(scalar: Scalar, bytes: &[u8], endian: Endian) -> Self;
    fn parse(text: &[u8]) -> Option<Self>;
}

impl Coordinate for f32 {
    fn decode(_: Scalar, bytes: &[u8], endian: Endian) -> Self {
        to_f32(bytes, endian)
    }

    fn parse(text: &[u8]) -> Option<Self> {
        fast_float2::parse(text).ok()
    }
}

impl Coordinate for f64 {
    fn decode(scalar: Scalar, bytes: &[u8], endian: Endian) -> Self {
        // The integers of PLY have at most 32 bits, so they are always exact.
        scalar.to_f64(bytes, endian).unwrap_or(f64::NAN)
    }

    fn parse(text: &[u8]) -> Option<Self> {
        fast_float2::parse(text).ok()
    }
}

pub(super) struct Binary<R> {
    reader: R,
    endian: Endian,
    /// Bytes after the header.
    size: u64,
    left: u64,
}

impl<R: BufRead> Binary<R> {
    pub(super) fn new(reader: R, size: u64, endian: Endian) -> Self {
        Self { reader, endian, size, left: size }
    }

    pub(super) fn points<T: Coordinate>(
        mut self,
        elements: &[Element],
        wanted: &Wanted,
        columns: &mut [Column],
    ) -> Result<Vec<T>, ErrorKind> {
        // Before anything is reserved or looped over: the counts may be lies.
        self.need(
            elements.iter().fold(0, |sum, element| {
                sum.saturating_add(element.count.saturating_mul(element.least_size()))
            }),
        )?;
        let mut points = Vec::new();
        let mut vertices = false;
        for element in elements {
            if element.name == "vertex" && !vertices {
                vertices = true;
                points = self.vertices(element, wanted, columns)?;
            } else if element.has_lists() {
                for _ in 0..element.count {
                    self.item(element, |_, _, _| {})?;
                }
            } else {
                self.skip(element.count.saturating_mul(element.least_size()))?;
            }
        }
        self.check_end()?;
        Ok(points)
    }

    fn vertices<T: Coordinate>(
        &mut self,
        element: &Element,
        wanted: &Wanted,
        columns: &mut [Column],
    ) -> Result<Vec<T>, ErrorKind> {
        let count = element.count as usize;
        let mut points = vec![T::default(); count * wanted.width];
        for point in points.chunks_exact_mut(wanted.width) {
            let endian = self.endian;
            self.item(element, |property, scalar, bytes| {
                if let Some(slot) = wanted.slots[property] {
                    point[slot] = T::decode(scalar, bytes, endian);
                } else if let Some(column) = wanted.kept[property] {
                    columns[column].push_bytes(&bytes[..scalar.size()], endian);
                }
            })?;
        }
        Ok(points)
    }

    /// Steps over one item and shows its scalars.
    fn item(
        &mut self,
        element: &Element,
        mut show: impl FnMut(usize, Scalar, &[u8]),
    ) -> Result<(), ErrorKind> {
        for (index, property) in element.properties.iter().enumerate() {
            match property.kind {
                Kind::Scalar(scalar) => {
                    let bytes = self.take(scalar)?;
                    show(index, scalar, &bytes);
                }
                Kind::List { count, item } => {
                    let bytes = self.take(count)?;
                    let count = count.to_f64(&bytes, self.endian).unwrap_or(-1.0);
                    if count < 0.0 {
                        return Err(malformed(format!("a list {:?} has a negative length", property.name)));
                    }
                    self.skip(count as u64 * item.size() as u64)?;
                }
            }
        }
        Ok(())
    }

    fn need(&self, bytes: u64) -> Result<(), ErrorKind> {
        if bytes > self.left {
            let expected = (self.size - self.left).saturating_add(bytes);
            return Err(ErrorKind::Size { found: self.size, expected });
        }
        Ok(())
    }

    fn take(&mut self, scalar: Scalar) -> Result<[u8; 8], ErrorKind> {
        let size = scalar.size();
        self.need(size as u64)?;
        self.left -= size as u64;
        let mut bytes = [0; 8];
        self.reader.read_exact(&mut bytes[..size])?;
        Ok(bytes)
    }

    fn skip(&mut self, bytes: u64) -> Result<(), ErrorKind> {
        self.need(bytes)?;
        self.left -= bytes;
        io::copy(&mut self.reader.by_ref().take(bytes), &mut io::sink())?;
        Ok(())
    }

    /// A line break after the last element is harmless; more means that the counts are too low.
    fn check_end(&mut self) -> Result<(), ErrorKind> {
        let mut rest = Vec::new();
        self.reader.by_ref().take(3).read_to_end(&mut rest)?;
        if rest.len() > 2 || !rest.trim_ascii().is_empty() {
            return Err(ErrorKind::Size { found: self.size, expected: self.size - self.left });
        }
        Ok(())
    }
}

pub(super) struct Ascii<R> {
    reader: R,
    line: Vec<u8>,
    lines: u64,
}

impl<R: BufRead> Ascii<R> {
    /// `lines` come before the body.
    pub(super) fn new(reader: R, lines: u64) -> Self {
        Self { reader, line: Vec::new(), lines }
    }

    pub(super) fn points<T: Coordinate>(
        mut self,
        elements: &[Element],
        wanted: &Wanted,
        columns: &mut [Column],
    ) -> Result<Vec<T>, ErrorKind> {
        let mut points = Vec::new();
        let mut vertices = false;
        for element in elements {
            let is_vertex = element.name == "vertex" && !vertices;
            vertices |= is_vertex;
            for found in 0..element.count {
                if !self.advance()? {
                    let what = format!("items of {:?}", element.name);
                    return Err(ErrorKind::Count { what, found, expected: element.count });
                }
                if is_vertex {
                    self.vertex(element, wanted, columns, &mut points)?;
                }
            }
        }
        if self.advance()? {
            return Err(malformed(format!(
                "line {} is beyond the items that its header announces",
                self.lines
            )));
        }
        Ok(points)
    }

    fn advance(&mut self) -> Result<bool, ErrorKind> {
        loop {
            self.line.clear();
            if self.reader.read_until(b'\n', &mut self.line)? == 0 {
                return Ok(false);
            }
            self.lines += 1;
            if !self.line.trim_ascii().is_empty() {
                return Ok(true);
            }
        }
    }

    fn vertex<T: Coordinate>(
        &self,
        element: &Element,
        wanted: &Wanted,
        columns: &mut [Column],
        points: &mut Vec<T>,
    ) -> Result<(), ErrorKind> {
        let start = points.len();
        points.resize(start + wanted.width, T::default());
        let mut words = self.line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let mut expected = 0;
        for (index, property) in element.properties.iter().enumerate() {
            expected += 1;
            let word = words.next().ok_or_else(|| self.ragged(expected.max(element.properties.len())))?;
            match (property.kind, wanted.slots[index]) {
                (Kind::Scalar(_), Some(slot)) => {
                    points[start + slot] = T::parse(word).ok_or_else(|| self.refuse(word, index, wanted))?;
                }
                (Kind::Scalar(_), None) => {
                    if let Some(column) = wanted.kept[index] {
                        let text = std::str::from_utf8(word).unwrap_or_default();
                        if !columns[column].push_text(text) {
                            return Err(self.refuse(word, index, wanted));
                        }
                    }
                }
                (Kind::List { .. }, _) => {
                    let length = std::str::from_utf8(word).ok().and_then(|word| word.parse::<usize>().ok());
                    let length = length.ok_or_else(|| self.refuse(word, index, wanted))?;
                    expected = expected.saturating_add(length);
                    if length > 0 && words.nth(length - 1).is_none() {
                        return Err(self.ragged(expected));
                    }
                }
            }
        }
        if words.next().is_some() { Err(self.ragged(expected)) } else { Ok(()) }
    }

    fn ragged(&self, expected: usize) -> ErrorKind {
        let words = self.line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        ErrorKind::Ragged { line: self.lines, found: words.count(), expected }
    }

    fn refuse(&self, word: &[u8], index: usize, wanted: &Wanted) -> ErrorKind {
        let line = self.lines;
        match std::str::from_utf8(word) {
            Err(_) => ErrorKind::NotUtf8 { line },
            Ok(word) => {
                let column = ColumnRef::new(index, Some(wanted.names));
                match f64::parse(word.as_bytes()) {
                    None => ErrorKind::NotANumber { line, column, text: shorten(word) },
                    Some(_) => malformed(format!("line {line}, {column}: {word} does not fit its type")),
                }
            }
        }
    }
}
