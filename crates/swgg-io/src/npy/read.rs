//! Values of a `.npy` file: mapped if the bytes are the values, decoded if not.

use std::fs::File;
use std::io::{self, Seek};

use super::header::Header;
use crate::attributes::{Attributes, Origin};
use crate::cloud::{Cloud, Extra, Values};
use crate::column::Column;
use crate::columns::{ColumnRef, ColumnSelection, slots};
use crate::error::ErrorKind;
use crate::format::Format;
use crate::input::Input;
use crate::mapped::Mapped;
use crate::scalar::{Endian, Scalar, to_f32};
use crate::spec::Read;

/// Smaller files are copied: it costs little, and the caller may then change them.
const MAP_FROM: u64 = 64 << 20;

/// Reads the coordinates and, if wanted, the columns that were not picked.
pub(super) fn read(input: Input<'_>) -> Read {
    let Input { file, size, columns, keep, .. } = input;
    let again = if keep && columns.is_some() { Some(file.try_clone()?) } else { None };
    let cloud = read_mapping_from(file, size, columns, MAP_FROM)?;
    let mut attributes = Attributes::new(cloud.rows(), Origin::plain(Format::Npy));
    if let (Some(mut file), Some(selection)) = (again, columns) {
        file.rewind()?;
        let header = Header::read(&mut file, size)?;
        let picked = selection.resolve(None, header.columns)?;
        let others: Vec<usize> = (0..header.columns).filter(|index| !picked.contains(index)).collect();
        let kept = slots(&others, header.columns);
        attributes.arrange(&slots(&picked, header.columns), &kept);
        let values = decode(file, &header, &others, |bytes| header.scalar.to_f64(bytes, header.endian))?;
        for (slot, index) in others.iter().enumerate() {
            let mut column = Column::numbers(index.to_string(), Scalar::F64, 1);
            let values = values.iter().skip(slot).step_by(others.len());
            values.for_each(|value| column.push_bytes(&value.to_le_bytes(), Endian::Little));
            attributes.columns.push(column);
        }
    }
    Ok((cloud, attributes))
}

/// All numbers of an array, whatever its shape of one or two axes.
pub(crate) fn numbers(mut file: File, size: u64) -> Result<Vec<f64>, ErrorKind> {
    let header = Header::read(&mut file, size)?;
    let all: Vec<usize> = (0..header.columns).collect();
    decode(file, &header, &all, |bytes| header.scalar.to_f64(bytes, header.endian))
}

fn read_mapping_from(
    mut file: File,
    size: u64,
    columns: Option<&ColumnSelection>,
    map_from: u64,
) -> Result<Cloud, ErrorKind> {
    let header = Header::read(&mut file, size)?;
    let picked = match columns {
        Some(selection) => selection.resolve(None, header.columns)?,
        None => (0..header.columns).collect(),
    };
    let mapped = if columns.is_none() && size >= map_from { map(&file, &header) } else { None };
    let values = match mapped {
        Some(values) => values,
        None if header.scalar == Scalar::F32 => {
            Values::F32(decode(file, &header, &picked, |bytes| Ok(to_f32(bytes, header.endian)))?)
        }
        None => {
            Values::F64(decode(file, &header, &picked, |bytes| header.scalar.to_f64(bytes, header.endian))?)
        }
    };
    Ok(Cloud {
        values,
        columns: picked.len(),
        names: None,
        ignored: Vec::new(),
        format: Format::Npy,
        dtype: header.scalar.name(),
        extra: Extra::default(),
    })
}

/// The values in place, if they are stored as this machine would store them. A failure to map is not an error:
/// some file systems cannot, and the decoder can read those.
fn map(file: &File, header: &Header) -> Option<Values> {
    if header.fortran || header.endian == Endian::Big || cfg!(target_endian = "big") {
        return None;
    }
    let offset = usize::try_from(header.offset).ok()?;
    match header.scalar {
        Scalar::F32 => Mapped::open(file, offset).ok()?.map(Values::MappedF32),
        Scalar::F64 => Mapped::open(file, offset).ok()?.map(Values::MappedF64),
        _ => None,
    }
}

fn decode<T: Copy + Default>(
    mut file: impl io::Read,
    header: &Header,
    picked: &[usize],
    value: impl Fn(&[u8]) -> Result<T, i128>,
) -> Result<Vec<T>, ErrorKind> {
    const BATCH: usize = 1 << 15;
    let Header { rows, columns, fortran, .. } = *header;
    let item = header.scalar.size();
    let slots = slots(picked, columns);
    let mut values = vec![T::default(); rows * picked.len()];
    let mut bytes = vec![0; item * BATCH.min(rows * columns)];
    let (mut row, mut column) = (0, 0);
    let mut left = rows * columns;
    while left > 0 {
        let batch = left.min(BATCH);
        left -= batch;
        file.read_exact(&mut bytes[..batch * item])?;
        for bytes in bytes[..batch * item].chunks_exact(item) {
            if let Some(slot) = slots[column] {
                values[row * picked.len() + slot] = value(bytes).map_err(|value| ErrorKind::Inexact {
                    row: row as u64,
                    column: ColumnRef::new(column, None),
                    value,
                })?;
            }
            let (fast, slow, length) =
                if fortran { (&mut row, &mut column, rows) } else { (&mut column, &mut row, columns) };
            *fast += 1;
            if *fast == length {
                (*fast, *slow) = (0, *slow + 1);
            }
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::npy::write::{write_header, write_values};

    #[test]
    fn the_mapped_values_are_the_decoded_values() {
        let data: Vec<f64> = (0..60).map(|i| f64::from(i) / 7.0).collect();
        let mut file = tempfile::tempfile().unwrap();
        write_header(&mut file, "<f8", &[20, 3]).unwrap();
        write_values(&mut file, &data).unwrap();
        let size = file.metadata().unwrap().len();
        let mut read = |columns: Option<&str>, map_from| {
            file.rewind().unwrap();
            let columns = columns.map(|text| text.parse::<ColumnSelection>().unwrap());
            read_mapping_from(file.try_clone().unwrap(), size, columns.as_ref(), map_from).unwrap()
        };
        let (mapped, copied) = (read(None, 0), read(None, u64::MAX));
        assert!(mapped.is_mapped() && !copied.is_mapped());
        assert_eq!(mapped.as_f64(), Some(&data[..]));
        assert_eq!(mapped.as_f64(), copied.as_f64());
        assert_eq!((mapped.rows(), mapped.columns()), (20, 3));
        assert!(!read(Some("2,0"), 0).is_mapped());
    }

    #[test]
    fn misaligned_values_are_decoded() {
        let mut file = tempfile::tempfile().unwrap();
        let dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }\n";
        file.write_all(b"\x93NUMPY\x01\x00").unwrap();
        file.write_all(&(dictionary.len() as u16).to_le_bytes()).unwrap();
        file.write_all(dictionary.as_bytes()).unwrap();
        file.write_all(&[0, 0, 128, 63, 0, 0, 0, 64]).unwrap();
        file.rewind().unwrap();
        let size = file.metadata().unwrap().len();
        assert_ne!((size - 8) % 4, 0);
        let cloud = read_mapping_from(file, size, None, 0).unwrap();
        assert!(!cloud.is_mapped());
        assert_eq!(cloud.as_f32(), Some(&[1.0, 2.0][..]));
    }
}
