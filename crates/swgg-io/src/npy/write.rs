//! Arrays out.

use std::io::{self, Write};

use super::header::MARK;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::Layout;
use crate::output::Output;

/// Writes a matrix, row by row, as a `.npy` array of 64-bit floats, ready to commit.
///
/// # Errors
///
/// [`ErrorKind::Shape`] unless `data` holds `rows` times `columns` values, and what the system refuses.
pub fn write_matrix(output: Output, rows: usize, columns: usize, data: &[f64]) -> Result<Output> {
    if rows.checked_mul(columns) != Some(data.len()) {
        let shape = ErrorKind::Shape { found: data.len(), rows: Some(rows), columns };
        return Err(Error::at(output.path(), shape));
    }
    write_array(output, &[rows as u64, columns as u64], data)
}

/// Writes a vector as a one-dimensional `.npy` array of 64-bit floats, ready to commit.
///
/// # Errors
///
/// What the system refuses.
pub fn write_vector(output: Output, data: &[f64]) -> Result<Output> {
    write_array(output, &[data.len() as u64], data)
}

fn write_array(output: Output, shape: &[u64], data: &[f64]) -> Result<Output> {
    output.write_with(|output| {
        write_header(output, "<f8", shape)?;
        write_values(output, data)
    })
}

/// Writes a row of 64-bit floats per point.
pub(super) fn write_layout(output: &mut impl Write, layout: &Layout<'_>) -> io::Result<()> {
    write_header(output, "<f8", &[layout.rows as u64, layout.fields.len() as u64])?;
    layout.write_rows(output)
}

/// Header of version 1.0, padded as NumPy pads it so that the values can be mapped.
pub(crate) fn write_header(output: &mut impl Write, descr: &str, shape: &[u64]) -> io::Result<()> {
    const BEFORE: usize = 10;
    let sizes: String = shape.iter().map(|size| format!("{size}, ")).collect();
    // Python needs the comma in a tuple of one element; NumPy writes none at the end of longer ones.
    let sizes = if shape.len() == 1 { sizes.trim_end() } else { sizes.trim_end_matches(", ") };
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({sizes}), }}");
    let length = (BEFORE + text.len() + 1).next_multiple_of(64) - BEFORE;
    text.extend(std::iter::repeat_n(' ', length - text.len() - 1));
    text.push('\n');
    output.write_all(MARK)?;
    output.write_all(&[1, 0])?;
    output.write_all(&(length as u16).to_le_bytes())?;
    output.write_all(text.as_bytes())
}

pub(super) fn write_values(output: &mut impl Write, data: &[f64]) -> io::Result<()> {
    data.iter().try_for_each(|value| output.write_all(&value.to_le_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_padded_to_64_bytes() {
        for (shape, tuple) in [(&[][..], "()"), (&[7][..], "(7,)"), (&[123456, 3][..], "(123456, 3)")] {
            let mut bytes = Vec::new();
            write_header(&mut bytes, "<f8", shape).unwrap();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            assert_eq!(bytes.len() % 64, 0);
            assert!(text.contains(&format!("'shape': {tuple}, }}")), "{text}");
            assert!(text.ends_with(" \n"), "{text}");
        }
    }
}
