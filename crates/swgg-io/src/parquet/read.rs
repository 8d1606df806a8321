//! A table of numbers, a few thousand rows of every column at a time.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ::parquet::basic::Compression;
use ::parquet::file::metadata::ColumnChunkMetaData;
use ::parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use ::parquet::schema::types::ColumnDescPtr;

use super::column::{Column, is_text, scalar_of};
use super::file::Bounded;
use super::list;
use crate::attributes::{Attributes, Origin, coordinates_by_name};
use crate::cloud::{Cloud, Extra, Values};
use crate::column::Column as Stored;
use crate::columns::{ColumnRef, slots};
use crate::error::ErrorKind;
use crate::format::Format;
use crate::input::Input;
use crate::scalar::{Scalar, common_name};
use crate::spec::Read;

const BATCH: usize = 8192;

/// Reads the coordinates and, if wanted, everything else.
pub(super) fn read(input: Input<'_>) -> Read {
    // The parquet crate panics on some damaged pages ("decoder for dict should have been set"). Nothing that it
    // was working on outlives the call, so a broken invariant cannot be seen.
    let read = AssertUnwindSafe(|| read_table(input));
    catch_unwind(read).unwrap_or_else(|_| Err(malformed("its pages are damaged")))
}

fn read_table(input: Input<'_>) -> Read {
    let Input { file, size, columns, keep, missing, .. } = input;
    let reader = SerializedFileReader::new(Bounded { file, size }).map_err(malformed)?;
    let schema = reader.metadata().file_metadata().schema_descr();
    // Lists have a path of several words, of which the first is the name that people know.
    let name = |column: &ColumnDescPtr| match column.path().parts() {
        [first, ..] if column.max_rep_level() == 1 => first.clone(),
        _ => column.path().string(),
    };
    let names: Vec<String> = schema.columns().iter().map(name).collect();
    let types: Vec<_> = schema.columns().iter().map(|column| scalar_of(column)).collect();
    // The row labels of a pandas table are stored as one more column.
    let is_coordinate = |&index: &usize| types[index].is_ok() && !names[index].starts_with("__index_level_");
    let picked = match columns {
        Some(selection) => selection.resolve(Some(&names), names.len())?,
        None => match coordinates_by_name(&names).filter(|places| keep && places.iter().all(is_coordinate)) {
            Some(places) => places,
            None => (0..names.len()).filter(is_coordinate).collect(),
        },
    };
    // All but some: those that are numbers.
    let picked = match columns {
        Some(selection) if selection.is_others() => picked.into_iter().filter(is_coordinate).collect(),
        _ => picked,
    };
    let lists = |index: &usize| list::scalar_of(&schema.column(*index));
    let only_list = match picked[..] {
        [index] if types[index].is_err() => lists(&index).map(|scalar| (index, scalar)),
        [] => {
            let mut all = (0..names.len()).filter_map(|index| Some((index, lists(&index)?)));
            all.next().filter(|_| all.next().is_none())
        }
        _ => None,
    };
    if let Some(list) = only_list.filter(|_| !keep) {
        let (values, width) = list::read(&reader, size, list, &names)?;
        return Ok(of_lists(values, width, &names[list.0], list.1));
    }
    if picked.is_empty() {
        return Err(ErrorKind::NoColumns);
    }
    let mut scalars = Vec::with_capacity(picked.len());
    for &index in &picked {
        scalars.push(types[index].map_err(|type_name| ErrorKind::NotNumeric {
            column: ColumnRef::new(index, Some(&names)),
            type_name: type_name.to_owned(),
        })?);
    }
    let table = Table { names: &names, picked: &picked, scalars: &scalars, missing };
    let values = if scalars.iter().all(|&scalar| scalar == Scalar::F32) {
        Values::F32(table.read(&reader, size, |value| value as f32)?)
    } else {
        Values::F64(table.read(&reader, size, |value| value)?)
    };
    let ignored = match columns {
        Some(_) => Vec::new(),
        None => (0..names.len()).filter(|index| !is_coordinate(index)).map(|i| names[i].clone()).collect(),
    };
    let single = matches!(values, Values::F32(_));
    let cloud = Cloud {
        values,
        columns: picked.len(),
        names: Some(picked.iter().map(|&index| names[index].clone()).collect()),
        ignored,
        format: Format::Parquet,
        dtype: common_name(scalars.into_iter()),
        extra: Extra::default(),
    };
    let mut attributes = Attributes::new(cloud.rows(), Origin::plain(Format::Parquet));
    attributes.single = single;
    attributes.names = cloud.names.clone();
    if keep {
        let slots = slots(&picked, names.len());
        let mut kept = vec![None; names.len()];
        for index in (0..names.len()).filter(|&index| slots[index].is_none()) {
            let stored = match types[index] {
                Ok(scalar) => Ok((scalar, Stored::numbers(&names[index], scalar, 1))),
                Err(_) if is_text(&schema.column(index)) => Ok((Scalar::U8, Stored::text(&names[index]))),
                Err(type_name) => Err(type_name),
            };
            let stored = stored.map_err(str::to_owned).and_then(|(scalar, stored)| {
                let table = Table { names: &names, picked: &[index], scalars: &[scalar], missing };
                match table.read_stored(&reader, size, stored) {
                    Err(ErrorKind::Null { .. }) => Err("nulls".to_owned()),
                    other => Ok(other),
                }
            });
            match stored {
                Ok(stored) => {
                    kept[index] = Some(attributes.columns.len());
                    attributes.columns.push(stored?);
                }
                Err(reason) => attributes.unread.push(format!("{} ({reason})", names[index])),
            }
        }
        attributes.arrange(&slots, &kept);
    }
    Ok((cloud, attributes))
}

/// Points that are the lists of one column.
fn of_lists(values: Vec<f64>, width: usize, name: &str, scalar: Scalar) -> (Cloud, Attributes) {
    let values = match scalar {
        Scalar::F32 => Values::F32(values.into_iter().map(|x| x as f32).collect()),
        _ => Values::F64(values),
    };
    let cloud = Cloud {
        values,
        columns: width,
        names: Some((0..width).map(|k| format!("{name}_{k}")).collect()),
        ignored: Vec::new(),
        format: Format::Parquet,
        dtype: scalar.name(),
        extra: Extra::default(),
    };
    let attributes = Attributes::new(cloud.rows(), Origin::plain(Format::Parquet));
    (cloud, attributes)
}

pub(super) struct Table<'a> {
    pub(super) names: &'a [String],
    pub(super) picked: &'a [usize],
    pub(super) scalars: &'a [Scalar],
    /// Whether nulls are read as not a number.
    pub(super) missing: bool,
}

impl Table<'_> {
    /// The columns side by side. Memory grows with the values that are really there: the number of rows in the
    /// footer may be a lie.
    fn read<T: Copy + Default>(
        &self,
        reader: &SerializedFileReader<Bounded>,
        size: u64,
        to_value: impl Fn(f64) -> T,
    ) -> Result<Vec<T>, ErrorKind> {
        let width = self.picked.len();
        let mut values = Vec::new();
        let mut batch = Vec::new();
        let mut row = 0;
        for index in 0..reader.num_row_groups() {
            let group = reader.get_row_group(index).map_err(malformed)?;
            let mut columns = self.columns(&*group, size)?;
            let rows = group.metadata().num_rows();
            let mut left = u64::try_from(rows).map_err(|_| malformed("a row group has fewer than 0 rows"))?;
            while left > 0 {
                let count = left.min(BATCH as u64) as usize;
                let start = values.len();
                values.resize(start + count * width, T::default());
                for (slot, column) in columns.iter_mut().enumerate() {
                    column.read(row, count, &mut batch)?;
                    let places = values[start..].iter_mut().skip(slot).step_by(width);
                    places.zip(&batch).for_each(|(place, &value)| *place = to_value(value));
                }
                row += count as u64;
                left -= count as u64;
            }
        }
        if values.is_empty() { Err(ErrorKind::NoRows) } else { Ok(values) }
    }

    /// The only picked column as it is stored.
    fn read_stored(
        &self,
        reader: &SerializedFileReader<Bounded>,
        size: u64,
        mut stored: Stored,
    ) -> Result<Stored, ErrorKind> {
        let mut row = 0;
        for index in 0..reader.num_row_groups() {
            let group = reader.get_row_group(index).map_err(malformed)?;
            let mut left = u64::try_from(group.metadata().num_rows()).unwrap_or_default();
            for column in &mut self.columns(&*group, size)? {
                while left > 0 {
                    let count = left.min(BATCH as u64);
                    column.read_stored(row, count as usize, &mut stored)?;
                    row += count;
                    left -= count;
                }
            }
        }
        Ok(stored)
    }

    pub(super) fn columns(&self, group: &dyn RowGroupReader, size: u64) -> Result<Vec<Column>, ErrorKind> {
        let chunks = group.metadata().columns();
        let column = |(&index, &scalar): (&usize, &Scalar)| {
            let label = ColumnRef::new(index, Some(self.names));
            let chunk = chunks.get(index).ok_or_else(|| malformed(format!("a row group lacks {label}")))?;
            if !is_inside(chunk, size) {
                return Err(malformed(format!("{label} lies outside the file")));
            }
            let codec = match chunk.compression() {
                Compression::BROTLI(_) => Some("brotli"),
                Compression::LZO => Some("lzo"),
                _ => None,
            };
            if let Some(codec) = codec {
                let what = format!("columns compressed by {codec}");
                return Err(ErrorKind::Unsupported { what, advice: "write it with snappy or zstd" });
            }
            let reader = group.get_column_reader(index).map_err(malformed)?;
            Ok(Column {
                reader,
                scalar,
                present: chunk.column_descr().max_def_level(),
                label,
                missing: self.missing,
            })
        };
        self.picked.iter().zip(self.scalars).map(column).collect()
    }
}

/// Whether the bytes of a column are bytes of the file. The parquet reader takes it for granted.
fn is_inside(chunk: &ColumnChunkMetaData, size: u64) -> bool {
    let start = chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset());
    match (u64::try_from(start), u64::try_from(chunk.compressed_size())) {
        (Ok(start), Ok(length)) => start.checked_add(length).is_some_and(|end| end <= size),
        _ => false,
    }
}

pub(super) fn malformed(reason: impl std::fmt::Display) -> ErrorKind {
    ErrorKind::Malformed { format: Format::Parquet, reason: reason.to_string() }
}
