//! Text cut into rows and rows into fields.

use std::io::BufRead;
use std::ops::Range;

use csv_core::{ReadRecordResult, Terminator};

use super::dialect::Dialect;
use super::{is_header, number_with_comma};
use crate::error::ErrorKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Separator {
    Byte(u8),
    Whitespace,
}

impl Separator {
    /// The first of the format's usual separators that occurs inside the first line.
    fn detect(dialect: &Dialect, line: &[u8]) -> Self {
        let inside = line.trim_ascii();
        // 1,5;2,5 has commas within its numbers, whether the caller says so or not.
        let is_number = |field: &[u8]| number_with_comma(field.trim_ascii()).is_some();
        if dialect.candidates.contains(&b';')
            && [b',', b';'].iter().all(|byte| inside.contains(byte))
            && inside.split(|&byte| byte == b';').all(is_number)
        {
            return Self::Byte(b';');
        }
        match dialect.candidates.iter().find(|byte| inside.contains(byte)) {
            Some(&byte) => Self::Byte(byte),
            // Numbers apart by spaces are what some programs write whatever the extension.
            None if is_row_of_numbers(inside, dialect.number) => Self::Whitespace,
            None => dialect.separator.map_or(Self::Whitespace, Self::Byte),
        }
    }
}

fn is_row_of_numbers(line: &[u8], number: fn(&[u8]) -> Option<f64>) -> bool {
    let fields = || line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
    fields().count() > 1 && fields().all(|field| number(field).is_some())
}

/// Rows of a text file, one at a time. Blank lines and lines that start with `#` are skipped.
pub(super) struct Rows<R> {
    reader: R,
    dialect: Dialect,
    separator: Option<Separator>,
    /// The current line, or several if a quoted field has line breaks in it.
    line: Vec<u8>,
    /// What ends a line: a line feed, or a carriage return alone as on Macs of the last century.
    ending: u8,
    /// Lines read so far.
    lines: u64,
    /// Where the current row starts.
    start: u64,
    quotes: Quotes,
    quoted: bool,
    fields: Vec<Range<usize>>,
}

impl<R: BufRead> Rows<R> {
    pub(super) fn new(reader: R, dialect: Dialect) -> Self {
        let quotes = Quotes { core: csv_core::Reader::new(), text: Vec::new(), ends: Vec::new() };
        Self {
            reader,
            dialect,
            separator: None,
            line: Vec::new(),
            ending: b'\n',
            lines: 0,
            start: 0,
            quotes,
            quoted: false,
            fields: Vec::new(),
        }
    }

    /// Moves to the next row; `false` at the end.
    pub(super) fn advance(&mut self) -> Result<bool, ErrorKind> {
        loop {
            self.line.clear();
            if !self.append_line()? {
                return Ok(false);
            }
            if self.lines == 1 {
                self.check_mark()?;
                if self.take_separator() {
                    continue;
                }
            }
            let content = self.line.trim_ascii();
            if !content.is_empty() && content[0] != b'#' {
                break;
            }
        }
        self.start = self.lines;
        self.split()?;
        // Points copied from an OBJ file keep the `v` of their vertices.
        let vertex = self.dialect.is_point_list && self.len() > 1 && self.field(0) == b"v";
        if vertex && self.number(1).is_some() {
            self.fields.remove(0);
        }
        Ok(true)
    }

    /// Whether the file may begin with the number of its points.
    pub(super) fn may_announce(&self) -> bool {
        self.dialect.is_point_list
    }

    /// Line where the current row starts, from 1.
    pub(super) fn line(&self) -> u64 {
        self.start
    }

    /// Number of fields of the current row.
    pub(super) fn len(&self) -> usize {
        self.fields.len()
    }

    /// A field of the current row, without the space around it.
    pub(super) fn field(&self, index: usize) -> &[u8] {
        let text = if self.quoted { &self.quotes.text } else { &self.line };
        text[self.fields[index].clone()].trim_ascii()
    }

    /// The number in a field of the current row.
    pub(super) fn number(&self, index: usize) -> Option<f64> {
        (self.dialect.number)(self.field(index))
    }

    /// Whether the current row has the names of the columns; 1,5 is not one.
    pub(super) fn is_header(&self) -> bool {
        is_header((0..self.len()).map(|index| self.field(index)), number_with_comma)
    }

    /// The same as UTF-8 text.
    pub(super) fn text(&self, index: usize) -> Result<&str, ErrorKind> {
        let field = self.field(index);
        if field.contains(&0) {
            return Err(ErrorKind::NulByte { line: self.start });
        }
        std::str::from_utf8(field).map_err(|_| ErrorKind::NotUtf8 { line: self.start })
    }

    fn append_line(&mut self) -> Result<bool, ErrorKind> {
        if self.lines == 0 {
            let start = self.reader.fill_buf()?;
            if start.contains(&b'\r') && !start.contains(&b'\n') {
                self.ending = b'\r';
            }
        }
        let found = self.reader.read_until(self.ending, &mut self.line)? > 0;
        if let Some(last) = self.line.last_mut().filter(|last| **last == self.ending) {
            *last = b'\n';
        }
        self.lines += u64::from(found);
        Ok(found)
    }

    /// Reads the separator from a first line `sep=;`, which Excel writes and wants.
    fn take_separator(&mut self) -> bool {
        let line = match self.line.as_slice() {
            [line @ .., b'\r', b'\n'] | [line @ .., b'\n'] => line,
            line => line,
        };
        let Some(&[separator]) = line.strip_prefix(b"sep=").or_else(|| line.strip_prefix(b"SEP=")) else {
            return false;
        };
        self.separator = Some(Separator::Byte(separator));
        true
    }

    /// Removes a byte order mark of UTF-8 and refuses those of UTF-16.
    fn check_mark(&mut self) -> Result<(), ErrorKind> {
        if self.line.starts_with(b"\xef\xbb\xbf") {
            self.line.drain(..3);
        }
        if self.line.starts_with(b"\xff\xfe") || self.line.starts_with(b"\xfe\xff") {
            return Err(ErrorKind::Utf16);
        }
        // Text of two bytes per letter has a zero beside each digit and each comma.
        let zeros = self.line.iter().filter(|&&byte| byte == 0).count();
        if zeros > 1 && 3 * zeros > self.line.len() {
            return Err(ErrorKind::Utf16);
        }
        Ok(())
    }

    fn split(&mut self) -> Result<(), ErrorKind> {
        self.fields.clear();
        let separator = *self.separator.get_or_insert_with(|| Separator::detect(&self.dialect, &self.line));
        self.quoted = false;
        match separator {
            Separator::Whitespace => split_on(&self.line, u8::is_ascii_whitespace, |field| {
                if !field.is_empty() {
                    self.fields.push(field);
                }
            }),
            Separator::Byte(byte) if self.line.contains(&b'"') => self.split_quoted(byte)?,
            Separator::Byte(byte) => split_on(&self.line, |&b| b == byte, |field| self.fields.push(field)),
        }
        Ok(())
    }

    /// As the csv parser does it: quotes protect separators, line breaks and doubled quotes.
    fn split_quoted(&mut self, separator: u8) -> Result<(), ErrorKind> {
        self.quoted = true;
        self.quotes.start(separator);
        let (mut read, mut written, mut ended) = (0, 0, 0);
        loop {
            if !self.line.ends_with(b"\n") {
                self.line.push(b'\n');
            }
            let Quotes { core, text, ends } = &mut self.quotes;
            let (result, nin, nout, nend) =
                core.read_record(&self.line[read..], &mut text[written..], &mut ends[ended..]);
            read += nin;
            written += nout;
            ended += nend;
            match result {
                ReadRecordResult::OutputFull => text.resize(2 * text.len(), 0),
                ReadRecordResult::OutputEndsFull => ends.resize(2 * ends.len(), 0),
                ReadRecordResult::InputEmpty => {
                    if !self.append_line()? {
                        return Err(ErrorKind::OpenQuote { line: self.start });
                    }
                }
                ReadRecordResult::Record | ReadRecordResult::End => break,
            }
        }
        let mut start = 0;
        for &end in &self.quotes.ends[..ended] {
            self.fields.push(start..end);
            start = end;
        }
        Ok(())
    }
}

/// The csv parser and where it puts the fields of a row.
struct Quotes {
    core: csv_core::Reader,
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Quotes {
    fn start(&mut self, separator: u8) {
        if self.text.is_empty() {
            // Rows end where our lines end; by default a lone carriage return would end one early.
            let line_feed = Terminator::Any(b'\n');
            self.core = csv_core::ReaderBuilder::new().delimiter(separator).terminator(line_feed).build();
            self.text.resize(256, 0);
            self.ends.resize(16, 0);
        }
        self.core.reset();
    }
}

fn split_on(line: &[u8], is_separator: impl Fn(&u8) -> bool, mut push: impl FnMut(Range<usize>)) {
    let mut start = 0;
    for (end, byte) in line.iter().enumerate() {
        if is_separator(byte) {
            push(start..end);
            start = end + 1;
        }
    }
    push(start..line.len());
}
