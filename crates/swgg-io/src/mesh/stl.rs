//! Triangles: each with its three corners, so that a corner of the surface is there about six times. Each is a point once,
//! in the order in which they come.

use std::collections::HashSet;
use std::io::{BufRead, Read as _};

use super::{cloud, malformed, point};
use crate::error::ErrorKind;
use crate::format::Format;
use crate::input::{Input, buffered};
use crate::scalar::{Endian, to_f32};
use crate::spec::Read;

/// Bytes before the number of triangles, and of a triangle: a normal, three corners, two bytes of colour.
const HEADER: u64 = 80;
const TRIANGLE: usize = 50;

pub(super) fn read(input: Input<'_>) -> Read {
    let size = input.size;
    let columns = input.columns;
    let mut reader = buffered(input.file);
    // Text begins with "solid", and so do some binary files, whose size gives them away.
    let start = reader.fill_buf()?;
    let announced =
        start.get(80..84).map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    let expected = |count: u32| HEADER + 4 + u64::from(count) * TRIANGLE as u64;
    let is_text = start.trim_ascii_start().starts_with(b"solid")
        && !start.contains(&0)
        && announced.is_none_or(|count| expected(count) != size);
    let mut corners = Corners::default();
    if is_text {
        text(reader, &mut corners)?;
        return cloud(Format::Stl, columns, corners.points, false, vec!["faces".to_owned()]);
    }
    let Some(count) = announced else {
        return Err(malformed(Format::Stl, "it is shorter than its header of 84 bytes"));
    };
    if expected(count) != size {
        let (found, expected) = (size - HEADER - 4, expected(count) - HEADER - 4);
        return Err(ErrorKind::Size { found, expected });
    }
    reader.consume(84);
    let mut triangle = [0; TRIANGLE];
    for _ in 0..count {
        reader.read_exact(&mut triangle)?;
        for corner in triangle[12..48].chunks_exact(12) {
            let axis = |k: usize| f64::from(to_f32(&corner[4 * k..4 * k + 4], Endian::Little));
            corners.push([axis(0), axis(1), axis(2)]);
        }
    }
    cloud(Format::Stl, columns, corners.points, true, vec!["faces".to_owned()])
}

fn text(mut reader: impl BufRead, corners: &mut Corners) -> Result<(), ErrorKind> {
    let (mut line, mut bytes) = (0, Vec::new());
    while reader.read_until(b'\n', &mut bytes)? > 0 {
        line += 1;
        let text = String::from_utf8_lossy(&bytes);
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        if words.first().is_some_and(|word| word.eq_ignore_ascii_case("vertex")) {
            corners.push(point(Format::Stl, line, &words[1..])?);
        }
        bytes.clear();
    }
    Ok(())
}

/// Points, each once.
#[derive(Default)]
struct Corners {
    points: Vec<[f64; 3]>,
    seen: HashSet<[u64; 3]>,
}

impl Corners {
    fn push(&mut self, point: [f64; 3]) {
        // Both zeros are one place.
        if self.seen.insert(point.map(|x| (x + 0.0).to_bits())) {
            self.points.push(point);
        }
    }
}
