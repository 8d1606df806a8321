//! The header of a `.npy` file: a Python dictionary with the type, the order and the shape.

use std::io::Read;

use crate::error::ErrorKind;
use crate::format::Format;
use crate::scalar::{Endian, Scalar};

/// The first bytes of every array.
pub(super) const MARK: &[u8] = b"\x93NUMPY";

#[derive(Debug)]
pub(crate) struct Header {
    pub(crate) scalar: Scalar,
    pub(crate) endian: Endian,
    /// Stored column by column.
    pub(crate) fortran: bool,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Where the values start.
    pub(crate) offset: u64,
}

impl Header {
    /// Reads the header of a file of `size` bytes; the values then fill the rest of the file exactly.
    pub(crate) fn read(file: &mut impl Read, size: u64) -> Result<Self, ErrorKind> {
        let mut start = [0; 8];
        exact(file, &mut start)?;
        if !start.starts_with(MARK) {
            return Err(malformed("it does not start with the mark of a NumPy array"));
        }
        let (length, before) = match start[6] {
            1 => {
                let mut length = [0; 2];
                exact(file, &mut length)?;
                (u64::from(u16::from_le_bytes(length)), 10)
            }
            2 | 3 => {
                let mut length = [0; 4];
                exact(file, &mut length)?;
                (u64::from(u32::from_le_bytes(length)), 12)
            }
            version => return Err(malformed(format!("version {version} of the format is not known"))),
        };
        let offset = before + length;
        if offset > size {
            return Err(truncated());
        }
        let mut text = vec![0; length as usize];
        exact(file, &mut text)?;
        let text = std::str::from_utf8(&text).map_err(|_| malformed("its header is not text"))?;
        let fields = Fields::parse(text)?;
        fields.header(offset, size - offset)
    }
}

struct Fields<'a> {
    descr: &'a str,
    fortran: bool,
    shape: Vec<u64>,
}

impl<'a> Fields<'a> {
    fn parse(text: &'a str) -> Result<Self, ErrorKind> {
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        let mut cursor = Cursor(text);
        cursor.expect('{')?;
        while !cursor.eat('}') {
            let key = cursor.string()?;
            cursor.expect(':')?;
            match key {
                "descr" if cursor.eat('[') => return Err(unsupported("structured records")),
                "descr" => descr = Some(cursor.string()?),
                "fortran_order" => fortran = Some(cursor.boolean()?),
                "shape" => shape = Some(cursor.tuple()?),
                other => return Err(malformed(format!("its header has an unknown entry {other:?}"))),
            }
            if !cursor.eat(',') {
                cursor.expect('}')?;
                break;
            }
        }
        let missing = |name| malformed(format!("its header has no entry {name:?}"));
        Ok(Self {
            descr: descr.ok_or_else(|| missing("descr"))?,
            fortran: fortran.ok_or_else(|| missing("fortran_order"))?,
            shape: shape.ok_or_else(|| missing("shape"))?,
        })
    }

    fn header(&self, offset: u64, found: u64) -> Result<Header, ErrorKind> {
        let (scalar, endian) = scalar(self.descr)?;
        let (rows, columns) = match self.shape[..] {
            [rows] => (rows, 1),
            [rows, columns] => (rows, columns),
            _ => {
                let shape = self.shape.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
                return Err(ErrorKind::Unsupported {
                    what: format!("an array of {} dimensions, of shape ({shape})", self.shape.len()),
                    advice: "reshape it to n rows of d columns",
                });
            }
        };
        if rows == 0 {
            return Err(ErrorKind::NoRows);
        }
        if columns == 0 {
            return Err(ErrorKind::NoColumns);
        }
        let expected = rows
            .checked_mul(columns)
            .and_then(|count| count.checked_mul(scalar.size() as u64))
            .ok_or_else(|| malformed(format!("an array of {rows} x {columns} values fits in no file")))?;
        if expected != found {
            return Err(ErrorKind::Size { found, expected });
        }
        Ok(Header {
            scalar,
            endian,
            fortran: self.fortran,
            rows: rows as usize,
            columns: columns as usize,
            offset,
        })
    }
}

fn scalar(descr: &str) -> Result<(Scalar, Endian), ErrorKind> {
    let order = descr.chars().next();
    let endian = if order == Some('>') { Endian::Big } else { Endian::Little };
    let code = descr.trim_start_matches(['<', '>', '|']);
    let scalar = match code {
        "b1" => Scalar::Bool,
        "i1" => Scalar::I8,
        "i2" => Scalar::I16,
        "i4" => Scalar::I32,
        "i8" => Scalar::I64,
        "u1" => Scalar::U8,
        "u2" => Scalar::U16,
        "u4" => Scalar::U32,
        "u8" => Scalar::U64,
        "f2" => Scalar::F16,
        "f4" => Scalar::F32,
        "f8" => Scalar::F64,
        _ => {
            return Err(unsupported(match code.chars().next() {
                Some('c') => "complex numbers",
                Some('O') => "Python objects",
                Some('S' | 'U' | 'a') => "text",
                Some('M' | 'm') => "dates or durations",
                Some('V') => "raw records",
                Some('f') => "floats wider than 64 bits",
                _ => "values of an unknown type",
            }));
        }
    };
    Ok((scalar, endian))
}

/// What is left of the dictionary.
struct Cursor<'a>(&'a str);

impl<'a> Cursor<'a> {
    fn eat(&mut self, token: char) -> bool {
        self.0 = self.0.trim_start();
        self.0.strip_prefix(token).map(|rest| self.0 = rest).is_some()
    }

    fn expect(&mut self, token: char) -> Result<(), ErrorKind> {
        if self.eat(token) { Ok(()) } else { Err(malformed(format!("its header lacks a {token:?}"))) }
    }

    fn string(&mut self) -> Result<&'a str, ErrorKind> {
        let quote = if self.eat('"') { '"' } else { '\'' };
        if quote == '\'' {
            self.expect(quote)?;
        }
        let (string, rest) =
            self.0.split_once(quote).ok_or_else(|| malformed("a quote in its header never closes"))?;
        self.0 = rest;
        Ok(string)
    }

    fn boolean(&mut self) -> Result<bool, ErrorKind> {
        self.0 = self.0.trim_start();
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(rest) = self.0.strip_prefix(word) {
                self.0 = rest;
                return Ok(value);
            }
        }
        Err(malformed("\"fortran_order\" is neither True nor False"))
    }

    fn tuple(&mut self) -> Result<Vec<u64>, ErrorKind> {
        let mut values = Vec::new();
        self.expect('(')?;
        while !self.eat(')') {
            let digits = self.0.len() - self.0.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let value = self.0[..digits].parse();
            values.push(value.map_err(|_| malformed("\"shape\" is not a list of sizes"))?);
            self.0 = &self.0[digits..];
            if !self.eat(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(values)
    }
}

fn exact(file: &mut impl Read, bytes: &mut [u8]) -> Result<(), ErrorKind> {
    file.read_exact(bytes).map_err(|error| match error.kind() {
        std::io::ErrorKind::UnexpectedEof => truncated(),
        _ => error.into(),
    })
}

fn truncated() -> ErrorKind {
    malformed("it ends inside its header")
}

fn malformed(reason: impl Into<String>) -> ErrorKind {
    ErrorKind::Malformed { format: Format::Npy, reason: reason.into() }
}

fn unsupported(what: &str) -> ErrorKind {
    ErrorKind::Unsupported {
        what: what.to_owned(),
        advice: "save the array with a plain number type such as float32 or float64",
    }
}
