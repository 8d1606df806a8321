//! A column of lists of numbers, such as embeddings: a list is a point.

use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::DataType;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::schema::types::ColumnDescriptor;

use super::file::Bounded;
use super::read::{Table, malformed};
use crate::columns::ColumnRef;
use crate::error::ErrorKind;
use crate::scalar::Scalar;

const BATCH: usize = 1024;

/// The numbers that the lists of a column hold, if they are lists of numbers and of nothing else.
pub(super) fn scalar_of(column: &ColumnDescriptor) -> Option<Scalar> {
    use ::parquet::basic::Type;
    if column.max_rep_level() != 1 {
        return None;
    }
    match column.physical_type() {
        Type::FLOAT => Some(Scalar::F32),
        Type::DOUBLE => Some(Scalar::F64),
        Type::INT32 if column.logical_type_ref().is_none() => Some(Scalar::I32),
        _ => None,
    }
}

/// Values of all lists, row by row, and how many a list has: as many as the first.
pub(super) fn read(
    reader: &SerializedFileReader<Bounded>,
    size: u64,
    (index, scalar): (usize, Scalar),
    names: &[String],
) -> Result<(Vec<f64>, usize), ErrorKind> {
    let label = ColumnRef::new(index, Some(names));
    let mut lists = Lists { values: Vec::new(), width: None, rows: 0, label };
    let table = Table { names, picked: &[index], scalars: &[scalar], missing: false };
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).map_err(malformed)?;
        let rows = u64::try_from(group.metadata().num_rows()).unwrap_or_default();
        for column in table.columns(&*group, size)? {
            let present = column.present;
            match column.reader {
                ColumnReader::FloatColumnReader(reader) => {
                    lists.push(reader, present, rows, |&x| f64::from(x))?;
                }
                ColumnReader::DoubleColumnReader(reader) => lists.push(reader, present, rows, |&x| x)?,
                ColumnReader::Int32ColumnReader(reader) => {
                    lists.push(reader, present, rows, |&x| f64::from(x))?;
                }
                _ => return Err(malformed("a column changes its type")),
            }
        }
    }
    match lists.width {
        Some(width) if width > 0 => Ok((lists.values, width)),
        _ => Err(ErrorKind::NoRows),
    }
}

struct Lists {
    values: Vec<f64>,
    width: Option<usize>,
    rows: u64,
    label: ColumnRef,
}

impl Lists {
    /// Appends the lists of a row group, which have to be whole.
    fn push<T: DataType>(
        &mut self,
        mut reader: ColumnReaderImpl<T>,
        present: i16,
        rows: u64,
        value: impl Fn(&T::T) -> f64,
    ) -> Result<(), ErrorKind> {
        let mut left = rows;
        let (mut numbers, mut definitions, mut repetitions) = (Vec::new(), Vec::new(), Vec::new());
        while left > 0 {
            numbers.clear();
            definitions.clear();
            repetitions.clear();
            let wanted = left.min(BATCH as u64) as usize;
            let read =
                reader.read_records(wanted, Some(&mut definitions), Some(&mut repetitions), &mut numbers);
            let (records, ..) = read.map_err(malformed)?;
            if records == 0 || numbers.len() > definitions.len() || definitions.len() != repetitions.len() {
                return Err(malformed(format!("{} ends at row {} (from 0)", self.label, self.rows)));
            }
            // A list begins where nothing is repeated; a level below the highest is a list or a value that is not there.
            let mut start = 0;
            for end in 1..=repetitions.len() {
                if end < repetitions.len() && repetitions[end] != 0 {
                    continue;
                }
                let is_whole = definitions[start..end].iter().all(|&level| level == present);
                if !is_whole {
                    return Err(ErrorKind::Null { row: self.rows, column: self.label.clone() });
                }
                let width = *self.width.get_or_insert(end - start);
                if width != end - start {
                    let reason = format!(
                        "{} has a list of {} numbers in row {} (from 0) and lists of {width} before; lists of one length are points",
                        self.label,
                        end - start,
                        self.rows
                    );
                    return Err(malformed(reason));
                }
                self.rows += 1;
                start = end;
            }
            self.values.extend(numbers.iter().map(&value));
            left = left.saturating_sub(records as u64);
        }
        Ok(())
    }
}
