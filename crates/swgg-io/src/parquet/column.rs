//! One column of a parquet table: whether it holds numbers, and how to get them.

use ::parquet::basic::{ConvertedType, LogicalType, Type};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::DataType;
use ::parquet::schema::types::ColumnDescriptor;

use super::read::malformed;
use crate::column::Column as Stored;
use crate::columns::ColumnRef;
use crate::error::ErrorKind;
use crate::scalar::{Endian, Scalar, exact};

/// The numbers a column holds, or what it holds instead.
pub(super) fn scalar_of(column: &ColumnDescriptor) -> Result<Scalar, &'static str> {
    if column.max_rep_level() > 0 {
        return Err("lists");
    }
    if column.path().parts().len() > 1 {
        return Err("nested values");
    }
    match column.physical_type() {
        Type::BOOLEAN => Ok(Scalar::Bool),
        Type::FLOAT => Ok(Scalar::F32),
        Type::DOUBLE => Ok(Scalar::F64),
        Type::INT32 | Type::INT64 => integer_of(column),
        Type::INT96 => Err("timestamps"),
        Type::FIXED_LEN_BYTE_ARRAY if column.logical_type_ref() == Some(&LogicalType::Float16) => {
            Ok(Scalar::F16)
        }
        Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY => Err("text or bytes"),
    }
}

/// Integers that stand for dates or decimals are not coordinates.
fn integer_of(column: &ColumnDescriptor) -> Result<Scalar, &'static str> {
    let wide = column.physical_type() == Type::INT64;
    match column.logical_type_ref() {
        Some(LogicalType::Integer(integer)) => match (integer.bit_width, integer.is_signed) {
            (8, true) => return Ok(Scalar::I8),
            (16, true) => return Ok(Scalar::I16),
            (8, false) => return Ok(Scalar::U8),
            (16, false) => return Ok(Scalar::U16),
            (_, true) => return Ok(if wide { Scalar::I64 } else { Scalar::I32 }),
            (_, false) => return Ok(if wide { Scalar::U64 } else { Scalar::U32 }),
        },
        Some(LogicalType::Decimal(_)) => return Err("decimals"),
        Some(_) => return Err("dates or times"),
        None => {}
    }
    match column.converted_type() {
        ConvertedType::NONE if wide => Ok(Scalar::I64),
        ConvertedType::NONE => Ok(Scalar::I32),
        ConvertedType::INT_8 => Ok(Scalar::I8),
        ConvertedType::INT_16 => Ok(Scalar::I16),
        ConvertedType::INT_32 => Ok(Scalar::I32),
        ConvertedType::INT_64 => Ok(Scalar::I64),
        ConvertedType::UINT_8 => Ok(Scalar::U8),
        ConvertedType::UINT_16 => Ok(Scalar::U16),
        ConvertedType::UINT_32 => Ok(Scalar::U32),
        ConvertedType::UINT_64 => Ok(Scalar::U64),
        ConvertedType::DECIMAL => Err("decimals"),
        _ => Err("dates or times"),
    }
}

/// The values of one column of a row group, in batches.
pub(super) struct Column {
    pub(super) reader: ColumnReader,
    pub(super) scalar: Scalar,
    /// Definition level of a value that is present; 0 if the column has no nulls.
    pub(super) present: i16,
    pub(super) label: ColumnRef,
    /// Whether nulls are read as not a number.
    pub(super) missing: bool,
}

impl Column {
    /// The next `count` values into `values`; `row` is the row of the first, for messages.
    pub(super) fn read(&mut self, row: u64, count: usize, values: &mut Vec<f64>) -> Result<(), ErrorKind> {
        let unsigned = matches!(self.scalar, Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64);
        let gap = self.missing.then_some(f64::NAN);
        let batch = Batch { row, count, present: self.present, label: &self.label, gap };
        match &mut self.reader {
            ColumnReader::BoolColumnReader(reader) => {
                batch.read(reader, values, |&value| Ok(f64::from(u8::from(value))))
            }
            ColumnReader::Int32ColumnReader(reader) if unsigned => {
                batch.read(reader, values, |&value| Ok(f64::from(value as u32)))
            }
            ColumnReader::Int32ColumnReader(reader) => batch.read(reader, values, |&value| Ok(value.into())),
            ColumnReader::Int64ColumnReader(reader) if unsigned => {
                batch.read(reader, values, |&value| exact((value as u64).into()))
            }
            ColumnReader::Int64ColumnReader(reader) => {
                batch.read(reader, values, |&value| exact(value.into()))
            }
            ColumnReader::FloatColumnReader(reader) => batch.read(reader, values, |&value| Ok(value.into())),
            ColumnReader::DoubleColumnReader(reader) => batch.read(reader, values, |&value| Ok(value)),
            ColumnReader::FixedLenByteArrayColumnReader(reader) => batch.read(reader, values, |value| {
                let bytes = value.data().first_chunk::<2>().copied().unwrap_or_default();
                self.scalar.to_f64(&bytes, Endian::Little)
            }),
            ColumnReader::Int96ColumnReader(_) | ColumnReader::ByteArrayColumnReader(_) => {
                Err(malformed("a column changes its type"))
            }
        }
    }

    /// The next `count` values as they are stored.
    pub(super) fn read_stored(&mut self, row: u64, count: usize, into: &mut Stored) -> Result<(), ErrorKind> {
        let batch = Batch { row, count, present: self.present, label: &self.label, gap: None };
        let mut values: Vec<[u8; 8]> = Vec::new();
        let wide = |bytes: &[u8]| {
            let mut wide = [0; 8];
            wide[..bytes.len().min(8)].copy_from_slice(&bytes[..bytes.len().min(8)]);
            Ok(wide)
        };
        match &mut self.reader {
            ColumnReader::BoolColumnReader(reader) => {
                batch.read(reader, &mut values, |&value| wide(&[u8::from(value)]))
            }
            // Narrow integers are stored in the low bytes of wider ones.
            ColumnReader::Int32ColumnReader(reader) => {
                batch.read(reader, &mut values, |value| wide(&value.to_le_bytes()))
            }
            ColumnReader::Int64ColumnReader(reader) => {
                batch.read(reader, &mut values, |value| wide(&value.to_le_bytes()))
            }
            ColumnReader::FloatColumnReader(reader) => {
                batch.read(reader, &mut values, |value| wide(&value.to_le_bytes()))
            }
            ColumnReader::DoubleColumnReader(reader) => {
                batch.read(reader, &mut values, |value| wide(&value.to_le_bytes()))
            }
            ColumnReader::FixedLenByteArrayColumnReader(reader) => {
                batch.read(reader, &mut values, |value| wide(value.data()))
            }
            ColumnReader::ByteArrayColumnReader(reader) => {
                let mut fields: Vec<String> = Vec::new();
                let batch = Batch { row, count, present: self.present, label: &self.label, gap: None };
                batch.read(reader, &mut fields, |value| {
                    Ok(String::from_utf8_lossy(value.data()).into_owned())
                })?;
                fields.iter().for_each(|field| {
                    into.push_text(field);
                });
                return Ok(());
            }
            ColumnReader::Int96ColumnReader(_) => Err(malformed("a column changes its type")),
        }?;
        let size = self.scalar.size();
        values.iter().for_each(|value| into.push_bytes(&value[..size], Endian::Little));
        Ok(())
    }
}

/// Whether a column holds text.
pub(super) fn is_text(column: &ColumnDescriptor) -> bool {
    column.max_rep_level() == 0
        && column.path().parts().len() == 1
        && column.physical_type() == Type::BYTE_ARRAY
        && (column.logical_type_ref() == Some(&LogicalType::String)
            || column.converted_type() == ConvertedType::UTF8)
}

struct Batch<'a, V> {
    row: u64,
    count: usize,
    present: i16,
    label: &'a ColumnRef,
    /// What is read where nothing is, if anything is.
    gap: Option<V>,
}

impl<V: Clone> Batch<'_, V> {
    fn read<T: DataType>(
        &self,
        reader: &mut ColumnReaderImpl<T>,
        values: &mut Vec<V>,
        convert: impl Fn(&T::T) -> Result<V, i128>,
    ) -> Result<(), ErrorKind> {
        values.clear();
        let (mut raw, mut levels) = (Vec::new(), Vec::new());
        while values.len() < self.count {
            raw.clear();
            levels.clear();
            let wanted = self.count - values.len();
            let levels_out = (self.present > 0).then_some(&mut levels);
            let (records, ..) = reader.read_records(wanted, levels_out, None, &mut raw).map_err(malformed)?;
            let row = self.row + values.len() as u64;
            let is_there = |level: &i16| *level >= self.present;
            if self.gap.is_none()
                && let Some(offset) = levels.iter().position(|level| !is_there(level))
            {
                return Err(ErrorKind::Null { row: row + offset as u64, column: self.label.clone() });
            }
            let present =
                if levels.is_empty() { records } else { levels.iter().filter(|l| is_there(l)).count() };
            if records == 0 || raw.len() != present {
                return Err(malformed(format!("{} ends at row {row} (from 0)", self.label)));
            }
            let mut raw = raw.iter();
            for offset in 0..records {
                let value = match (levels.get(offset).is_none_or(is_there), &self.gap) {
                    (false, Some(gap)) => {
                        values.push(gap.clone());
                        continue;
                    }
                    _ => raw.next(),
                };
                let Some(value) = value else { continue };
                let value = convert(value).map_err(|value| ErrorKind::Inexact {
                    row: row + offset as u64,
                    column: self.label.clone(),
                    value,
                })?;
                values.push(value);
            }
        }
        Ok(())
    }
}
