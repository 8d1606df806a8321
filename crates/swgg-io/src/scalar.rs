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

/// A value before it has a type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Integer(i128),
    Float(f64),
}

impl Number {
    /// As a float, or the integer itself if no float equals it.
    pub(crate) fn to_f64(self) -> Result<f64, i128> {
        match self {
            Self::Integer(value) => exact(value),
            Self::Float(value) => Ok(value),
        }
    }

    /// The integer that this is, if it is one.
    pub(crate) fn to_integer(self) -> Option<i128> {
        match self {
            Self::Integer(value) => Some(value),
            // Beyond that range no type of a file could hold it.
            Self::Float(value) if value.fract() == 0.0 && value.abs() < 1e20 => Some(value as i128),
            Self::Float(_) => None,
        }
    }

    /// The number that text says.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        match std::str::from_utf8(text).ok()?.parse::<i64>() {
            Ok(value) => Some(Self::Integer(value.into())),
            Err(_) => fast_float2::parse(text).ok().map(Self::Float),
        }
    }
}

impl Scalar {
    pub(crate) fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32 | Self::F64)
    }

    /// The value in the first `size` little-endian bytes.
    pub(crate) fn number(self, bytes: &[u8]) -> Number {
        const LITTLE: Endian = Endian::Little;
        match self {
            Self::I64 => Number::Integer(i64::from_le_bytes(ordered(bytes, LITTLE)).into()),
            Self::U64 => Number::Integer(u64::from_le_bytes(ordered(bytes, LITTLE)).into()),
            // All others are exact.
            _ => match self.to_f64(bytes, LITTLE).unwrap_or(f64::NAN) {
                value if self.is_float() => Number::Float(value),
                value => Number::Integer(value as i128),
            },
        }
    }

    /// Appends the value as little-endian bytes; `false`, and nothing appended, if this type does not have it.
    pub(crate) fn push(self, value: Number, bytes: &mut Vec<u8>) -> bool {
        if self.is_float() {
            let value = match value {
                Number::Float(value) => value,
                Number::Integer(value) => value as f64,
            };
            match self {
                Self::F16 => bytes.extend(f16::from_f64(value).to_le_bytes()),
                Self::F32 => bytes.extend((value as f32).to_le_bytes()),
                _ => bytes.extend(value.to_le_bytes()),
            }
            return true;
        }
        let Some(value) = value.to_integer() else { return false };
        if !self.range().contains(&value) {
            return false;
        }
        bytes.extend(&value.to_le_bytes()[..self.size()]);
        true
    }

    /// Appends the value that text says as little-endian bytes; `false` if it says none of this type.
    pub(crate) fn push_text(self, text: &[u8], bytes: &mut Vec<u8>) -> bool {
        if self == Self::F32 {
            // Not by way of 64 bits, which would round twice.
            let value = fast_float2::parse::<f32, _>(text);
            bytes.extend(value.iter().flat_map(|value| value.to_le_bytes()));
            return value.is_ok();
        }
        let wide = || std::str::from_utf8(text).ok()?.parse::<u64>().ok().map(|v| Number::Integer(v.into()));
        Number::parse(text)
            .map(|value| if self == Self::U64 { wide().unwrap_or(value) } else { value })
            .is_some_and(|value| self.push(value, bytes))
    }

    /// Integers that this type has; for floats nobody asks.
    fn range(self) -> std::ops::RangeInclusive<i128> {
        let bits = 8 * self.size() as u32;
        match self {
            Self::Bool => 0..=1,
            Self::I8 | Self::I16 | Self::I32 | Self::I64 => -(1 << (bits - 1))..=(1 << (bits - 1)) - 1,
            _ => 0..=(1 << bits) - 1,
        }
    }

    /// The value in the first `size` little-endian bytes, in the shortest form that reads back the same.
    pub(crate) fn write_text(self, bytes: &[u8], output: &mut impl std::io::Write) -> std::io::Result<()> {
        match (self, self.number(bytes)) {
            (Self::F32, _) => write!(output, "{:?}", to_f32(bytes, Endian::Little)),
            (_, Number::Integer(value)) => write!(output, "{value}"),
            (_, Number::Float(value)) => write!(output, "{value:?}"),
        }
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
    fn values_go_only_where_they_fit() {
        let push = |scalar: Scalar, value| {
            let mut bytes = Vec::new();
            scalar.push(value, &mut bytes).then_some(bytes)
        };
        assert_eq!(push(Scalar::U8, Number::Integer(255)), Some(vec![255]));
        assert_eq!(push(Scalar::U8, Number::Float(7.0)), Some(vec![7]));
        for refused in
            [Number::Integer(256), Number::Integer(-1), Number::Float(0.5), Number::Float(f64::NAN)]
        {
            assert_eq!(push(Scalar::U8, refused), None, "{refused:?}");
        }
        assert_eq!(push(Scalar::I16, Number::Integer(-2)), Some(vec![254, 255]));
        assert_eq!(push(Scalar::U64, Number::Integer(u64::MAX.into())), Some(vec![255; 8]));
        let text = |scalar: Scalar, text: &str| {
            let mut bytes = Vec::new();
            scalar.push_text(text.as_bytes(), &mut bytes).then(|| scalar.number(&bytes))
        };
        assert_eq!(text(Scalar::U64, "18446744073709551615"), Some(Number::Integer(u64::MAX.into())));
        assert_eq!(text(Scalar::I32, "2.0"), Some(Number::Integer(2)));
        assert_eq!(text(Scalar::I32, "2147483648"), None);
        assert_eq!(text(Scalar::F32, "0.1"), Some(Number::Float(f64::from(0.1f32))));
        assert_eq!(text(Scalar::F64, "x"), None);
    }

    #[test]
    fn half_floats() {
        assert_eq!(Scalar::F16.to_f64(&[0x00, 0x3e], Endian::Little), Ok(1.5));
        assert_eq!(Scalar::F16.to_f64(&[0xfc, 0x00], Endian::Big), Ok(f64::NEG_INFINITY));
    }
}
