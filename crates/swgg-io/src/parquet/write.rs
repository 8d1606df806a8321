//! Tables out: plans and clouds, compressed with snappy.

use std::io::{self, Write};
use std::sync::Arc;

use ::parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use ::parquet::data_type::{DataType, DoubleType, Int32Type};
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::types::Type;

/// Rows of a row group, which is what the encoder holds in memory.
const GROUP: usize = 1 << 18;
const BATCH: usize = 1 << 12;

/// Writes `len` entries of a plan; they are iterated once per column.
pub(crate) fn write_plan(
    output: &mut (impl Write + Send),
    len: usize,
    mut entries: impl Iterator<Item = (u32, u32, f64)> + Clone,
) -> io::Result<()> {
    let write = || {
        let index = Some(LogicalType::integer(32, false));
        let fields = [
            field("source", Physical::INT32, index.clone())?,
            field("target", Physical::INT32, index)?,
            field("mass", Physical::DOUBLE, None)?,
        ];
        let mut writer = table("plan", output, fields.into())?;
        for _ in 0..len.div_ceil(GROUP) {
            let rows = || entries.clone().take(GROUP);
            let mut group = writer.next_row_group()?;
            // The logical type says that the bits are unsigned.
            write_column::<Int32Type>(&mut group, rows().map(|(source, ..)| source as i32))?;
            write_column::<Int32Type>(&mut group, rows().map(|(_, target, _)| target as i32))?;
            write_column::<DoubleType>(&mut group, rows().map(|(.., mass)| mass))?;
            group.close()?;
            entries.nth(GROUP - 1);
        }
        writer.close()
    };
    write().map(drop).map_err(to_io)
}

/// Writes rows of `names.len()` doubles.
pub(crate) fn write_cloud(
    output: &mut (impl Write + Send),
    names: &[String],
    data: &[f64],
) -> io::Result<()> {
    let d = names.len();
    let write = || {
        let fields = names.iter().map(|name| field(name, Physical::DOUBLE, None)).collect::<Result<_>>()?;
        let mut writer = table("cloud", output, fields)?;
        for rows in data.chunks(GROUP * d) {
            let mut group = writer.next_row_group()?;
            for column in 0..d {
                write_column::<DoubleType>(&mut group, rows.iter().skip(column).step_by(d).copied())?;
            }
            group.close()?;
        }
        writer.close()
    };
    write().map(drop).map_err(to_io)
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
