//! The number types that files store, and how their bytes become floats.

use half::f16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    F32,
    F64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endian {
    Little,
    Big,
}

impl Scalar {
    /// Bytes of one value.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I8 => "int8",
            Self::I16 => "int16",
            Self::I32 => "int32",
            Self::I64 => "int64",
            Self::U8 => "uint8",
            Self::U16 => "uint16",
            Self::U32 => "uint32",
            Self::U64 => "uint64",
            Self::F16 => "float16",
            Self::F32 => "float32",
            Self::F64 => "float64",
        }
    }

    /// The value in the first `size` bytes, or the integer itself if no `f64` equals it.
    pub(crate) fn to_f64(self, bytes: &[u8], endian: Endian) -> Result<f64, i128> {
        Ok(match self {
            Self::Bool => f64::from(u8::from(bytes[0] != 0)),
            Self::I8 => f64::from(i8::from_le_bytes(ordered(bytes, endian))),
            Self::I16 => f64::from(i16::from_le_bytes(ordered(bytes, endian))),
            Self::I32 => f64::from(i32::from_le_bytes(ordered(bytes, endian))),
            Self::I64 => exact(i64::from_le_bytes(ordered(bytes, endian)).into())?,
            Self::U8 => f64::from(bytes[0]),
            Self::U16 => f64::from(u16::from_le_bytes(ordered(bytes, endian))),
            Self::U32 => f64::from(u32::from_le_bytes(ordered(bytes, endian))),
            Self::U64 => exact(u64::from_le_bytes(ordered(bytes, endian)).into())?,
            Self::F16 => f16::from_le_bytes(ordered(bytes, endian)).to_f64(),
            Self::F32 => f64::from(to_f32(bytes, endian)),
            Self::F64 => f64::from_le_bytes(ordered(bytes, endian)),
        })
    }
}

/// The 32-bit float in the first four bytes.
pub(crate) fn to_f32(bytes: &[u8], endian: Endian) -> f32 {
    f32::from_le_bytes(ordered(bytes, endian))
}

/// The integer as a float, or itself if no float equals it.
pub(crate) fn exact(value: i128) -> Result<f64, i128> {
    let float = value as f64;
    if float as i128 == value { Ok(float) } else { Err(value) }
}

/// One name for the types of several columns.
pub(crate) fn common_name(mut types: impl Iterator<Item = Scalar>) -> &'static str {
    match types.next() {
        Some(first) if types.all(|other| other == first) => first.name(),
        _ => "mixed",
    }
}

fn ordered<const N: usize>(bytes: &[u8], endian: Endian) -> [u8; N] {
    let mut ordered = [0; N];
    ordered.copy_from_slice(&bytes[..N]);
    if endian == Endian::Big {
        ordered.reverse();
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_must_be_exact() {
        let big = (1i64 << 53) + 1;
        assert_eq!(Scalar::I64.to_f64(&(big - 1).to_le_bytes(), Endian::Little), Ok(9007199254740992.0));
        assert_eq!(Scalar::I64.to_f64(&big.to_be_bytes(), Endian::Big), Err(big.into()));
        assert_eq!(Scalar::U64.to_f64(&u64::MAX.to_le_bytes(), Endian::Little), Err(u64::MAX.into()));
        assert_eq!(Scalar::U64.to_f64(&(1u64 << 63).to_le_bytes(), Endian::Little), Ok(2f64.powi(63)));
        assert_eq!(Scalar::I64.to_f64(&i64::MIN.to_le_bytes(), Endian::Little), Ok(-2f64.powi(63)));
    }

    #[test]
    fn half_floats() {
        assert_eq!(Scalar::F16.to_f64(&[0x00, 0x3e], Endian::Little), Ok(1.5));
        assert_eq!(Scalar::F16.to_f64(&[0xfc, 0x00], Endian::Big), Ok(f64::NEG_INFINITY));
    }
}
