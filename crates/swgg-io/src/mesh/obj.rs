//! Wavefront meshes: lines that begin with `v` are vertices.

use std::io::BufRead;

use super::{cloud, point};
use crate::error::ErrorKind;
use crate::format::Format;
use crate::input::{Input, buffered};
use crate::spec::Read;

pub(super) fn read(input: Input<'_>) -> Read {
    let mut points = Vec::new();
    let mut has_faces = false;
    let mut reader = buffered(input.file);
    let (mut line, mut bytes) = (0, Vec::new());
    while reader.read_until(b'\n', &mut bytes)? > 0 {
        line += 1;
        if bytes.contains(&0) {
            return Err(ErrorKind::NulByte { line });
        }
        let text = String::from_utf8_lossy(&bytes);
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        match words.first() {
            Some(&"v") => points.push(point(Format::Obj, line as usize, &words[1..])?),
            Some(&"f") => has_faces = true,
            _ => {}
        }
        bytes.clear();
    }
    let unread = if has_faces { vec!["faces".to_owned()] } else { Vec::new() };
    cloud(Format::Obj, input.columns, points, false, unread)
}
