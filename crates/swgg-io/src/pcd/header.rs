//! The header of a PCD file: which fields a point has, and how many points there are.

use std::io::{BufRead, Read};

use super::malformed;
use crate::error::{ErrorKind, shorten};
use crate::scalar::Scalar;

/// Real headers take a few hundred bytes.
const LONGEST: u64 = 1 << 20;

#[derive(Debug)]
pub(super) struct Header {
    pub(super) fields: Vec<Field>,
    pub(super) points: u64,
    pub(super) grid: Grid,
    /// Whether it says where the sensor stood: at the origin, looking ahead, is what all files say that do not know.
    pub(super) has_viewpoint: bool,
    /// Lines of the header.
    pub(super) lines: u64,
    /// Bytes of the header.
    pub(super) length: u64,
}

/// What a PCD file says about a whole cloud.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grid {
    pub(super) encoding: Encoding,
    pub(super) width: u64,
    /// 1 unless the cloud is organised in rows, as an image is.
    pub(super) height: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Ascii,
    Binary,
    Compressed,
}

impl Encoding {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ascii => "ascii",
            Self::Binary => "binary",
            Self::Compressed => "binary_compressed",
        }
    }
}

/// `count` values of one type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) scalar: Scalar,
    pub(super) count: usize,
}

impl Field {
    /// Bytes of a point.
    pub(super) fn size(&self) -> usize {
        self.scalar.size() * self.count
    }

    /// Fields of that name only fill gaps.
    pub(super) fn is_padding(&self) -> bool {
        self.name == "_"
    }
}

impl Header {
    /// Bytes of a binary point.
    pub(super) fn point_size(&self) -> u64 {
        self.fields.iter().map(|field| field.size() as u64).sum()
    }

    /// Reads up to and including the line `DATA`.
    pub(super) fn read(reader: &mut impl BufRead) -> Result<Self, ErrorKind> {
        let mut reader = reader.take(LONGEST);
        let mut entries = Entries::default();
        let (mut lines, mut length) = (0, 0);
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = reader.read_until(b'\n', &mut line)? as u64;
            lines += 1;
            length += read;
            if read == 0 || (!line.ends_with(b"\n") && length >= LONGEST) {
                return Err(malformed("its header never ends: there is no line \"DATA\""));
            }
            let text = std::str::from_utf8(&line).map_err(|_| ErrorKind::NotUtf8 { line: lines })?.trim();
            let refuse = || malformed(format!("line {lines} is {:?}", shorten(text)));
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let mut words = text.split_ascii_whitespace();
            let key = words.next().unwrap_or_default();
            let words: Vec<String> = words.map(str::to_owned).collect();
            if let (true, [encoding]) = (key == "DATA", &words[..]) {
                let encoding = match encoding.as_str() {
                    "ascii" => Encoding::Ascii,
                    "binary" => Encoding::Binary,
                    "binary_compressed" => Encoding::Compressed,
                    _ => return Err(refuse()),
                };
                return entries.header(encoding, lines, length);
            }
            if !entries.note(key, words) {
                return Err(refuse());
            }
        }
    }
}

/// The lines of a header before they are compared with each other.
#[derive(Default)]
struct Entries {
    names: Option<Vec<String>>,
    sizes: Option<Vec<String>>,
    types: Option<Vec<String>>,
    counts: Option<Vec<String>>,
    width: Option<u64>,
    height: Option<u64>,
    points: Option<u64>,
    has_viewpoint: bool,
}

impl Entries {
    /// `false` if the line makes no sense.
    fn note(&mut self, key: &str, words: Vec<String>) -> bool {
        let number = || match &words[..] {
            [word] => word.parse::<u64>().ok(),
            _ => None,
        };
        let numbers =
            [("WIDTH", &mut self.width), ("HEIGHT", &mut self.height), ("POINTS", &mut self.points)];
        for (name, place) in numbers {
            if key == name {
                *place = number();
                return place.is_some();
            }
        }
        match key {
            "VERSION" => {}
            "VIEWPOINT" => {
                let usual = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0].map(Some);
                self.has_viewpoint = !words.iter().map(|word| word.parse().ok()).eq(usual);
            }
            // Before version .6 they were called columns.
            "FIELDS" | "COLUMNS" => self.names = Some(words),
            "SIZE" => self.sizes = Some(words),
            "TYPE" => self.types = Some(words),
            "COUNT" => self.counts = Some(words),
            _ => return false,
        }
        true
    }

    fn header(self, encoding: Encoding, lines: u64, length: u64) -> Result<Header, ErrorKind> {
        let names = self.names.filter(|names| !names.is_empty());
        let names = names.ok_or_else(|| malformed("its header has no line \"FIELDS\""))?;
        let complete = |what: &str, words: Option<Vec<String>>, usual: &str| match words {
            Some(words) if words.len() != names.len() => Err(malformed(format!(
                "it has {} fields but {} entries in the line {what:?}",
                names.len(),
                words.len()
            ))),
            Some(words) => Ok(words),
            // Old files have floats only and do not say so.
            None => Ok(vec![usual.to_owned(); names.len()]),
        };
        let sizes = complete("SIZE", self.sizes, "4")?;
        let types = complete("TYPE", self.types, "F")?;
        let counts = complete("COUNT", self.counts, "1")?;
        let mut fields = Vec::with_capacity(names.len());
        for (k, name) in names.iter().enumerate() {
            let scalar = scalar_of(&types[k], &sizes[k]).ok_or_else(|| {
                malformed(format!(
                    "field {:?} has type {} of size {}, which there is not",
                    shorten(name),
                    shorten(&types[k]),
                    shorten(&sizes[k])
                ))
            })?;
            // More values than a header has bytes are a lie, and would overflow sums of sizes.
            let count = counts[k].parse::<u32>().ok().filter(|count| (1..=1 << 24).contains(count));
            let count = count.ok_or_else(|| {
                malformed(format!("field {:?} has a count of {}", shorten(name), shorten(&counts[k])))
            })?;
            fields.push(Field { name: name.clone(), scalar, count: count as usize });
        }
        let (width, height) = match (self.width, self.height, self.points) {
            (Some(width), height, _) => (width, height.unwrap_or(1)),
            (None, _, Some(points)) => (points, 1),
            (None, _, None) => return Err(malformed("its header has neither \"WIDTH\" nor \"POINTS\"")),
        };
        let points = width.saturating_mul(height);
        match self.points {
            Some(announced) if announced != points => Err(malformed(format!(
                "its header announces {announced} points, but WIDTH times HEIGHT is {points}"
            ))),
            _ => {
                let (grid, has_viewpoint) = (Grid { encoding, width, height }, self.has_viewpoint);
                Ok(Header { fields, points, grid, has_viewpoint, lines, length })
            }
        }
    }
}

fn scalar_of(kind: &str, size: &str) -> Option<Scalar> {
    Some(match (kind, size) {
        ("I", "1") => Scalar::I8,
        ("I", "2") => Scalar::I16,
        ("I", "4") => Scalar::I32,
        ("I", "8") => Scalar::I64,
        ("U", "1") => Scalar::U8,
        ("U", "2") => Scalar::U16,
        ("U", "4") => Scalar::U32,
        ("U", "8") => Scalar::U64,
        ("F", "4") => Scalar::F32,
        ("F", "8") => Scalar::F64,
        _ => return None,
    })
}
