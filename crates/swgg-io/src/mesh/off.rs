//! The Object File Format: the word OFF, how many vertices, faces and edges there are, then a line for each.

use std::io::BufRead;

use super::{cloud, malformed, point};
use crate::error::ErrorKind;
use crate::format::Format;
use crate::input::{Input, buffered};
use crate::spec::Read;

/// The words that may stand first: with colours (C), normals (N) or texture (ST) after the coordinates.
const WORDS: [&str; 5] = ["OFF", "COFF", "NOFF", "CNOFF", "STOFF"];

pub(super) fn is_marked(bytes: &[u8]) -> bool {
    let first = bytes.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    WORDS.iter().any(|word| word.as_bytes() == first)
}

pub(super) fn read(input: Input<'_>) -> Read {
    let bad = |reason: String| malformed(Format::Off, reason);
    let size = input.size;
    let mut lines = Lines { reader: buffered(input.file), line: 0, bytes: Vec::new() };
    let start = lines.words()?.ok_or_else(|| bad("it has no lines".into()))?;
    let mut start: Vec<&str> = start.iter().map(String::as_str).collect();
    if !WORDS.contains(&start[0]) {
        return Err(bad(format!("it begins with {:?}, not with OFF", crate::error::shorten(start[0]))));
    }
    start.remove(0);
    // Some writers put the counts on the first line, or say that what follows is binary.
    let counts = match start.first() {
        None => lines.words()?.ok_or_else(|| bad("it ends after its first word".into()))?,
        Some(&"BINARY") => {
            return Err(ErrorKind::Unsupported {
                what: "a mesh in binary OFF".into(),
                advice: "write it as text, or as .ply",
            });
        }
        Some(_) => start.iter().map(|&word| word.to_owned()).collect(),
    };
    let counts: Vec<u64> = counts.iter().map_while(|word| word.parse().ok()).collect();
    let &[vertices, faces, ..] = &counts[..] else {
        return Err(bad(format!("line {} does not say how many vertices and faces there are", lines.line)));
    };
    // A vertex takes six bytes at least: three digits, two gaps, a line end.
    if vertices > size / 6 + 1 {
        return Err(ErrorKind::Size { found: size, expected: vertices.saturating_mul(6) });
    }
    let mut points = Vec::with_capacity(vertices as usize);
    for found in 0..vertices {
        let Some(words) = lines.words()? else {
            return Err(ErrorKind::Count { what: "vertices".into(), found, expected: vertices });
        };
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        points.push(point(Format::Off, lines.line, &words)?);
    }
    let unread = if faces > 0 { vec!["faces".to_owned()] } else { Vec::new() };
    cloud(Format::Off, input.columns, points, false, unread)
}

struct Lines<R> {
    reader: R,
    line: usize,
    bytes: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    /// The words of the next line that has some before a `#`.
    fn words(&mut self) -> Result<Option<Vec<String>>, ErrorKind> {
        loop {
            self.bytes.clear();
            if self.reader.read_until(b'\n', &mut self.bytes)? == 0 {
                return Ok(None);
            }
            self.line += 1;
            let text = String::from_utf8_lossy(&self.bytes);
            let content = text.split('#').next().unwrap_or_default();
            let words: Vec<String> = content.split_ascii_whitespace().map(str::to_owned).collect();
            if !words.is_empty() {
                return Ok(Some(words));
            }
        }
    }
}
