//! Points out, as binary PLY.

use std::io::{self, Write};

use crate::npy::write_values;

/// Writes points of two or three doubles; the caller has checked `d`.
pub(crate) fn write(output: &mut impl Write, d: usize, data: &[f64]) -> io::Result<()> {
    writeln!(output, "ply\nformat binary_little_endian 1.0\nelement vertex {}", data.len() / d)?;
    for name in &["x", "y", "z"][..d] {
        writeln!(output, "property double {name}")?;
    }
    writeln!(output, "end_header")?;
    write_values(output, data)
}
