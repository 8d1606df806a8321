//! Tables out: plans and clouds, compressed with snappy.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use ::parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use ::parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type,
};
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::types::Type;

use crate::layout::{Field, Layout};
use crate::output::Output;
use crate::plan::Plan;
use crate::scalar::{Number, Scalar};

/// Rows of a row group, which is what the encoder holds in memory.
const GROUP: usize = 1 << 18;
const BATCH: usize = 1 << 12;

/// Writes the entries of a plan, a row group per block.
pub(super) fn write_plan(output: &mut Output, plan: &Plan<'_>) -> io::Result<()> {
    let open = || {
        let index = Some(LogicalType::integer(32, false));
        let fields = [
            field("source", Physical::INT32, index.clone())?,
            field("target", Physical::INT32, index)?,
            field("mass", Physical::DOUBLE, None)?,
        ];
        table("plan", output, fields.into())
    };
    let mut writer = open().map_err(to_io)?;
    plan.each_block(|entries| {
        let mut write = || {
            let mut group = writer.next_row_group()?;
            // The logical type says that the bits are unsigned.
            write_column::<Int32Type>(&mut group, entries.iter().map(|&(source, ..)| source as i32))?;
            write_column::<Int32Type>(&mut group, entries.iter().map(|&(_, target, _)| target as i32))?;
            write_column::<DoubleType>(&mut group, entries.iter().map(|&(.., mass)| mass))?;
            group.close()
        };
        write().map(drop).map_err(to_io)
    })?;
    writer.close().map(drop).map_err(to_io)
}

/// Writes columns in their types.
pub(super) fn write_layout(output: &mut (impl Write + Send), layout: &Layout<'_>) -> io::Result<()> {
    let write = || {
        let fields = layout.fields.iter().map(field_of).collect::<Result<_>>()?;
        let mut writer = table("cloud", output, fields)?;
        for start in (0..layout.rows).step_by(GROUP) {
            let rows = start..layout.rows.min(start + GROUP);
            let mut group = writer.next_row_group()?;
            for field in &layout.fields {
                write_field(&mut group, layout, field, rows.clone())?;
            }
            group.close()?;
        }
        writer.close()
    };
    write().map(drop).map_err(to_io)
}

/// How a column is declared.
fn field_of(column: &Field<'_>) -> Result<Arc<Type>> {
    if column.text().is_some() {
        return field(&column.name, Physical::BYTE_ARRAY, Some(LogicalType::String));
    }
    let integer = |bits, signed| Some(LogicalType::integer(bits, signed));
    let (physical, logical) = match column.scalar() {
        Scalar::Bool => (Physical::BOOLEAN, None),
        Scalar::I8 => (Physical::INT32, integer(8, true)),
        Scalar::I16 => (Physical::INT32, integer(16, true)),
        Scalar::I32 => (Physical::INT32, None),
        Scalar::U8 => (Physical::INT32, integer(8, false)),
        Scalar::U16 => (Physical::INT32, integer(16, false)),
        Scalar::U32 => (Physical::INT32, integer(32, false)),
        Scalar::I64 => (Physical::INT64, None),
        Scalar::U64 => (Physical::INT64, integer(64, false)),
        Scalar::F16 | Scalar::F32 => (Physical::FLOAT, None),
        Scalar::F64 => (Physical::DOUBLE, None),
    };
    field(&column.name, physical, logical)
}

fn write_field(
    group: &mut SerializedRowGroupWriter<'_, impl Write + Send>,
    layout: &Layout<'_>,
    field: &Field<'_>,
    rows: Range<usize>,
) -> Result<()> {
    if let Some(text) = field.text() {
        return write_column::<ByteArrayType>(group, rows.map(|row| ByteArray::from(text.field(row))));
    }
    let scalar = field.scalar();
    let mut bytes = Vec::new();
    let mut number = |row: usize| {
        bytes.clear();
        layout.push(field, row, &mut bytes);
        scalar.number(&bytes)
    };
    // The logical type says which bits are unsigned.
    let integer = |number: Number| number.to_integer().unwrap_or_default();
    let float = |number: Number| number.to_f64().unwrap_or(f64::NAN);
    match scalar {
        Scalar::Bool => write_column::<BoolType>(group, rows.map(|row| integer(number(row)) != 0)),
        Scalar::I64 | Scalar::U64 => {
            write_column::<Int64Type>(group, rows.map(|row| integer(number(row)) as i64))
        }
        Scalar::F16 | Scalar::F32 => {
            write_column::<FloatType>(group, rows.map(|row| float(number(row)) as f32))
        }
        Scalar::F64 => write_column::<DoubleType>(group, rows.map(|row| float(number(row)))),
        _ => write_column::<Int32Type>(group, rows.map(|row| integer(number(row)) as i32)),
    }
}

fn field(name: &str, physical: Physical, logical: Option<LogicalType>) -> Result<Arc<Type>> {
    let builder = Type::primitive_type_builder(name, physical);
    builder.with_repetition(Repetition::REQUIRED).with_logical_type(logical).build().map(Arc::new)
}

fn table<W: Write + Send>(name: &str, output: W, fields: Vec<Arc<Type>>) -> Result<SerializedFileWriter<W>> {
    let schema = Type::group_type_builder(name).with_fields(fields).build()?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    SerializedFileWriter::new(output, Arc::new(schema), Arc::new(properties))
}

fn write_column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, impl Write + Send>,
    mut values: impl Iterator<Item = T::T>,
) -> Result<()> {
    let mut column =
        group.next_column()?.ok_or_else(|| ParquetError::General("more columns than fields".into()))?;
    let mut batch = Vec::with_capacity(BATCH);
    loop {
        batch.clear();
        batch.extend(values.by_ref().take(BATCH));
        if batch.is_empty() {
            return column.close();
        }
        column.typed::<T>().write_batch(&batch, None, None)?;
    }
}

/// The error of the system, if that is what it was.
fn to_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}
