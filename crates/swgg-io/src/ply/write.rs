//! Points out, as binary PLY.

use std::io::{self, Write};

use crate::layout::Layout;
use crate::scalar::Scalar;

/// Writes vertices; the layout has types of PLY only, one value each.
pub(super) fn write(output: &mut impl Write, layout: &Layout<'_>) -> io::Result<()> {
    writeln!(output, "ply\nformat binary_little_endian 1.0\nelement vertex {}", layout.rows)?;
    for field in &layout.fields {
        writeln!(output, "property {} {}", type_name(field.scalar()), field.name)?;
    }
    writeln!(output, "end_header")?;
    layout.write_rows(output)
}

fn type_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::I8 => "char",
        Scalar::U8 | Scalar::Bool => "uchar",
        Scalar::I16 => "short",
        Scalar::U16 => "ushort",
        Scalar::I32 => "int",
        Scalar::U32 => "uint",
        Scalar::F32 => "float",
        Scalar::F16 | Scalar::F64 | Scalar::I64 | Scalar::U64 => "double",
    }
}
