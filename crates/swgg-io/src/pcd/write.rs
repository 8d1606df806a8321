//! Points out, as PCD of version 0.7.

use std::io::{self, Write};

use super::header::{Encoding, Grid};
use super::lzf;
use crate::layout::{Field, Layout};
use crate::scalar::Scalar;

/// Writes points in the encoding of the file they came from, binary if they came from elsewhere.
pub(super) fn write(output: &mut impl Write, layout: &Layout<'_>, grid: Option<&Grid>) -> io::Result<()> {
    let rows = layout.rows as u64;
    let mut encoding = grid.map_or(Encoding::Binary, |grid| grid.encoding);
    let bytes: usize = layout.fields.iter().map(Field::size).sum::<usize>().saturating_mul(layout.rows);
    if encoding == Encoding::Compressed && u32::try_from(bytes + bytes / 16).is_err() {
        // The sizes of a compressed body have 32 bits.
        encoding = Encoding::Binary;
    }
    let organised = grid.filter(|grid| grid.width.checked_mul(grid.height) == Some(rows));
    let (width, height) = organised.map_or((rows, 1), |grid| (grid.width, grid.height));
    // Several colours packed into the bits of a float are no numbers, which text cannot say.
    let kinds: Vec<Scalar> = layout.fields.iter().map(|field| text_type(layout, field, encoding)).collect();

    writeln!(output, "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7")?;
    let mut line = |key: &str, word: &dyn Fn(&Field, Scalar) -> String| {
        let words: Vec<String> =
            layout.fields.iter().zip(&kinds).map(|(field, &kind)| word(field, kind)).collect();
        writeln!(output, "{key} {}", words.join(" "))
    };
    line("FIELDS", &|field, _| field.name.clone())?;
    line("SIZE", &|_, kind| kind.size().to_string())?;
    line("TYPE", &|_, kind| letter(kind).to_string())?;
    line("COUNT", &|field, _| field.count().to_string())?;
    writeln!(output, "WIDTH {width}\nHEIGHT {height}\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS {rows}")?;
    writeln!(output, "DATA {}", encoding.name())?;
    match encoding {
        Encoding::Ascii => write_text(output, layout, &kinds),
        Encoding::Binary => layout.write_rows(output),
        Encoding::Compressed => {
            let mut columns = Vec::with_capacity(bytes);
            for field in &layout.fields {
                (0..layout.rows).for_each(|row| layout.push(field, row, &mut columns));
            }
            let packed = lzf::compress(&columns);
            output.write_all(&(packed.len() as u32).to_le_bytes())?;
            output.write_all(&(columns.len() as u32).to_le_bytes())?;
            output.write_all(&packed)
        }
    }
}

fn write_text(output: &mut impl Write, layout: &Layout<'_>, kinds: &[Scalar]) -> io::Result<()> {
    let mut bytes = Vec::new();
    for row in 0..layout.rows {
        let mut first = true;
        for (field, kind) in layout.fields.iter().zip(kinds) {
            bytes.clear();
            layout.push(field, row, &mut bytes);
            for value in bytes.chunks_exact(kind.size()) {
                if !std::mem::take(&mut first) {
                    output.write_all(b" ")?;
                }
                kind.write_text(value, output)?;
            }
        }
        writeln!(output)?;
    }
    Ok(())
}

fn text_type(layout: &Layout<'_>, field: &Field, encoding: Encoding) -> Scalar {
    let packed = ["rgb", "rgba"].contains(&field.name.as_str()) && field.scalar() == Scalar::F32;
    let mut bytes = Vec::new();
    let mut is_nan = |row: usize| {
        bytes.clear();
        layout.push(field, row, &mut bytes);
        bytes.first_chunk().is_some_and(|bytes| f32::from_le_bytes(*bytes).is_nan())
    };
    if encoding == Encoding::Ascii && packed && (0..layout.rows).any(&mut is_nan) {
        Scalar::U32
    } else {
        field.scalar()
    }
}

/// The layout has no other types.
fn letter(scalar: Scalar) -> char {
    match scalar {
        Scalar::F16 | Scalar::F32 | Scalar::F64 => 'F',
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => 'I',
        Scalar::Bool | Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => 'U',
    }
}
